import { describe, expect, test } from 'bun:test'
import { imageserverDriver } from '../../src/drivers/imageserver/imageserver.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { hornSlope_degrees } from '../../src/operators/raster/terrain.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import { datasetInfo, invalidImageResponses, offlineDeps, type ImageRequest } from './image-host.ts'
import { boulder, cellsOf, openImageSource, pixel, service, type ImageSettings } from './image-service.ts'

test('without a network the driver does not open', () => {
  expect(imageserverDriver.open({ endpoint: service }, 'raster', offlineDeps, datasetInfo)).toBeNull()
})

test('the source names its host', () => {
  expect(
    openImageSource(() => pixel('1'), { endpoint: 'https://images.example.gov/{region}/ImageServer' }).openedSource,
  ).toMatchObject({ vintage: null, remote: { host: 'images.example.gov' } })
})

describe('the cell of a point', () => {
  test('is requested by identify, with degrees and their coordinate system', async () => {
    const { ask, requests } = openImageSource(() => pixel('41'))
    expect(await ask({})).toMatchObject({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [41] })
    expect(requests[0]).toMatchObject({
      method: 'GET',
      path: '/images.example.gov/rest/services/Cover/ImageServer/identify',
    })
    expect(Object.fromEntries(requests[0]!.form)).toEqual({
      f: 'json',
      geometryType: 'esriGeometryPoint',
      returnGeometry: 'false',
      returnCatalogItems: 'false',
      geometry: JSON.stringify({ x: boulder.lng, y: boulder.lat, spatialReference: { wkid: 4326 } }),
    })
  })

  test.each<[string, unknown, Partial<ImageSettings>, number | null]>([
    ['a number as text', '16.34', {}, 16.34],
    ['a number', 7, {}, 7],
    ['NoData', 'NoData', {}, null],
    ['a nodata value', '65535', { nodata: [65535], scale: 0.0001 }, null],
    ['a scaled value', '1250', { nodata: [65535], scale: 0.0001 }, 0.125],
  ])('is read from %s', async (_, value, settings, cell) => {
    expect(await cellsOf(openImageSource(() => pixel(value), settings).ask({}))).toEqual([cell])
  })

  test.each<[string, unknown, string]>([
    ['an answer without a value', pixel(undefined), 'bad_response'],
    ['a value of null', pixel(null), 'bad_response'],
    ['a list', [], 'bad_response'],
    ['a text', pixel('Forest'), 'bad_value'],
    ['two bands', pixel('3, 4'), 'bad_value'],
    [
      'a value at another place',
      pixel('4', { location: { x: -105.29, y: 40.01, spatialReference: { wkid: 4326 } } }),
      'bad_value',
    ],
    [
      'no data at a place whose degrees were read as meters',
      pixel('NoData', { location: { x: boulder.lng, y: boulder.lat, spatialReference: { wkid: 102_100 } } }),
      'bad_value',
    ],
    [
      'an error of 500 with status 200',
      { error: { code: 500, message: 'Unable to complete operation.', details: [] } },
      'upstream_5xx',
    ],
    ['an error of 429 with status 200', { error: { code: 429, message: 'Too many requests' } }, 'rate_limited'],
    [
      'an error of 400 with status 200',
      { error: { code: 400, message: 'Invalid or missing input parameters.', details: [] } },
      'upstream_rejected',
    ],
    ['an error of 499 with status 200', { error: { code: 499, message: 'Token Required' } }, 'upstream_rejected'],
  ])('%s fails with the right code', async (_, answer, code) => {
    expect(await rejectionMessage(openImageSource(() => answer).ask({}))).toStartWith(`${code}: `)
  })

  test.each(invalidImageResponses)('%s fails', async (_, answer, code) => {
    expect(await rejectionMessage(openImageSource(answer).ask({}))).toStartWith(`${code}: `)
  })

  test('an unreachable host fails', async () => {
    const { ask, stop } = openImageSource(() => pixel('1'))
    await stop()
    expect(await rejectionMessage(ask({}))).toStartWith('connection_failed: ')
  })

  test.each([
    ['CONUS', boulder],
    ['AK', { lat: 61.2, lng: -149.9 }],
    ['AK', { lat: 52.9, lng: 173 }],
    ['HI', { lat: 21.3, lng: -157.9 }],
  ])('is requested from the service of %s', async (name, at) => {
    const { ask, requests } = openImageSource(() => pixel('7292', { location: undefined }), {
      endpoint: 'https://lf.example.gov/EVT_{region}/ImageServer',
      regions: { conus: 'CONUS', ak: 'AK', hi: 'HI' },
    })
    expect(await cellsOf(ask({ at }))).toEqual([7292])
    expect(requests[0]!.path).toBe(`/lf.example.gov/EVT_${name}/ImageServer/identify`)
  })

  test('a region without a service is rejected', async () => {
    const { ask } = openImageSource(() => pixel('1'), {
      endpoint: 'https://lf.example.gov/{region}/ImageServer',
      regions: { conus: 'CONUS' },
    })
    expect(await rejectionMessage(ask({ at: { lat: 18.4, lng: -66.1 } }))).toStartWith('unsupported_request: ')
  })
})

describe('a window', () => {
  const tilted = ({ form }: ImageRequest) => {
    const { points } = JSON.parse(form.get('geometry')!) as { points: [number, number][] }
    return points.map(([lng, lat], locationId) => ({
      location: { x: lng, y: lat, spatialReference: { wkid: 4326 } },
      locationId,
      value: String(1000 + distanceBetween_m({ lat, lng: -105.28 }, { lat, lng })),
      rasterId: 1,
      resolution: 1,
    }))
  }

  test('is nine points ten meters apart on the ground, in one request', async () => {
    const { ask, requests } = openImageSource((it) => ({ samples: tilted(it) }), { cell_m: 10 })
    const grid = await ask({ radius_cells: 1 })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: '/images.example.gov/rest/services/Cover/ImageServer/getSamples',
    })
    expect(Object.fromEntries(requests[0]!.form)).toMatchObject({
      f: 'json',
      geometryType: 'esriGeometryMultipoint',
      returnFirstValueOnly: 'true',
      interpolation: 'RSP_BilinearInterpolation',
    })
    expect(grid).toMatchObject({ width: 3, height: 3, at_x: 1.5, at_y: 1.5, cell_x_m: 10, cell_y_m: 10 })
    expect(hornSlope_degrees(grid)).toBeCloseTo(45, 1)
    const { points, spatialReference } = JSON.parse(requests[0]!.form.get('geometry')!) as {
      points: [number, number][]
      spatialReference: unknown
    }
    expect(spatialReference).toEqual({ wkid: 4326 })
    const [northWest, north] = points.map(([lng, lat]) => ({ lat, lng }))
    expect(distanceBetween_m(northWest!, north!)).toBeCloseTo(10, 2)
    expect(north!.lat).toBeGreaterThan(boulder.lat)
    expect(distanceBetween_m(north!, boulder)).toBeCloseTo(10, 2)
  })

  test('with a radius is 49 points that fill its square', async () => {
    const { ask } = openImageSource((it) => ({ samples: tilted(it) }), { cell_m: 10 })
    const { width, height, cell_x_m, cells } = await ask({ radius_cells: 1, radius_m: 500 })
    expect([width, height, cells.length]).toEqual([7, 7, 49])
    expect(7 * cell_x_m!).toBeCloseTo(1000)
  })

  test('is matched by point number, and a missing point has no data', async () => {
    const { ask } = openImageSource(
      (it) => ({
        samples: tilted(it)
          .filter(({ locationId }) => locationId !== 4)
          .toReversed()
          .map((sample) =>
            sample.locationId === 0 ? { ...sample, value: 'NoData' } : { ...sample, value: `${sample.locationId}` },
          ),
      }),
      { cell_m: 10 },
    )
    expect(await cellsOf(ask({ radius_cells: 1 }))).toEqual([null, 1, 2, 3, null, 5, 6, 7, 8])
  })

  test.each<[string, (requests: ImageRequest) => unknown, string]>([
    ['an answer without samples', () => ({}), 'bad_response'],
    ['a sample of an unknown point', () => ({ samples: [{ locationId: 9, value: '1' }] }), 'bad_response'],
    ['a sample without a value', () => ({ samples: [{ locationId: 0 }] }), 'bad_response'],
    [
      'a sample at another place',
      (it) => ({
        samples: tilted(it).map((sample) => ({
          ...sample,
          location: { x: 0, y: 0, spatialReference: { wkid: 4326 } },
        })),
      }),
      'bad_value',
    ],
    ['an error', () => ({ error: { code: 504, message: 'Gateway Timeout' } }), 'upstream_5xx'],
  ])('%s fails with the right code', async (_, answer, code) => {
    expect(await rejectionMessage(openImageSource(answer, { cell_m: 10 }).ask({ radius_cells: 1 }))).toStartWith(
      `${code}: `,
    )
  })

  test('of codes or of more than 49 points is rejected', async () => {
    const codes = openImageSource(() => ({}))
    expect(await rejectionMessage(codes.ask({ radius_cells: 1 }))).toStartWith('unsupported_request: ')
    const large = openImageSource(() => ({}), { cell_m: 10 })
    expect(await rejectionMessage(large.ask({ radius_cells: 4 }))).toStartWith('unsupported_request: ')
    expect([...codes.requests, ...large.requests]).toEqual([])
  })
})

describe('a circle', () => {
  const counted = (some: Record<number, number>, more = {}) => ({
    histograms: [
      { size: 256, min: -0.5, max: 255.5, counts: Array.from({ length: 256 }, (_, code) => some[code] ?? 0), ...more },
    ],
  })

  test('is counted by the service over a polygon that is a circle on the ground', async () => {
    const { ask, requests } = openImageSource(() => counted({ 0: 5, 1: 30, 176: 70 }), {
      zonal: 'computeHistograms',
      nodata: [0],
    })
    expect((await ask({ radius_m: 1000 })).counts).toEqual({ 1: 30, 176: 70 })
    expect(requests[0]).toMatchObject({
      method: 'POST',
      path: '/images.example.gov/rest/services/Cover/ImageServer/computeHistograms',
    })
    const { rings, spatialReference } = JSON.parse(requests[0]!.form.get('geometry')!) as {
      rings: [number, number][][]
      spatialReference: unknown
    }
    expect(spatialReference).toEqual({ wkid: 3857 })
    expect(rings[0]!.at(-1)).toEqual(rings[0]![0])
    for (const [x, y] of rings[0]!) {
      const point = {
        lng: (x / 20_037_508.342789244) * 180,
        lat: (Math.atan(Math.sinh(y / 6_378_137)) * 180) / Math.PI,
      }
      expect(distanceBetween_m(boulder, point)).toBeCloseTo(1000, 0)
    }
    const area = rings[0]!.slice(1).reduce((sum, [x, y], i) => sum + rings[0]![i]![0] * y - x * rings[0]![i]![1], 0)
    expect(area).toBeLessThan(0)
    expect(JSON.parse(requests[0]!.form.get('pixelSize')!)).toMatchObject({ x: 30, y: 30 })
  })

  test.each<[string, unknown]>([
    ['no histogram', { histograms: [] }],
    ['no list', {}],
    ['bins that are not codes', counted({ 1: 1 }, { min: 0 })],
    ['another number of bins', counted({ 1: 1 }, { size: 16 })],
    ['fewer counts than bins', counted({ 1: 1 }, { counts: [1, 2] })],
    ['invalid counts', counted({ 1: 1 }, { counts: Array.from({ length: 256 }, () => '1') })],
  ])('%%s fails, not an empty circle', async (_, answer) => {
    expect(
      await rejectionMessage(
        openImageSource(() => answer, { zonal: 'computeStatisticsHistograms' }).ask({ radius_m: 1000 }),
      ),
    ).toStartWith('bad_response: ')
  })
})
