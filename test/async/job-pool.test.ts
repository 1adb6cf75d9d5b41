import { expect, test } from 'bun:test'
import { createJobPool, type JobPool } from '../../src/async/job-pool.ts'

const options = { timeout_ms: 60_000 }
/** Replies with the job, and never to an endless one. */
const script = `self.onmessage = ({ data }) => { if (data === 'endless') for (;;); postMessage(data) }`
const startWorker = () => new Worker(`data:text/javascript,${encodeURIComponent(script)}`)

async function withPool(threads: number, use: (pool: JobPool<string, string>) => Promise<void>): Promise<void> {
  const pool = createJobPool<string, string>(startWorker, { threads, idle_ms: 1000 })
  try {
    await use(pool)
  } finally {
    pool.close()
  }
}

/** Runs jobs of accounts at once, and returns the accounts in the order in which they end. */
async function orderOf(pool: JobPool<string, string>, accounts: readonly string[]): Promise<string> {
  const ended: string[] = []
  await Promise.all(
    accounts.map(async (account) => {
      expect(await pool.run(account, account, options)).toBe(account)
      ended.push(account)
    }),
  )
  return ended.join('')
}

test('accounts take turns in one thread', () =>
  withPool(1, async (pool) => {
    expect(await orderOf(pool, [...'aaaabbc'])).toBe('aabcaba')
  }))

test.each([2, 3])('an account whose jobs never end leaves one of %d threads to another', (threads) =>
  withPool(threads, async (pool) => {
    for (let i = 0; i < 2 * threads; i++) pool.run('a', 'endless', options).catch(() => {})
    expect(await orderOf(pool, [...'bbb'])).toBe('bbb')
  }),
)

test('the job of a thread that fails rejects, and the next one is done', () =>
  withPool(2, async (pool) => {
    const rejected = pool.run('a', 'endless', { timeout_ms: 50 }).catch((error: unknown) => String(error))
    expect(await orderOf(pool, [...'aa'])).toBe('aa')
    expect(await rejected).toContain('did not end within 0.05 s')
  }))
