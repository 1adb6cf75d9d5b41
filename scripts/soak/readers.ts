import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fields } from '../../catalog/contents.ts'
import { stalledReader_s } from '../../src/http/runs/paced-stream.ts'
import { readersPerAccount } from '../../src/http/runs/reader-slots.ts'
import { readUntilWord } from '../bench/child.ts'
import { costFindings, costTable, openWorkProbe, type WorkCost, type WorkProbe } from './bounded-work.ts'
import { atLeast, atMost, type Finding } from './finding.ts'
import { startService, type ServiceProcess } from './service-process.ts'

const rows = 10_000
const wideRunFields = 43
const narrowRunFields = ['county_fips', 'county', 'state', 'timezone', 'geohash']
const readersAtOnce = 60
const sharedReaders = 20
const reportReaders = 6
const stalledReaders = 1000
/** The buffers of the operating system fill in this time. */
const filling_ms = 10_000
/** Sockets are checked every four seconds. */
const cutOff_ms = (stalledReader_s + 8) * 1000
const page_bytes = 4096
/** Less means that the readers got errors. */
const receivedMin_mb = 0.5
/** Both ends are on this machine: at most 4 MB that the server has sent, and 128 kB that the client has received. */
const kernelMax_mb = readersPerAccount * 4.2

/** What readers cost the process, and what they received. */
type ReadersCost = { cost: WorkCost; received_mb: number }

/**
 * Tests what clients that read the results of runs cost: many at once, a large document, and clients that stall. Prints
 * the rows of the table of the guide's security page.
 */
export async function soakReaders(locations = rows): Promise<Finding[]> {
  const service = await startService({ FIELDSTONE_OFFLINE: '1' })
  const probe = openWorkProbe(service)
  try {
    const wideFields = fields.slice(0, wideRunFields).map(({ name }) => name)
    const wide = await finishedRun(service, locations, wideFields)
    const narrow = await finishedRun(service, locations, narrowRunFields)
    const read = (path: string, readers: number, what: string) =>
      readTogether({ service, probe }, new URL(path, service.url), readers, what)
    const costs = [
      await read(wide, 1, `A document of ${countText(locations)} rows and ${wideRunFields} fields`),
      await read(narrow, readersAtOnce, `Documents of ${countText(locations)} rows, ${readersAtOnce} at the same time`),
      await read(
        `${narrow}/events`,
        readersAtOnce,
        `Final events of the event streams of runs with ${countText(locations)} rows, ${readersAtOnce} at the same time`,
      ),
      await read(
        await sharedPageOf(service, wide),
        sharedReaders,
        `Shared pages of a run with ${wideRunFields} fields, ${sharedReaders} at the same time`,
      ),
      await read(
        '/report?shape=county:48043&fields=all',
        reportReaders,
        `Reports of a county with all fields, ${reportReaders} at the same time`,
      ),
      await read(
        `${narrow}/artifacts/geojson`,
        readersAtOnce,
        `GeoJSON files of ${countText(locations)} rows, ${readersAtOnce} at the same time`,
      ),
    ]
    const stalled = await stall({ service, probe }, wide, costs[0]!.cost.size_bytes)
    console.error(costTable([...costs.map(({ cost }) => cost), stalled.cost]))
    return [
      ...costs.flatMap(({ cost, received_mb }) => [
        atLeast('readers', `${cost.input}: MB received`, received_mb, receivedMin_mb),
        ...costFindings(cost),
      ]),
      ...stalled.findings,
    ]
  } finally {
    probe.close()
    await service.stop()
  }
}

/** Submits a run, waits for its end, and returns its path. */
async function finishedRun(service: ServiceProcess, count: number, fieldNames: string[]): Promise<string> {
  const locations = Array.from({ length: count }, (_, i) => ({ lat: 39 + i / count, lng: -105 }))
  const response = await service.post('/v1/runs', { kind: 'fetch_batch', request: { locations, fields: fieldNames } })
  const { run_id } = (await response.json()) as { run_id: string }
  for (let status = 'queued'; status === 'queued' || status === 'running';) {
    await Bun.sleep(500)
    const run = await fetch(new URL(`/v1/runs/${run_id}?view=summary`, service.url))
    status = ((await run.json()) as { status: string }).status
  }
  return `/v1/runs/${run_id}`
}

/** Returns the path of a link to a run. */
async function sharedPageOf(service: ServiceProcess, run: string): Promise<string> {
  const response = await service.post('/v1/users/me/shares', { run_id: run.split('/').at(-1) })
  return new URL(((await response.json()) as { url: string }).url).pathname
}

type Measured = { service: ServiceProcess; probe: WorkProbe }

async function readTogether({ probe }: Measured, url: URL, readers: number, input: string): Promise<ReadersCost> {
  let received_bytes = 0
  const cost = await probe.measure({ input, sentBy: 'a user', size_bytes: 0 }, async () => {
    const { child, end } = startReaders([url], readers, 'read')
    const output = await readUntilWord(child.stdout, 'bytes').finally(end)
    received_bytes = Number(/received (\d+) bytes/.exec(output)![1])
  })
  return { cost: { ...cost, size_bytes: received_bytes / readers }, received_mb: received_bytes / 1e6 }
}

/** Opens a thousand readers of one account that read nothing: of a document, a final event and a GeoJSON file. */
async function stall({ service, probe }: Measured, run: string, size_bytes: number) {
  const urls = ['', '/events', '/artifacts/geojson'].map((path) => new URL(`${run}${path}`, service.url))
  const files = countOpenFiles(service)
  const kernelBefore_mb = socketBuffers_mb()
  let end = () => {}
  const input = `Documents, final events of event streams, and files, ${countText(stalledReaders)} readers that stop reading`
  const cost = await probe.measure({ input, sentBy: 'a user', size_bytes }, async () => {
    end()
    const readers = startReaders(urls, stalledReaders, 'stall')
    end = readers.end
    await readUntilWord(readers.child.stdout, 'connected')
    await Bun.sleep(filling_ms)
  })
  const served = countOpenFiles(service) - files
  const kernel_mb = socketBuffers_mb() - kernelBefore_mb
  const until_ms = performance.now() + cutOff_ms
  while (countOpenFiles(service) > files && performance.now() < until_ms) await Bun.sleep(500)
  const connected = countOpenFiles(service) - files
  end()
  const findings = [
    atLeast('readers', `${input}: readers that are served`, served, readersPerAccount),
    atMost('readers', `${input}: readers that are served at most`, served, readersPerAccount),
    ...costFindings(cost),
    atMost('readers', `${input}: buffers of the operating system`, kernel_mb, { bound: kernelMax_mb, unit: 'MB' }),
    atMost('readers', `${input}: still connected ${cutOff_ms / 1000} s later`, connected, 0),
  ]
  return { cost, findings }
}

function startReaders(urls: URL[], readers: number, behavior: 'read' | 'stall') {
  const script = join(import.meta.dir, 'read-responses.ts')
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', script, behavior, String(readers), ...urls.map(({ href }) => href)],
    { stdout: 'pipe', stderr: 'inherit' },
  )
  return { child, end: () => child.kill('SIGKILL') }
}

function countOpenFiles({ pid }: ServiceProcess): number {
  return readdirSync(`/proc/${pid}/fd`).length
}

function countText(count: number): string {
  return count.toLocaleString('en-US')
}

/** The memory of all TCP sockets of this machine. */
function socketBuffers_mb(): number {
  return (Number(/^TCP: .* mem (\d+)$/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))![1]) * page_bytes) / 1e6
}
