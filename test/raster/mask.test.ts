import { afterAll, describe, expect, test } from 'bun:test'
import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'
import { memoryReader, openTestRaster, openTestRasters, rasterBudget, rejectionCode } from './test-rasters.ts'

const rasters = openTestRasters()
afterAll(() => rasters.close())

const [width, height] = [100, 70]
const value = (x: number, y: number, band: number) => 1 + ((x + 3 * y + 11 * band) % 200)
const isValid = (x: number, y: number) => (x * 7 + y * 13) % 5 !== 0

async function cellsOf(form: TiffSpec, band = 1): Promise<(number | null)[]> {
  const raster = await openTestRaster(rasters, form)
  const source = raster.cells({ band })
  return [...(await source.read({ column: 0, row: 0, width, height }, rasterBudget)).cells]
}

const expected = (cell: (x: number, y: number) => number | null) =>
  Array.from({ length: width * height }, (_, i) => cell(i % width, Math.floor(i / width)))

const forms: Partial<TiffSpec>[] = [
  { tile: 32 },
  { strip: 7 },
  { tile: 32, bigTiff: true, bigEndian: true },
  { tile: 32, headFirst: true, overviews: 2, compression: 'deflate' },
  { strip: 70, type: 'float32', compression: 'zstd', nodata: '-9999' },
]

describe('cells that a GeoTIFF masks have no value', () => {
  test.each(forms)('with a mask of its own: %o', async (form) => {
    const masked = { width, height, type: 'uint8', value, mask: isValid, ...form } as const
    expect(await cellsOf(masked)).toEqual(expected((x, y) => (isValid(x, y) ? value(x, y, 0) : null)))
  })

  test.each([false, true])('with an alpha band, in planes: %p', async (planar) => {
    const alpha = (x: number, y: number) => (isValid(x, y) ? 1 + (x % 255) : 0)
    const form: TiffSpec = {
      width,
      height,
      type: 'uint8',
      bands: 3,
      planar,
      value: (x, y, band) => (band === 2 ? alpha(x, y) : value(x, y, band)),
      overriddenTags: { 338: { type: 3, values: [0, 2] } },
    }
    for (const band of [1, 2])
      expect(await cellsOf(form, band)).toEqual(expected((x, y) => (isValid(x, y) ? value(x, y, band - 1) : null)))
  })

  test('a band that is not said to be alpha masks nothing', async () => {
    const form: TiffSpec = {
      width,
      height,
      type: 'uint8',
      bands: 2,
      value: (x, y, band) => value(x, y, band) * (1 - band),
    }
    expect(await cellsOf({ ...form, overriddenTags: { 338: { type: 3, values: [0] } } })).toEqual(
      expected((x, y) => value(x, y, 0)),
    )
  })
})

test('a mask with bits in reverse order is an error', async () => {
  const form: TiffSpec = { width, height, type: 'uint8', value, mask: isValid }
  const reversed = { ...form, overriddenTags: { 266: { type: 3, values: [2] } } }
  expect(await rejectionCode(openTestRaster(rasters, reversed))).toBe('unsupported_request')
})

test('images that follow each other in a circle are an error', async () => {
  const bytes = buildGeotiff({ width, height, type: 'uint8', value })
  const view = new DataView(bytes.buffer)
  const first = view.getUint32(4, true)
  view.setUint32(first + 2 + 12 * view.getUint16(first, true), first, true)
  expect(await rejectionCode(rasters.open(memoryReader(bytes), rasterBudget))).toBe('bad_response')
})
