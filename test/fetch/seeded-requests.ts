import type { Catalog } from '../../src/catalog/catalog.ts'
import { randomOf } from '../../scripts/bench/random.ts'
import { packArea } from './golden-packs.ts'
import type { TestService } from '../support/test-service.ts'
import { words } from '../support/words.ts'

/** One HTTP request of a test. `kind` groups similar requests. */
export type SeededRequest = { kind: string; path: string; init: RequestInit }

/**
 * The names that requests select from: the golden answers list them, so that a new field does not change the requests.
 */
export type RequestNames = { local: string[]; other: string[]; presets: string[]; packs: string[] }

type Providers = Map<string, { providers: string[] }>

/**
 * Returns the names of a catalog. Local fields are the ones that answer without a network and without packs;
 * `withPacks` has the providers of a service with packs.
 */
export function requestNamesOf(catalog: Catalog, providers: Providers, withPacks: Providers): RequestNames {
  const names = [...catalog.fields.keys()].toSorted()
  const isLocal = (name: string) => providers.get(name)!.providers.length > 0
  return {
    local: names.filter(isLocal),
    other: names.filter((name) => !isLocal(name)),
    presets: [...catalog.presets.keys()].toSorted(),
    packs: names.filter((name) => withPacks.get(name)!.providers.includes('pack')),
  }
}

/** Yields random requests: single points, presets, batches, points on borders and outside, lookups and bad input. */
export function seededRequests(count: number, names: RequestNames): Generator<SeededRequest> {
  return requestsOf(requestKinds, count, new RequestGenerator(names, 20))
}

/** Yields random requests to a service with the golden packs: single points and batches. */
export function seededPackRequests(count: number, names: RequestNames): Generator<SeededRequest> {
  return requestsOf(packRequestKinds, count, new RequestGenerator(names, 21))
}

type RequestKinds = Record<string, (generator: RequestGenerator) => SeededInit>

function* requestsOf(requestKinds: RequestKinds, count: number, generator: RequestGenerator): Generator<SeededRequest> {
  const kinds = Object.entries(requestKinds)
  for (let i = 0; i < count; i++) {
    const [kind, make] = kinds[i % kinds.length]!
    yield { kind, ...make(generator) }
  }
}

class RequestGenerator {
  readonly #random: () => number
  readonly #names: RequestNames

  constructor(names: RequestNames, seed: number) {
    this.#names = names
    this.#random = randomOf(seed)
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!
  }

  /** A point of the lower 48 states, of the whole envelope, on whole degrees, or on or near a border. */
  point(): { lat: number; lng: number } {
    const random = this.#random
    const form = random()
    if (form < 0.55) return { lat: 25 + 24 * random(), lng: -124 + 57 * random() }
    if (form < 0.65) return { lat: -15 + 87 * random(), lng: -180 + 120 * random() }
    if (form < 0.75) return { lat: Math.round(25 + 24 * random()), lng: Math.round(-124 + 57 * random()) }
    const [lat, lng] = this.pick(borderPoints)
    return form < 0.85 ? { lat, lng } : { lat: lat + 0.02 * (random() - 0.5), lng: lng + 0.02 * (random() - 0.5) }
  }

  /** A point in or near the area of the packs. A third are rounded, so that they are on borders. */
  packPoint(): { lat: number; lng: number } {
    const { south, west, degrees } = packArea
    const at = {
      lat: south + degrees * (1.4 * this.#random() - 0.2),
      lng: west + degrees * (1.4 * this.#random() - 0.2),
    }
    const isRounded = this.#random() < 0.33
    return isRounded ? { lat: Number(at.lat.toFixed(2)), lng: Number(at.lng.toFixed(2)) } : at
  }

  /** Names of fields that packs answer. */
  packFields(max: number): string[] {
    return Array.from({ length: 1 + Math.floor(this.#random() * max) }, () => this.pick(this.#names.packs))
  }

  /** Names of fields. A name can occur twice. */
  fields(max: number): string[] {
    const { local, other } = this.#names
    const length = 1 + Math.floor(this.#random() * max)
    return Array.from({ length }, () => this.pick(this.#random() < 0.9 ? local : other))
  }

  preset(): string {
    return this.pick(this.#names.presets)
  }
}

/** Tripoints, corners of states, shores, the antimeridian, islands, and vertices of straight borders. */
const borderPoints: [lat: number, lng: number][] = [
  [36.999084, -109.045223],
  [37, -109.05],
  [41, -104.05],
  [41, -111.05],
  [45, -104.057698],
  [49, -95.153711],
  [36.5, -103.0],
  [42, -120],
  [39.7222, -75.7885],
  [25.7907, -80.13],
  [24.5465, -81.8106],
  [29.9, -90.0],
  [21.3, -157.8],
  [18.46, -66.1],
  [13.45, 144.75],
  [-14.28, -170.7],
  [51.88, -176.65],
  [52.0, 180],
  [52.0, -180],
  [71.29, -156.79],
  [0, 0],
  [-0, -100],
  [32.5343, -117.123],
  [47.6, -122.34],
  [43.6, -87.9],
  [40.7, -74.02],
]

type SeededInit = Omit<SeededRequest, 'kind'>

function post(path: string, body: unknown, headers: Record<string, string> = {}): SeededInit {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { path, init: { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text } }
}

const requestKinds: RequestKinds = {
  'one field': (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }),
  'few fields': (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(10) }),
  'few fields, again': (it) => post('/v1/fetch', { fields: it.fields(10), ...it.point() }),
  'many fields': (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(50) }),
  'point fields': (it) => post('/v1/fetch', { ...it.point(), fields: pointFields }),
  'border point': (it) => {
    const [lat, lng] = it.pick(borderPoints)
    return post('/v1/fetch', { lat, lng, fields: it.fields(20) })
  },
  preset: (it) => post('/v1/fetch', { ...it.point(), preset: it.preset() }),
  'preset and fields': (it) => post('/v1/fetch', { ...it.point(), preset: it.preset(), fields: it.fields(3) }),
  batch: (it) =>
    post('/v1/fetch/batch', { locations: Array.from({ length: 5 }, () => it.point()), fields: it.fields(10) }),
  'batch with errors': (it) => {
    const locations = [
      it.point(),
      { lat: 39.74, lng: 104.99 },
      { address: '1 Main St' },
      { ...it.point(), address: 'x' },
    ]
    return post('/v1/fetch/batch', { locations, preset: 'place_context', fields: it.fields(2) })
  },
  get: (it) => {
    const { lat, lng } = it.point()
    return { path: `/v1/fetch?lat=${lat}&lng=${lng}&fields=${it.fields(8).join(',')}`, init: {} }
  },
  lookup: (it) => {
    const { lat, lng } = it.point()
    return post('/v1/lookup', { input: `${lat.toFixed(6)}, ${lng.toFixed(6)}` })
  },
  'bad input': (it) => it.pick(badRequests)(it),
}

const packRequestKinds: RequestKinds = {
  'one pack field': (it) => post('/v1/fetch', { ...it.packPoint(), fields: it.packFields(1) }),
  'pack fields': (it) => post('/v1/fetch', { ...it.packPoint(), fields: it.packFields(20) }),
  'pack fields and others': (it) =>
    post('/v1/fetch', { ...it.packPoint(), fields: [...it.packFields(10), ...it.fields(10)] }),
  'preset with packs': (it) => post('/v1/fetch', { ...it.packPoint(), preset: it.preset() }),
  'batch with packs': (it) =>
    post('/v1/fetch/batch', { locations: Array.from({ length: 5 }, () => it.packPoint()), fields: it.packFields(10) }),
  'point without packs': (it) => post('/v1/fetch', { ...it.point(), fields: it.packFields(5) }),
}

/** The embedded fields that most requests ask for. */
const pointFields = words`
  county_fips county state timezone nearest_place_name nearest_place_distance_m nearest_airport_name
  nearest_airport_distance_m geohash h3_cell_res9
`

const badRequests: ((generator: RequestGenerator) => SeededInit)[] = [
  (it) => post('/v1/fetch', { fields: it.fields(2) }),
  (it) => post('/v1/fetch', { lat: it.point().lat, fields: it.fields(2) }),
  (it) => post('/v1/fetch', { ...it.point(), fields: [...it.fields(2), 'elevaton', 'count'] }),
  (it) => post('/v1/fetch', it.point()),
  (it) => post('/v1/fetch', { ...it.point(), fields: [] }),
  (it) => post('/v1/fetch', { ...it.point(), preset: 'flod' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1), preset: null, address: null }),
  (it) => post('/v1/fetch', { ...it.point(), fields: 'county' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: ['county', 7] }),
  (it) => post('/v1/fetch', { lat: '39.7', lng: -105, fields: it.fields(1) }),
  (it) => post('/v1/fetch', { lat: 48.85, lng: 2.35, fields: it.fields(1) }),
  (it) => post('/v1/fetch', { lat: -105, lng: 39.7, fields: it.fields(1) }),
  (it) => post('/v1/fetch', { ...it.point(), address: '1600 Pennsylvania Ave', fields: it.fields(1) }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1), unknown: { deep: [1, 2, 3] } }),
  (it) => post('/v1/fetch', { latitude: 39.7, lon: -105, fields: it.fields(1) }),
  () => post('/v1/fetch', '{"lat":39.7,"lng":-105,"fields":["county"]'),
  () => post('/v1/fetch', '[]'),
  () => post('/v1/fetch', ' \n{ "lat" : 39.7 , "lng":-1.05e2, "fields" : [ "county" , "county" ] } '),
  () => post('/v1/fetch', '{"lat":1,"lat":39.7,"lng":-105,"fields":["c\\u006funty"],"__proto__":{"fields":[]}}'),
  () => post('/v1/fetch', ''),
  () => post('/v1/fetch', `${'['.repeat(40)}${']'.repeat(40)}`),
  (it) => post('/v1/fetch?fields=county', { ...it.point(), fields: it.fields(1) }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { 'content-type': 'text/plain' }),
  (it) =>
    post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { 'content-type': 'Application/JSON; charset=utf-8' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { 'content-type': 'application/geo+json' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { 'content-encoding': 'gzip' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { authorization: 'Bearer fst_pat_wrong' }),
  (it) => post('/v1/fetch', { ...it.point(), fields: it.fields(1) }, { host: 'example.org' }),
  (it) => post('/v1/fetch/batch', { locations: [], fields: it.fields(1) }),
  (it) => post('/v1/fetch/batch', { locations: [it.point(), { lat: 'x' }], fields: it.fields(1) }),
  (it) => post('/v1/fetch/batch', { locations: Array.from({ length: 26 }, () => it.point()), fields: it.fields(1) }),
  () => ({ path: '/v1/fetch?lat=&lng=x&fields=county', init: {} }),
  () => ({ path: '/v1/fetch?lat=39.7&lng=-105&field=county', init: {} }),
  () => ({ path: '/v1/fetch?lat=39.7&lng=-105&fields=county', init: { method: 'HEAD' } }),
  () => ({ path: '/v1/fetch', init: { method: 'PUT' } }),
  () => ({ path: '/v1/fetched', init: {} }),
]

/**
 * Sends requests one after another, and returns one hash per group of similar responses: status, headers and body,
 * without the version of the catalog.
 */
export async function hashResponses(
  requests: Iterable<SeededRequest>,
  service: TestService,
  onResponse: (text: string) => void = () => {},
): Promise<Record<string, string>> {
  const groups = new Map<string, { hash: Bun.CryptoHasher; count: number }>()
  let index = 0
  for (const { kind, path, init } of requests) {
    const group = groups.get(kind) ?? { hash: new Bun.CryptoHasher('sha256'), count: 0 }
    groups.set(kind, group)
    const headers = { 'x-request-id': `seeded-${index++}`, ...(init.headers as Record<string, string>) }
    const text = await responseText(await service.send(path, { ...init, headers }))
    group.hash.update(text)
    group.count++
    onResponse(`${kind} ${init.method ?? 'GET'} ${path} ${typeof init.body === 'string' ? init.body : ''}\n${text}`)
  }
  const hashes = [...groups].map(([kind, { hash }]) => [kind, hash.digest('hex').slice(0, 20)] as const)
  return Object.fromEntries(hashes)
}

async function responseText(response: Response): Promise<string> {
  response.headers.delete('x-catalog-version')
  const headers = [...response.headers].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${response.status} ${JSON.stringify(headers)}\n${await response.text()}\n`
}
