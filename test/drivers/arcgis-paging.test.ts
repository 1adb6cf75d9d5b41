import { describe, expect, test } from 'bun:test'
import { answerOf, arcgisServer, arcgisErrorCode, openArcgis, type ArcgisRequest } from './arcgis-server.ts'

const at = { lat: 39.7, lng: -105 }
const near = { at, radius_m: 1000 }
const made = (count: number, step = 0.0001) =>
  Array.from({ length: count }, (_, i) => ({
    attributes: { OBJECTID: i + 1 },
    geometry: { x: -105 + step * (i % 60), y: 39.7 + step * Math.floor(i / 60) },
  }))
type Made = ReturnType<typeof made>

/** Features from the requested offset, with the truncation mark where hosted layers or map services put it. */
const page = (
  features: Made,
  size: number,
  { query }: ArcgisRequest,
  mark: 'top' | 'properties' = 'top',
  id: object = { objectIdFieldName: 'OBJECTID' },
) => {
  const from = Number(query.get('resultOffset') ?? 0)
  const cut = from + size < features.length
  return answerOf(features.slice(from, from + size), {
    ...id,
    ...(cut && (mark === 'top' ? { exceededTransferLimit: true } : { properties: { exceededTransferLimit: true } })),
  })
}

/** Features in the requested box, truncated as by old servers without paging. */
const inBox = (features: Made, size: number, { query }: ArcgisRequest) => {
  const [xmin, ymin, xmax, ymax] = query.get('geometry')!.split(',').map(Number)
  const found = features.filter(({ geometry: { x, y } }) => x >= xmin! && x <= xmax! && y >= ymin! && y <= ymax!)
  return answerOf(found.slice(0, size), {
    fields: [{ name: 'OBJECTID', type: 'esriFieldTypeOID' }, { name: 'name' }],
    ...(found.length > size && { exceededTransferLimit: true }),
  })
}

describe('a truncated list', () => {
  test.each(['top', 'properties'] as const)(
    'is read page by page in object ID order (truncation mark: %s)',
    async (mark) => {
      using server = arcgisServer((request) => page(made(25), 10, request, mark))
      const found = await openArcgis({ endpoint: `${server.service}/0` }).near(near)
      expect(found.map(({ properties }) => Number(properties.OBJECTID)).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 25 }, (_, i) => i + 1),
      )
      expect(server.requests.map(({ query }) => [query.get('resultOffset'), query.get('orderByFields')])).toEqual([
        [null, null],
        ['0', 'OBJECTID'],
        ['10', 'OBJECTID'],
        ['20', 'OBJECTID'],
      ])
    },
  )

  test('is read without an order if the server does not name its object ID field', async () => {
    using server = arcgisServer((request) => page(made(25), 10, request, 'top', {}))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(25)
    expect(server.requests.map(({ query }) => [query.get('resultOffset'), query.get('orderByFields')])).toEqual([
      [null, null],
      ['10', null],
      ['20', null],
    ])
  })

  test('fails if it is still truncated after ten pages', async () => {
    using server = arcgisServer((request) => page(made(101), 10, request))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('too_large')
    expect(server.requests).toHaveLength(11)
  })

  test('fails before the tenth page if its features have more than a million positions', async () => {
    const ring = Array.from({ length: 300_000 }, (_none, i) => [-105 + i / 1e6, 39 + (i % 2)])
    const areas = made(20).map(({ attributes }) => ({ attributes, geometry: { rings: [[...ring, ring[0]]] } }))
    using server = arcgisServer((request) => page(areas as unknown as Made, 1, request))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('too_large')
    expect(server.requests).toHaveLength(4)
  })

  test('is complete if the tenth page is the last', async () => {
    using server = arcgisServer((request) => page(made(100), 10, request))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(100)
  })

  test('fails if one page fails', async () => {
    using server = arcgisServer((request) =>
      request.query.get('resultOffset') === '10'
        ? { error: { code: 500, message: 'no' } }
        : page(made(25), 10, request),
    )
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('upstream_5xx')
  })
})

describe('a server without paging', () => {
  const many = made(1800, 0.0002)

  test('is queried quarter by quarter, and each object is returned once', async () => {
    using server = arcgisServer((request) => inBox(many, 500, request))
    const found = await openArcgis({ endpoint: `${server.service}/0` }, { attributes: ['NAME'] }).near(near)
    const within = found.map(({ properties }) => properties.OBJECTID)
    expect(new Set(within).size).toBe(within.length)
    expect(found.length).toBe(await counted(many))
    expect(server.requests.at(-1)!.query.get('outFields')).toBe('NAME,OBJECTID')
  })

  test('includes one that rejects paging parameters', async () => {
    using server = arcgisServer((request) =>
      request.query.has('resultOffset')
        ? { error: { code: 400, message: 'Pagination is not supported.' } }
        : inBox(many, 500, request),
    )
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(await counted(many))
  })

  test('fails if the list is still truncated after three subdivisions', async () => {
    const heap = made(20).map(({ attributes }) => ({ attributes, geometry: { x: -104.9999, y: 39.7001 } }))
    using server = arcgisServer((request) => inBox(heap, 10, request))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('too_large')
  })

  test('fails at a point, which has no quarters', async () => {
    using server = arcgisServer(() => answerOf(made(10), { exceededTransferLimit: true }))
    expect(await arcgisErrorCode(openArcgis({ endpoint: `${server.service}/0` }).near({ at, radius_m: 0 }))).toBe(
      'too_large',
    )
  })

  async function counted(features: Made): Promise<number> {
    using whole = arcgisServer(() => answerOf(features))
    return (await openArcgis({ endpoint: `${whole.service}/0` }).near(near)).length
  }
})
