import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { boxRing, type WkbPosition } from '../../test/packs/encode-wkb.ts'
import { embeddedGeopackage } from '../../test/support/test-service.ts'
import { openHttpService, type HttpService } from '../../test/support/http-service.ts'
import { areaLayersOf, loadAreaLayer, writeAreaLayers, type AreaTestLayer } from '../soak/area-layers.ts'
import { fieldLists } from './field-lists.ts'
import { cpu_s } from './child.ts'
import { openPostgis, type Postgis } from './postgis.ts'
import { processorTimeOf } from './processor-time.ts'
import { randomOf } from './random.ts'
import { quantile, reportFigure, reportWithPeer } from './report.ts'

const tenFields = fieldLists.parcel
/** Both sides answer these parcels before any is timed, because a service that runs is warm, and so is PostGIS. */
const warmupParcels = 10_000
const timedParcels = 4_000
const parcelsOfBlock = 250
const parcelsOfRun = 1_000
/** A side of 100 m at 39 degrees. */
const side = { lng: 0.001157, lat: 0.000901 }
const [west, south, size] = [-105, 39, 0.49]

/**
 * Measures ten fields on parcels of one hectare beside PostGIS on the same layers, both warm, and a run of 1,000
 * parcels.
 */
export async function benchAreas(seed: number): Promise<void> {
  const random = randomOf(seed)
  const layers = areaLayersOf(random)
  const folder = mkdtempSync(join(tmpdir(), 'bench-areas-'))
  writeAreaLayers(folder, layers)
  const service = await openHttpService({ FIELDSTONE_PACKS: folder })
  const postgis = await openPostgis(folder, 'areas beside PostGIS')
  const areas = Array.from({ length: warmupParcels + timedParcels }, () =>
    parcelAt(west + size * random(), south + size * random()),
  )
  try {
    await service.testService.app.packs.waitUntilChecked()
    if (postgis) await loadPeer(postgis, layers)
    const ours_ms: number[] = []
    const theirs_ms: number[] = []
    const [backend] = (await postgis?.rows<{ pid: number }>('SELECT pg_backend_pid() AS pid')) ?? []
    let [ours_s, theirs_s] = [0, 0]
    // Blocks in turn: each side has the caches of the processor for itself, and both have the same moments of other work.
    for (let begin = 0; begin < areas.length; begin += parcelsOfBlock) {
      const block = areas.slice(begin, begin + parcelsOfBlock)
      const spent_s = await processorTimeOf(async () =>
        ours_ms.push(...(await timesOf(block, (area) => answerParcel(service, area)))),
      )
      const before_s = backend ? cpu_s(backend.pid) : 0
      if (postgis) theirs_ms.push(...(await timesOf(block, (area) => queryParcel(postgis, area))))
      if (begin < warmupParcels) continue
      ours_s += spent_s
      theirs_s += backend ? cpu_s(backend.pid) - before_s : 0
    }
    const p50 = medianOf(ours_ms)
    reportFigure('ten fields on a parcel of 1 ha from packs, p50', `${p50.toFixed(2)} ms`, p50 <= 5, '<= 5 ms')
    if (postgis) {
      const peer_ms = medianOf(theirs_ms)
      reportWithPeer({
        what: 'ten fields on a parcel of 1 ha, p50, beside the shares of the same fields in PostGIS',
        ours: `${p50.toFixed(2)} ms`,
        peer: `${peer_ms.toFixed(2)} ms`,
        ratio: peer_ms / p50,
        promised: 5,
      })
      reportWithPeer({
        what: 'the same in processor time, of PostGIS without its client',
        ours: `${((ours_s * 1e6) / timedParcels).toFixed(0)} µs`,
        peer: `${((theirs_s * 1e6) / timedParcels).toFixed(0)} µs`,
        ratio: theirs_s / ours_s,
        promised: null,
      })
    }
    const begin = performance.now()
    await runOfParcels(service, random)
    const run_s = (performance.now() - begin) / 1000
    reportFigure(`a run of ${parcelsOfRun} parcels with ten fields`, `${run_s.toFixed(1)} s`, true, 'no bound')
  } finally {
    await postgis?.close()
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function parcelAt(x: number, y: number): WkbPosition[] {
  return boxRing(x, y, x + side.lng, y + side.lat)
}

async function timesOf(
  areas: readonly WkbPosition[][],
  answer: (area: WkbPosition[]) => Promise<void>,
): Promise<number[]> {
  const times_ms: number[] = []
  for (const area of areas) {
    const begin = performance.now()
    await answer(area)
    times_ms.push(performance.now() - begin)
  }
  return times_ms
}

function medianOf(times_ms: readonly number[]): number {
  return quantile(times_ms.slice(warmupParcels), 0.5)
}

/** The layers of the ten fields in PostGIS, with the columns that the fields read. */
export const peerColumns: Record<string, string[]> = {
  S_FLD_HAZ_AR: ['fld_zone', 'zone_subty', 'sfha_tf'],
  Wetlands: ['wetland_type', ''],
  us_eco_l3: ['us_l3name'],
  SGMC_Geology: ['unit_name', 'generalized_lith'],
  counties: ['namelsad'],
  timezones: ['tzid'],
}

async function loadPeer(postgis: Postgis, layers: readonly AreaTestLayer[]): Promise<void> {
  for (const layer of layers) await loadAreaLayer(postgis, layer)
  for (const layer of ['counties', 'timezones']) await postgis.load(embeddedGeopackage, layer)
}

async function answerParcel({ testService }: HttpService, ring: WkbPosition[]): Promise<void> {
  const body = { geometry: { type: 'Polygon', coordinates: [ring] }, fields: tenFields }
  // Every client states the length. A body without it is read as a stream.
  const length = { 'content-length': String(JSON.stringify(body).length) }
  const response = await testService.post('/v1/areas', body, length)
  const { partial_failures } = (await response.json()) as AreaAnswer
  if (partial_failures.length > 0) throw new Error(`A field failed: ${JSON.stringify(partial_failures[0])}`)
}

/** The area of each value of each field in the parcel: one statement for a layer, which cuts each feature once. */
async function queryParcel(postgis: Postgis, ring: WkbPosition[]): Promise<void> {
  const area = `POLYGON((${ring.map(([x, y]) => `${x} ${y}`).join(', ')}))`
  for (const [layer, columns] of Object.entries(peerColumns)) {
    const named = columns.filter((column) => column !== '')
    const sets = columns.map((column) => `(${column})`).join(', ')
    await postgis.rows(
      `WITH a AS (SELECT ST_GeomFromText($1, 4326) AS g), p AS MATERIALIZED (SELECT ${named.join(', ')}, CASE WHEN ST_CoveredBy(g, geom) THEN g ELSE ST_Intersection(geom, g) END AS part FROM "${layer}", a WHERE ST_Intersects(geom, g)) SELECT ${named.join(', ')}, ST_Area(ST_Union(part)::geography) AS area_m2 FROM p GROUP BY GROUPING SETS (${sets})`,
      [area],
    )
  }
}

async function runOfParcels(service: HttpService, random: () => number): Promise<void> {
  const areas = Array.from({ length: parcelsOfRun }, () => ({
    geometry: { type: 'Polygon', coordinates: [parcelAt(west + size * random(), south + size * random())] },
  }))
  const { post, send } = service.testService
  const submitted = await post('/v1/runs', { kind: 'area_batch', request: { areas, fields: tenFields } })
  const { run_id } = (await submitted.json()) as { run_id: string }
  for (;;) {
    const run = (await (await send(`/v1/runs/${run_id}?view=summary`)).json()) as {
      status: string
      progress: { failed: number }
    }
    if (run.status === 'done' && run.progress.failed === 0) return
    if (run.status !== 'queued' && run.status !== 'running') throw new Error(`The run is ${run.status}.`)
    await Bun.sleep(50)
  }
}
