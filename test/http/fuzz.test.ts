import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { openHttpService, type HttpRequest } from '../support/http-service.ts'
import { words } from '../support/words.ts'

/** Cases of each kind. Use `FUZZ_CASES=20000` before a release. A failure prints its seed and the smallest case. */
const numRuns = Number(process.env.FUZZ_CASES ?? 400)
const timeout_ms = 600_000

const service = await openHttpService({ FIELDSTONE_CONCURRENCY: '10000' })
afterAll(service.close)

const { catalog } = service.testService.app
const fieldNames = [...catalog.fields.keys()]
const oddNames = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  'slope',
  'ELEVATION',
  'elevation ',
  '\u0000',
  '\ud800',
  '../../etc/passwd',
  "' OR 1=1 --",
  '{{7*7}}',
  '${x}',
  '%s%n',
]

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...oddNames),
)
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, 90, 180, -180, 1e308, 5e-324))
const anything = fc.jsonValue({ maxDepth: 4 })
const inUs = fc.oneof(
  fc.record({
    lat: fc.double({ min: 24, max: 49.8, noNaN: true }),
    lng: fc.double({ min: -125, max: -66.5, noNaN: true }),
  }),
  fc.record({
    lat: fc.double({ min: 51, max: 71.9, noNaN: true }),
    lng: fc.double({ min: -180, max: -129.5, noNaN: true }),
  }),
  fc.record({
    lat: fc.double({ min: -15, max: -10.6, noNaN: true }),
    lng: fc.double({ min: -171.6, max: -167.7, noNaN: true }),
  }),
)
const location = fc.oneof(
  inUs,
  fc.record(
    { lat: fc.oneof(number, anything), lng: fc.oneof(number, anything), address: fc.oneof(text, anything) },
    { requiredKeys: [] },
  ),
  anything,
)
const selection = fc.record(
  {
    fields: fc.oneof(
      fc.array(fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...fieldNames) }, { weight: 1, arbitrary: text }), {
        maxLength: 60,
      }),
      anything,
    ),
    preset: fc.oneof(fc.constantFrom(...catalog.presets.keys()), text, anything),
  },
  { requiredKeys: [] },
)
const known = fc.record({ fields: fc.uniqueArray(fc.constantFrom(...fieldNames), { minLength: 1, maxLength: 50 }) })

/** Fails on an internal error: in the status, in an entry, in a field, or in the log. */
async function withoutFault(path: string, letter: HttpRequest): Promise<Response> {
  const response = await service.ask(path, letter)
  const isJson =
    response.headers.get('content-type')?.startsWith('application/json') && !response.headers.has('content-encoding')
  const answer = isJson ? await response.clone().text() : ''
  expect(answer).not.toContain('"error":"internal_error')
  if (response.status >= 500) expect(answer).toContain('"geocode_unavailable"')
  expect(service.testService.logged).toEqual([])
  return response
}

/** Checks a property for every request of a kind. */
function holds<T>(name: string, arbitrary: fc.Arbitrary<T>, check: (it: T) => Promise<void>) {
  test(name, async () => fc.assert(fc.asyncProperty(arbitrary, check), { numRuns }), timeout_ms)
}

holds(
  'any place and any fields are answered 200, each field in one of its three ways',
  fc.tuple(inUs, known),
  async ([at, { fields }]) => {
    const response = await withoutFault('/v1/fetch', { method: 'POST', body: JSON.stringify({ ...at, fields }) })
    expect(response.status).toBe(200)
    expect(Object.keys(((await response.json()) as { fields: object }).fields)).toEqual(fields)
  },
)

holds(
  'a fetch of almost the right form is answered as described',
  fc.tuple(location, selection),
  async ([at, requested]) => {
    const body = typeof at === 'object' && at !== null && !Array.isArray(at) ? { ...at, ...requested } : requested
    const { status } = await withoutFault('/v1/fetch', { method: 'POST', body: JSON.stringify(body) })
    expect([200, 400, 404, 422, 503]).toContain(status)
  },
)

holds(
  'a batch of almost the right form is answered as described',
  fc.tuple(fc.oneof(fc.array(location, { maxLength: 27 }), anything), fc.oneof(selection, known)),
  async ([locations, requested]) => {
    const { status } = await withoutFault('/v1/fetch/batch', {
      method: 'POST',
      body: JSON.stringify({ locations, ...requested }),
    })
    expect([200, 400, 422]).toContain(status)
  },
)

const paths = fc.constantFrom('/v1/fetch', '/v1/fetch/batch')

holds('a body of any JSON is answered as described', fc.tuple(paths, anything), async ([path, body]) => {
  expect([400, 422]).toContain((await withoutFault(path, { method: 'POST', body: JSON.stringify(body) })).status)
})

const piece = fc.constantFrom('', '{', ']', '"', '\\', ',', '\u0000', '\ufeff', '1e999', '__proto__')
const garbled = fc.tuple(fc.json(), fc.nat(), piece).map(([json, far, put]) => {
  const at = far % (json.length + 1)
  return json.slice(0, at) + put + json.slice(at + 1)
})

holds(
  'a body of any bytes is answered as described',
  fc.tuple(
    paths,
    fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      garbled.map((it) => new TextEncoder().encode(it)),
    ),
  ),
  async ([path, bytes]) => {
    expect([400, 422]).toContain((await withoutFault(path, { method: 'POST', body: new Uint8Array(bytes) })).status)
  },
)

const segment = fc.oneof(
  fc.constantFrom(
    'v1',
    'V1',
    'fetch',
    'batch',
    'meta',
    'fields',
    'docs',
    'openapi.json',
    'healthz',
    'swagger-ui.css',
    '..',
    '.',
    '',
    '%2e%2e',
    '%2f',
    '%00',
    '%',
    '%zz',
    '%ff',
    '%u0041',
    ';a=b',
    '\\',
    '__proto__',
    'a'.repeat(300),
  ),
  fc.webSegment(),
  text.map((it) => encodeURIComponent(it.toWellFormed())),
)
const anyPath = fc
  .tuple(fc.array(segment, { maxLength: 6 }), fc.webQueryParameters(), fc.boolean())
  .map(([parts, query, received]) => `/${parts.join('/')}${received ? `?${query}` : ''}`)
const methods = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS')

holds('any method at any address is answered as described', fc.tuple(methods, anyPath), async ([method, path]) => {
  await withoutFault(path, method === 'GET' || method === 'HEAD' ? { method } : { method, body: '{}' })
})

const headerNames = words`
  authorization host content-type content-encoding accept accept-encoding if-none-match if-modified-since x-request-id
  content-length transfer-encoding cookie range origin expect upgrade connection x-forwarded-host x-forwarded-for
  x-http-method-override idempotency-key prefer te x
`
const headerText = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .filter((code) => code !== 0x7f)
    .map((code) => String.fromCharCode(code)),
  maxLength: 200,
})
const oddValues = fc.constantFrom(
  'gzip;q=0.000',
  'zstd',
  '*',
  'W/"x"',
  'bytes=0-1',
  '100-continue',
  'chunked',
  'Bearer',
  `Bearer ${'x'.repeat(4000)}`,
  'application/json;',
  '0',
  '1048577',
  '-1',
  '1e9',
  '0x10',
  'localhost:0',
  '[::1',
)
const headerValue = fc.oneof(headerText, oddValues)
const described = fc.constantFrom(
  ...Object.entries(service.document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => [method.toUpperCase(), path] as const),
  ),
)

holds(
  'any headers at any operation are answered as described',
  fc.tuple(described, fc.dictionary(fc.constantFrom(...headerNames), headerValue, { maxKeys: 6 })),
  async ([[method, path], headers]) => {
    await withoutFault(
      path,
      method === 'GET'
        ? { method, headers }
        : {
            method,
            headers,
            body: JSON.stringify({ lat: 39, lng: -105, locations: [{ lat: 39, lng: -105 }], fields: ['county'] }),
          },
    )
  },
)
