import { isRecord } from '../../src/model/record.ts'

/** Changes a JSON document or a text of a right answer. */
type Distort = { document: (document: unknown) => unknown; text: (text: string) => string }

const unchanged = (text: string) => text
const half = (text: string) => text.slice(0, Math.floor(text.length / 2))

/** What a publisher or a proxy can do to a right answer. */
export const distortions: Record<string, Distort> = {
  'every member is renamed': {
    document: (document) => withNames(document, (name) => `${name}_2`),
    text: (text) => text.replace(/[A-Za-z_]{3,}/g, (word) => `${word}_2`),
  },
  'numbers are text': {
    document: (document) => withLeaves(document, (leaf) => (typeof leaf === 'number' ? String(leaf) : leaf)),
    text: unchanged,
  },
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
    [-9999, -99_999, -32_768, 3.4028234663852886e38, 1e20].map((sentinel) => [
      `numbers of records are ${sentinel}`,
      { document: (document: unknown) => withAttributes(document, numberAs(sentinel)), text: unchanged },
    ]),
  ),
  ...Object.fromEntries(
    ['<Null>', 'N/A', 'null'].map((word) => [
      `texts of records are ${word}`,
      {
        document: (document: unknown) => withAttributes(document, (leaf) => (typeof leaf === 'string' ? word : leaf)),
        text: unchanged,
      },
    ]),
  ),
  ...Object.fromEntries(
    ['1970-01-01T00:00:00Z', '2099-01-01T00:00:00Z'].map((time) => [
      `times of records are ${time}`,
      {
        document: (document: unknown) =>
          withAttributes(document, (leaf) =>
            typeof leaf === 'string' && /^(19|20)\d\d-\d\d/.test(leaf) ? time : leaf,
          ),
        text: unchanged,
      },
    ]),
  ),
  'features are 10 degrees east': {
    document: (document) => withPositions(document, (x, y) => [x + 10, y]),
    text: unchanged,
  },
  'features are at 0, 0': { document: (document) => withPositions(document, () => [0, 0]), text: unchanged },
  'latitude and longitude are swapped': {
    document: (document) => withPositions(document, (x, y) => [y, x]),
    text: unchanged,
  },
  'features are listed twice': { document: withFeaturesTwice, text: unchanged },
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

/** Identifiers and coordinates stay: another number there is another record. */
function numberAs(sentinel: number): (leaf: unknown, name: string) => unknown {
  return (leaf, name) => (typeof leaf === 'number' && !/id$|fid|count|wkid|code/i.test(name) ? sentinel : leaf)
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

type Move = (x: number, y: number) => [number, number]

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

function movedPoint(x: number, y: number, move: Move): { x: number; y: number } {
  const [movedX, movedY] = move(x, y)
  return { x: movedX, y: movedY }
}

function movedPositions(value: unknown, move: Move): unknown {
  if (!Array.isArray(value)) return value
  const [x, y] = value as unknown[]
  return typeof x === 'number' && typeof y === 'number' ? move(x, y) : value.map((item) => movedPositions(item, move))
}

function withFeaturesTwice(document: unknown): unknown {
  return isRecord(document) && Array.isArray(document.features)
    ? { ...document, features: [...document.features, ...document.features] }
    : document
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
