import { describe, expect, test } from 'bun:test'
import { rejectionMessage } from '../operators/fakes.ts'
import type { ImageRequest } from './image-host.ts'
import { boulder, cellsOf, openImageSource, pixel, type ImageSettings } from './image-service.ts'

describe('editions', () => {
  const years = (...all: unknown[]) => ({ features: all.map((year) => ({ attributes: { Year: year } })) })
  const serving = (catalog: () => unknown, settings: Partial<ImageSettings> = {}) =>
    openImageSource(({ path }) => (path.endsWith('/query') ? catalog() : pixel('5')), {
      edition_attribute: 'year',
      ...settings,
    })
  const ruleOf = ({ form }: ImageRequest) => JSON.parse(form.get('mosaicRule')!) as Record<string, unknown>

  test("count back from the newest year in the service's catalog", async () => {
    const { ask, requests } = serving(() => years(2023, 2025, null, 2024))
    expect(await cellsOf(ask({ edition: 0 }))).toEqual([5])
    expect(await cellsOf(ask({ edition: -2 }))).toEqual([5])
    expect(requests[0]).toMatchObject({ path: '/images.example.gov/rest/services/Cover/ImageServer/query' })
    expect(requests.slice(1).map(ruleOf)).toEqual([
      {
        mosaicMethod: 'esriMosaicAttribute',
        where: 'year=2025',
        sortField: 'year',
        sortValue: '2025',
        ascending: true,
        mosaicOperation: 'MT_FIRST',
      },
      expect.objectContaining({ where: 'year=2023' }),
    ])
  })

  test('count from the year before where the newest one is listed but not loaded', async () => {
    const loaded = (form: URLSearchParams) => !form.get('mosaicRule')!.includes('2025')
    const { ask } = openImageSource(
      ({ path, form }) => (path.endsWith('/query') ? years(2025, 2024, 2023) : pixel(loaded(form) ? '7' : '0')),
      { edition_attribute: 'year', unloaded_code: 0 },
    )
    expect(await ask({ edition: 0 })).toMatchObject({ cells: [7], year: 2024 })
    expect(await ask({ edition: -1 })).toMatchObject({ cells: [7], year: 2023 })
  })

  test('default to the newest', async () => {
    const { ask, requests } = serving(() => years('2024'))
    await ask({})
    expect(ruleOf(requests[1]!).where).toBe("year='2024'")
  })

  test('of a missing year have no data, without a request', async () => {
    const { ask, requests } = serving(() => years(2025, 2023), { zonal: 'computeHistograms' })
    expect(await ask({ edition: -1 })).toMatchObject({ cells: [null] })
    expect((await ask({ edition: -1, radius_m: 1000 })).counts).toEqual({})
    expect(requests).toHaveLength(1)
  })

  test('older than a truncated list are requested', async () => {
    const { ask } = serving(() => ({ ...years(2025, 2024), exceededTransferLimit: true }))
    expect(await cellsOf(ask({ edition: -3 }))).toEqual([5])
  })

  test('are read once for concurrent callers', async () => {
    const { ask, requests } = serving(() => years(2025, 2024, 2023))
    await Promise.all([0, -1, -2].map((edition) => ask({ edition })))
    expect(requests.filter(({ path }) => path.endsWith('/query'))).toHaveLength(1)
  })

  test('continue to be read if the first caller aborts', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: catalog, resolve: end } = Promise.withResolvers<unknown>()
    const { ask } = serving(() => {
      begin()
      return catalog
    })
    const leaving = new AbortController()
    const first = rejectionMessage(ask({}, { signal: leaving.signal }))
    const second = ask({})
    await begun
    leaving.abort(new Error('gone'))
    expect(await first).toBe('gone')
    end(years(2025))
    expect(await cellsOf(second)).toEqual([5])
  })

  test('are read again after a failure', async () => {
    const answers = [{ error: { code: 500, message: 'Error' } }, years(2025)]
    const { ask } = serving(() => answers.shift())
    expect(await rejectionMessage(ask({}))).toStartWith('upstream_5xx: ')
    expect(await cellsOf(ask({}))).toEqual([5])
  })

  test.each<[string, unknown]>([
    ['no list', {}],
    ['an empty list', years()],
    ['a list without years', { features: [{ attributes: { name: 'x' } }, 7] }],
  ])('of a catalog with %s fail', async (_, catalog) => {
    expect(await rejectionMessage(serving(() => catalog).ask({}))).toStartWith('bad_response: ')
  })

  test('of a service without years are rejected, except the newest', async () => {
    const { ask } = openImageSource(() => pixel('3'))
    expect(await cellsOf(ask({ edition: 0 }))).toEqual([3])
    expect(await rejectionMessage(ask({ edition: -1 }))).toStartWith('unsupported_request: ')
  })
})

describe('several years requested together at one point', () => {
  const catalog = { features: [2025, 2024, 2023].map((Year) => ({ attributes: { Year } })) }
  const sample = (Year: unknown, value: unknown, more = {}) => ({
    location: { x: boulder.lng, y: boulder.lat, spatialReference: { wkid: 4326 } },
    locationId: 0,
    value,
    rasterId: 7,
    resolution: 30,
    attributes: { Year },
    ...more,
  })
  const yearOf = ({ form }: ImageRequest) =>
    /\d{4}/.exec((JSON.parse(form.get('mosaicRule')!) as { where: string }).where)![0]
  const serving = (
    samples: (requests: ImageRequest) => unknown,
    identified: (requests: ImageRequest) => unknown = (it) => pixel(yearOf(it)),
  ) => {
    const host = openImageSource(
      (it) => (it.path.endsWith('/query') ? catalog : it.path.endsWith('/getSamples') ? samples(it) : identified(it)),
      { edition_attribute: 'year' },
    )
    const requestsOf = (operation: string) => host.requests.filter(({ path }) => path.endsWith(`/${operation}`))
    const cells = (editions: (number | undefined)[]) =>
      Promise.all(
        editions.map((edition) =>
          cellsOf(host.ask(edition === undefined ? {} : { edition })).catch((error: { code?: string }) => error.code),
        ),
      )
    return { ...host, requestsOf, cells }
  }

  test('are one request, whose samples are matched by year in any order', async () => {
    const { cells, requestsOf } = serving(() => ({
      samples: [sample(2023, '24'), sample('2025', '1'), sample(2024, 'NoData')],
    }))
    expect(await cells([0, -1, -2, undefined])).toEqual([[1], [null], [24], [1]])
    expect([requestsOf('getSamples').length, requestsOf('identify').length]).toEqual([1, 0])
    const form = Object.fromEntries(requestsOf('getSamples')[0]!.form)
    expect(form).toMatchObject({
      f: 'json',
      geometryType: 'esriGeometryPoint',
      returnFirstValueOnly: 'false',
      interpolation: 'RSP_NearestNeighbor',
      outFields: 'year',
    })
    expect(JSON.parse(form.geometry!)).toEqual({ x: boulder.lng, y: boulder.lat, spatialReference: { wkid: 4326 } })
    expect(JSON.parse(form.mosaicRule!)).toMatchObject({
      mosaicMethod: 'esriMosaicAttribute',
      where: 'year IN (2025,2024,2023)',
    })
  })

  test('are one request per point, and a single year uses identify', async () => {
    const { ask, requestsOf } = serving((it) => ({
      samples: [2025, 2024].map((year) =>
        sample(year, '7', { location: { ...(JSON.parse(it.form.get('geometry')!) as object) } }),
      ),
    }))
    const there = { lat: 41, lng: -100 }
    const all = [
      ask({ edition: 0 }),
      ask({ edition: -1 }),
      ask({ at: there, edition: 0 }),
      ask({ at: there, edition: -1 }),
    ]
    expect((await Promise.all(all)).map(({ cells }) => cells)).toEqual([[7], [7], [7], [7]])
    expect(requestsOf('getSamples')).toHaveLength(2)
    expect(await cellsOf(ask({ edition: -2 }))).toEqual([2023])
    expect(requestsOf('getSamples')).toHaveLength(2)
  })

  test.each<[string, unknown]>([
    [
      'without the year',
      [sample(2025, '1', { attributes: undefined }), sample(2024, '5', { attributes: { Name: 'CDL_2024' } }), '?'],
    ],
    ['under another attribute', [sample(2025, '1', { attributes: { EndYear: 2025 } })]],
    ['without samples', []],
    ['that are not a list', 'none'],
  ])('are requested one by one after a response %s', async (_what, samples) => {
    const { cells, requestsOf } = serving(() => ({ samples }))
    expect(await cells([0, -1, -2])).toEqual([[2025], [2024], [2023]])
    expect(requestsOf('identify').map(yearOf).toSorted()).toEqual(['2023', '2024', '2025'])
  })

  test('request a missing year separately', async () => {
    const { cells, requestsOf } = serving(() => ({ samples: [sample(2025, '1'), sample(2023, '24')] }))
    expect(await cells([0, -1, -2])).toEqual([[1], [2024], [24]])
    expect(requestsOf('identify').map(yearOf)).toEqual(['2024'])
  })

  test('use two rasters of a year if they agree or one has no data, and otherwise request that year separately', async () => {
    const { cells, requestsOf } = serving(() => ({
      samples: [
        sample(2025, '1'),
        sample(2025, '1'),
        sample(2024, 'NoData'),
        sample(2024, '5'),
        sample(2023, '24'),
        sample(2023, '36'),
      ],
    }))
    expect(await cells([0, -1, -2])).toEqual([[1], [5], [2023]])
    expect(requestsOf('identify').map(yearOf)).toEqual(['2023'])
  })

  test('fail only for a year without a number', async () => {
    const { cells } = serving(() => ({
      samples: [
        sample(2025, 'Corn'),
        sample(2024, '5', { location: { x: 0, y: 0, spatialReference: { wkid: 4326 } } }),
        sample(2023, '24'),
      ],
    }))
    expect(await cells([0, -1, -2])).toEqual(['bad_value', 'bad_value', [24]])
  })

  test('are requested one by one if the service rejects several, and then fail independently', async () => {
    const refused = { error: { code: 400, message: 'Invalid or missing input parameters.', details: [] } }
    const { cells, requestsOf } = serving(
      () => refused,
      (it) => (yearOf(it) === '2024' ? { error: { code: 500, message: 'Error' } } : pixel('3')),
    )
    expect(await cells([0, -1, -2])).toEqual([[3], 'upstream_5xx', [3]])
    expect([requestsOf('getSamples').length, requestsOf('identify').length]).toEqual([1, 3])
  })

  test('fail together after a retryable error, without another request', async () => {
    const { cells, requestsOf } = serving(() => ({ error: { code: 500, message: 'Error' } }))
    expect(await cells([0, -1, -2])).toEqual(['upstream_5xx', 'upstream_5xx', 'upstream_5xx'])
    expect(requestsOf('identify')).toEqual([])
  })

  test('continue if the first caller aborts', async () => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: samples, resolve: end } = Promise.withResolvers<unknown>()
    const { ask } = serving(() => {
      begin()
      return samples
    })
    const leaving = new AbortController()
    const first = rejectionMessage(ask({ edition: 0 }, { signal: leaving.signal }))
    const second = ask({ edition: -1 })
    await begun
    leaving.abort(new Error('gone'))
    expect(await first).toBe('gone')
    end({ samples: [sample(2025, '1'), sample(2024, '5')] })
    expect(await cellsOf(second)).toEqual([5])
  })
})
