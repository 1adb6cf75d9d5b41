import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { boxRing, type WkbPosition } from '../../test/packs/encode-wkb.ts'
import { openHttpService, type HttpService } from '../../test/support/http-service.ts'
import { areaLayersOf, loadAreaLayer, writeAreaLayers, type AreaTestLayer } from '../soak/area-layers.ts'
import { openPostgis, type Postgis } from './postgis.ts'
import { randomOf } from './random.ts'
import { quantile, reportFigure, reportSkipped, reportWithPeer } from './report.ts'

const tenFields = [
  'fema_flood_zone',
  'fema_flood_zone_subtype',
  'within_floodplain_polygon',
  'wetland_type',
  'intersects_wetland',
  'ecoregion_l3_name',
  'bedrock_unit_name',
  'bedrock_lithology_class',
  'county',
  'timezone',
]
const parcels = 500
const parcelsOfRun = 1_000
/** A side of 100 m at 39 degrees. */
const side = { lng: 0.001157, lat: 0.000901 }
const [west, south, size] = [-105, 39, 0.49]

/** Measures ten fields on parcels of one hectare beside PostGIS on the same layers, and a run of 1,000 parcels. */
export async function benchAreas(seed: number): Promise<void> {
  const random = randomOf(seed)
  const layers = areaLayersOf(random)
  const folder = mkdtempSync(join(tmpdir(), 'bench-areas-'))
  writeAreaLayers(folder, layers)
  const service = await openHttpService({ FIELDSTONE_PACKS: folder })
  const postgis = await openPostgis(folder)
  const areas = Array.from({ length: parcels }, () => parcelAt(west + size * random(), south + size * random()))
  try {
    await service.testService.app.packs.waitUntilChecked()
    const ours_ms = await timesOf(areas, (area) => answerParcel(service, area))
    const p50 = quantile(ours_ms, 0.5)
    reportFigure('ten fields on a parcel of 1 ha from packs, p50', `${p50.toFixed(2)} ms`, p50 <= 5, '<= 5 ms')
    if (postgis) {
      for (const layer of layers) await loadAreaLayer(postgis, layer)
      const theirs_ms = await timesOf(areas, (area) => queryParcel(postgis, layers, area))
      const peer_ms = quantile(theirs_ms, 0.5)
      reportWithPeer({
        what: 'ten fields on a parcel of 1 ha, p50, beside the shares of four layers in PostGIS',
        ours: `${p50.toFixed(2)} ms`,
        peer: `${peer_ms.toFixed(2)} ms`,
        ratio: peer_ms / p50,
        promised: 5,
      })
    } else reportSkipped('areas beside PostGIS', 'Debian postgresql and postgis are not here')
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

/** The first fifth warms up. */
async function timesOf<T>(areas: readonly T[], ask: (area: T) => Promise<void>): Promise<number[]> {
  const times_ms: number[] = []
  for (const area of areas) {
    const begin = performance.now()
    await ask(area)
    times_ms.push(performance.now() - begin)
  }
  return times_ms.slice(Math.floor(areas.length / 5))
}

async function answerParcel({ testService }: HttpService, ring: WkbPosition[]): Promise<void> {
  const geometry = { type: 'Polygon', coordinates: [ring] }
  const response = await testService.post('/v1/areas', { geometry, fields: tenFields })
  const { partial_failures } = (await response.json()) as AreaAnswer
  if (partial_failures.length > 0) throw new Error(`A field failed: ${JSON.stringify(partial_failures[0])}`)
}

/** The area of each class of each layer in the parcel. */
async function queryParcel(postgis: Postgis, layers: readonly AreaTestLayer[], ring: WkbPosition[]): Promise<void> {
  const area = `ST_GeomFromText('POLYGON((${ring.map(([x, y]) => `${x} ${y}`).join(', ')}))', 4326)`
  for (const { layer, column } of layers)
    await postgis.rows(
      `SELECT ${column}, ST_Area(ST_Union(ST_Intersection(f.geom, a.g))::geography) AS area_m2 FROM "${layer}" f, (SELECT ${area} AS g) a WHERE f.geom && a.g AND ST_Intersects(f.geom, a.g) GROUP BY ${column}`,
    )
}

async function runOfParcels(service: HttpService, random: () => number): Promise<void> {
  const areas = Array.from({ length: parcelsOfRun }, () => ({
    geometry: { type: 'Polygon', coordinates: [parcelAt(west + size * random(), south + size * random())] },
  }))
  const { post, send } = service.testService
  const submitted = await post('/v1/runs', { kind: 'area_batch', request: { areas, fields: tenFields } })
  const { run_id } = (await submitted.json()) as { run_id: string }
  for (;;) {
    const run = (await (await send(`/v1/runs/${run_id}`)).json()) as { status: string; progress: { failed: number } }
    if (run.status === 'succeeded' && run.progress.failed === 0) return
    if (run.status !== 'queued' && run.status !== 'running') throw new Error(`The run is ${run.status}.`)
    await Bun.sleep(50)
  }
}
