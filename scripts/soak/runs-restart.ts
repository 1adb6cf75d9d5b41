import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { submitTestRun } from '../../test/runs/http-runs.ts'
import { openUpstreams } from '../../test/upstreams/upstreams.ts'
import { memory_mb } from '../bench/child.ts'
import { quantile } from '../bench/report.ts'
import { atMost, type Finding } from './finding.ts'

const restarts = 10
const progress_max_ms = 2000
const boot_max_ms = 500
const streams = 1000
const streamsAtOnce = 20
const memory_max_mb = 15

/** Measures how soon a run continues after a restart, and what abandoned event streams leave behind. */
export async function measureRestart(): Promise<Finding[]> {
  const upstreams = openUpstreams()
  const { folder, remove } = newFolder()
  const start = async () => {
    const began = performance.now()
    const it = startFieldstone(
      ['serve', '--data', join(folder, 'data')],
      { FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url, FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
      folder,
    )
    const [, address = ''] = await it.waitForOutput(/answers at (http:\S+)/)
    return { it, address, began, boot_ms: performance.now() - began }
  }
  upstreams.delay(100)
  let served = await start()
  try {
    const run_id = await submitTestRun(served.address, 'restarted', {
      locations: Array.from({ length: 5000 }, (_, i) => ({ lat: 25.79, lng: -80.13 - i / 100_000 })),
      fields: ['fema_flood_zone'],
    })
    const [boots, waits]: [number[], number[]] = [[], []]
    for (let i = 0; i < restarts; i++) {
      const done = await progressed(served.address, run_id, 0)
      served.it.signal('SIGKILL')
      await served.it.end()
      served = await start()
      await progressed(served.address, run_id, done)
      boots.push(served.boot_ms)
      waits.push(performance.now() - served.began)
    }
    return [
      atMost('P3', `restart to the first progress, maximum of ${restarts}`, Math.max(...waits), {
        bound: progress_max_ms,
        unit: 'ms',
      }),
      atMost('P3', 'start to the first answer, p50', quantile(boots, 0.5), { bound: boot_max_ms, unit: 'ms' }),
      ...(await leftStreams(served.address, served.it.pid, run_id)),
    ]
  } finally {
    served.it.signal('SIGKILL')
    await served.it.end()
    upstreams.close()
    remove()
  }
}

/** Waits until more than `beyond` locations are done. Returns the number done. */
async function progressed(address: string, run_id: string, beyond: number): Promise<number> {
  const reader = (await fetch(`${address}/v1/runs/${run_id}/events`)).body!.getReader()
  for (let text = ''; ;) {
    const { value, done } = await reader.read()
    if (done) throw new Error('The event stream ended before any progress.')
    text += new TextDecoder().decode(value)
    const most = Math.max(...[...text.matchAll(/"done":(\d+)/g)].map(([, it]) => Number(it)), 0)
    if (most <= beyond) continue
    await reader.cancel()
    return most
  }
}

async function leftStreams(address: string, pid: number, run_id: string): Promise<Finding[]> {
  const open = async () => {
    const leaving = new AbortController()
    const reader = (await fetch(`${address}/v1/runs/${run_id}/events`, { signal: leaving.signal })).body!.getReader()
    await reader.read()
    leaving.abort()
  }
  const files = () => readdirSync(`/proc/${pid}/fd`).length
  await open()
  const before = { files: files(), mb: memory_mb(pid) }
  for (let i = 0; i < streams / streamsAtOnce; i++) await Promise.all(Array.from({ length: streamsAtOnce }, open))
  const until = performance.now() + 10_000
  while (files() > before.files && performance.now() < until) await Bun.sleep(100)
  return [
    atMost('P5', `open files after ${streams} streams, above before`, files() - before.files, 3),
    atMost('P5', `memory after ${streams} streams, above before`, memory_mb(pid) - before.mb, {
      bound: memory_max_mb,
      unit: 'MB',
    }),
  ]
}
