import { describe, expect, test } from 'bun:test'
import { answerOf, arcgisServer, codeOf, openArcgis, type Asked } from './arcgis-server.ts'

const at = { lat: 39.7, lng: -105 }
const near = { at, radius_m: 1000 }
const made = (count: number, step = 0.0001) =>
  Array.from({ length: count }, (_, i) => ({
    attributes: { OBJECTID: i + 1 },
    geometry: { x: -105 + step * (i % 60), y: 39.7 + step * Math.floor(i / 60) },
  }))
type Made = ReturnType<typeof made>

/** So many from the offset of the question, with the mark of a cut list where hosted layers put it or where map services do. */
const page = (
  features: Made,
  size: number,
  { query }: Asked,
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

/** Those in the box of the question, which old servers cut without turning pages. */
const inBox = (features: Made, size: number, { query }: Asked) => {
  const { xmin, ymin, xmax, ymax } = JSON.parse(query.get('geometry')!) as Record<string, number>
  const found = features.filter(({ geometry: { x, y } }) => x >= xmin! && x <= xmax! && y >= ymin! && y <= ymax!)
  return answerOf(found.slice(0, size), {
    fields: [{ name: 'OBJECTID', type: 'esriFieldTypeOID' }],
    ...(found.length > size && { exceededTransferLimit: true }),
  })
}

describe('a list that the server cuts', () => {
  test.each(['top', 'properties'] as const)(
    'is read page by page in the order of the object ids (its mark: %s)',
    async (mark) => {
      using server = arcgisServer((asked) => page(made(25), 10, asked, mark))
      const found = await openArcgis({ endpoint: `${server.service}/0` }).near(near)
      expect(found.map(({ properties }) => Number(properties.OBJECTID)).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 25 }, (_, i) => i + 1),
      )
      expect(server.asked.map(({ query }) => [query.get('resultOffset'), query.get('orderByFields')])).toEqual([
        [null, null],
        ['0', 'OBJECTID'],
        ['10', 'OBJECTID'],
        ['20', 'OBJECTID'],
      ])
    },
  )

  test('is read on without an order where the server does not say what the object ids are', async () => {
    using server = arcgisServer((asked) => page(made(25), 10, asked, 'top', {}))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(25)
    expect(server.asked.map(({ query }) => [query.get('resultOffset'), query.get('orderByFields')])).toEqual([
      [null, null],
      ['10', null],
      ['20', null],
    ])
  })

  test('is refused when it is still cut after ten pages', async () => {
    using server = arcgisServer((asked) => page(made(101), 10, asked))
    expect(await codeOf(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('too_large')
    expect(server.asked).toHaveLength(11)
  })

  test('is whole when the tenth page is the last', async () => {
    using server = arcgisServer((asked) => page(made(100), 10, asked))
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(100)
  })

  test('fails with the page that fails', async () => {
    using server = arcgisServer((asked) =>
      asked.query.get('resultOffset') === '10' ? { error: { code: 500, message: 'no' } } : page(made(25), 10, asked),
    )
    expect(await codeOf(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('upstream_5xx')
  })
})

describe('a server that does not turn its pages', () => {
  const many = made(1800, 0.0002)

  test('is asked quarter by quarter, and each object comes once', async () => {
    using server = arcgisServer((asked) => inBox(many, 500, asked))
    const found = await openArcgis({ endpoint: `${server.service}/0` }, { attributes: ['NAME'] }).near(near)
    const within = found.map(({ properties }) => properties.OBJECTID)
    expect(new Set(within).size).toBe(within.length)
    expect(found.length).toBe(await counted(many))
    expect(server.asked.at(-1)!.query.get('outFields')).toBe('NAME,OBJECTID')
  })

  test('is also one that refuses to', async () => {
    using server = arcgisServer((asked) =>
      asked.query.has('resultOffset')
        ? { error: { code: 400, message: 'Pagination is not supported.' } }
        : inBox(many, 500, asked),
    )
    expect(await openArcgis({ endpoint: `${server.service}/0` }).near(near)).toHaveLength(await counted(many))
  })

  test('is refused when three quarterings do not help', async () => {
    const heap = made(20).map(({ attributes }) => ({ attributes, geometry: { x: -104.9999, y: 39.7001 } }))
    using server = arcgisServer((asked) => inBox(heap, 10, asked))
    expect(await codeOf(openArcgis({ endpoint: `${server.service}/0` }).near(near))).toBe('too_large')
  })

  test('is refused at a point, which has no quarters', async () => {
    using server = arcgisServer(() => answerOf(made(10), { exceededTransferLimit: true }))
    expect(await codeOf(openArcgis({ endpoint: `${server.service}/0` }).near({ at, radius_m: 0 }))).toBe('too_large')
  })

  async function counted(features: Made): Promise<number> {
    using whole = arcgisServer(() => answerOf(features))
    return (await openArcgis({ endpoint: `${whole.service}/0` }).near(near)).length
  }
})
