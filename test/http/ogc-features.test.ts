import { afterAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseGeoJsonGeometry } from '../../src/geo/geometry.ts'
import { geometryContains } from '../../src/geo/measure.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { blob, boxRing, lineWkb, polygonWkb } from '../packs/encode-wkb.ts'
import { writePack } from '../packs/write-pack.ts'
import { detailOf, openHttpService } from '../support/http-service.ts'
import { hasPythonModules, python } from '../support/python.ts'
import { words } from '../support/words.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const packs = temporaryFolder()
const road = (name: string, lng: number, lat: number) => ({
  geom: blob(lineWkb([lng, lat], [lng + 0.01, lat + 0.01])),
  attributes: { OID: name, NAME: name, MTFCC: 'S1200' },
})
writePack(join(packs, 'census_tiger_major_roads.gpkg'))
  .layer(
    'roads',
    Array.from({ length: 250 }, (_, i) => road(`Road ${i}`, -105 + (i % 25) / 25, 39 + Math.floor(i / 25) / 10)),
  )
  .close()
const wetland = (ATTRIBUTE: string, west: number) => ({
  geom: blob(polygonWkb(boxRing(west, 39, west + 0.1, 39.1))),
  attributes: { ATTRIBUTE, WETLAND_TYPE: 'Lake', ACRES: 2 },
})
mkdirSync(join(packs, 'usfws_nwi'))
// Two parts of one pack. Both have the wetland at their common border.
for (const [part, features] of [
  ['east', [wetland('L1UBH', -105), wetland('PEM1A', -104.9)]],
  ['west', [wetland('L1UBH', -105), wetland('PFO1A', -105.1)]],
] as const)
  writePack(join(packs, 'usfws_nwi', `${part}.gpkg`))
    .layer('Wetlands', [...features])
    .close()

// The links of the documents lead to this port.
let handle: (request: Request) => Response | Promise<Response> = () => new Response(null, { status: 503 })
const listener = Bun.serve({ port: 0, fetch: (request) => handle(request) })
const base_url = `http://127.0.0.1:${listener.port}`
const server = await openHttpService({ FIELDSTONE_PACKS: packs, FIELDSTONE_BASE_URL: base_url })
handle = (request) => createHttpServer(server.testService.app).handle(request)
await server.testService.app.packs.waitUntilChecked()
afterAll(async () => {
  await listener.stop(true)
  await server.close()
})

type Link = { href: string; rel: string; type?: string }
type Collection = { id: string; extent: { spatial: { bbox: number[][] } }; links: Link[]; crs: string[] }
type Feature = {
  id: number | string
  properties: Record<string, unknown>
  geometry: { type: string; coordinates: never[] }
}
type Page = { features: Feature[]; numberReturned: number; links: Link[] }

async function read<T>(path: string): Promise<T> {
  const response = await server.ask(path.replace(base_url, ''))
  expect(response.status).toBe(200)
  return (await response.json()) as T
}
const itemsOf = (collection: string, query = '') => read<Page>(`/ogc/collections/${collection}/items${query}`)
const linkOf = ({ links }: { links: Link[] }, rel: string) => links.find((it) => it.rel === rel)?.href

/** Follows the links to the last page. */
async function allPages(collection: string, query: string): Promise<Page[]> {
  const pages = [await itemsOf(collection, query)]
  for (let next = linkOf(pages[0]!, 'next'); next !== undefined; next = linkOf(pages.at(-1)!, 'next'))
    pages.push(await read<Page>(next))
  return pages
}
const namesOf = (pages: Page[]) =>
  pages.flatMap(({ features }) => features.map(({ properties }) => String(properties.NAME)))
const roads = 'census_tigerweb_major_roads'

describe('The documents', () => {
  test('The landing page links to the API, the conformance classes and the collections', async () => {
    const page = await read<{ links: Link[] }>('/ogc')
    const expected = ['self', 'service-desc', 'service-doc', 'conformance', 'data']
    expect(page.links.map(({ rel }) => rel)).toEqual(expected)
    for (const { href, type } of page.links) {
      const response = await server.ask(href.replace(base_url, ''))
      expect([href, response.status]).toEqual([href, 200])
      expect(response.headers.get('content-type')).toStartWith(type!.split(';')[0]!)
    }
  })

  test('The conformance classes are those of the core and GeoJSON', async () => {
    expect(await read<unknown>('/ogc/conformance')).toEqual({
      conformsTo: [
        'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
        'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
      ],
    })
  })

  test('The API definition has these endpoints only', async () => {
    const { paths } = await read<{ paths: object }>('/ogc/api')
    expect(Object.keys(paths)).toEqual(words`
      /ogc /ogc/conformance /ogc/api /ogc/collections /ogc/collections/{collection}
      /ogc/collections/{collection}/items /ogc/collections/{collection}/items/{feature}
    `)
  })

  test('The collections are the embedded layers and the packs, each the same by itself', async () => {
    const { collections } = await read<{ collections: Collection[] }>('/ogc/collections')
    expect(collections.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['census_counties', 'tz_boundaries', roads, 'usfws_nwi']),
    )
    for (const collection of collections) {
      expect(await read<Collection>(linkOf(collection, 'self')!)).toEqual(collection)
      expect(collection.crs).toEqual(['http://www.opengis.net/def/crs/OGC/1.3/CRS84'])
      expect(linkOf(collection, 'items')).toBe(`${base_url}/ogc/collections/${collection.id}/items`)
    }
    const [bbox] = collections.find(({ id }) => id === roads)!.extent.spatial.bbox
    expect(bbox!.map((degrees) => Math.round(degrees * 100))).toEqual([-10500, 3900, -10403, 3991])
  })

  test('A dataset whose terms do not allow it is no collection', async () => {
    expect((await server.ask('/ogc/collections/fcc_bdc_block_groups')).status).toBe(404)
  })
})

describe('The items', () => {
  test('are GeoJSON features with an id, properties and longitude first', async () => {
    const response = await server.ask(`/ogc/collections/${roads}/items?limit=1`)
    expect(response.headers.get('content-type')).toBe('application/geo+json')
    expect(await response.json()).toEqual({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          id: expect.any(Number),
          properties: { fid: 1, OID: 'Road 0', NAME: 'Road 0', MTFCC: 'S1200' },
          geometry: {
            type: 'LineString',
            coordinates: [
              [-105, 39],
              [-104.99, 39.01],
            ],
          },
        },
      ],
      timeStamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/),
      numberReturned: 1,
      links: [expect.objectContaining({ rel: 'self' }), expect.objectContaining({ rel: 'next' })],
    } as never)
  })

  test.each(['?limit=100', '?limit=99', '?limit=250', '?limit=7', '?limit=60&bbox=-180,-90,180,90', ''])(
    'are all listed once, in pages: %s',
    async (query) => {
      const pages = await allPages(roads, query)
      expect(namesOf(pages)).toHaveLength(250)
      expect(new Set(namesOf(pages))).toEqual(new Set(Array.from({ length: 250 }, (_, i) => `Road ${i}`)))
      for (const { numberReturned, features } of pages) expect(numberReturned).toBe(features.length)
    },
  )

  test('of an embedded layer are all listed, those of a box as well', async () => {
    const all = await allPages('census_counties', '?limit=1000')
    expect(all.flatMap(({ features }) => features)).toHaveLength(
      server.testService.app.embedded.manifest.get('counties')!.features,
    )
    const inBox = await allPages('census_counties', '?bbox=-180,-90,180,90&limit=1000')
    expect(namesOf(inBox)).toEqual(namesOf(all))
  })

  test('of several parts are listed once, and ids name the part', async () => {
    const pages = await allPages('usfws_nwi', '?limit=1')
    const features = pages.flatMap((page) => page.features)
    expect(new Set(features.map(({ properties }) => properties.ATTRIBUTE))).toEqual(
      new Set(['L1UBH', 'PEM1A', 'PFO1A']),
    )
    expect(features).toHaveLength(3)
    expect(features.map(({ id }) => id)).toEqual(features.map(() => expect.stringMatching(/^[01]\.\d+$/)))
  })
})

describe('The bounding box', () => {
  test('selects by geometry, not only by the bounds of the features', async () => {
    // The diagonal roads leave the southeast corner of their bounds free.
    const query = (bbox: string) => allPages(roads, `?bbox=${bbox}`).then(namesOf)
    expect(await query('-104.992,39.001,-104.991,39.002')).toEqual([])
    expect(await query('-104.996,39.004,-104.995,39.005')).toEqual(['Road 0'])
  })

  test('finds the polygon that it lies in, and those that it crosses', async () => {
    const denver = { lat: 39.7392, lng: -104.9903 }
    const { features } = await itemsOf('census_counties', '?bbox=-104.9904,39.7391,-104.9902,39.7393')
    expect(features.map(({ properties }) => properties.GEOID)).toEqual(['08031'])
    expect(geometryContains(parseGeoJsonGeometry(features[0]!.geometry), denver)).toBe(true)
  })

  test('may cross the antimeridian, and may have heights', async () => {
    const aleutians = await itemsOf('census_counties', '?bbox=179,51,0,-179,53,100&limit=10')
    expect(aleutians.features.map(({ properties }) => properties.GEOID)).toEqual(['02016'])
  })
})

describe('One feature', () => {
  test('is the same as in the list, with links', async () => {
    const { features } = await itemsOf(roads, '?limit=3')
    for (const feature of features) {
      const { links, ...single } = await read<Feature & { links: Link[] }>(
        `/ogc/collections/${roads}/items/${feature.id}`,
      )
      expect(single).toEqual(feature)
      expect(links.map(({ rel }) => rel)).toEqual(['self', 'collection'])
    }
  })

  test.each(['999999', '0.1', 'road', '-1'])('that is not there is 404: %s', async (id) => {
    expect((await server.ask(`/ogc/collections/${roads}/items/${id}`)).status).toBe(404)
  })
})

describe('Parameters', () => {
  test.each([
    ['bbox=1,2,3', /bbox is west/],
    ['bbox=1,4,3,2', /south below north/],
    ['bbox=a,b,c,d', /bbox is west/],
    ['bbox=-190,0,0,1', /bbox is west/],
    ['limit=0', /limit is a whole number from 1 to 1000/],
    ['limit=-1', /limit/],
    ['limit=ten', /limit/],
    ['datetime=yesterday', /datetime is a time/],
    ['datetime=../..', /datetime is a time/],
    ['datetime=2026-02-01T00:00:00Z/2026-01-01T00:00:00Z', /its start before its end/],
    ['cursor=abc', /link next/],
    ['bboks=1,2,3,4', /Did you mean bbox/],
    ['f=html', /f is json or GeoJSON/],
  ])('that are wrong are 400: %s', async (query, message) => {
    const response = await server.ask(`/ogc/collections/${roads}/items?${query}`)
    expect(response.status).toBe(400)
    expect((await detailOf(response)).message).toMatch(message)
  })

  test.each(['limit=100000', 'datetime=2026-01-01T00:00:00Z', 'datetime=2026-01-01T00:00:00Z/..', 'f=json'])(
    'that the standard allows are accepted: %s',
    async (query) => expect((await itemsOf(roads, `?${query}`)).features.length).toBeGreaterThan(0),
  )

  test('that are unknown are 400 on every path', async () => {
    for (const path of ['/ogc', '/ogc/conformance', '/ogc/api', '/ogc/collections', `/ogc/collections/${roads}`])
      for (const query of ['unknown=1', 'f=html'])
        expect([path, query, (await server.ask(`${path}?${query}`)).status]).toEqual([path, query, 400])
  })
})

test('All of it needs a token', async () => {
  for (const path of ['/ogc', '/ogc/collections', `/ogc/collections/${roads}/items`])
    expect((await server.ask(path, { headers: { authorization: null } })).status).toBe(401)
})

describe.skipIf(Bun.which('ogrinfo') === null)('GDAL (skipped without ogrinfo, of the Debian package gdal-bin)', () => {
  async function ogrinfo(...options: string[]): Promise<string> {
    const child = Bun.spawn(['ogrinfo', '-ro', `OAPIF:${base_url}/ogc`, ...options], {
      env: { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${server.testService.token}` },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    if ((await child.exited) !== 0) throw new Error(`ogrinfo failed: ${out}${err}`)
    return out
  }

  test('lists the collections', async () => expect(await ogrinfo()).toContain(roads))

  test('reads all pages of a pack', async () => {
    const text = await ogrinfo(roads, '-al')
    expect(text).toContain('Geometry: Line String')
    expect(text.match(/^ {2}NAME \(String\) = Road \d+$/gm)).toHaveLength(250)
  })

  test('reads the features of a box', async () => {
    const text = await ogrinfo('census_counties', '-spat', '-104.9904', '39.7391', '-104.9902', '39.7393')
    expect(text).toContain('NAMELSAD (String) = Denver County')
    expect(text).toContain('Feature Count: 1')
  })
})

const hasOwslib = hasPythonModules('owslib.ogcapi.features')
test.skipIf(!hasOwslib)('OWSLib reads a page (skipped without the Python package owslib)', async () => {
  const script = `
import sys
from owslib.ogcapi.features import Features
features = Features(sys.argv[1], headers={'Authorization': 'Bearer ' + sys.argv[2]})
page = features.collection_items('census_counties', bbox=[-104.9904, 39.7391, -104.9902, 39.7393])
print('census_counties' in features.feature_collections(), [it['properties']['NAME'] for it in page['features']])
`
  const command = [python, '-c', script, `${base_url}/ogc`, server.testService.token]
  expect(await Bun.spawn(command, { stdout: 'pipe' }).stdout.text()).toBe("True ['Denver']\n")
})
