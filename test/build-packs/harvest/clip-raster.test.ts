import { afterAll, expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noDeadline } from '../../../src/async/deadline.ts'
import { clipRaster } from '../../../src/build-packs/harvest/clip-raster.ts'
import { openRasters } from '../../../src/raster/rasters.ts'
import { workers } from '../../../src/workers.ts'
import { buildGeotiff, type TiffSpec } from '../../raster/build-geotiff.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const rasters = openRasters({ startWorker: workers.raster })
afterAll(() => rasters.close())
const box = { w: -105.4, s: 39.95, e: -105.2, n: 40.1 }
let files = 0

/** Builds a raster, cuts it at the box, and opens both. */
async function clip(spec: TiffSpec) {
  const path = join(folder, `${++files}.tif`)
  writeFileSync(path, buildGeotiff(spec))
  const to = join(folder, `${files}-clipped.tif`)
  await clipRaster({ path, name: 'a.tif', to }, [box], noDeadline)
  return { whole: await rasters.openFile(path), clipped: await rasters.openFile(to), path, to }
}

/** Windows of several cells, also at the border of the box. */
const places = [box.w, -105.33, -105.27, box.e].flatMap((lng) =>
  [box.s, 39.99, 40.06, box.n].map((lat) => ({ lat, lng })),
)
const windowsOf = (raster: Awaited<ReturnType<typeof clip>>['whole']) =>
  Promise.all(places.map((at) => raster.window({ at, radius_cells: 2 }, {}, noDeadline)))

/** The Albers system of the land cover files, which has no EPSG code. */
const albers = {
  1024: 1,
  2048: 4326,
  2054: 9102,
  2057: [6_378_137] as [number],
  2059: [298.257223563] as [number],
  3072: 32_767,
  3074: 32_767,
  3075: 11,
  3076: 9001,
  3078: [29.5] as [number],
  3079: [45.5] as [number],
  3080: [-96] as [number],
  3081: [23] as [number],
  3082: [0] as [number],
  3083: [0] as [number],
}
const landCover: TiffSpec = {
  width: 1_500,
  height: 1_500,
  tile: 128,
  type: 'uint8',
  compression: 'deflate',
  nodata: '250',
  keys: albers,
  origin: [-822_000, 1_990_000],
  step: [90, -90],
  value: (x, y) => (x * 31 + y * 17) % 251,
}
const degrees: TiffSpec = {
  width: 700,
  height: 500,
  type: 'float32',
  epsg: 4326,
  origin: [-105.80037, 40.30041],
  step: [1 / 1_000, -1 / 1_000],
  value: (x, y) => Math.sin(x) * 50 + y,
}

test.each<[string, TiffSpec]>([
  ['an Albers system without a code', landCover],
  ['a tie point in the center of a cell', { ...landCover, point: true }],
  ['empty tiles', { ...landCover, sparse: (chunk) => chunk % 2 === 0 }],
  [
    'strips of 32-bit floats and no number for "no data"',
    { ...degrees, strip: 7, predictor: 3, compression: 'deflate' },
  ],
  ['NaN as "no data"', { ...degrees, tile: 64, nodata: 'nan', value: (x, y) => (x % 5 === 0 ? NaN : x + y / 7) }],
  [
    'a factor',
    {
      ...degrees,
      tile: 64,
      type: 'int16',
      metadata: '<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.1</Item></GDALMetadata>',
    },
  ],
  ['a BigTIFF of big-endian numbers', { ...degrees, tile: 64, bigTiff: true, bigEndian: true }],
])('the cells of an area are those of the whole raster, with %s', async (_, spec) => {
  const { whole, clipped, path, to } = await clip(spec)
  expect(clipped.crs).toBe(whole.crs)
  const [expected, actual] = [await windowsOf(whole), await windowsOf(clipped)]
  expect(actual.map(({ cells }) => cells)).toEqual(expected.map(({ cells }) => cells))
  for (const [i, { at_x, at_y, cell_x_m }] of actual.entries()) {
    expect(at_x).toBeCloseTo(expected[i]!.at_x, 6)
    expect(at_y).toBeCloseTo(expected[i]!.at_y, 6)
    expect(cell_x_m!).toBeCloseTo(expected[i]!.cell_x_m!, 6)
  }
  expect(clipped.width * clipped.height).toBeLessThan((whole.width * whole.height) / 2)
  expect(statSync(to).size).toBeLessThan(statSync(path).size)
})

test.each<[string, TiffSpec]>([
  ['no cells in the area', { ...degrees, origin: [-90, 40] }],
  ['2 bands', { ...degrees, bands: 2 }],
  ['the value -9999999', { ...degrees, value: () => -9_999_999 }],
])('a raster with %s is not cut', async (reason, spec) => {
  const message = await clip(spec).then(
    () => 'no error',
    (error: Error) => error.message,
  )
  expect(message).toContain(reason)
})
