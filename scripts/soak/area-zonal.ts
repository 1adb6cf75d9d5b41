import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { positionsOf, randomStar } from '../../test/areas/random-polygons.ts'
import { buildGeotiff } from '../../test/raster/build-geotiff.ts'
import { openTestService, type TestService } from '../../test/support/test-service.ts'
import type { Postgis } from '../bench/postgis.ts'
import { polygonWktOf } from './area-layers.ts'
import { atMost, type Finding } from './finding.ts'

const [west, north, step, side] = [-105, 39.2, 0.0005, 160]
/** Read without interpolation. */
const field = 'impervious_surface_pct'
const differenceMax = 1e-6

/**
 * Compares the means and the numbers of cells of a raster with PostGIS. PostGIS reads the same file and cuts each cell
 * as a polygon, so its fractions are exact.
 */
export async function compareRasters(postgis: Postgis, cases: number, random: () => number): Promise<Finding[]> {
  const folder = mkdtempSync(join(tmpdir(), 'soak-area-zonal-'))
  const file = join(folder, 'annual_nlcd_impervious.tif')
  writeFileSync(
    file,
    buildGeotiff({
      width: side,
      height: side,
      origin: [west, north],
      step: [step, -step],
      epsg: 4326,
      tile: 64,
      value: () => Math.floor(100 * random()),
    }),
  )
  const service = openTestService({ FIELDSTONE_PACKS: folder })
  try {
    await service.ready
    await service.app.packs.waitUntilChecked()
    await loadCells(postgis, file)
    return await compareAreas({ service, postgis, random }, cases)
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function loadCells(postgis: Postgis, file: string): Promise<void> {
  await postgis.rows('CREATE EXTENSION postgis_raster')
  await postgis.rows("SET postgis.gdal_enabled_drivers = 'GTiff'")
  const bytes = `decode('${readFileSync(file).toString('hex')}', 'hex')`
  await postgis.rows(`CREATE TABLE cells AS SELECT (ST_PixelAsPolygons(ST_FromGDALRaster(${bytes}, 4326))).*`)
  await postgis.rows('CREATE INDEX ON cells USING gist (geom)')
}

type Comparison = { service: TestService; postgis: Postgis; random: () => number }

async function compareAreas({ service, postgis, random }: Comparison, cases: number): Promise<Finding[]> {
  let [worst, failures] = [0, 0]
  for (let i = 0; i < cases; i++) {
    const coordinates = [randomRing(random)]
    const response = await service.post('/v1/areas', { geometry: { type: 'Polygon', coordinates }, fields: [field] })
    // A random star may cross itself.
    if (response.status === 422) continue
    const { fields } = (await response.json()) as AreaAnswer
    const result = fields[field]!
    if (result.status !== 'ok') {
      failures++
      continue
    }
    const { mean, cells } = result.value as { mean: number; cells: number }
    const expected = await statisticsInPostgis(postgis, polygonWktOf(coordinates))
    const difference = Math.max(Math.abs(mean / expected.mean - 1), Math.abs(cells / expected.cells - 1))
    if (difference > differenceMax)
      console.error(
        `${mean} of ${cells} cells, PostGIS ${expected.mean} of ${expected.cells}, ${polygonWktOf(coordinates)}`,
      )
    worst = Math.max(worst, difference)
  }
  return [
    atMost('areas', 'rasters: largest difference of a mean from PostGIS, in millionths', worst / 1e-6, 1),
    atMost('areas', `rasters: areas of ${cases} without an answer`, failures, 0),
  ]
}

/** A star or a sliver within the raster, from less than a cell to a quarter of the raster. */
function randomRing(random: () => number): (readonly number[])[] {
  const reach = step * 10 ** (-0.5 + 2 * random())
  const margin = side * step - 2 * reach
  const [x, y] = [west + reach + margin * random(), north - reach - margin * random()]
  return positionsOf(randomStar(random, { x, y, size: reach, vertices: 3 + Math.floor(30 * random()) }))
}

async function statisticsInPostgis(postgis: Postgis, wkt: string): Promise<{ mean: number; cells: number }> {
  const [row] = await postgis.rows<{ mean: number; cells: number }>(
    `WITH a AS (SELECT ST_GeomFromText('${wkt}', 4326) AS g), p AS (SELECT val, ST_Area(ST_Intersection(geom, g)) AS size FROM cells, a WHERE geom && g AND ST_Intersects(geom, g)) SELECT sum(val * size) / sum(size) AS mean, sum(size) / ${step * step} AS cells FROM p`,
  )
  return row!
}
