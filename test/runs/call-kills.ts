import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../cli/fieldstone.ts'
import { waitForRun, submitTestRun } from './http-runs.ts'

/** The results of a server that was killed at one of its write calls. */
export type CallKillResult = {
  call: number
  how: 'killed' | 'not reached'
  broken: string | null
  lost: number
  doubled: number
}

const calls = 'pwrite64,fsync,fdatasync,ftruncate,unlink,rename,renameat,renameat2'
const env = { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' }
const keys = ['one', 'two']
/** A server that does not answer was killed, and must be gone after this time. */
const patience_ms = 20_000
const locationsOf = (key: string) =>
  Array.from({ length: 6 }, (_, i) => ({ lat: 39 + i / 100, lng: key === 'one' ? -105 : -104 }))

/** A data folder after a first start. */
export async function createStartedFolder(): Promise<{ data: string; remove(): void }> {
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  const child = startFieldstone(['serve', '--data', data], env, folder)
  await child.waitForOutput(/answers at (http:\S+)/)
  child.signal('SIGTERM')
  await child.end()
  return { data, remove }
}

/**
 * Kills the service as one of its threads enters its n-th call that writes to `state.db`, while two runs are submitted;
 * then starts it again and sends both again under their keys. `before`: the data folder it begins with; null: none, so
 * that the first start itself is killed.
 */
export async function killAtCall(call: number, before: string | null): Promise<CallKillResult> {
  const { folder, remove } = newFolder()
  const data = join(folder, 'data')
  if (before !== null) cpSync(before, data, { recursive: true })
  const files = ['', '-wal', '-journal', '.new', '.new-wal', '.new-journal'].flatMap((suffix) => [
    '-P',
    join(data, `state.db${suffix}`),
  ])
  const tracing = [
    'strace',
    '-f',
    '-qq',
    '-o',
    '/dev/null',
    '-e',
    'signal=none',
    '-e',
    `trace=${calls}`,
    '-e',
    `inject=${calls}:signal=SIGKILL:when=${call}`,
    ...files,
  ]
  const first = startFieldstone(['serve', '--data', data], env, folder, tracing)
  const acknowledged = new Map<string, string>()
  // A connection to a killed process may hang forever.
  const known = await Promise.race([firstLife(first, acknowledged), first.end().then(() => 'killed' as const)])
  if (known !== 'killed') {
    endUnder(first.pid)
    await first.end()
    remove()
    return { call, how: 'not reached', broken: null, lost: 0, doubled: 0 }
  }
  const again = startFieldstone(['serve', '--data', data], env, folder)
  try {
    const [, address = ''] = await again.waitForOutput(/answers at (http:\S+)/)
    const ids = await Promise.all(
      keys.map((key) => submitTestRun(address, key, { locations: locationsOf(key), fields: ['geohash'] })),
    )
    const documents = await Promise.all(ids.map((id) => waitForRun(address, id)))
    const whole = documents.filter(
      (it) => it?.status === 'done' && it.result?.results.length === 6 && it.progress.ok === 6,
    )
    const { items } = (await (await fetch(`${address}/v1/runs`)).json()) as { items: { run_id: string }[] }
    const lost =
      [...acknowledged].filter(([key, id]) => ids[keys.indexOf(key)] !== id).length + keys.length - whole.length
    return { call, how: 'killed', broken: null, lost, doubled: items.length - keys.length }
  } catch (error) {
    return { call, how: 'killed', broken: (error as Error).message, lost: 0, doubled: 0 }
  } finally {
    again.signal('SIGKILL')
    await again.end()
    remove()
  }
}

async function firstLife(
  it: ReturnType<typeof startFieldstone>,
  acknowledged: Map<string, string>,
): Promise<'finished'> {
  try {
    const [, address = ''] = await it.waitForOutput(/answers at (http:\S+)/)
    await Promise.all(
      keys.map(async (key) => {
        const id = await submitTestRun(address, key, { locations: locationsOf(key), fields: ['geohash'] })
        acknowledged.set(key, id)
        if ((await waitForRun(address, id)) === null) throw new Error(`The events of ${id} ended too soon.`)
      }),
    )
    return 'finished'
  } catch (cause) {
    await Bun.sleep(patience_ms)
    throw new Error('It did not end, and did not answer.', { cause })
  }
}

/** Ends the server; the tracer then ends by itself. */
function endUnder(tracer: number): void {
  for (const pid of readFileSync(`/proc/${tracer}/task/${tracer}/children`, 'utf8').trim().split(' '))
    process.kill(Number(pid), 'SIGKILL')
}
