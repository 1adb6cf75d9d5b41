import { afterAll, describe, expect, test } from 'bun:test'
import { cogDriver } from '../../src/drivers/raster/cog.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import type { PixelFormat } from '../../src/drivers/raster/pixel-format.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Budget, Grid, RasterQuery } from '../../src/model/source.ts'
import type { Call, HttpClient } from '../../src/net/http-client.ts'
import { buildGeotiff, type TiffSpec } from '../raster/build-geotiff.ts'
import { openTestRasters } from '../raster/test-rasters.ts'
import { cellsOf, openImageSource, pixel } from './image-service.ts'

const rasters = openTestRasters()
afterAll(() => rasters.close())

const bytes: PixelFormat = { type: 'U8', bands: 1, nodata: 255 }

async function missingIn(answer: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await answer.catch((it: unknown) => it)
  if (!(error instanceof UpstreamError)) return []
  expect(error).toMatchObject({ code: 'schema_changed', retryable: false })
  return error.missing
}

describe('a remote file is read only while it has', () => {
  const file: TiffSpec = { width: 4, height: 4, value: () => 7, type: 'uint8', nodata: '255' }
  const scaled = '<GDALMetadata><Item name="SCALE" sample="0" role="scale">0.1</Item></GDALMetadata>'

  test.each<[string, Partial<TiffSpec>, string[]]>([
    ['all of its format', {}, []],
    ['its pixel type', { type: 'float32' }, ['pixel type U8']],
    ['its number of bands', { bands: 3 }, ['band count 1']],
    ['its no-data value', { nodata: '0' }, ['no-data value 255']],
    ['no scale', { metadata: scaled }, ['scale 1 and offset 0']],
  ])('%s', async (_name, change, missing) => {
    expect(await missingIn(readFile({ ...file, ...change }, { band: 1, format: bytes }))).toEqual(missing)
  })

  test('the band, also if no format is set', async () => {
    expect(await missingIn(readFile(file, { band: 2 }))).toEqual(['band 2'])
  })
})

describe('an image service is read only while it has', () => {
  const description = { pixelType: 'U8', bandCount: 1 }
  test.each<[string, object, PixelFormat, string[]]>([
    ['its format', {}, bytes, []],
    ['its pixel type', { pixelType: 'F32' }, bytes, ['pixel type U8']],
    ['its number of bands', { bandCount: 3 }, bytes, ['band count 1']],
    ['whole numbers of any length', { pixelType: 'S16' }, { type: 'integer', bands: 1 }, []],
    ['whole numbers', { pixelType: 'F32' }, { type: 'integer', bands: 1 }, ['pixel type integer']],
    ['what it does not state', { pixelType: undefined, bandCount: undefined }, bytes, []],
  ])('%s', async (_name, change, format, missing) => {
    const { ask } = openImageSource(
      ({ path }) => (path.endsWith('/ImageServer') ? { ...description, ...change } : pixel('7')),
      { format },
    )
    expect(await missingIn(ask({}))).toEqual(missing)
  })

  test('its description is read once a day; one that cannot be read changes nothing', async () => {
    const { ask, requests } = openImageSource(
      ({ path }) => (path.endsWith('/ImageServer') ? new Response('busy', { status: 400 }) : pixel('7')),
      { format: bytes },
    )
    expect(await cellsOf(ask({}))).toEqual([7])
    expect(await cellsOf(ask({}))).toEqual([7])
    expect(requests.filter(({ path }) => path.endsWith('/ImageServer')).length).toBe(1)
  })
})

type CogSettings = Parameters<typeof cogDriver.open>[0]

function readFile(spec: TiffSpec, settings: Pick<CogSettings, 'band' | 'format'>): Promise<Grid> {
  const file = buildGeotiff(spec)
  const send = async ({ headers = {} }: Call) => {
    const [from, to] = /(\d+)-(\d+)/.exec(headers.range!)!.slice(1).map(Number) as [number, number]
    const piece = file.subarray(from, to + 1)
    const range = `bytes ${from}-${from + piece.length - 1}/${file.length}`
    return { status: 206, headers: new Headers({ 'content-range': range, etag: '"1"' }), bytes: piece }
  }
  const deps = { net: { send } as unknown as HttpClient, rasters } as DriverDeps
  const { source } = cogDriver.open(
    { asset: `https://example.gov/${Bun.hash(file)}.tif`, ...settings },
    'raster',
    deps,
    { id: 'made', key: null, ttl_seconds: 60 },
  )!
  const read = source as unknown as (query: RasterQuery, budget: Budget) => Promise<Grid>
  return read({ at: { lat: 39.99, lng: -99.99 }, radius_cells: 0 }, { signal: new AbortController().signal })
}
