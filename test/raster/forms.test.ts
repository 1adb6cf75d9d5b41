import { afterAll, describe, expect, test } from 'bun:test'
import type { TiffSpec } from './build-geotiff.ts'
import { cellCenter, rasterBudget, openTestRasters, openTestRaster } from './test-rasters.ts'

const rasters = openTestRasters()
afterAll(() => rasters.close())

const [width, height] = [150, 90]
const values: Record<NonNullable<TiffSpec['type']>, TiffSpec['value']> = {
  uint8: (x, y, band) => (x * 3 + y * 5 + band) % 251,
  int8: (x, y, band) => ((x * 3 + y * 5 + band) % 251) - 125,
  uint16: (x, y, band) => (x * 397 + y * 1301 + band) % 65_521,
  int16: (x, y, band) => ((x * 397 + y * 1301 + band) % 65_521) - 32_760,
  uint32: (x, y, band) => 4_294_967_295 - x * 10_007 - y * 1_000_003 - band,
  int32: (x, y, band) => x * 10_007 - y * 20_000_003 + band,
  float32: (x, y, band) => Math.fround(x * 1.1 - y * 0.37 + band * 1e6),
  float64: (x, y, band) => x * 1.1 - y * 0.37 + band * 1e9,
}
const places = [
  [0, 0],
  [149, 89],
  [63, 63],
  [64, 64],
  [128, 10],
  [77, 66],
] as const

async function expectAll(form: TiffSpec, bands: number[] = [1]): Promise<void> {
  const raster = await openTestRaster(rasters, form)
  expect([raster.width, raster.height]).toEqual([width, height])
  for (const band of bands) {
    const read = await Promise.all(
      places.map(
        async ([x, y]) =>
          (await raster.window({ at: cellCenter(x, y), radius_cells: 0 }, { band }, rasterBudget)).cells[0],
      ),
    )
    expect(read).toEqual(places.map(([x, y]) => form.value(x, y, band - 1)))
  }
}

const types = Object.keys(values) as NonNullable<TiffSpec['type']>[]
const packings = (['none', 'deflate', 'lzw', 'zstd'] as const).flatMap((compression) =>
  ([1, 2, 3] as const).map((predictor) => ({ compression, predictor })),
)
const orders = [
  { bigEndian: false, bigTiff: false },
  { bigEndian: true, bigTiff: false },
  { bigEndian: false, bigTiff: true },
  { bigEndian: true, bigTiff: true },
]

describe.each(types)('reads cells of type %s', (type) => {
  const fit = packings.filter(
    ({ predictor }) => predictor === 1 || (type.startsWith('float') ? predictor === 3 : predictor === 2),
  )
  test.each(fit)('with %o, in both byte orders, tiled and in strips, as TIFF and BigTIFF', async (packing) => {
    for (const order of orders) {
      for (const strip of [{}, { strip: 7 }])
        await expectAll({ width, height, type, value: values[type], ...packing, ...order, ...strip })
    }
  })
})

test.each([false, true])('reads each of three bands: %p', async (planar) => {
  for (const [type, predictor] of [
    ['uint8', 2],
    ['int16', 2],
    ['float32', 3],
    ['float64', 1],
  ] as const) {
    for (const bigEndian of [false, true])
      await expectAll(
        { width, height, type, value: values[type], bands: 3, planar, compression: 'deflate', predictor, bigEndian },
        [1, 2, 3],
      )
  }
})

test('a band that the raster does not have is an error', async () => {
  const raster = await openTestRaster(rasters, { width: 20, height: 20, value: () => 1 })
  expect(raster.window({ at: cellCenter(3, 3), radius_cells: 0 }, { band: 2 }, rasterBudget)).rejects.toMatchObject({
    code: 'unsupported_request',
  })
})

test('overviews are ignored: cells have full resolution', () =>
  expectAll({ width, height, value: values.float32, overviews: 2 }))

test('tile offsets far behind the header are read in blocks', async () => {
  const form: TiffSpec = {
    width: 1600,
    height: 1600,
    tile: 16,
    type: 'uint8',
    value: (x, y) => (x * 7 + y) % 250,
    compression: 'deflate',
  }
  const raster = await openTestRaster(rasters, form)
  for (const [x, y] of [
    [0, 0],
    [1599, 1599],
    [800, 3],
    [5, 1400],
  ] as const) {
    expect((await raster.window({ at: cellCenter(x, y), radius_cells: 0 }, {}, rasterBudget)).cells).toEqual([
      form.value(x, y, 0),
    ])
  }
})

describe('no data', () => {
  const one = async (form: Partial<TiffSpec>, x: number, nodata?: number[]) => {
    const raster = await openTestRaster(rasters, { width: 4, height: 1, tile: 16, value: (x) => x, ...form })
    return (await raster.window({ at: cellCenter(x, 0), radius_cells: 0 }, nodata ? { nodata } : {}, rasterBudget))
      .cells[0]
  }
  test('is the value that the file declares', async () => {
    expect(await one({ nodata: '2' }, 2)).toBeNull()
    expect(await one({ nodata: '2 ' }, 1)).toBe(1)
    expect(await one({ nodata: '' }, 0)).toBe(0)
  })
  test('is NaN if the file declares it; otherwise NaN is a value', async () => {
    expect(await one({ nodata: 'nan', value: () => NaN }, 1)).toBeNull()
    expect(await one({ value: () => NaN }, 1)).toBeNaN()
  })
  test('is also the value that the catalog declares', async () => {
    expect(await one({ nodata: '2' }, 3, [3])).toBeNull()
    expect(await one({ nodata: '2' }, 2, [3])).toBeNull()
  })
  test('matches in 32 bits even if it is declared with more digits', async () => {
    expect(await one({ nodata: '-3.4028234663852886e+38', value: () => -3.4028234663852886e38 }, 0)).toBeNull()
    expect(await one({ value: () => -999999.1 }, 0, [-999999.1])).toBeNull()
  })
  test('can be infinity', async () => expect(await one({ nodata: '-inf', value: () => -Infinity }, 0)).toBeNull())
  test('is compared before scaling', async () => {
    const metadata =
      '<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.5</Item><Item name="OFFSET" sample="0" role="offset">-10</Item></GDALMetadata>'
    expect(await one({ metadata, nodata: '3' }, 3)).toBeNull()
    expect(await one({ metadata, nodata: '3' }, 2)).toBe(-9)
  })
  test('is a missing tile', async () => {
    const raster = await openTestRaster(rasters, {
      width: 40,
      height: 16,
      tile: 16,
      type: 'uint8',
      value: () => 7,
      sparse: (chunk) => chunk === 1,
    })
    const { cells } = await raster.window({ at: cellCenter(15, 8), radius_cells: 1 }, {}, rasterBudget)
    expect(cells).toEqual([7, 7, null, 7, 7, null, 7, 7, null])
  })
})

test('each band has its own scale', async () => {
  const metadata =
    '<GDALMetadata>\n  <Item name="OFFSET" sample="1" role="offset">100</Item>\n  <Item name="what">else</Item>\n</GDALMetadata>'
  const raster = await openTestRaster(rasters, { width: 4, height: 4, bands: 2, metadata, value: () => 5 })
  const cell = async (band: number) =>
    (await raster.window({ at: cellCenter(1, 1), radius_cells: 0 }, { band }, rasterBudget)).cells[0]
  expect([await cell(1), await cell(2)]).toEqual([5, 105])
})
