import { join } from 'node:path'
import { verifyState } from '../../src/store/sqlite/copy-state.ts'
import { startFieldstone } from '../../test/cli/fieldstone.ts'
import { fillState } from './big-state.ts'
import { atMost, type Finding } from './finding.ts'
import { startService } from './service-process.ts'

const megabytes = 300

/** Tests P35: a backup during a run and token creation, and its restore. */
export async function testBackups(): Promise<Finding[]> {
  let bytes = 0
  const it = await startService({ FIELDSTONE_OFFLINE: '1' }, async (data) => {
    bytes = await fillState(data, megabytes)
  })
  try {
    await it.post('/v1/runs', {
      kind: 'fetch_batch',
      request: {
        locations: Array.from({ length: 10_000 }, (_, i) => ({ lat: 39 + i / 1e5, lng: -104.9 })),
        fields: ['county', 'geohash'],
      },
    })
    const file = join(it.data, '..', 'backup.tar')
    const before = await longestWrite(it.post, until(Bun.sleep(5000)))
    const began = performance.now()
    const child = startFieldstone(['backup', file, '--data', it.data], {}, join(it.data, '..')).end()
    const during = await longestWrite(it.post, until(child))
    const { code, err } = await child
    const seconds = (performance.now() - began) / 1000
    if (code !== 0) throw new Error(`The backup failed: ${err}`)
    const restored = join(it.data, '..', 'restored')
    const { code: restoreCode } = await startFieldstone(
      ['restore', file, '--data', restored],
      {},
      join(it.data, '..'),
    ).end()
    const { rows } = verifyState(join(restored, 'state.db'), new Date())
    console.error(
      `P35: the longest write was ${before.toFixed(0)} ms without a backup, ${during.toFixed(0)} ms with one; ${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(1)} s`,
    )
    return [
      atMost('P35', 'longest write during a backup', during, { bound: 250, unit: 'ms' }),
      atMost('P35', 'backup for each 100 MB', seconds / (bytes / 1e8), { bound: 5, unit: 's' }),
      {
        promise: 'P35',
        figure: 'restored runs, intact',
        value: restoreCode === 0 ? rows.runs! : 0,
        target: '>= 1',
        pass: restoreCode === 0 && rows.runs! >= 1,
      },
    ]
  } finally {
    await it.stop()
  }
}

function until(work: Promise<unknown>): () => boolean {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  return () => isOver
}

/** Returns the longest time to create a token, one after the other. */
async function longestWrite(
  post: (path: string, body: unknown) => Promise<Response>,
  isOver: () => boolean,
): Promise<number> {
  let longest = 0
  while (!isOver()) {
    const began = performance.now()
    const { status } = await post('/v1/users/me/tokens', { name: 'x', scopes: ['fetch'] })
    if (status !== 201) throw new Error(`Creating a token was answered with ${status}.`)
    longest = Math.max(longest, performance.now() - began)
    await Bun.sleep(5)
  }
  return longest
}
