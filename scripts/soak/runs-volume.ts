import { join } from 'node:path'
import { newFolder, startFieldstone } from '../../test/cli/fieldstone.ts'
import { physicalMemory_mb } from '../bench/child.ts'
import { randomOf } from '../bench/random.ts'
import { atMost, type Finding } from './finding.ts'

const runSize = 10_000
const fields = [
  'county_fips',
  'county',
  'state',
  'timezone',
  'nearest_place_name',
  'nearest_place_distance_m',
  'nearest_airport_name',
  'nearest_airport_distance_m',
  'geohash',
  'h3_cell_res9',
]
/** Bounds for a run of 10,000 locations, and for ten runs compared with ten times one. */
const run_s = 15
const memory_max_mb = 64
const linearMax = 1.3

type Served = { address: string; pid: number }

/**
 * Measures runs of 10,000 locations on the real process: time, memory, ten runs compared with one, and download time.
 */
export async function measureLargeRuns(): Promise<Finding[]> {
  const { folder, remove } = newFolder()
  const child = startFieldstone(
    ['serve', '--data', join(folder, 'data')],
    { FIELDSTONE_AUTH: 'off', FIELDSTONE_LOG: 'error' },
    folder,
  )
  try {
    const [, address = ''] = await child.waitForOutput(/answers at (http:\S+)/)
    const served = { address, pid: child.pid }
    const random = randomOf(20_261_121)
    const idle_mb = await idleMemory_mb(served)
    const one = await timed(served, () => submittedMany(served, random, 1))
    const csv = await downloaded(served, one.ids[0]!)
    const ten = await timed(served, () => submittedMany(served, random, 10))
    return [
      atMost('runs', '10,000 locations x 10 fields', one.seconds, { bound: run_s, unit: 's' }),
      atMost('runs', 'memory above idle during a run of 10,000', one.most_mb - idle_mb, {
        bound: memory_max_mb,
        unit: 'MB',
      }),
      atMost('runs', '100,000 locations as ten runs / ten times one', ten.seconds / (10 * one.seconds), linearMax),
      atMost('runs', 'memory above idle during ten runs of 10,000', ten.most_mb - idle_mb, {
        bound: memory_max_mb,
        unit: 'MB',
      }),
      atMost('runs', 'CSV of 10,000 rows, first byte', csv.first_ms, { bound: 50, unit: 'ms' }),
      atMost('runs', 'CSV of 10,000 rows, complete', csv.all_ms, { bound: 1000, unit: 'ms' }),
    ]
  } finally {
    child.signal('SIGKILL')
    await child.end()
    remove()
  }
}

/** Returns the idle memory of a service after 2,000 requests and a pause, so that all data is loaded. */
async function idleMemory_mb({ address, pid }: Served): Promise<number> {
  const random = randomOf(5)
  const ask = (at: { lat: number; lng: number }) =>
    fetch(`${address}/v1/fetch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...at, fields }),
    })
  for (let i = 0; i < 2000; i++) await (await ask(placeOf(random))).arrayBuffer()
  await Bun.sleep(5000)
  return physicalMemory_mb(pid)
}

function placeOf(random: () => number): { lat: number; lng: number } {
  return { lat: 30 + 15 * random(), lng: -115 + 33 * random() }
}

async function timed(
  served: Served,
  submit: () => Promise<string[]>,
): Promise<{ seconds: number; most_mb: number; ids: string[] }> {
  let most_mb = 0
  const looking = setInterval(() => (most_mb = Math.max(most_mb, physicalMemory_mb(served.pid))), 50)
  const began = performance.now()
  const ids = await submit()
  await Promise.all(ids.map((id) => finished(served, id)))
  clearInterval(looking)
  return { seconds: (performance.now() - began) / 1000, most_mb, ids }
}

async function submittedMany(served: Served, random: () => number, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) ids.push(await submitted(served, random, runSize))
  return ids
}

async function submitted({ address }: Served, random: () => number, count: number): Promise<string> {
  const locations = Array.from({ length: count }, () => placeOf(random))
  const response = await fetch(`${address}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'fetch_batch', request: { locations, fields } }),
  })
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`)
  return ((await response.json()) as { run_id: string }).run_id
}

/** Waits for the end of a run without reading its document. */
async function finished({ address }: Served, run_id: string): Promise<void> {
  const reader = (await fetch(`${address}/v1/runs/${run_id}/events`)).body!.getReader()
  for (let text = ''; !text.includes('event: final');) {
    const { value, done } = await reader.read()
    if (done) throw new Error('The event stream ended without the final event.')
    text = text.slice(-20) + new TextDecoder().decode(value)
  }
  await reader.cancel()
}

async function downloaded({ address }: Served, run_id: string): Promise<{ first_ms: number; all_ms: number }> {
  const requested = performance.now()
  const reader = (await fetch(`${address}/v1/runs/${run_id}/artifacts/csv`)).body!.getReader()
  await reader.read()
  const first_ms = performance.now() - requested
  for (let next = await reader.read(); !next.done; next = await reader.read());
  return { first_ms, all_ms: performance.now() - requested }
}
