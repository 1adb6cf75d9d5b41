import { UpstreamError } from '../model/error.ts'
import type { Reply } from './call.ts'

/** The parser itself goes a million levels down, and whoever walks through the value afterwards breaks. */
const depthMax = 200

/** The body as JSON. Throws `bad_response` for HTML, an empty body and what does not parse. */
export function parseJsonBody(reply: Reply, host: string): unknown {
  const text = decodeTextBody(reply)
  if (text.trim() === '')
    throw new UpstreamError(
      'bad_response',
      `${host} answered ${reply.status} with an empty body where JSON was expected.`,
    )
  if (isPage(reply, text))
    throw new UpstreamError(
      'bad_response',
      `${host} answered ${reply.status} with a page of HTML or XML where JSON was expected.`,
    )
  if (depthOf(reply.bytes) > depthMax)
    throw new UpstreamError(
      'bad_response',
      `${host} answered ${reply.status} with JSON that is nested more than ${depthMax} levels deep.`,
    )
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UpstreamError(
      'bad_response',
      `${host} answered ${reply.status} with ${reply.bytes.byteLength} bytes that are no whole JSON.`,
      { cause: error },
    )
  }
}

/** The body as text, without a byte order mark. What is not in the encoding becomes U+FFFD. */
export function decodeTextBody({ bytes }: Reply, encoding = 'utf-8'): string {
  // Bun's types name three encodings, and it reads all that the standard has.
  return new TextDecoder(encoding as Bun.Encoding).decode(bytes)
}

function isPage({ headers }: Reply, text: string): boolean {
  return /\bhtml\b/i.test(headers.get('content-type') ?? '') || text.trimStart().startsWith('<')
}

/** How many levels of lists and objects a text of JSON has; no byte of UTF-8 beyond ASCII looks like one of these. */
function depthOf(bytes: Uint8Array): number {
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
