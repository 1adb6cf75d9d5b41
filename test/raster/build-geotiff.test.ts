import { expect, test } from 'bun:test'
import { fromArrayBuffer } from 'geotiff'
import { buildGeotiff, type TiffSpec } from './build-geotiff.ts'

const value: TiffSpec['value'] = (x, y) => (x * 7 + y * 3) % 120
const forms: Partial<TiffSpec>[] = [
  { type: 'uint8' },
  { type: 'int16', compression: 'deflate', predictor: 2 },
  { type: 'float32', compression: 'lzw', predictor: 3 },
  { type: 'float64', compression: 'zstd' },
  { type: 'uint16', strip: 10, compression: 'lzw' },
  { type: 'int32', bigTiff: true, overviews: 1 },
  // In big-endian files, geotiff.js 3.0.5 reads no long lists.
  { type: 'uint8', bigEndian: true, strip: 90 },
]

test.each(forms)('geotiff.js reads the test files: %o', async (form) => {
  const image = await (
    await fromArrayBuffer(buildGeotiff({ width: 150, height: 90, value, ...form }).buffer)
  ).getImage()
  const [band] = await image.readRasters()
  expect(Array.from(band as Float64Array)).toEqual(
    Array.from({ length: 150 * 90 }, (_, n) => value(n % 150, Math.floor(n / 150), 0)),
  )
  expect(image.getBoundingBox().map((edge) => Number(edge.toFixed(9)))).toEqual([-100, 39.1, -98.5, 40])
  expect(image.getGeoKeys()!.GeographicTypeGeoKey).toBe(4326)
})
