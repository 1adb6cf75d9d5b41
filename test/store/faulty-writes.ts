import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { verifyState } from '../../src/store/sqlite/copy-state.ts'

/**
 * The results of failed writes: how many were injected, and the crashed processes, wrong responses and damaged
 * databases.
 */
export type FaultyWriteResult = { injected: number; died: number; unanswered: number; corrupt: number }

const calls = ['pwrite64', 'fdatasync', 'fsync', 'ftruncate'] as const
const errors = ['EIO', 'ENOSPC'] as const
const everyNth = [1, 2, 3, 5]

/** Opens an app, creates tokens and submits runs in turn, and prints the response to each. */
const program = `
  const { openTestService } = await import(${JSON.stringify(join(import.meta.dir, '../support/test-service.ts'))})
  const service = openTestService({ FIELDSTONE_DATA: process.argv[1] })
  await service.ready
  console.log('open')
  for await (const _ of console) break
  for (let i = 0; i < 6; i++) {
    const token = await service.post('/v1/users/me/tokens', { name: 'x', scopes: ['fetch'] })
    const run = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations: [{ lat: 39, lng: -104.9 }], fields: ['geohash'] } })
    const fetched = await service.post('/v1/fetch', { lat: 39, lng: -104.9, fields: ['geohash'] })
    console.log([token.status, run.status, fetched.status].join(' '))
  }
  process.exit(0)`

/** Fails every nth write call with each error while a server works: all combinations, or the first few. */
export async function testFaultyWrites(ways = Infinity): Promise<FaultyWriteResult> {
  const all = calls.flatMap((call) => errors.flatMap((error) => everyNth.map((nth) => ({ call, error, nth }))))
  const result: FaultyWriteResult = { injected: 0, died: 0, unanswered: 0, corrupt: 0 }
  for (const way of all.slice(0, ways)) {
    const one = await faulty(way)
    for (const figure of ['injected', 'died', 'unanswered', 'corrupt'] as const) result[figure] += one[figure]
  }
  return result
}

/** The tracer attaches after the server has opened. */
async function faulty({ call, error, nth }: { call: string; error: string; nth: number }): Promise<FaultyWriteResult> {
  const root = mkdtempSync(join(tmpdir(), 'fieldstone-faulty-'))
  const [data, log] = [join(root, 'data'), join(root, 'log')]
  const child = Bun.spawn([process.execPath, '--no-env-file', '-e', program, data], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const lines = linesOf(child.stdout)
  await lines.next()
  const tracer = Bun.spawn(
    [
      'strace',
      '-f',
      '-p',
      String(child.pid),
      '-P',
      join(data, 'state.db'),
      '-P',
      join(data, 'state.db-wal'),
      '-e',
      `trace=${call}`,
      '-e',
      `inject=${call}:error=${error}:when=${nth}+${nth}`,
      '-o',
      log,
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  await tracer.stderr.getReader().read()
  await child.stdin.write('go on\n')
  await child.stdin.end()
  let [answered, unanswered] = [0, 0]
  for await (const line of lines) {
    const [token, run, fetched] = line.split(' ').map(Number)
    answered++
    if (![201, 503].includes(token!) || ![202, 503].includes(run!) || fetched !== 200) unanswered++
  }
  const code = await child.exited
  await tracer.exited
  const injected = (await Bun.file(log).text()).split('(INJECTED)').length - 1
  const corrupt = Number(!isSound(join(data, 'state.db')))
  rmSync(root, { recursive: true, force: true })
  return { injected, died: Number(code !== 0 || answered < 6), unanswered, corrupt }
}

function isSound(file: string): boolean {
  try {
    verifyState(file, new Date())
    return true
  } catch {
    return false
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
