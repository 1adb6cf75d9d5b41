import { isRecord } from '../../src/model/record.ts'

/** Changes a JSON document or a text of a right answer. */
type Distort = { document: (document: unknown) => unknown; text: (text: string) => string }

const unchanged = (text: string) => text
const half = (text: string) => text.slice(0, Math.floor(text.length / 2))

/** A change of a right answer whose texts stay as they are. */
const inDocument = (document: Distort['document']): Distort => ({ document, text: unchanged })
const inNumbers = (change: (value: number) => unknown): Distort =>
  inDocument((document) => withAttributes(document, numberAs(change)))
const inTexts = (change: (value: string) => unknown): Distort =>
  inDocument((document) =>
    withAttributes(document, (leaf) => (typeof leaf === 'string' && !isTime(leaf) ? change(leaf) : leaf)),
  )
const inTimes = (text: string, epoch: (epoch_ms: number) => number): Distort =>
  inDocument((document) =>
    withAttributes(document, (leaf) => (isTime(leaf) ? text : isEpoch(leaf) ? epoch(leaf) : leaf)),
  )
const inPositions = (move: Move): Distort => inDocument((document) => withPositions(document, move))

const isTime = (leaf: unknown) => typeof leaf === 'string' && /^(19|20)\d\d-\d\d/.test(leaf)
const isEpoch = (leaf: unknown): leaf is number => typeof leaf === 'number' && leaf > 5e11 && leaf < 4e12

const sentinels = [-9999, -99_999, -32_768, -999, -9999.9, -1e30, 1e20, 3.4028234663852886e38, 2_147_483_647]
const noNumbers = [...sentinels, 255, 999, 65_535, 5e-324, -1e-40, 'NaN', 'Infinity', '-inf', true, '']
const errorTexts = [
  '<b>Error</b>',
  'ERROR: relation "zones" does not exist',
  'ORA-01017: invalid username/password; logon denied',
  'Error performing query operation',
  'Unable to complete operation.',
  'java.lang.NullPointerException',
  'Internal Server Error',
  'The service is temporarily unavailable.',
  'Connection timed out',
]

/** What a publisher or a proxy can do to a right answer. */
export const distortions: Record<string, Distort> = {
  'every member is renamed': {
    document: (document) => withNames(document, (name) => `${name}_2`),
    text: (text) => text.replace(/[A-Za-z_]{3,}/g, (word) => `${word}_2`),
  },
  'numbers are text': inDocument((document) =>
    withLeaves(document, (leaf) => (typeof leaf === 'number' ? String(leaf) : leaf)),
  ),
  'numbers are words': {
    document: (document) => withLeaves(document, (leaf) => (typeof leaf === 'number' ? 'many' : leaf)),
    text: (text) => text.replace(/\d+/g, 'many'),
  },
  'every object is wrapped': { document: (document) => ({ payload: document }), text: (text) => `payload:\n${text}` },
  'an error stands beside the answer': {
    document: (document) =>
      isRecord(document) ? { ...document, error: { code: 500, message: 'Failed' } } : { error: 'Failed' },
    text: half,
  },
  'lists are objects': { document: listsAsObjects, text: half },
  ...Object.fromEntries(
    noNumbers.map((sentinel) => [`numbers of records are ${JSON.stringify(sentinel)}`, inNumbers(() => sentinel)]),
  ),
  'numbers of records are times 1,000': inNumbers((value) => (isEpoch(value) ? value : value * 1000)),
  'numbers of records are negative': inNumbers((value) => (isEpoch(value) ? value : -Math.abs(value))),
  'numbers of records have commas': inNumbers((value) => value.toLocaleString('en-US')),
  ...Object.fromEntries(
    ['<Null>', 'N/A', 'null', 'NaN', '', ' ', 'ZZ9', ...errorTexts, '--', '\ufffd\u0000', 42, false].map((word) => [
      `texts of records are ${JSON.stringify(word)}`,
      inTexts(() => word),
    ]),
  ),
  'attributes of records are null': inDocument((document) => withAttributes(document, () => null)),
  'times of records are 1970': inTimes('1970-01-01T00:00:00Z', () => 0),
  'times of records are 1969': inTimes('1969-12-31T19:00:00Z', () => -18_000_000),
  'times of records are 2099': inTimes('2099-01-01T00:00:00Z', () => 4_070_908_800_000),
  'times of records are seconds': inTimes('1762000000', (epoch_ms) => Math.round(epoch_ms / 1000)),
  'times of records are no times': inTimes('0000-00-00', () => Number.MAX_SAFE_INTEGER),
  'features are 10 degrees east': inPositions((x, y) => [x + 10, y]),
  'features are 5 degrees south': inPositions((x, y) => [x, y - 5]),
  'features are at 0, 0': inPositions(() => [0, 0]),
  'latitude and longitude are swapped': inPositions((x, y) => [y, x]),
  'features are in meters': inPositions((x, y) => [x * 111_319.49, y * 111_319.49]),
  'coordinates are text': inPositions((x, y) => [`${x}`, `${y}`]),
  'coordinates are null': inPositions(() => [null, null]),
  'geometries are null': inDocument((document) => withGeometries(document, () => null)),
  'geometries are empty': inDocument((document) => withGeometries(document, emptied)),
  'geometries are missing': inDocument((document) => withGeometries(document, () => undefined)),
  'features are listed backward': inDocument((document) => withFeatures(document, (features) => features.toReversed())),
  'values of records are lists': inDocument((document) => withAttributes(document, (leaf) => [leaf])),
  'values of records are objects': inDocument((document) => withAttributes(document, (leaf) => ({ value: leaf }))),
  'features are listed twice': inDocument(withFeaturesTwice),
  'half of the features, and more could be listed': inDocument(withMoreToList),
  'more features are counted than listed': inDocument(withGreaterCount),
  'features are null': inDocument((document) => withFeatures(document, (features) => features.map(() => null))),
  'features have the attributes of another layer': inDocument((document) =>
    withFeatures(document, (features) => features.map(asOfAnotherLayer)),
  ),
  'features are of California': inDocument((document) =>
    withAttributes(document, (leaf, name) =>
      typeof leaf === 'string' && /state|fips|geoid|^st$/i.test(name)
        ? leaf.replace(/^\d\d/, '06').replace(/^[A-Z]{2}$/, 'CA')
        : leaf,
    ),
  ),
  'counts are fractions': inDocument((document) => withCounts(document, 2.5)),
  'counts are negative': inDocument((document) => withCounts(document, -3)),
  'counts are a billion': inDocument((document) => withCounts(document, 1e9)),
}

/** A server that passes every request on to another one and distorts what it answers. */
export function openDistorter(origin: string, distort: Distort): { url: string; close(): void } {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const body = request.method === 'POST' ? await request.arrayBuffer() : undefined
      const headers = new Headers(request.headers)
      headers.set('accept-encoding', 'identity')
      const answer = await fetch(origin + pathname + search, {
        method: request.method,
        headers,
        redirect: 'manual',
        ...(body && { body }),
      })
      return distorted(answer, distort)
    },
  })
  return { url: server.url.href.replace(/\/$/, ''), close: () => void server.stop(true) }
}

async function distorted(answer: Response, { document, text }: Distort): Promise<Response> {
  const { status } = answer
  const type = answer.headers.get('content-type') ?? ''
  const bytes = await answer.arrayBuffer()
  if (status !== 200 || /zip|spreadsheet|tiff|octet/.test(type) || isBinary(bytes))
    return new Response(bytes, { status, headers: headersOf(answer) })
  const body = new TextDecoder().decode(bytes)
  const parsed = parseJson(body)
  const changed = parsed === undefined ? text(body) : JSON.stringify(document(parsed))
  return new Response(changed, { status, headers: { 'content-type': type } })
}

function headersOf({ headers }: Response): Record<string, string> {
  const kept = ['content-type', 'content-range', 'etag', 'last-modified', 'location']
  return Object.fromEntries(kept.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])))
}

function isBinary(bytes: ArrayBuffer): boolean {
  return new Uint8Array(bytes).subarray(0, 512).includes(0)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function withNames(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => withNames(item, rename))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), withNames(member, rename)]))
}

/** Identifiers stay: another number there is another record. */
function numberAs(change: (value: number) => unknown): (leaf: unknown, name: string) => unknown {
  return (leaf, name) => (typeof leaf === 'number' && !/id$|fid|count|wkid|code/i.test(name) ? change(leaf) : leaf)
}

/** Changes the leaves of the attributes of features. */
function withAttributes(value: unknown, change: (leaf: unknown, name: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withAttributes(item, change))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      (name === 'attributes' || name === 'properties') && isRecord(member)
        ? Object.fromEntries(Object.entries(member).map(([key, leaf]) => [key, change(leaf, key)]))
        : withAttributes(member, change),
    ]),
  )
}

type Move = (x: number, y: number) => [unknown, unknown]

/** Moves the geometries of features. */
function withPositions(value: unknown, move: Move): unknown {
  if (Array.isArray(value)) return value.map((item) => withPositions(item, move))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      ['coordinates', 'rings', 'paths', 'points'].includes(name)
        ? movedPositions(member, move)
        : name === 'geometry' && isRecord(member) && typeof member.x === 'number' && typeof member.y === 'number'
          ? movedPoint(member.x, member.y, move)
          : withPositions(member, move),
    ]),
  )
}

function movedPoint(x: number, y: number, move: Move): { x: unknown; y: unknown } {
  const [movedX, movedY] = move(x, y)
  return { x: movedX, y: movedY }
}

function movedPositions(value: unknown, move: Move): unknown {
  if (!Array.isArray(value)) return value
  const [x, y] = value as unknown[]
  return typeof x === 'number' && typeof y === 'number' ? move(x, y) : value.map((item) => movedPositions(item, move))
}

function withGeometries(document: unknown, change: (geometry: unknown) => unknown): unknown {
  return withFeatures(document, (features) =>
    features.map((feature) =>
      isRecord(feature) && 'geometry' in feature ? { ...feature, geometry: change(feature.geometry) } : feature,
    ),
  )
}

/** A geometry of the same type without positions. */
function emptied(geometry: unknown): unknown {
  if (!isRecord(geometry)) return geometry
  return Object.fromEntries(
    Object.entries(geometry).map(([name, member]) => [
      name,
      Array.isArray(member) ? [] : name === 'type' ? member : 'NaN',
    ]),
  )
}

/** Changes the list of features. */
function withFeatures(document: unknown, change: (features: unknown[]) => unknown[]): unknown {
  return isRecord(document) && Array.isArray(document.features)
    ? { ...document, features: change(document.features) }
    : document
}

function withFeaturesTwice(document: unknown): unknown {
  return withFeatures(document, (features) => [...features, ...features])
}

function withMoreToList(document: unknown): unknown {
  const halved = withFeatures(document, (features) => features.slice(0, Math.floor(features.length / 2)))
  return isRecord(halved) && 'features' in halved ? { ...halved, exceededTransferLimit: true } : halved
}

function withGreaterCount(document: unknown): unknown {
  return isRecord(document) && document.type === 'FeatureCollection'
    ? { ...document, features: [], numberMatched: 5 }
    : document
}

function asOfAnotherLayer(feature: unknown): unknown {
  if (!isRecord(feature)) return feature
  const member = 'attributes' in feature ? 'attributes' : 'properties'
  return { ...feature, [member]: { OBJECTID: 1, NAME: 'Another layer', Shape_Area: 12.5 } }
}

function withCounts(value: unknown, count: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withCounts(item, count))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'number' && /count|total/i.test(name) ? count : withCounts(member, count),
    ]),
  )
}

function withLeaves(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withLeaves(item, change))
  if (!isRecord(value)) return change(value)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withLeaves(member, change)]))
}

function listsAsObjects(value: unknown): unknown {
  if (Array.isArray(value)) return Object.fromEntries(value.map((item, i) => [String(i), listsAsObjects(item)]))
  if (!isRecord(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, listsAsObjects(member)]))
}
