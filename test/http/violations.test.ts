import { afterAll, describe, expect, test } from 'bun:test'
import type { Violation } from '../../src/model/error.ts'
import { openHttpService } from '../support/http-service.ts'

const service = await openHttpService()
afterAll(service.close)

const denver = { lat: 39.7392, lng: -104.9903 }
const sent = (path: string, body: unknown) => service.post(path, body)

async function violations(path: string, body: unknown): Promise<Violation[]> {
  const response = await sent(path, body)
  expect(response.status).toBe(422)
  const { detail } = (await response.json()) as { detail: Violation[] }
  for (const it of detail) expect(Object.keys(it)).toEqual(['type', 'loc', 'msg', 'input'])
  return detail
}

type Place = (string | number)[]
type Expected = [type: string, ...loc: Place]
/** In any order, with indexes as numbers. */
const written = (places: Expected[]) => places.map((it) => JSON.stringify(it)).toSorted()
const placesOf = (found: Violation[]) => written(found.map(({ type, loc }) => [type, ...loc]))

const onFetch: [name: string, body: unknown, ...expected: Expected[]][] = [
  ['lat without lng', { lat: 39 }, ['missing', 'body', 'lng']],
  ['lng without lat', { lng: -105 }, ['missing', 'body', 'lat']],
  ['lat without lng, and a wrong one', { lat: 'x' }, ['float_parsing', 'body', 'lat'], ['missing', 'body', 'lng']],
  ['two wrong numbers', { lat: 'x', lng: [] }, ['float_parsing', 'body', 'lat'], ['float_parsing', 'body', 'lng']],
  [
    'everything wrong at once',
    { lat: true, lng: [], address: 5, fields: 'county', preset: 7 },
    ['float_parsing', 'body', 'lat'],
    ['float_parsing', 'body', 'lng'],
    ['string_type', 'body', 'address'],
    ['list_type', 'body', 'fields'],
    ['string_type', 'body', 'preset'],
  ],
  ['fields that is a text', { ...denver, fields: 'county' }, ['list_type', 'body', 'fields']],
  ['fields that is an object', { ...denver, fields: { 0: 'county' } }, ['list_type', 'body', 'fields']],
  [
    'fields with members that are no texts',
    { ...denver, fields: ['county', 5, null, ['x'], 'state', {}] },
    ['string_type', 'body', 'fields', 1],
    ['string_type', 'body', 'fields', 2],
    ['string_type', 'body', 'fields', 3],
    ['string_type', 'body', 'fields', 5],
  ],
  ['a preset that is a list', { ...denver, preset: ['terrain'] }, ['string_type', 'body', 'preset']],
  ['an address that is a number', { address: 5 }, ['string_type', 'body', 'address']],
  ['an empty address', { address: '' }, ['string_too_short', 'body', 'address']],
  ['an address of spaces', { address: ' \u00a0 ' }, ['string_too_short', 'body', 'address']],
  ['an address of 257 characters', { address: 'x'.repeat(257) }, ['string_too_long', 'body', 'address']],
  ['an address with a control character', { address: '1 Main St\u0000' }, ['value_error', 'body', 'address']],
  [
    'an address too long, beside wrong fields',
    { address: 'x'.repeat(257), fields: [1] },
    ['string_type', 'body', 'fields', 0],
    ['string_too_long', 'body', 'address'],
  ],
]

const onBatch: [name: string, body: unknown, ...expected: Expected[]][] = [
  ['nothing', {}, ['missing', 'body', 'locations']],
  ['no locations', { locations: [], fields: ['county'] }, ['too_short', 'body', 'locations']],
  [
    '26 locations',
    { locations: Array.from({ length: 26 }, () => denver), fields: ['county'] },
    ['too_long', 'body', 'locations'],
  ],
  [
    '26 locations, one of them wrong',
    { locations: [...Array.from({ length: 25 }, () => denver), { lat: 39 }] },
    ['too_long', 'body', 'locations'],
    ['missing', 'body', 'locations', 25, 'lng'],
  ],
  ['locations that is an object', { locations: { 0: denver } }, ['list_type', 'body', 'locations']],
  ['locations that is a text', { locations: 'Denver' }, ['list_type', 'body', 'locations']],
  ['locations that is null', { locations: null }, ['list_type', 'body', 'locations']],
  [
    'locations that are no objects',
    { locations: [denver, 'Denver', null, [39, -105], 5] },
    ['model_type', 'body', 'locations', 1],
    ['model_type', 'body', 'locations', 2],
    ['model_type', 'body', 'locations', 3],
    ['model_type', 'body', 'locations', 4],
  ],
  [
    'a fault in locations[3]',
    { locations: [denver, denver, denver, { lat: 'x', lng: -105 }, denver] },
    ['float_parsing', 'body', 'locations', 3, 'lat'],
  ],
  [
    'a number that is missing in locations[3]',
    { locations: [denver, denver, denver, { lat: 39 }] },
    ['missing', 'body', 'locations', 3, 'lng'],
  ],
  [
    'an address too long in locations[1]',
    { locations: [denver, { address: '😀'.repeat(257) }] },
    ['string_too_long', 'body', 'locations', 1, 'address'],
  ],
  [
    'faults in several places',
    { locations: [{}, { lat: 1 }, { address: '' }], fields: 'x', preset: 1 },
    ['missing', 'body', 'locations', 1, 'lng'],
    ['string_too_short', 'body', 'locations', 2, 'address'],
    ['list_type', 'body', 'fields'],
    ['string_type', 'body', 'preset'],
  ],
]

test('no location at all has a code of its own, which a batch gives as an entry', async () => {
  for (const body of [{ fields: ['county'] }, { fields: ['county'], address: null }]) {
    const response = await sent('/v1/fetch', body)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: { error: 'invalid_locator' } })
  }
  const batch = await sent('/v1/fetch/batch', { locations: [denver, {}], fields: ['county'] })
  expect(batch.status).toBe(200)
  expect(await batch.json()).toMatchObject({
    results: [{ ok: true }, { ok: false, error: { error: 'invalid_locator' } }],
  })
})

describe('all violations are listed at once, each with its type and loc', () => {
  test.each(onFetch)('in a fetch of %s', async (_name, body, ...expected) => {
    expect(placesOf(await violations('/v1/fetch', body))).toEqual(written(expected))
  })
  test.each(onBatch)('in a batch of %s', async (_name, body, ...expected) => {
    expect(placesOf(await violations('/v1/fetch/batch', body))).toEqual(written(expected))
  })
})

describe('the input of a violation', () => {
  test('is the sent value, or for a missing member the object without it', async () => {
    const location = { lat: 'x' }
    const found = await violations('/v1/fetch/batch', { locations: [location], preset: 5 })
    expect(Object.fromEntries(found.map(({ loc, input }) => [loc.join('.'), input]))).toEqual({
      'body.locations.0.lat': 'x',
      'body.locations.0.lng': location,
      'body.preset': 5,
    })
  })

  test('of a body without a required member is the body', async () => {
    const [found] = await violations('/v1/fetch/batch', { fields: ['county'] })
    expect(found).toEqual({
      type: 'missing',
      loc: ['body', 'locations'],
      msg: 'Field required',
      input: { fields: ['county'] },
    })
  })

  test('is truncated to 256 characters of a text, or of the JSON of a list or an object', async () => {
    const [lat, lng] = await violations('/v1/fetch', { lat: 'x'.repeat(10_000), lng: [...'y'.repeat(300)] })
    expect(lat!.input).toEqual('x'.repeat(256))
    expect(lng!.input).toBe(`${JSON.stringify([...'y'.repeat(300)]).slice(0, 256)}…`)
    const [large] = await violations('/v1/fetch', { ...denver, lng: [...'y'.repeat(10_000)] })
    expect(large!.input).toBe('[…')
  })

  test('is the member that a later check rejects', async () => {
    const around = { ...denver, radius_m: 1e9 }
    expect(await violations('/v1/areas', { around, fields: ['county'] })).toMatchObject([
      { loc: ['body', 'around', 'radius_m'], input: 1e9 },
    ])
    const both = { around: { ...denver, radius_m: 10 }, county_fips: '08013', fields: ['county'] }
    expect(await violations('/v1/areas', both)).toMatchObject([{ loc: ['body', 'county_fips'], input: '08013' }])
    expect(await violations('/v1/users/me/pins', { name: 'x' })).toMatchObject([
      { loc: ['body'], input: { name: 'x' } },
    ])
  })
})

describe('a violation has the same type everywhere', () => {
  const types: [path: string, body: unknown, type: string][] = [
    ['/v1/fetch', { ...denver, fields: ['county'], on_unknown: 'x' }, 'literal_error'],
    ['/v1/fetch', { ...denver, fields: ['county'], include: ['x'] }, 'literal_error'],
    ['/v1/areas', { county_fips: '08013', fields: ['county'], include: ['x'] }, 'literal_error'],
    ['/v1/ask', { ...denver, question: 'x', units: 'x' }, 'literal_error'],
    ['/v1/users/me/tokens', { name: 'x', scopes: ['x'] }, 'literal_error'],
    ['/v1/users/me/tokens', { name: 'x', scopes: ['fetch'], expires_in_days: 0 }, 'greater_than_equal'],
    ['/v1/areas', { around: { ...denver, radius_m: -1 }, fields: ['county'] }, 'greater_than_equal'],
    ['/v1/areas', { county_fips: '8', fields: ['county'] }, 'string_pattern_mismatch'],
    ['/v1/fetch/batch', { locations: [denver], fields: ['county'], include: ['geometry'] }, 'extra_forbidden'],
    [
      '/v1/runs',
      { kind: 'fetch_batch', request: { locations: [denver], fields: ['county'], include: ['geometry'] } },
      'extra_forbidden',
    ],
  ]
  test.each(types)('%s %j is %s', async (path, body, type) => {
    expect((await violations(path, body)).map((it) => it.type)).toEqual([type])
  })

  const queries: [path: string, type: string][] = [
    ...['/v1/runs', '/v1/users/me/tokens'].flatMap((path): [string, string][] => [
      [`${path}?limit=x`, 'int_parsing'],
      [`${path}?limit=0`, 'greater_than_equal'],
      [`${path}?limit=101`, 'less_than_equal'],
    ]),
    ['/v1/fetch?lat=39.7&lng=-105&fields=county&include=x', 'literal_error'],
    ['/v1/fetch?lat=39.7&lng=-105&fields=county&on_unknown=x', 'literal_error'],
  ]
  test.each(queries)('%s is %s', async (path, type) => {
    const response = await service.ask(path)
    const { detail } = (await response.json()) as { detail: Violation[] }
    expect([response.status, detail.map((it) => it.type)]).toEqual([422, [type]])
  })
})

test('only the first hundred violations are listed', async () => {
  const found = await violations('/v1/fetch', { ...denver, fields: Array.from({ length: 100_000 }, (_, i) => i) })
  expect(found.map(({ loc }) => loc[2])).toEqual(Array.from({ length: 100 }, (_, i) => i))
})

describe('a body that is not an object', () => {
  const paths = ['/v1/fetch', '/v1/fetch/batch']
  const bodies = ['[]', '[1,2]', '""', '"county"', '5', '1e5', 'true', 'false', 'null', '[{"lat":39,"lng":-105}]']
  test.each(paths.flatMap((path) => bodies.map((body) => [path, body] as const)))(
    '%s answers %s with model_type at the body',
    async (path, body) => expect(placesOf(await violations(path, body))).toEqual(written([['model_type', 'body']])),
  )

  const notJson = [
    ['nothing', ''],
    ['spaces', '   '],
    ['half an object', '{"lat":'],
    ['single quotes', "{'lat':1}"],
    ['a trailing comma', '{"lat":39,}'],
    ['NaN', '{"lat":NaN,"lng":-105}'],
    ['Infinity', '{"lat":Infinity,"lng":1}'],
    ['a leading zero', '{"lat":039,"lng":-105}'],
    ['a plus sign', '{"lat":+39}'],
    ['hexadecimal', '{"lat":0x27}'],
    ['a comment', '{/* */"lat":39}'],
    ['two objects', '{}{}'],
    ['a byte order mark inside', '{\ufeff}'],
    ['a raw line feed in a text', '{"address":"a\nb"}'],
    ['a form', 'lat=39&lng=-105'],
    ['undefined', 'undefined'],
  ] as const
  test.each(notJson)('%s is json_invalid', async (_name, body) => {
    expect(placesOf(await violations('/v1/fetch', body))).toEqual(written([['json_invalid', 'body']]))
  })

  const wellFormed = [
    ['a replacement character', '"x":"\ufffd"'],
    ['an emoji', '"x":"😀"'],
    ['an escaped surrogate alone', '"x":"\\ud800"'],
  ] as const
  test.each(wellFormed)(
    'is unlike an object with %s, which is accepted with and without Content-Length',
    async (_name, member) => {
      const body = `\ufeff{"lat":39.7392,"lng":-104.9903,"fields":["geohash"],${member}}`
      const output = await service.post('/v1/fetch', body, { 'content-length': String(Buffer.byteLength(body)) })
      expect([output.status, (await sent('/v1/fetch', body)).status]).toEqual([200, 200])
    },
  )

  const notUtf8 = [
    ['a lone byte', [0x7b, 0xff, 0x7d]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['half a character', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0, 0x7d, 0]],
    ['a surrogate', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ] as const
  test.each(notUtf8)('%s is not UTF-8 and is json_invalid, with and without Content-Length', async (_name, bytes) => {
    for (const headers of [{}, { 'content-length': String(bytes.length) }]) {
      const response = await service.ask('/v1/fetch', { method: 'POST', headers, body: new Uint8Array(bytes) })
      expect(response.status).toBe(422)
      expect(((await response.json()) as { detail: Violation[] }).detail).toMatchObject([
        { type: 'json_invalid', loc: ['body'], msg: 'The body is not UTF-8.' },
      ])
    }
  })
})
