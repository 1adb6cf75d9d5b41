import { createIncrementalTask, createYieldToEventLoop } from '../async/incremental-task.ts'
import { readJson } from '../async/read-json.ts'
import { UpstreamError, ValidationError } from '../model/error.ts'
import type { Reply } from './call.ts'
import { parseJson } from '../model/record.ts'

/** JSON.parse accepts a million levels, but recursive code that walks the value would overflow the stack. */
const depthMax = 200

/**
 * A larger JSON text is parsed in steps: 8 MB at once would take up to 400 ms. The answer about one place or address is
 * smaller.
 */
export const smallJsonMax_bytes = 1_048_576
/** A chunk is decoded at once. */
const chunk_bytes = 65_536
/** An empty list or object takes 3 bytes of a text, and 80 bytes of memory. 16 MB of coordinates have 700,000 lists. */
const containersMax = 1_500_000
const slice_ms = 5
/** A page is recognized by its beginning. */
const head_bytes = 1024

/**
 * Parses the body as JSON. A large one is parsed in steps, and other requests are answered between them.
 * @throws {UpstreamError} `bad_response` as `parseJsonBody`, or `too_large`.
 */
export async function readJsonBody(reply: Reply, host: string): Promise<unknown> {
  const { bytes, status } = reply
  if (bytes.length <= smallJsonMax_bytes) return parseJsonBody(reply, host)
  const head = decodeTextBody({ ...reply, bytes: bytes.subarray(0, head_bytes) })
  if (isPage(reply, head)) throw pageError(status, host)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk_bytes) }, (_none, i) =>
    bytes.subarray(i * chunk_bytes, (i + 1) * chunk_bytes),
  )
  let containers = 0
  const onRead = (chunk: Uint8Array) => {
    containers += countOpenings(chunk)
    if (containers <= containersMax) return
    const limit = `more than ${containersMax} lists and objects`
    throw new UpstreamError('too_large', `${host} returned JSON with ${limit}, which would take too much memory.`)
  }
  const steps = () =>
    readJson(chunks, null, { depthMax, stringMax_characters: Infinity, isUtf8Required: false, onRead })
  try {
    return await createIncrementalTask(steps, createYieldToEventLoop(slice_ms)).run()
  } catch (cause) {
    if (!(cause instanceof ValidationError)) throw cause
    throw invalidJsonError(reply, host, cause)
  }
}

/** Parses the body as JSON. Throws `bad_response` for HTML or XML, an empty body, deep nesting and invalid JSON. */
export function parseJsonBody(reply: Reply, host: string): unknown {
  const text = decodeTextBody(reply)
  if (text.trim() === '')
    throw new UpstreamError(
      'bad_response',
      `${host} returned status ${reply.status} with an empty body. Expected JSON.`,
    )
  if (isPage(reply, text)) throw pageError(reply.status, host)
  if (jsonDepthOf(reply.bytes) > depthMax)
    throw new UpstreamError(
      'bad_response',
      `${host} returned status ${reply.status} with JSON nested deeper than ${depthMax} levels.`,
    )
  return parseJson(text, (error) => invalidJsonError(reply, host, error))
}

/** Counts the characters that begin a list or an object, also those in strings. */
function countOpenings(bytes: Uint8Array): number {
  let count = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === openingBracket || bytes[i] === openingBrace) count++
  return count
}

function pageError(status: number, host: string): UpstreamError {
  return new UpstreamError('bad_response', `${host} returned status ${status} with HTML or XML. Expected JSON.`)
}

function invalidJsonError({ status, bytes }: Reply, host: string, cause: unknown): UpstreamError {
  const size = `${bytes.byteLength} bytes of invalid JSON`
  return new UpstreamError('bad_response', `${host} returned status ${status} with ${size}.`, { cause })
}

/** Decodes the body as text, without a byte order mark. Invalid bytes become U+FFFD. */
export function decodeTextBody({ bytes }: Reply, encoding = 'utf-8'): string {
  // Bun's types list three encodings, but Bun supports all encodings of the standard.
  return new TextDecoder(encoding as Bun.Encoding).decode(bytes)
}

function isPage({ headers }: Reply, text: string): boolean {
  return /\bhtml\b/i.test(headers.get('content-type') ?? '') || text.trimStart().startsWith('<')
}

/**
 * The nesting depth of a JSON text. Scanning bytes is safe: non-ASCII UTF-8 bytes never equal these ASCII characters.
 */
export function jsonDepthOf(bytes: Uint8Array): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]
    if (isInString && byte === backslash) i++
    else if (byte === quote) isInString = !isInString
    else if (isInString) continue
    else if (byte === openingBracket || byte === openingBrace) deepest = Math.max(deepest, ++depth)
    else if (byte === closingBracket || byte === closingBrace) depth--
  }
  return deepest
}

const [quote, backslash, openingBracket, closingBracket, openingBrace, closingBrace] = Buffer.from('"\\[]{}')
