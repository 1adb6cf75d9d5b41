import { UpstreamError } from '../model/error.ts'
import type { Reply } from './call.ts'

/** JSON.parse accepts a million levels, but recursive code that walks the value would overflow the stack. */
const depthMax = 200

/** Parses the body as JSON. Throws `bad_response` for HTML or XML, an empty body, deep nesting and invalid JSON. */
export function parseJsonBody(reply: Reply, host: string): unknown {
  const text = decodeTextBody(reply)
  if (text.trim() === '')
    throw new UpstreamError(
      'bad_response',
      `${host} returned status ${reply.status} with an empty body. Expected JSON.`,
    )
  if (isPage(reply, text))
    throw new UpstreamError('bad_response', `${host} returned status ${reply.status} with HTML or XML. Expected JSON.`)
  if (jsonDepthOf(reply.bytes) > depthMax)
    throw new UpstreamError(
      'bad_response',
      `${host} returned status ${reply.status} with JSON nested deeper than ${depthMax} levels.`,
    )
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UpstreamError(
      'bad_response',
      `${host} returned status ${reply.status} with ${reply.bytes.byteLength} bytes of invalid JSON.`,
      { cause: error },
    )
  }
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
