import { afterAll, describe, expect, test } from 'bun:test'
import { fields as catalogFields } from '../../catalog/contents.ts'
import { ucumCodeOf, unitsWithoutQuantity } from '../../src/ogc/ucum.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { coverageFaults, type CoverageJson } from './coverage-check.ts'
import { withoutTimes } from '../support/without-times.ts'
import { words } from '../support/words.ts'

// The links of the documents lead to this port.
let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 })
const listener = Bun.serve({ port: 0, fetch: (request) => handle(request) })
const base_url = `http://127.0.0.1:${listener.port}`
const service = await openHttpService({ FIELDSTONE_BASE_URL: base_url })
const http = createHttpServer(service.testService.app)
handle = (request) => http.handle(request)
afterAll(async () => {
  await listener.stop(true)
  await service.close()
})

type Link = { href: string; rel: string; type?: string }
type Collection = {
  id: string
  links: Link[]
  extent: { spatial: { bbox: number[][] } }
  data_queries: Record<string, { link: Link & { variables: Record<string, unknown> } }>
  parameter_names: Record<string, Record<string, unknown>>
}

async function read<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
  const response = await service.ask(path.replace(base_url, ''), { headers })
  expect(response.status).toBe(200)
  return (await response.json()) as T
}

const point = 'POINT(-104.9903%2039.7392)'
const square = 'POLYGON((-105.02%2039.73,-104.98%2039.73,-104.98%2039.76,-105.02%2039.76,-105.02%2039.73))'
const layer = '/edr/collections/layer-admin'

async function coverageOf(path: string): Promise<CoverageJson> {
  const response = await service.ask(path)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/prs.coverage+json'])
  const document = (await response.json()) as CoverageJson
  expect(coverageFaults(document)).toEqual([])
  return document
}

describe('The documents (abstract tests of core and collections)', () => {
  test('The landing page links to the API, the conformance classes and the collections', async () => {
    const { links } = await read<{ links: Link[] }>('/edr')
    expect(links.map(({ rel }) => rel)).toEqual(['self', 'service-desc', 'service-doc', 'conformance', 'data'])
    for (const { href, type } of links) {
      const response = await service.ask(href.replace(base_url, ''))
      expect([href, response.status]).toEqual([href, 200])
      expect(response.headers.get('content-type')).toStartWith(type!.split(';')[0]!)
    }
  })

  test('The conformance classes are those of EDR 1.1 that are tested here', async () => {
    const { conformsTo } = await read<{ conformsTo: string[] }>('/edr/conformance')
    expect(conformsTo.map((uri) => uri.replace('http://www.opengis.net/spec/', ''))).toEqual(words`
      ogcapi-common-1/1.0/conf/core ogcapi-common-2/1.0/conf/collections ogcapi-edr-1/1.1/conf/core
      ogcapi-edr-1/1.1/conf/collections ogcapi-edr-1/1.1/conf/json ogcapi-edr-1/1.1/conf/geojson
      ogcapi-edr-1/1.1/conf/covjson ogcapi-edr-1/1.1/conf/queries
    `)
  })

  test('There is a collection for each layer and each preset, the same by itself', async () => {
    const { collections } = await read<{ collections: Collection[] }>('/edr/collections')
    const { catalog } = service.testService.app
    const layers = new Set([...catalog.fields.values()].map((field) => `layer-${field.layer}`))
    const presets = [...catalog.presets.keys()].map((name) => `preset-${name}`)
    expect(collections.map(({ id }) => id)).toEqual([...layers, ...presets])
    const [first] = collections
    expect(await read<Collection>(first!.links.find(({ rel }) => rel === 'self')!.href)).toEqual(first!)
  })

  test('A collection has its extent, its queries with their variables, and its parameters', async () => {
    const { extent, data_queries, parameter_names } = await read<Collection>('/edr/collections/layer-terrain')
    const [overall, ...boxes] = extent.spatial.bbox
    for (const [west, south, east, north] of boxes as [number, number, number, number][])
      expect([west >= overall![0]!, south >= overall![1]!, east <= overall![2]!, north <= overall![3]!]).not.toContain(
        false,
      )
    expect(Object.keys(data_queries)).toEqual(['position', 'radius', 'area', 'locations'])
    expect(data_queries.radius!.link).toMatchObject({
      href: `${base_url}/edr/collections/layer-terrain/radius`,
      rel: 'data',
      variables: { query_type: 'radius', within_units: ['km', 'm', 'mi'], default_output_format: 'CoverageJSON' },
    })
    expect(parameter_names.elevation).toMatchObject({
      type: 'Parameter',
      id: 'elevation',
      'data-type': 'float',
      unit: { label: 'm', symbol: { value: 'm', type: 'http://www.opengis.net/def/uom/UCUM/' } },
      observedProperty: { id: `${base_url}/catalog.jsonld#elevation`, label: 'Elevation' },
    })
  })

  test('Each link of a collection has a relation and a media type, and one leads to a query', async () => {
    const { collections } = await read<{ collections: Collection[] }>('/edr/collections')
    const links = collections.flatMap((it) => [...it.links, ...Object.values(it.data_queries).map(({ link }) => link)])
    expect(links.filter(({ rel, type }) => !rel || !type)).toEqual([])
    expect(collections.filter((it) => !it.links.some(({ rel }) => rel === 'data'))).toEqual([])
  })

  test('Every unit of the catalog has a UCUM code, unless its values are no quantities', () => {
    const units = new Set(catalogFields.map(({ unit }) => unit).filter((unit) => unit !== null))
    expect([...units].filter((unit) => !ucumCodeOf(unit) && !unitsWithoutQuantity.includes(unit))).toEqual([])
  })
})

describe('Position', () => {
  test('A POINT is a coverage with a value for each parameter', async () => {
    const document = await coverageOf(`${layer}/position?coords=${point}&parameter-name=county,state_fips`)
    expect(document.domain).toMatchObject({
      domainType: 'Point',
      axes: { x: { values: [-104.9903] }, y: { values: [39.7392] } },
    })
    expect(document.ranges).toEqual({
      county: { type: 'NdArray', dataType: 'string', values: ['Denver County'] },
      state_fips: { type: 'NdArray', dataType: 'string', values: ['08'] },
    })
    expect(document['fieldstone:results']).toMatchObject({
      county: { status: 'ok', source: expect.any(String), dataset_vintage: expect.any(String), driver: 'embedded' },
    })
  })

  test('The values are those of /v1/fetch', async () => {
    const fields = Object.keys((await read<Collection>(layer)).parameter_names)
    const { ranges } = await coverageOf(`${layer}/position?coords=${point}`)
    const answer = (await (await service.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields })).json()) as {
      fields: Record<string, { value: unknown }>
    }
    const encoded = (value: unknown) => (typeof value === 'boolean' ? Number(value) : value)
    expect(Object.fromEntries(Object.entries(ranges).map(([name, { values }]) => [name, values[0]]))).toEqual(
      Object.fromEntries(fields.map((name) => [name, encoded(answer.fields[name]!.value)])) as never,
    )
  })

  test('A value that failed or is absent is null, and the results say why', async () => {
    const path = '/edr/collections/layer-terrain/position'
    const { ranges, 'fieldstone:results': results } = await coverageOf(
      `${path}?coords=${point}&parameter-name=elevation`,
    )
    expect(ranges.elevation!.values).toEqual([null])
    expect(results).toEqual({
      elevation: expect.objectContaining({
        status: 'failed',
        error: expect.stringMatching(/^offline_no_data: /),
        retryable: false,
      }),
    })
    const sea = await coverageOf(`${layer}/position?coords=POINT(-74.0%2038.5)&parameter-name=county`)
    expect(sea.ranges.county!.values).toEqual([null])
    expect(sea['fieldstone:results']).toMatchObject({ county: { status: 'absent', absent_reason: 'outside_coverage' } })
  })

  test('A MULTIPOINT is one coverage, also if one of the points cannot be answered', async () => {
    const coords = 'MULTIPOINT((-104.9903%2039.7392),(-80.13%2025.7907),(0%200))'
    const document = await coverageOf(`${layer}/position?coords=${coords}&parameter-name=county`)
    expect(document.domain).toMatchObject({ domainType: 'MultiPoint' })
    expect(document.ranges.county).toEqual({
      type: 'NdArray',
      dataType: 'string',
      axisNames: ['composite'],
      shape: [3],
      values: ['Denver County', 'Miami-Dade County', null],
    })
    expect(document['fieldstone:results']).toEqual([
      { county: expect.objectContaining({ status: 'ok' }) },
      { county: expect.objectContaining({ status: 'ok' }) },
      { error: expect.objectContaining({ error: 'coord_out_of_bounds' }) },
    ])
  })

  test.each([
    ['f=GeoJSON', {}],
    ['f=geojson', {}],
    ['', { accept: 'application/geo+json' }],
  ])('GeoJSON has the values as properties: %s', async (f, headers) => {
    const path = `${layer}/position?coords=${point}&parameter-name=county&${f}`
    expect(await read<unknown>(path, headers as Record<string, string>)).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          geometry: { type: 'Point', coordinates: [-104.9903, 39.7392] },
          properties: {
            county: 'Denver County',
            'fieldstone:results': { county: expect.objectContaining({ status: 'ok' }) },
          },
        },
      ],
      links: [
        expect.objectContaining({ rel: 'self', type: 'application/geo+json' }),
        expect.objectContaining({ rel: 'alternate', type: 'application/prs.coverage+json' }),
      ],
    } as never)
  })

  test.each([
    ['application/geo+json, application/prs.coverage+json', 'application/geo+json'],
    ['application/geo+json;q=0.5, application/prs.coverage+json', 'application/prs.coverage+json'],
    ['application/geo+json;q=0, */*', 'application/prs.coverage+json'],
    ['text/html, application/geo+json;q=0.1', 'application/geo+json'],
  ])('The header Accept chooses the format that it prefers: %s', async (accept, type) => {
    const path = `${layer}/position?coords=${point}&parameter-name=county`
    expect((await service.ask(path, { headers: { accept } })).headers.get('content-type')).toBe(type)
  })

  test('GeoJSON links to itself, and to the same answer as CoverageJSON', async () => {
    type Linked = { links: Link[] }
    const path = `${layer}/position?coords=${point}&parameter-name=county&f=GeoJSON`
    const document = await read<Linked>(path)
    const [self, alternate] = document.links.map(({ href }) => href.replace(base_url, ''))
    expect(withoutTimes(await read<Linked>(self!))).toEqual(withoutTimes(document))
    expect((await coverageOf(alternate!)).ranges.county!.values).toEqual(['Denver County'])
  })

  test('Equal points of a MULTIPOINT are one position, because the values of an axis differ', async () => {
    const { domain, ranges } = await coverageOf(
      `${layer}/position?coords=MULTIPOINT(-104.9903%2039.7392,-80.13%2025.7907,-104.9903%2039.7392)&parameter-name=county`,
    )
    expect(domain.axes.composite!.values).toEqual([
      [-104.9903, 39.7392],
      [-80.13, 25.7907],
    ])
    expect(ranges.county!.values).toEqual(['Denver County', 'Miami-Dade County'])
  })
})

describe('The check of coverages finds', () => {
  const boolean = '/edr/collections/layer-flood/position'
  type Members = Record<string, never>
  const changes: [string, (document: CoverageJson) => unknown][] = [
    ['another type', (it) => (it.type = 'Domain')],
    ['another axis', (it) => (it.domain.axes.z = { values: [1] })],
    ['an axis with two values', (it) => it.domain.axes.x!.values.push(1)],
    ['an axis with a text', (it) => (it.domain.axes.x!.values = ['1'])],
    ['an axis with another member', (it) => (it.domain.axes.x!.dataType = 'primitive')],
    ['no coordinate system', (it) => (it.domain.referencing = [])],
    ['a parameter of another type', (it) => (Object.values(it.parameters)[0]!.type = 'Field')],
    ['a text without its language', (it) => (Object.values(it.parameters)[0]!.label = 'County' as unknown as Members)],
    ['an observed property without a URI', (it) => (Object.values(it.parameters)[0]!.observedProperty.id = 'county')],
    ['a category without a code', (it) => (Object.values(it.parameters)[0]!.categoryEncoding = {})],
    ['a unit beside categories', (it) => (Object.values(it.parameters)[0]!.unit = { symbol: 'm' })],
    ['a range without a parameter', (it) => (it.parameters = {})],
    ['a value of another type', (it) => (Object.values(it.ranges)[0]!.values = ['yes'])],
    ['a value without a category', (it) => (Object.values(it.ranges)[0]!.values = [2])],
    ['a range of another size', (it) => Object.values(it.ranges)[0]!.values.push(1)],
    ['a range with another shape', (it) => (Object.values(it.ranges)[0]!.shape = [1])],
  ]

  test.each(changes)('%s', async (_, change) => {
    const document = await coverageOf(`${boolean}?coords=${point}&parameter-name=within_floodplain_polygon`)
    change(document)
    expect(coverageFaults(document)).not.toEqual([])
  })

  test.each<[string, (document: CoverageJson) => unknown]>([
    [
      'equal values of an axis',
      (it) =>
        (it.domain.axes.composite!.values = [
          [1, 2],
          [1, 2],
        ]),
    ],
    ['a position with a text', (it) => (it.domain.axes.composite!.values[0] = [1, '2'])],
    ['another data type of an axis', (it) => (it.domain.axes.composite!.dataType = 'polygon')],
    ['other coordinates', (it) => (it.domain.axes.composite!.coordinates = ['y', 'x'])],
  ])('%s', async (_, change) => {
    const coords = 'MULTIPOINT(-104.9903%2039.7392,-80.13%2025.7907)'
    const document = await coverageOf(`${layer}/position?coords=${coords}&parameter-name=county`)
    change(document)
    expect(coverageFaults(document)).not.toEqual([])
  })

  test('a ring that is not closed', async () => {
    const document = await coverageOf(`${layer}/area?coords=${square}&parameter-name=county`)
    ;(document.domain.axes.composite!.values[0] as unknown[][])[0]!.pop()
    expect(coverageFaults(document)).not.toEqual([])
  })
})

describe('Area and radius', () => {
  test('A POLYGON has one value for each parameter, its method, and all of the answer', async () => {
    const document = await coverageOf(`${layer}/area?coords=${square}&parameter-name=county`)
    expect(document.domain.domainType).toBe('Polygon')
    expect(document.ranges.county!.values).toEqual(['Denver County'])
    expect(document.parameters.county).toMatchObject({ measurementType: { method: 'class with the largest share' } })
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [-105.02, 39.73],
          [-104.98, 39.73],
          [-104.98, 39.76],
          [-105.02, 39.76],
          [-105.02, 39.73],
        ],
      ],
    }
    const answer = await (await service.post('/v1/areas', { geometry, fields: ['county'] })).json()
    expect(withoutTimes(document['fieldstone:results'])).toEqual(withoutTimes((answer as { fields: object }).fields))
  })

  test('A circle has the values inside it', async () => {
    const path = `${layer}/radius?coords=${point}&within=0.5&within-units=km&parameter-name=county`
    const document = await coverageOf(path)
    expect(document.domain.domainType).toBe('Polygon')
    expect(document.ranges.county!.values).toEqual(['Denver County'])
    const { features } = await read<{ features: { properties: Record<string, unknown> }[] }>(`${path}&f=GeoJSON`)
    expect(features.map(({ properties }) => properties.county)).toEqual(['Denver County'])
  })

  test('A MULTIPOLYGON has a value for each polygon', async () => {
    const other = '((-80.4%2025.7,-80.3%2025.7,-80.3%2025.8,-80.4%2025.7))'
    const coords = `MULTIPOLYGON(${square.slice('POLYGON'.length)},${other})`
    const { ranges, domain } = await coverageOf(`${layer}/area?coords=${coords}&parameter-name=county`)
    expect([domain.domainType, ranges.county!.shape]).toEqual(['MultiPolygon', [2]])
    expect(ranges.county!.values).toEqual(['Denver County', 'Miami-Dade County'])
  })
})

describe('Locations', () => {
  test('A street address is a location', async () => {
    const response = await service.ask(`${layer}/locations/${encodeURIComponent('Denver')}?parameter-name=county`)
    expect([response.status, (await detailOf(response)).error]).toEqual([404, 'address_too_coarse'])
  })

  test('The list is GeoJSON without features', async () => {
    expect(await read<unknown>(`${layer}/locations`)).toEqual({
      type: 'FeatureCollection',
      features: [],
      links: [{ href: `${base_url}${layer}/locations?f=GeoJSON`, rel: 'self', type: 'application/geo+json' }],
    })
  })
})

describe('Wrong requests are 400 and say what to send', () => {
  test.each([
    ['position', '', /coords is missing/],
    ['position', 'coords=POINT(1)', /two numbers/],
    ['position', 'coords=POINT(a%20b)', /not valid/],
    ['position', 'coords=POINT', /Expected/],
    ['position', `coords=${square}`, /a POINT or a MULTIPOINT/],
    [
      'position',
      `coords=MULTIPOINT(${Array.from({ length: 26 }, (_, i) => `-105 ${39 + i / 100}`).join()})`,
      /26 points\. A request can have at most 25\./,
    ],
    ['position', 'coords=POINT(0%200)', /outside/],
    ['position', `coords=${point}&parameter-name=elevation`, /not a parameter of layer-admin/],
    ['position', `coords=${point}&parameter-name=cuonty`, /Did you mean "county"/],
    ['position', `coords=${point}&crs=EPSG:3857`, /crs is CRS84/],
    ['position', `coords=${point}&z=ground`, /z is a height/],
    ['position', `coords=${point}&z=1/2/3`, /z is a height/],
    ['position', `coords=${point}&f=NetCDF`, /f is CoverageJSON or GeoJSON/],
    ['position', `coords=${point}&datetime=today`, /datetime is a time/],
    ['position', `coord=${point}`, /Did you mean coords/],
    ['area', `coords=${point}`, /a POLYGON or a MULTIPOLYGON/],
    ['area', 'coords=POLYGON((-105%2039,-104%2040,-105%2040,-104%2039,-105%2039))', /coords: /],
    ['radius', `coords=${point}`, /within-units is one of km, m, mi/],
    ['radius', `coords=${point}&within=0&within-units=m`, /greater than 0/],
    ['radius', `coords=${point}&within=5&within-units=parsec`, /within-units is one of/],
    ['radius', `coords=${point}&within=5&within-units=constructor`, /within-units is one of/],
  ])('%s?%s', async (query, parameters, message) => {
    const response = await service.ask(`${layer}/${query}?${parameters}`)
    expect(response.status).toBe(400)
    expect((await detailOf(response)).message).toMatch(message)
  })

  test('An unknown collection is 404', async () => {
    expect((await service.ask(`/edr/collections/terrain/position?coords=${point}`)).status).toBe(404)
  })

  test('All of it needs a token', async () => {
    for (const path of ['/edr', '/edr/collections', `${layer}/position?coords=${point}`])
      expect((await service.ask(path, { headers: { authorization: null } })).status).toBe(401)
  })

  test('Time, coordinate system and height that the standard allows are accepted', async () => {
    const times = ['datetime=2026-01-01T00:00:00Z/..', 'datetime=2026-01-01T00:00Z']
    const heights = ['z=10', 'z=10,-20.5', 'z=100/550', 'z=R20/100/50']
    for (const parameter of [...times, ...heights, 'crs=CRS84', 'f=CoverageJSON'])
      await coverageOf(`${layer}/position?coords=${point}&parameter-name=county&${parameter}`)
  })
})
