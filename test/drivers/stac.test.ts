import { describe, expect, test } from 'bun:test'
import { stacDriver } from '../../src/drivers/stac/stac.ts'
import type { DriverDeps } from '../../src/drivers/driver.ts'
import type { Point } from '../../src/model/place.ts'
import type { Budget } from '../../src/model/source.ts'
import type { RangeReader } from '../../src/raster/raster.ts'
import { rejectionMessage } from '../operators/fakes.ts'
import {
  datasetInfo,
  imageBudget,
  invalidImageResponses,
  offlineDeps,
  startImageHost,
  type ImageRequest,
} from './image-host.ts'

const at = { lat: 40.01, lng: -105.27 }
const settings = {
  endpoint: 'https://stac.example.com/api/stac/v1/search',
  collection: 'sentinel-2-l2a',
  point_endpoint:
    'https://stac.example.com/api/data/v1/item/point/{lon},{lat}?collection=sentinel-2-l2a&item={id}&assets=B04&assets=B08&assets=SCL',
  assets: { red: 'B04', nir: 'B08', mask: 'SCL' },
  absent: { statuses: [404], text: 'outside' },
}
const search = { from: '2026-04-02', to: '2026-06-01', max_items: 6, max_cloud_pct: 60 }

type Item = { id: string; properties: Record<string, unknown> }
const item = (id: string, day: string, more: Record<string, unknown> = {}): Item => ({
  id,
  properties: {
    datetime: `${day}T17:59:19.024000Z`,
    's2:mgrs_tile': '13TDE',
    's2:processing_baseline': '05.11',
    ...more,
  },
})
const values = (...values: unknown[]) => ({
  coordinates: [at.lng, at.lat],
  values,
  band_names: ['B04_b1', 'B08_b1', 'SCL_b1'],
})

function opened(
  items: unknown,
  valuesOf: (id: string, requests: ImageRequest) => unknown = () => values(2832, 3480, 4),
  given = settings,
) {
  const host = startImageHost((requests) => {
    if (requests.method !== 'POST') return valuesOf(requests.form.get('item')!, requests)
    return typeof items === 'function'
      ? (items as (requests: ImageRequest) => unknown)(requests)
      : { type: 'FeatureCollection', features: items }
  })
  const openedSource = stacDriver.open(given, 'document', host.deps, datasetInfo)!
  const source = openedSource.source as unknown as (
    query: { at: Point; key?: string },
    given: typeof imageBudget,
  ) => Promise<Record<string, unknown>[]>
  const query = (more: Partial<typeof search> = {}) =>
    source({ at, key: JSON.stringify({ ...search, ...more }) }, imageBudget)
  return { ...host, openedSource, source, query, ids: async () => (await query()).map(({ id }) => id) }
}

test('without a network the driver does not open', () => {
  expect(stacDriver.open(settings, 'document', offlineDeps, datasetInfo)).toBeNull()
})

test('the scenes of a period are newest first, each with its values at the point', async () => {
  const { query, requests, openedSource } = opened(
    [item('older', '2026-05-01', { 's2:processing_baseline': undefined }), item('newer', '2026-05-21')],
    (id) => (id === 'newer' ? values(2832, 3480, 4) : values(0, null, 0)),
  )
  expect(await query()).toEqual([
    {
      id: 'newer',
      datetime: '2026-05-21T17:59:19.024000Z',
      's2:processing_baseline': '05.11',
      red: 2832,
      nir: 3480,
      mask: 4,
    },
    { id: 'older', datetime: '2026-05-01T17:59:19.024000Z', red: 0, nir: null, mask: 0 },
  ])
  expect(openedSource.remote).toEqual({ host: 'stac.example.com' })
  expect(requests[0]).toMatchObject({ method: 'POST', path: '/stac.example.com/api/stac/v1/search' })
  expect(JSON.parse(requests[0]!.body)).toEqual({
    collections: ['sentinel-2-l2a'],
    intersects: { type: 'Point', coordinates: [-105.27, 40.01] },
    datetime: '2026-04-02T00:00:00Z/2026-06-01T23:59:59Z',
    query: { 'eo:cloud_cover': { lt: 60 } },
    sortby: [{ field: 'properties.datetime', direction: 'desc' }],
    limit: 12,
  })
  expect(requests[1]!.path).toBe('/stac.example.com/api/data/v1/item/point/-105.27,40.01')
  expect(requests[1]!.form.getAll('assets')).toEqual(['B04', 'B08', 'SCL'])
})

test('values are identified by the order in which the URL names the assets', async () => {
  const { query } = opened([item('a', '2026-05-01')], () => values(4, 2832, 3480), {
    ...settings,
    point_endpoint: 'https://stac.example.com/{lon},{lat}?item={id}&assets=SCL&assets=B04&assets=B08',
  })
  expect(await query()).toMatchObject([{ red: 2832, nir: 3480, mask: 4 }])
})

test('a tile that occurs twice on a day has its newest processing; other tiles of the day remain', async () => {
  const { ids } = opened([
    item('first', '2026-05-01', { 's2:processing_baseline': '05.09' }),
    item('again', '2026-05-01', { 's2:processing_baseline': '05.11' }),
    item('beside', '2026-05-01', { 's2:mgrs_tile': undefined, 'grid:code': 'MGRS-13TDF' }),
    item('old', '2026-04-11', { 's2:processing_baseline': '02.12' }),
  ])
  expect(await ids()).toEqual(['again', 'beside', 'old'])
})

test('at most the requested number of scenes is read, and never more than six', async () => {
  const days = Array.from({ length: 9 }, (_, i) => item(`s${i}`, `2026-05-2${9 - i}`))
  const few = opened(days)
  expect(await few.query({ max_items: 2 })).toHaveLength(2)
  expect(few.requests).toHaveLength(3)
  expect(await opened(days).query({ max_items: 50 })).toHaveLength(6)
})

test('a period without scenes is an empty list', async () => expect(await opened([]).query()).toEqual([]))

test('a scene that does not cover the point is left out', async () => {
  const { ids } = opened([item('a', '2026-05-03'), item('b', '2026-05-02')], (id) =>
    id === 'a' ? Response.json({ detail: 'Point is outside dataset bounds' }, { status: 404 }) : values(1, 2, 4),
  )
  expect(await ids()).toEqual(['b'])
})

describe('rejected:', () => {
  test.each<[string, unknown, string]>([
    ['an error with status 200', { code: 'BadRequest', description: 'Invalid datetime' }, 'upstream_rejected'],
    ['a response without scenes', { type: 'FeatureCollection' }, 'bad_response'],
    ['a scene without an id', { type: 'FeatureCollection', features: [{ properties: {} }] }, 'bad_response'],
    [
      'a scene without its time',
      { type: 'FeatureCollection', features: [{ id: 'a', properties: { datetime: 'soon' } }] },
      'bad_value',
    ],
    ['an invalid scene', { type: 'FeatureCollection', features: [null] }, 'bad_response'],
  ])('%s', async (_, answer, code) => {
    expect(await rejectionMessage(opened(() => answer).query())).toStartWith(`${code}: `)
  })

  test.each<[string, unknown, string]>([
    ['too few values', values(1, 2), 'bad_response'],
    ['values that are not a list', { values: 'none' }, 'bad_response'],
    ['a value that is text', values('1', 2, 4), 'bad_value'],
  ])('%s of a scene', async (_, answer, code) => {
    expect(
      await rejectionMessage(
        opened([item('a', '2026-05-01'), item('b', '2026-05-02')], (id) =>
          id === 'a' ? answer : values(1, 2, 4),
        ).query(),
      ),
    ).toStartWith(`${code}: `)
  })

  test.each(invalidImageResponses)('%s in the search response', async (_, answer, code) => {
    expect(await rejectionMessage(opened(answer).query())).toStartWith(`${code}: `)
  })

  test.each(invalidImageResponses)('%s in the response of one scene', async (_, answer, code) => {
    expect(
      await rejectionMessage(
        opened([item('a', '2026-05-01'), item('b', '2026-05-02')], (id) =>
          id === 'a' ? answer() : values(1, 2, 4),
        ).query(),
      ),
    ).toStartWith(`${code}: `)
  })

  test('an invalid search is an internal error', async () => {
    const { source } = opened([])
    expect(await rejectionMessage(source({ at }, imageBudget))).toStartWith('Invalid scene search ')
    expect(await rejectionMessage(source({ at, key: '{"from":"today"}' }, imageBudget))).toStartWith(
      'Invalid scene search ',
    )
  })
})

describe('without a point endpoint, the bands of a scene are read from its files:', () => {
  const given = {
    endpoint: 'https://earth.example.com/v1/search',
    collection: 'sentinel-2-c1-l2a',
    assets: { red: 'red', nir: 'nir', mask: 'scl' },
    absent: { statuses: [404], text: 'NoSuchKey' },
  }
  const href = (name: string) => ({ href: `https://files.example.com/scene/${name}.tif` })
  const whole = { red: href('B04'), nir: href('B08'), scl: href('SCL'), thumbnail: {} }

  /** A raster of one cell whose value is the text of the file. */
  const stored = { type: 'U16', bands: 1, nodata: 0, scale: 1, offset: 0 }
  const rastersOf = (format: object) => ({
    async open(reader: RangeReader, given: Budget) {
      const cell = JSON.parse(new TextDecoder().decode(await reader.read(0, 10, given))) as number | null
      return {
        window: async () => ({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [cell] }),
        formatOf: () => ({ ...stored, ...format }),
      }
    },
  })

  function queried(assets: unknown, files: Record<string, () => Response>, format = {}) {
    const host = startImageHost(({ method, path }) =>
      method === 'POST'
        ? {
            type: 'FeatureCollection',
            features: [
              { ...item('a', '2026-05-01', { 's2:mgrs_tile': undefined, 'grid:code': 'MGRS-13TDE' }), assets },
            ],
          }
        : files[path.slice(-7, -4)]!(),
    )
    const openedSource = stacDriver.open(
      given,
      'document',
      { ...host.deps, rasters: rastersOf(format) } as unknown as DriverDeps,
      datasetInfo,
    )!
    const source = openedSource.source as unknown as (
      query: { at: Point; key: string },
      given: typeof imageBudget,
    ) => Promise<unknown[]>
    return source({ at, key: JSON.stringify(search) }, imageBudget)
  }

  const file = (text: string) => () => new Response(text)
  const files = { B04: file('2832'), B08: file('3480'), SCL: file('4') }

  test('each band from its own file', async () => {
    expect(await queried(whole, files)).toEqual([
      {
        id: 'a',
        datetime: '2026-05-01T17:59:19.024000Z',
        's2:processing_baseline': '05.11',
        red: 2832,
        nir: 3480,
        mask: 4,
      },
    ])
  })

  test.each<[string, object, string]>([
    ['a scale of its own, which would apply twice', { scale: 0.0001, offset: -0.1 }, 'scale 1 and offset 0'],
    ['another pixel type', { type: 'F32' }, 'pixel type integer'],
    ['more bands', { bands: 3 }, 'band count 1'],
  ])('a file with %s is rejected', async (_name, format, missing) => {
    expect(await rejectionMessage(queried(whole, files, format))).toStartWith(
      `schema_changed: The source no longer has ${missing}.`,
    )
  })

  test('a cell without data is null', async () => {
    expect(await queried(whole, { ...files, B04: file('null') })).toMatchObject([{ red: null, nir: 3480 }])
  })

  test('a scene with a missing file is left out', async () => {
    expect(
      await queried(whole, { ...files, SCL: () => new Response('<Code>NoSuchKey</Code>', { status: 404 }) }),
    ).toEqual([])
  })

  test('a scene without a usable file for a band is rejected', async () => {
    expect(await rejectionMessage(queried({ red: href('B04'), nir: href('B08') }, files))).toStartWith('bad_response: ')
    expect(await rejectionMessage(queried({ ...whole, scl: { href: 's3://files/scl.tif' } }, files))).toStartWith(
      'bad_response: ',
    )
    expect(await rejectionMessage(queried(null, files))).toStartWith('bad_response: ')
  })

  test('an unavailable file fails', async () => {
    expect(
      await rejectionMessage(queried(whole, { ...files, B08: () => new Response('', { status: 503 }) })),
    ).toStartWith('upstream_5xx: ')
  })
})
