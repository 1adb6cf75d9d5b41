import { afterAll, describe, expect, test } from 'bun:test'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { cellsWithinRadius } from '../../src/operators/raster/cells.ts'
import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'
import { cellCenter, rasterBudget, openTestRasters, openTestRaster, memoryReader } from './test-rasters.ts'

const rasters = openTestRasters()
afterAll(() => rasters.close())

const plain: TiffSpec = { width: 100, height: 80, tile: 32, value: (x, y) => x + y * 1000 }
const openRaster = (form: Partial<TiffSpec> = {}) => openTestRaster(rasters, { ...plain, ...form })

test('a window is read row by row from the north-west, across tile edges', async () => {
  const grid = await (await openRaster()).window({ at: cellCenter(32, 31), radius_cells: 1 }, {}, rasterBudget)
  expect(grid.cells).toEqual([30_031, 30_032, 30_033, 31_031, 31_032, 31_033, 32_031, 32_032, 32_033])
  expect([grid.width, grid.height]).toEqual([3, 3])
  expect(grid.at_x).toBeCloseTo(1.5, 6)
  expect(grid.at_y).toBeCloseTo(1.5, 6)
})

test('cells outside the raster are null', async () => {
  const { cells } = await (await openRaster()).window({ at: cellCenter(0, 79), radius_cells: 1 }, {}, rasterBudget)
  expect(cells).toEqual([null, 78_000, 78_001, null, 79_000, 79_001, null, null, null])
})

test('a window around a point beside the raster contains the cells of the raster, and null at the point', async () => {
  const raster = await openRaster()
  const at = cellCenter(-1, 5)
  expect((await raster.window({ at, radius_cells: 1 }, {}, rasterBudget)).cells).toEqual([
    null,
    null,
    4000,
    null,
    null,
    5000,
    null,
    null,
    6000,
  ])
  expect(raster.covers(at)).toBe(false)
})

test('a point far away has a window without data', async () => {
  for (const form of [
    {},
    { epsg: 5070, origin: [0, 1_800_000], step: [30, -30] },
    { epsg: 32_618, origin: [300_000, 4_300_000], step: [2, -2] },
    { epsg: 3857, origin: [-1e7, 4e6], step: [10, -10] },
  ] satisfies Partial<TiffSpec>[]) {
    const raster = await openRaster(form)
    for (const at of [
      { lat: -40, lng: 100 },
      { lat: 89, lng: 0 },
      { lat: -90, lng: 180 },
      { lat: 13.4, lng: 144.8 },
    ]) {
      expect(raster.covers(at)).toBe(false)
      const grid = await raster.window({ at, radius_cells: 1, radius_m: 50 }, {}, rasterBudget)
      expect(cellsWithinRadius(grid, 50).every((cell) => cell === null)).toBe(true)
    }
  }
})

test('a raster includes its northern and western edges and excludes the others', async () => {
  const raster = await openRaster()
  expect(raster.bounds).toEqual({ west: -100, south: 39.2, east: -99, north: 40 })
  expect(
    [
      { lat: 40, lng: -100 },
      { lat: 39.21, lng: -99.01 },
    ].map(raster.covers),
  ).toEqual([true, true])
  expect(
    [
      { lat: 40.001, lng: -100 },
      { lat: 39.5, lng: -98.999 },
      { lat: 39.1999, lng: -99.5 },
      { lat: 39.5, lng: -100.001 },
    ].map(raster.covers),
  ).toEqual([false, false, false, false])
})

describe('a window reaches the radius on every side of the cell that contains the point', () => {
  const forms: Partial<TiffSpec>[] = [
    {},
    { epsg: 5070, origin: [-1000, 1_800_000], step: [30, -30] },
    { epsg: 3857, origin: [-11_132_000, 4_866_000], step: [25, -25] },
    { epsg: 3338, origin: [0, 1_000_000], step: [40, -20] },
  ]
  test.each(forms)('%o', async (form) => {
    const raster = await openRaster(form)
    const at = {
      lat: (raster.bounds.south + raster.bounds.north) / 2,
      lng: (raster.bounds.west + raster.bounds.east) / 2,
    }
    for (const radius_m of [0.1, 30, 123, 1000]) {
      const grid = await raster.window({ at, radius_cells: 0, radius_m }, {}, rasterBudget)
      const { width, height, at_x, at_y, cell_x_m, cell_y_m } = grid
      expect(Math.floor(at_x) * cell_x_m!).toBeGreaterThanOrEqual(radius_m)
      expect((width - 1 - Math.floor(at_x)) * cell_x_m!).toBeGreaterThanOrEqual(radius_m)
      expect(Math.floor(at_y) * cell_y_m!).toBeGreaterThanOrEqual(radius_m)
      expect((height - 1 - Math.floor(at_y)) * cell_y_m!).toBeGreaterThanOrEqual(radius_m)
      expect(() => cellsWithinRadius(grid, radius_m)).not.toThrow()
    }
  })
})

test('a window of more than four million cells is too_large', async () => {
  const raster = await openRaster()
  expect(raster.window({ at: cellCenter(5, 5), radius_cells: 1001 }, {}, rasterBudget)).rejects.toMatchObject({
    code: 'too_large',
  })
})

describe('the cell size is measured on the ground', () => {
  test('in degrees it decreases toward the pole', async () => {
    const raster = await openRaster()
    const at = cellCenter(50, 40)
    const { cell_x_m, cell_y_m } = await raster.window({ at, radius_cells: 0 }, {}, rasterBudget)
    expect(cell_x_m).toBeCloseTo(distanceBetween_m(cellCenter(50, 40), cellCenter(51, 40)), 3)
    expect(cell_y_m).toBeCloseTo(distanceBetween_m(cellCenter(50, 39.5), cellCenter(50, 40.5)), 3)
  })
  test('in Web Mercator it is approximately the cell times the cosine of the latitude', async () => {
    const raster = await openRaster({ epsg: 3857, origin: [-11_132_000, 4_866_000], step: [25, -25] })
    const { cell_x_m, cell_y_m } = await raster.window(
      { at: { lat: 39.99, lng: -99.99 }, radius_cells: 0 },
      {},
      rasterBudget,
    )
    expect(Math.abs(cell_x_m! / (25 * Math.cos((39.99 * Math.PI) / 180)) - 1)).toBeLessThan(0.002)
    expect(Math.abs(cell_y_m! / (25 * Math.cos((39.99 * Math.PI) / 180)) - 1)).toBeLessThan(0.007)
  })
  test('in UTM it equals the grid size within 0.04 %', async () => {
    const raster = await openRaster({ epsg: 26_918, origin: [321_000, 4_298_000], step: [2, -2] })
    const { cell_x_m } = await raster.window({ at: { lat: 38.81, lng: -77.06 }, radius_cells: 0 }, {}, rasterBudget)
    expect(Math.abs(cell_x_m! / 2 - 1)).toBeLessThan(0.0005)
  })
})

test('rows stored from south to north are returned from north to south', async () => {
  const raster = await openRaster({ origin: [-100, 39.2], step: [0.01, 0.01], tile: 16 })
  expect(raster.bounds).toEqual({ west: -100, south: 39.2, east: -99, north: 40 })
  const grid = await raster.window({ at: { lat: 39.2051, lng: -99.995 }, radius_cells: 1 }, {}, rasterBudget)
  expect(grid.cells).toEqual([null, 1000, 1001, null, 0, 1, null, null, null])
  expect(grid.at_y).toBeCloseTo(1.49, 6)
})

test.each<
  [name: string, form: Partial<TiffSpec>, corner: [lat: number, lng: number], middle: [lat: number, lng: number]]
>([
  ['in degrees', {}, [40, -100], [39.6, -99.5]],
  ['from south to north', { origin: [-100, 39.2], step: [0.01, 0.01] }, [40, -100], [39.6, -99.5]],
  ['across the antimeridian', { origin: [179.75, 56] }, [56, 179.75], [55.6, -179.75]],
  ['west of the antimeridian', { origin: [-180.75, 56] }, [56, 179.25], [55.6, 179.75]],
  [
    'in Web Mercator',
    { epsg: 3857, origin: [0, 0], step: [111_319.490_793, -111_319.490_793] },
    [0, 0],
    [-37.098_03, 50],
  ],
])('the point of a position in cells lies there, and the way back leads to it: %s', async (_, form, corner, middle) => {
  const { pointAt, positionOf } = (await openRaster(form)).cells({})
  const found = [pointAt({ x: 0, y: 0 }), pointAt({ x: 50, y: 40 })]
  for (const [i, [lat, lng]] of [corner, middle].entries()) {
    expect(found[i]!.lat).toBeCloseTo(lat, 4)
    expect(found[i]!.lng).toBeCloseTo(lng, 4)
  }
  for (const [x, y] of [
    [0.25, 0.5],
    [50, 40],
    [99.5, 79.75],
  ] as const) {
    const position = positionOf(pointAt({ x, y }))
    expect([position.x, position.y].map((it) => Number(it.toFixed(5)))).toEqual([x, y])
  }
})

test('a raster with RasterPixelIsPoint starts half a cell before its tie point', async () => {
  const raster = await openRaster({ point: true })
  expect(raster.bounds.west).toBeCloseTo(-100.005, 9)
  expect((await raster.window({ at: { lat: 40, lng: -100 }, radius_cells: 0 }, {}, rasterBudget)).cells).toEqual([0])
})

test('a raster from 0 to 360 degrees is readable at western longitudes, and one across the antimeridian on both sides', async () => {
  const world = await openRaster({ width: 360, height: 180, origin: [0, 90], step: [1, -1] })
  expect((await world.window({ at: { lat: 40.5, lng: -99.5 }, radius_cells: 0 }, {}, rasterBudget)).cells).toEqual([
    260 + 49 * 1000,
  ])
  const aleutians = await openRaster({ width: 20, height: 10, origin: [170, 56], step: [1, -1] })
  const cell = async (lng: number) =>
    (await aleutians.window({ at: { lat: 55.5, lng }, radius_cells: 0 }, {}, rasterBudget)).cells[0]
  expect([await cell(179.5), await cell(-179.5), await cell(-169.5)]).toEqual([9, 10, null])
})

test('a user-defined coordinate system is read from its keys', async () => {
  // The Albers projection of the MRLC consortium: WGS 84, without a code.
  const keys = {
    1024: 1,
    2048: 4326,
    3072: 32_767,
    3074: 32_767,
    3075: 11,
    3076: 9001,
    3078: [29.5],
    3079: [45.5],
    3081: [23],
    3080: [-96],
    3082: [0],
    3083: [0],
  } satisfies TiffSpec['keys']
  const own = await openRaster({ epsg: 0, keys, origin: [-1000, 1_800_000], step: [30, -30] })
  const coded = await openRaster({ epsg: 5070, origin: [-1000, 1_800_000], step: [30, -30] })
  for (const edge of ['west', 'south', 'east', 'north'] as const)
    expect(own.bounds[edge]).toBeCloseTo(coded.bounds[edge], 8)
})

test('a file without a coordinate system uses the one of its reader', async () => {
  const bytes = buildGeotiff({ ...plain, epsg: 0, origin: [-1000, 1_800_000], step: [30, -30] })
  expect((await rasters.open({ ...memoryReader(bytes), crs: 'EPSG:5070' }, rasterBudget)).crs).toBe('EPSG:5070')
  expect(rasters.open(memoryReader(bytes), rasterBudget)).rejects.toMatchObject({ code: 'bad_response' })
  expect(openRaster({ epsg: 2056 })).rejects.toThrow('Unknown coordinate system "EPSG:2056".')
})
