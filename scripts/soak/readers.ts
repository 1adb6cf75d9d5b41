import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fields } from '../../catalog/contents.ts'

import { stalledReader_s } from '../../src/http/paced-stream.ts'
import { memory_mb, readUntilWord } from '../bench/child.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { withPulse } from './pulse.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const rows = 10_000
const wideRunFields = 43
const narrowRunFields = ['county_fips', 'county', 'state', 'timezone', 'geohash']
const readersAtOnce = 60
const stalledReaders = 1000
const memoryMax_mb = 256
const pauseMax_ms = 100
const rest_ms = 3000
/** The buffers of the operating system fill first, and sockets are checked every four seconds. */
const cutOff_ms = (stalledReader_s + 30) * 1000

/** Tests what clients that read the results of runs cost: many at once, a large document, and clients that stall. */
export async function soakReaders(locations = rows): Promise<Finding[]> {
  const service = await startService({ FIELDSTONE_OFFLINE: '1' })
  try {
    const wideFields = fields.slice(0, wideRunFields).map(({ name }) => name)
    const wide = await finishedRun(service, locations, wideFields)
    const narrow = await finishedRun(service, locations, narrowRunFields)
    return [
      ...(await readTogether(service, `a document of ${locations} rows x ${wideRunFields} fields`, wide, 1)),
      ...(await readTogether(service, `${readersAtOnce} documents of ${locations} rows`, narrow, readersAtOnce)),
      ...(await readTogether(
        service,
        `${readersAtOnce} final events of ${locations} rows`,
        `${narrow}/events`,
        readersAtOnce,
      )),
      ...(await readTogether(
        service,
        `${readersAtOnce} GeoJSON files of ${locations} rows`,
        `${narrow}/artifacts/geojson`,
        readersAtOnce,
      )),
      ...(await stall(service, `${stalledReaders} stalled readers of a document`, wide)),
      ...(await stall(service, `${stalledReaders} stalled readers of a final event`, `${wide}/events`)),
      ...(await stall(service, `${stalledReaders} stalled readers of a GeoJSON file`, `${wide}/artifacts/geojson`)),
    ]
  } finally {
    await service.stop()
  }
}

/** Submits a run, waits for its end, and returns its path. */
async function finishedRun(service: ServiceProcess, count: number, fieldNames: string[]): Promise<string> {
  const locations = Array.from({ length: count }, (_, i) => ({ lat: 39 + i / count, lng: -105 }))
  const response = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields: fieldNames } })
  const { run_id } = (await response.json()) as { run_id: string }
  for (let run = ''; !run.includes('"succeeded"');) {
    await Bun.sleep(500)
    run = await (await fetch(new URL(`/v1/runs/${run_id}?view=summary`, service.url))).text()
  }
  return `/v1/runs/${run_id}`
}

async function readTogether(service: ServiceProcess, what: string, path: string, readers: number): Promise<Finding[]> {
  const idle_mb = await restingMemory_mb(service)
  const { result, pulse } = await withPulse(service, async () => {
    const { child, end } = startReaders(service, path, readers, 'read')
    const output = await readUntilWord(child.stdout, 'bytes').finally(end)
    return Number(/received (\d+) bytes/.exec(output)![1])
  })
  return [
    atLeast('readers', `${what}: MB received`, result / 1e6, readers),
    ...bounds(what, pulse.memory_mb - idle_mb, pulse.longest_ms),
  ]
}

async function stall(service: ServiceProcess, what: string, path: string): Promise<Finding[]> {
  const idle_mb = await restingMemory_mb(service)
  const files = countOpenFiles(service)
  const { child, end } = startReaders(service, path, stalledReaders, 'stall')
  const { pulse } = await withPulse(service, async () => {
    await readUntilWord(child.stdout, 'connected')
    await Bun.sleep(rest_ms)
  })
  const connected = countOpenFiles(service) - files
  const until_ms = performance.now() + cutOff_ms
  while (countOpenFiles(service) > files + 3 && performance.now() < until_ms) await Bun.sleep(500)
  end()
  return [
    atLeast('readers', `${what}: connected`, connected, stalledReaders),
    ...bounds(what, pulse.memory_mb - idle_mb, pulse.longest_ms),
    atMost('readers', `${what}: still connected after ${stalledReader_s} s`, countOpenFiles(service) - files, 3),
  ]
}

function bounds(what: string, more_mb: number, longest_ms: number): Finding[] {
  return [
    atMost('readers', `${what}: peak memory above idle`, more_mb, { bound: memoryMax_mb, unit: 'MB' }),
    atMost('readers', `${what}: longest wait for /healthz`, longest_ms, { bound: pauseMax_ms, unit: 'ms' }),
  ]
}

function startReaders({ url }: ServiceProcess, path: string, readers: number, behavior: 'read' | 'stall') {
  const script = join(import.meta.dir, 'read-responses.ts')
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', script, new URL(path, url).href, String(readers), behavior],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  return { child, end: () => child.kill('SIGKILL') }
}

async function restingMemory_mb({ pid }: ServiceProcess): Promise<number> {
  await Bun.sleep(rest_ms)
  return memory_mb(pid)
}

function countOpenFiles({ pid }: ServiceProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
