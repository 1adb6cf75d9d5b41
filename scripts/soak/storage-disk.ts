import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from '../../test/cli/fieldstone.ts'
import { newDisk } from '../../test/store/small-disk.ts'
import { atLeast, atMost, type Finding } from './finding.ts'

const env = { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' }
const fields = ['county', 'geohash', 'timezone']
const until_ms = 15_000

/** Tests P30, P31 and P38: a full disk, a read-only disk, and a second process. Skipped if no disk can be mounted. */
export async function testFullDisk(): Promise<Finding[]> {
  const own = newDisk(512)
  if (!own) {
    console.error('Skipped P30 and P31: mounting a disk needs root.')
    return []
  }
  try {
    const data = join(own.folder, 'data')
    mkdirSync(data, { mode: 0o700 })
    const child = startFieldstone(['serve', '--data', data], env, own.folder)
    const url = (await child.waitForOutput(/answers at (http:\S+)/))[1]!
    const post = (path: string, body: unknown) =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    const submit = (count: number) =>
      post('/v1/runs', {
        kind: 'fetch_batch',
        request: {
          locations: Array.from({ length: count }, (_, i) => ({ lat: 39 + i / 10_000, lng: -104.9 })),
          fields,
        },
      })
    const accepted = await Promise.all(
      [submit(4000), submit(4000)].map(async (it) => ((await (await it).json()) as { run_id: string }).run_id),
    )

    const empty = own.fill(0)
    const began = performance.now()
    const refused = await submit(1)
    const rejection_ms = performance.now() - began
    const wasRight = refused.status === 503 && (await refused.text()).includes('"storage_full"')
    let fetched = 0
    for (let i = 0; i < 50; i++)
      fetched += Number((await post('/v1/fetch', { lat: 39 + i / 100, lng: -104.9, fields })).status === 200)
    empty()
    const recovery_s = (await took_ms(async () => (await submit(1)).status === 202)) / 1000
    let lost = 0
    for (const id of accepted) lost += Number(!(await isDone(url, id)))
    const second = await timed(() => startFieldstone(['serve', '--data', data], env, own.folder).end())
    child.signal('SIGKILL')
    await child.end()

    own.readOnly()
    const start = performance.now()
    const reading = startFieldstone(['serve', '--data', data], env, own.folder)
    const there = (await reading.waitForOutput(/answers at (http:\S+)/))[1]!
    const ready = await (await fetch(`${there}/readyz`)).text()
    const readOnly_s = (performance.now() - start) / 1000
    reading.signal('SIGKILL')
    await reading.end()
    return [
      atMost('P30', 'rejection of a run on a full disk', wasRight ? rejection_ms : Infinity, {
        bound: 1000,
        unit: 'ms',
      }),
      atLeast('P30', 'fetches answered on a full disk, of 50', fetched, 50),
      atMost('P30', 'recovery after space is free', recovery_s, { bound: 5, unit: 's' }),
      atMost('P30', 'accepted runs lost', lost, 0),
      atMost(
        'P31',
        'start on a read-only disk, named in /readyz',
        ready.includes('storage_read_only') ? readOnly_s : Infinity,
        { bound: 1, unit: 's' },
      ),
      atMost('P38', 'a second process exits', second.result.code === 78 ? second.ms / 1000 : Infinity, {
        bound: 1,
        unit: 's',
      }),
    ]
  } finally {
    own.remove()
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now()
  const result = await work()
  return { result, ms: performance.now() - began }
}

async function took_ms(isSo: () => Promise<boolean>): Promise<number> {
  const began = performance.now()
  while (!(await isSo()) && performance.now() - began < until_ms) await Bun.sleep(50)
  return performance.now() - began
}

async function isDone(url: string, id: string): Promise<boolean> {
  const done = async () =>
    ((await (await fetch(`${url}/v1/runs/${id}`)).json()) as { status: string }).status === 'done'
  for (const began = performance.now(); performance.now() - began < 4 * until_ms;) {
    if (await done()) return true
    await Bun.sleep(100)
  }
  return false
}
