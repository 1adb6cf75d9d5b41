import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { presets } from '../catalog/presets.ts'
import { openTestService } from '../test/support/test-service.ts'
import type { Field } from '../src/catalog/records.ts'
import { answerBatch } from '../src/fetch/batch.ts'
import { answerAt } from '../src/fetch/fetch.ts'
import { benchAreas } from './bench/areas.ts'
import { benchAddresses } from './bench/addresses.ts'
import { benchAsk } from './bench/ask.ts'
import { measureBareServer, reportMeasurement, withProcessorTime } from './bench/bare-server.ts'
import { memory_mb, readUntilWord } from './bench/child.ts'
import { benchBulk } from './bench/bulk.ts'
import { benchGrowth } from './bench/growth.ts'
import { benchIsolation } from './bench/isolation.ts'
import { benchNodes } from './bench/nodes.ts'
import { benchRuns } from './bench/runs.ts'
import { benchLimits } from './bench/limits.ts'
import { fetchAnswerBytes, runLoad, post } from './bench/load.ts'
import { markdownOf } from './bench/markdown.ts'
import { benchPackHttp } from './bench/pack-http.ts'
import { benchPacks } from './bench/packs.ts'
import { benchPointsBesideAreas } from './bench/points-beside-areas.ts'
import { benchProcesses } from './bench/processes.ts'
import { randomOf } from './bench/random.ts'
import { benchRasters } from './bench/rasters.ts'
import { fieldLists } from './bench/field-lists.ts'
import { figureRows, reportSkipped } from './bench/report.ts'
import { benchSources } from './bench/sources.ts'
import { benchSpatialite } from './bench/spatialite.ts'
import { benchConcurrency } from './bench/concurrency.ts'

/**
 * Measures every figure in the guide: lookups, throughput compared with a bare server, startup, memory, slow and
 * hanging sources, packs and rasters compared with PostGIS, SpatiaLite and GDAL. Points are seeded and ratios are from
 * one run. The last output is a Markdown table, which `--out file` also writes to a file.
 *
 * `npm run bench -- packs rasters` runs only these parts; `--long` measures for minutes.
 */
const seed = 20_261_121
const connections = 32
const root = join(import.meta.dir, '..')
const executable = join(root, 'dist', 'fieldstone')
const command = existsSync(executable)
  ? [executable]
  : [process.execPath, '--no-env-file', join(root, 'src', 'main.ts')]
const tenFields = fieldLists.embedded
const budget = { signal: new AbortController().signal }

const random = randomOf(seed)
const service = openTestService()
/**
 * Returns a random point in the 48 states or their waters. Points abroad cost nothing and would improve the figures.
 */
function conus(): { lat: number; lng: number } {
  const at = { lat: 25 + 24 * random(), lng: -124 + 57 * random() }
  return service.app.embedded.layer('counties').query({ at, radius_m: 0, limit: 1 }).length > 0 ? at : conus()
}
/**
 * Returns a point on the open sea. All fields that need the network are outside their coverage there, so they cost
 * nothing.
 */
const atSea = () => ({ lat: 27.2 + 0.5 * random(), lng: -74 + 3 * random() })

const {
  values: { long, out },
  positionals: named,
} = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false }, out: { type: 'string' } },
})
const parts: Record<string, () => Promise<void>> = {
  lookups,
  ask: () => benchAsk(service, conus),
  addresses: () => benchAddresses(seed),
  server,
  limits: () => benchLimits(command, tenFields, seed),
  processes: () => benchProcesses(command, tenFields, seed),
  sources: benchSources,
  isolation: () => benchIsolation({ isLong: long }),
  nodes: () => benchNodes(tenFields, conus),
  bulk: () => benchBulk(command, tenFields, { isLong: long }, seed),
  rasters: () => benchRasters(seed),
  packs: () => benchPacks(seed),
  areas: () => benchAreas(seed),
  'points-beside-areas': () => benchPointsBesideAreas(command, tenFields, seed),
  spatialite: () => benchSpatialite(seed),
  growth: () => benchGrowth(command, tenFields, { isLong: long }, seed),
  'pack-http': () => benchPackHttp(command, seed),
}
for (const name of named)
  if (!(name in parts)) throw new Error(`Unknown part "${name}". Use ${Object.keys(parts).join(', ')}.`)
for (const [name, part] of Object.entries(parts)) {
  if (named.length > 0 && !named.includes(name)) continue
  console.log(`\n# ${name}`)
  try {
    await part()
  } catch (error) {
    // The other parts are still measured.
    console.error(error)
    reportSkipped(name, String(error).split('\n', 1)[0]!)
    process.exitCode = 1
  }
}
await service.close()
console.log(`\n${markdownOf(figureRows)}`)
if (out !== undefined) writeFileSync(out, markdownOf(figureRows))

async function lookups() {
  const points = Array.from({ length: 20_000 }, conus)
  const planOf = (fields: string[]) => service.app.plans.select({ fields }, 'none')
  const micros = (name: string, ask: (at: { lat: number; lng: number }) => void) => {
    for (const at of points) ask(at)
    const begin = performance.now()
    for (const at of points) ask(at)
    console.log(`${name}: ${(((performance.now() - begin) * 1000) / points.length).toFixed(2)} µs a query`)
  }
  for (const layer of ['counties', 'timezones'] as const)
    micros(layer, (at) => service.app.embedded.layer(layer).query({ at, radius_m: 0, limit: 1 }))
  for (const layer of ['airports', 'places', 'zips', 'tide_stations', 'coastline'] as const)
    micros(`nearest of ${layer}`, (at) => service.app.embedded.layer(layer).query({ at, radius_m: Infinity, limit: 1 }))

  const place = planOf(service.app.catalog.presets.get('place_context')!.fields)
  await timed('place_context, one at a time', points.slice(0, 4000), 4000, async (at) => {
    await answerAt(at, place, budget, service.app)
  })

  const ten = planOf(tenFields)
  const batches = Array.from({ length: 400 }, (_, i) => points.slice(25 * i, 25 * i + 25))
  const single = await timed('25 single answers', batches, 400, async (batch) => {
    for (const at of batch) await answerAt(at, ten, budget, service.app)
  })
  const batch = await timed('a batch of 25', batches, 400, async (locations) => {
    await answerBatch(locations, ten, budget, service.app)
  })
  console.log(`batch / singles: ${(batch / single).toFixed(2)}`)

  const outside = [...service.app.catalog.fields.values()].filter((field) => !isEmbedded(field))
  let slowest = 0
  for (const field of outside) {
    const begin = performance.now()
    await answerAt({ lat: 39.7392, lng: -104.9903 }, service.app.plans.planOf([field]), budget, service.app)
    slowest = Math.max(slowest, performance.now() - begin)
  }
  console.log(`an unavailable field fails within ${slowest.toFixed(1)} ms (slowest of ${outside.length})`)
  function isEmbedded(field: Field) {
    return service.app.registry.dataset(field.read.dataset).options.length > 0
  }
}

async function timed<T>(name: string, items: T[], runs: number, work: (item: T) => Promise<void>): Promise<number> {
  for (const item of items.slice(0, Math.ceil(runs / 4))) await work(item)
  const begin = performance.now()
  for (const item of items) await work(item)
  const ms = (performance.now() - begin) / items.length
  console.log(`${name}: ${ms.toFixed(3)} ms`)
  return ms
}

async function server() {
  const data = mkdtempSync(join(tmpdir(), 'fieldstone-bench-'))
  const start = () =>
    Bun.spawn([...command, 'serve', '--port', '0', '--data', data], {
      stdout: 'pipe',
      stderr: 'ignore',
      env: {
        ...process.env,
        FIELDSTONE_OFFLINE: '1',
        FIELDSTONE_CONCURRENCY: '64',
        FIELDSTONE_QUEUE: '256',
        FIELDSTONE_LOG: 'error',
      },
    })
  const first = start()
  const output = await readUntilWord(first.stdout, 'curl')
  const token = /fst_pat_\w+/.exec(output)![0]
  first.kill()
  await first.exited

  const begin = performance.now()
  const child = start()
  const url = new URL(/http:\/\/[\d.:]+/.exec(await readUntilWord(child.stdout, 'http://'))![0])
  await fetch(new URL('/healthz', url))
  const health_ms = performance.now() - begin
  await fetchAnswerBytes(url, [...presets.place_context!.fields], { lat: 39.74, lng: -104.99 }, token)
  const answer_ms = performance.now() - begin
  console.log(
    `${command.length === 1 ? 'the executable' : 'from source'}: first /healthz ${health_ms.toFixed(0)} ms after the start, first answer of place_context ${answer_ms.toFixed(0)} ms`,
  )
  if (command.length === 1) console.log(`the executable: ${(Bun.file(executable).size / 1e6).toFixed(1)} MB`)
  await Bun.sleep(2000)

  const requests = (fields: string[], at: () => { lat: number; lng: number }) =>
    Array.from({ length: 10_000 }, () => post(url, '/v1/fetch', { ...at(), fields }, token))
  const ten = requests(tenFields, conus)
  const free = requests(fieldLists.outsideAtSea, atSea)
  const tenAnswer = await fetchAnswerBytes(url, tenFields, conus(), token)
  const bareTen = await measureBareServer(tenAnswer, tenFields, connections)
  const freeAnswer = await fetchAnswerBytes(url, fieldLists.outsideAtSea, atSea(), token)
  const bareFree = await measureBareServer(freeAnswer, tenFields, connections)
  await runLoad(url, ten, 20_000, connections)
  reportMeasurement(
    'ten embedded fields',
    await withProcessorTime(child.pid, () => runLoad(url, ten, 30_000, connections)),
    bareTen,
  )
  const half = memory_mb(child.pid)
  reportMeasurement(
    'ten embedded fields again',
    await withProcessorTime(child.pid, () => runLoad(url, ten, 50_000, connections)),
    bareTen,
  )
  console.log(
    `resident memory: ${half.toFixed(0)} MB after 50,000 fetches, ${memory_mb(child.pid).toFixed(0)} MB after 100,000`,
  )
  reportMeasurement(
    'ten fields that cost nothing',
    await withProcessorTime(child.pid, () => runLoad(url, free, 50_000, connections)),
    bareFree,
  )
  await benchConcurrency({ url, token, pid: child.pid, fields: tenFields, at: conus, answer: tenAnswer })
  await benchRuns({ url, token, pid: child.pid }, tenFields, conus, ten)
  child.kill()
  await child.exited
  rmSync(data, { recursive: true, force: true })
}
