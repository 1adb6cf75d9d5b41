import { randomBytes } from 'node:crypto'
import { craftWorkbook, workbookOfZeros } from '../../test/support/crafted-workbooks.ts'

/** A body that somebody can send, and how it is sent. */
export type BodyInput = {
  name: string
  /** `anyone` needs no token. */
  sentBy: 'anyone' | 'a user'
  method?: string
  path: string
  headers: Record<string, string>
  /** Makes the body of about this size. */
  make: (bytes: number) => Buffer
  /** The largest body that the route reads. */
  max_bytes: number
  /** Sent in chunks of this size, without a Content-Length. */
  chunk_bytes?: number
}

const runMax_bytes = 33_554_000
const otherMax_bytes = 1_048_000
const formMax_bytes = 65_000

/** Returns the text, repeated up to the size, between a beginning and an end. */
function filled(beginning: string, unit: string, end: string): (bytes: number) => Buffer {
  return (bytes) => {
    const count = Math.max(1, Math.floor((bytes - beginning.length - end.length) / Buffer.byteLength(unit)))
    return Buffer.concat([
      Buffer.from(beginning),
      Buffer.alloc(count * Buffer.byteLength(unit), unit),
      Buffer.from(end),
    ])
  }
}

/** Returns numbered units, joined by commas, up to the size, between a beginning and an end. */
function numbered(beginning: string, unitOf: (i: number) => string, end: string, max = Infinity) {
  return (bytes: number) => {
    const units: string[] = []
    for (let [i, size] = [0, beginning.length + end.length]; i < max; i++) {
      const unit = unitOf(i)
      size += Buffer.byteLength(unit) + 1
      if (size > bytes) break
      units.push(unit)
    }
    return Buffer.from(`${beginning}${units.join(',')}${end}`)
  }
}

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const csvInput = (name: string, make: BodyInput['make']): BodyInput => ({
  name: `CSV: ${name}`,
  sentBy: 'a user',
  path: '/v1/runs?fields=county',
  headers: { 'content-type': 'text/csv' },
  make,
  max_bytes: runMax_bytes,
})
const runInput = (name: string, make: BodyInput['make']): BodyInput => ({
  name: `Run: ${name}`,
  sentBy: 'a user',
  path: '/v1/runs',
  headers: json,
  make,
  max_bytes: runMax_bytes,
})
const jsonInput = (name: string, path: string, make: BodyInput['make']): BodyInput => ({
  name,
  sentBy: 'a user',
  path,
  headers: json,
  make,
  max_bytes: otherMax_bytes,
})
const run = '{"kind":"fetch_batch","request":{"fields":["county"],"locations":['
const place = '{"lat":39,"lng":-104,'
const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch_fields","arguments":'

const csvInputs: BodyInput[] = [
  csvInput('line breaks', filled('lat,lng\n', '\n', '')),
  csvInput('line breaks without a header', filled('', '\r\n', '')),
  csvInput('blanks', filled('lat,lng\n', ' ', '')),
  csvInput('lines of blanks', filled('lat,lng\n', ' \n', '')),
  csvInput('a quote that is never closed', filled('lat,lng\n"', 'x', '')),
  csvInput('an unclosed quote in each line', filled('lat,lng\n', 'a","\n', '')),
  csvInput('a header of tabs', filled('lat\tlng', '\t', '\n39\t-105\n')),
  csvInput('quotes', filled('lat,lng\n', '"', '')),
  csvInput('65,000 cells in each row', filled('lat,lng\n', `${','.repeat(65_000)}\n`, '')),
  csvInput('65,000 cells with text in each row', filled('lat,lng\n', `${'a,'.repeat(32_000)}\n`, '')),
  csvInput('10,000 rows of 3 kB', (bytes) =>
    filled('lat,lng,note\n', `39,-104,${'n'.repeat(Math.floor(bytes / 10_001) - 9)}\n`, '')(bytes),
  ),
  csvInput('512 columns', (bytes) => {
    const columns = Array.from({ length: 510 }, (_none, i) => `c${i}`)
    return filled(`lat,lng,${columns.join()}\n`, `39,-104${',abcde'.repeat(510)}\n`, '')(Math.min(bytes, 30_000_000))
  }),
  csvInput('not UTF-8', filled('lat,lng\n', '\xff', '')),
  { ...csvInput('in chunks of 100 bytes', filled('lat,lng\n', '39,-104\n', '')), chunk_bytes: 100, max_bytes: 70_000 },
]

const runInputs: BodyInput[] = [
  runInput('blanks', filled('', ' ', '')),
  runInput('10,000 locations of 3 kB', (bytes) => {
    const note = 'n'.repeat(Math.max(0, Math.floor(bytes / 10_000) - 60))
    return numbered(run, (i) => `{"lat":${30 + i / 1000},"lng":-104,"note":"${note}"}`, ']}}', 10_000)(bytes)
  }),
  runInput(
    'long addresses',
    numbered(run, (i) => `{"address":"${i} ${'é'.repeat(1600)}"}`, ']}}'),
  ),
  runInput('empty objects instead of locations', filled(run, '{},', '{}]}}')),
  runInput('empty lists instead of locations', filled(run, '[],', '[]]}}')),
  runInput(
    'many field names',
    numbered(
      '{"kind":"fetch_batch","request":{"locations":[{"lat":39,"lng":-104}],"fields":[',
      (i) => `"n${i}"`,
      ']}}',
    ),
  ),
  runInput(
    'many members',
    numbered('{', (i) => `"k${i}":1`, '}'),
  ),
  runInput('many members of one name', filled('{', '"kind":"x",', '"kind":"x"}')),
  runInput('a member that is ignored', filled('{"x":[', '{},', '{}]}')),
  runInput('nested 33 million deep', filled('', '[', '')),
  runInput('nested 31 deep, again and again', (bytes) =>
    numbered('[', () => '['.repeat(31) + '1,'.repeat(40_000) + '1' + ']'.repeat(31), ']')(bytes),
  ),
  runInput('a long string', filled('{"kind":"', 'x', '"}')),
  runInput('a long string of escapes', filled('{"kind":"', '\\u0041', '"}')),
  runInput('a string that is never closed', filled('{"kind":"', 'x', '')),
  runInput('a long number', filled('{"kind":', '1', '}')),
  {
    ...runInput(
      'GeoJSON with many coordinates',
      filled('{"type":"FeatureCollection","features":[', '[1,2],', '[1,2]]}'),
    ),
    headers: { 'content-type': 'application/geo+json' },
  },
  {
    ...runInput(
      'multipart with many parts',
      filled('', '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n', ''),
    ),
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  },
]

const cells = (count: number, cell: string) => `<row>${cell.repeat(count)}</row>`
const workbookInput = (name: string, make: BodyInput['make']): BodyInput => ({
  ...csvInput('', make),
  name: `Workbook: ${name}`,
  headers: { 'content-type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
})

const workbookInputs: BodyInput[] = [
  workbookInput('inflates to 1.9 GB', () => workbookOfZeros(28)),
  workbookInput('inflates to 64 MB', () => workbookOfZeros(1)),
  workbookInput('10,000 rows of 149 cells', () =>
    craftWorkbook(
      cells(2, '<c t="inlineStr"><is><t>lat</t></is></c>').replace('lat', 'lng') +
        cells(149, '<c><v>39.739199999999997</v></c>').repeat(10_000),
    ),
  ),
  workbookInput('a long text in each of a million cells', () =>
    craftWorkbook(
      cells(100, '<c t="s"><v>0</v></c>').repeat(10_000),
      `<sst><si><t>${'x'.repeat(32_000)}</t></si></sst>`,
    ),
  ),
  workbookInput('without compression', (bytes) =>
    Buffer.concat([craftWorkbook('<row/>'), randomBytes(bytes - 10_000)]),
  ),
]

const otherInputs: BodyInput[] = [
  jsonInput(
    'Fetch: many field names',
    '/v1/fetch',
    numbered(`${place}"fields":[`, (i) => `"n${i}"`, ']}'),
  ),
  jsonInput('Fetch: a long address', '/v1/fetch', filled('{"fields":["county"],"address":"', 'x', '"}')),
  jsonInput('Batch: empty objects', '/v1/fetch/batch', filled('{"fields":["county"],"locations":[', '{},', '{}]}')),
  jsonInput('Ask: a long question', '/v1/ask', filled(`${place}"question":"`, 'why ', '"}')),
  jsonInput('Geocode: a long address', '/v1/geocode', filled('{"address":"', '1 Main St ', '"}')),
  jsonInput('Lookup: a long input', '/v1/lookup', filled('{"input":"', '39,-104 ', '"}')),
  jsonInput(
    'MCP: many field names',
    '/mcp',
    numbered(`${call}${place}"fields":[`, (i) => `"n${i}"`, ']}}}'),
  ),
  jsonInput(
    'MCP: many members',
    '/mcp',
    numbered(`${call}{`, (i) => `"k${i}":1`, '}}}'),
  ),
  jsonInput('MCP: many messages', '/mcp', filled('[', '{"jsonrpc":"2.0","id":1,"method":"tools/list"},', '{}]')),
  jsonInput('MCP: deeply nested', '/mcp', filled('', '[', '')),
  {
    name: 'OAuth form: many pairs',
    sentBy: 'anyone',
    path: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    make: filled('', 'a=1&', ''),
    max_bytes: formMax_bytes,
  },
  {
    name: 'Sign-in form: many pairs',
    sentBy: 'anyone',
    path: '/sign-in',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    make: filled('name=owner&password=', '%41', ''),
    max_bytes: formMax_bytes,
  },
  {
    name: 'OAuth registration: deeply nested',
    sentBy: 'anyone',
    path: '/oauth/register',
    headers: { 'content-type': 'application/json' },
    make: filled('', '[', ''),
    max_bytes: 16_000,
  },
  {
    name: 'A body for a path that takes none',
    sentBy: 'anyone',
    path: '/healthz',
    headers: { 'content-type': 'application/json' },
    make: filled('', '[', ''),
    max_bytes: otherMax_bytes,
  },
]

const areaInput = (name: string, geometry: BodyInput['make'] | { type: string; coordinates: unknown }): BodyInput =>
  jsonInput(
    `Area: ${name}`,
    '/v1/areas',
    typeof geometry === 'function'
      ? geometry
      : () => Buffer.from(JSON.stringify({ geometry, preset: 'place_context' })),
  )
const positions = (count: number, positionOf: (i: number) => [number, number]) =>
  Array.from({ length: count }, (_none, i) => positionOf(i))
const closed = (ring: [number, number][]) => [...ring, ring[0]!]
const west = -104.5
const south = 39

/** Every vertex is a sharp turn, with 250 vertices in its buffer. */
const zigzag = (count: number) => positions(count, (i) => [west + i * 0.00002, south + (i % 2) * 0.0002])
const areaBody = (name: string, body: object): BodyInput =>
  jsonInput(`Area: ${name}`, '/v1/areas', () => Buffer.from(JSON.stringify(body)))
const corridorOf = (count: number) => ({
  corridor: { line: { type: 'LineString', coordinates: zigzag(count) }, width_m: 5000 },
  fields: ['county'],
})
const star = (count: number) => {
  const pointOf = (i: number): [number, number] => {
    const [angle, radius] = [(i * 2 * Math.PI) / count, i % 2 === 0 ? 0.3 : 0.03]
    return [west + radius * Math.cos(angle), south + radius * Math.sin(angle)]
  }
  return { type: 'Polygon', coordinates: [closed(positions(count, pointOf))] }
}

/** Four positions for each thin tooth from west to east. */
const toothAt = (i: number): [number, number] => [
  i % 4 === 1 || i % 4 === 2 ? west + 9 : west + 0.001,
  south + (Math.floor(i / 4) + (i % 4 < 2 ? 0.4 : 0.42)) / 1000,
]

const areaInputs: BodyInput[] = [
  areaBody('a corridor with 2,000 sharp turns', corridorOf(2000)),
  areaBody('a corridor with 9,999 sharp turns', corridorOf(9999)),
  areaBody('the outline of a star of 9,998 positions', {
    geometry: star(9998),
    fields: ['county'],
    include: ['outline', 'geometry'],
  }),
  jsonInput('Run: 399 stars of 2,000 positions', '/v1/runs', () =>
    Buffer.from(
      JSON.stringify({
        kind: 'area_batch',
        request: { areas: Array.from({ length: 399 }, () => ({ geometry: star(2000) })), fields: ['county'] },
      }),
    ),
  ),
  areaInput('a comb of 10,000 positions', {
    type: 'Polygon',
    coordinates: [
      closed([
        ...positions(9997, (i) => [west + i / 7200, i % 2 === 0 ? south + 0.1 : south + 1.5]),
        [west + 1.4, south],
        [west, south],
      ]),
    ],
  }),
  areaBody('teeth of nine degrees and the nearest airport', {
    geometry: {
      type: 'Polygon',
      coordinates: [closed([...positions(9920, toothAt), [west, south + 2.5], [west, south]])],
    },
    fields: ['nearest_airport_distance_m', 'nearest_weather_station_distance_m', 'state'],
  }),
  areaInput('a star that crosses itself at each of 9,999 edges', {
    type: 'Polygon',
    coordinates: [
      closed(
        positions(9999, (i) => {
          const angle = (i * 4999 * 2 * Math.PI) / 9999
          return [west + 0.5 * Math.cos(angle), south + 0.5 * Math.sin(angle)]
        }),
      ),
    ],
  }),
  areaInput('2,000 squares', {
    type: 'MultiPolygon',
    coordinates: Array.from({ length: 2000 }, (_none, i) => {
      const [x, y] = [west + (i % 50) / 40, south + Math.floor(i / 50) / 40]
      return [closed(positions(4, (k) => [x + (k === 1 || k === 2 ? 0.02 : 0), y + (k > 1 ? 0.02 : 0)]))]
    }),
  }),
  areaInput('a line of 10,000 positions', {
    type: 'LineString',
    coordinates: positions(10_000, (i) => [west + i / 5000, south + (i % 2) / 1000]),
  }),
  areaInput(
    'more positions than are allowed',
    filled('{"fields":["county"],"geometry":{"type":"LineString","coordinates":[', '[-104,39],', '[-104,39]]}}'),
  ),
  areaInput('deeply nested', filled('{"geometry":{"type":"Polygon","coordinates":', '[', '')),
]

const blankAddress = filled('{"fields":["county"],"address":"a', ' ', '\\nb"}')
const textInputs: BodyInput[] = [
  jsonInput('Fetch: an address of 1 MB of blanks', '/v1/fetch', blankAddress),
  { ...jsonInput('Fetch: an address of 30 kB of blanks', '/v1/fetch', blankAddress), max_bytes: 30_000 },
]

const functionInputs: BodyInput[] = [['snowflake', 'data'] as const, ['bigquery', 'calls'] as const].map(
  ([engine, member]) =>
    jsonInput(`Function of ${engine}: 5,000 rows`, `/v1/functions/${engine}?preset=place_context`, () => {
      const rows = positions(5000, (i) => [39 + i / 5000, -105])
      const numbered = engine === 'snowflake' ? rows.map((row, i) => [i, ...row]) : rows
      return Buffer.from(JSON.stringify({ [member]: numbered }))
    }),
)

/** Every body that a stranger or a user can send. */
export const bodyInputs: readonly BodyInput[] = [
  ...csvInputs,
  ...workbookInputs,
  ...runInputs,
  ...areaInputs,
  ...textInputs,
  ...functionInputs,
  ...otherInputs,
]
