import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ApiError, ValidationError, type Violation } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { violationsOf } from './violations.ts'

export const bodyMax_bytes = 1_048_576
/** The limit of a run submission, JSON or CSV. */
export const runBodyMax_bytes = 33_554_432
const depthMax = 32
const pieceMin_bytes = 65_536

/** Checks that a JSON Schema cannot express. They run only on bodies that are objects. */
export type BodyRule = (body: Record<string, unknown>) => Violation[]

/** Returns a reader of JSON bodies of a schema. It throws a ValidationError with all violations at once. */
export function createBodyReader<S extends TSchema>(
  schema: S,
  rules: BodyRule,
  max_bytes = bodyMax_bytes,
): (request: Request) => Promise<Static<S>> {
  const parse = createBodyParser(schema, rules)
  return async (request) => {
    requireJsonBody(request)
    return parse(await readBody(request, max_bytes))
  }
}

/** Returns the same check for bytes that are already received. */
export function createBodyParser<S extends TSchema>(schema: S, rules: BodyRule): (bytes: Uint8Array) => Static<S> {
  const validator = TypeCompiler.Compile(schema)
  return (bytes) => {
    const body = parseJson(decodeUtf8(bytes))
    const ruleViolations = isRecord(body) ? rules(body) : []
    if (ruleViolations.length === 0 && validator.Check(body)) return body
    throw new ValidationError(violationsOf(validator, body, ruleViolations))
  }
}

/** Rejects a body by its Content-Length, and a request with two lengths. */
export function requireSmallBody({ headers }: Request, max_bytes: number): void {
  const length = headers.get('content-length') ?? '0'
  // Bun accepts two equal lengths, but a proxy in front may have read them differently (request smuggling).
  if (length.includes(',')) throw new ApiError('bad_request', 'The request has more than one Content-Length header.')
  if (Number(length) > max_bytes) throw bodyTooLarge(max_bytes)
}

/**
 * Yields the bytes of a body up to the limit. Small chunks are joined, so that a sender of single bytes costs no more
 * memory or time than others.
 */
export async function* bodyChunks({ body }: Request, max_bytes: number): AsyncGenerator<Uint8Array> {
  const joined = new Uint8Array(pieceMin_bytes)
  let used = 0
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > max_bytes) throw bodyTooLarge(max_bytes)
    if (used > 0 && used + chunk.length > joined.length) {
      yield joined.slice(0, used)
      used = 0
    }
    if (chunk.length > joined.length) yield chunk
    else {
      joined.set(chunk, used)
      used += chunk.length
    }
  }
  if (used > 0) yield joined.slice(0, used)
}

/** Returns all bytes of a body, up to the limit. */
export async function readBody(request: Request, max_bytes: number): Promise<Uint8Array> {
  return request.headers.has('content-length')
    ? request.bytes()
    : Buffer.concat(await Array.fromAsync(bodyChunks(request, max_bytes)))
}

/** Returns the media type of a body in lower case, without parameters; '' when there is none. */
export function mediaTypeOf({ headers }: Request): string {
  return headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() ?? ''
}

/** Rejects a compressed body. */
export function requireUncompressedBody({ headers }: Request): void {
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (encoding !== 'identity')
    throw new ApiError(
      'unsupported_media_type',
      `Unsupported Content-Encoding ${JSON.stringify(encoding)}. Send the body uncompressed.`,
    )
}

/** Rejects a body that is not JSON or is compressed. */
export function requireJsonBody(request: Request): void {
  const type = mediaTypeOf(request)
  if (type !== 'application/json' && !/^application\/[a-z0-9.+-]{1,64}\+json$/.test(type)) {
    throw new ApiError(
      'unsupported_media_type',
      `${type === '' ? 'Missing Content-Type' : `Unsupported Content-Type ${JSON.stringify(type)}`}. Send Content-Type: application/json.`,
    )
  }
  requireUncompressedBody(request)
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8Decoder.decode(bytes)
  } catch {
    throw new ValidationError([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not UTF-8.', input: null }])
  }
}

/** Throws on invalid UTF-8. Searching the text for U+FFFD would also reject bodies that contain that character. */
const utf8Decoder = new TextDecoder('utf-8', { fatal: true })

function parseJson(text: string): unknown {
  if (isTooDeep(text))
    throw new ValidationError([
      {
        type: 'json_invalid',
        loc: ['body'],
        msg: `The JSON is nested more than ${depthMax} levels deep.`,
        input: null,
      },
    ])
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ValidationError([
      {
        type: 'json_invalid',
        loc: ['body'],
        msg: `The body is not valid JSON: ${(error as Error).message}.`,
        input: null,
      },
    ])
  }
}

/** Measures the nesting before parsing. A deeply nested text would block the parser for half a second. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (inString) {
      if (code === 92) i++
      else if (code === 34) inString = false
    } else if (code === 34) inString = true
    else if (code === 91 || code === 123) {
      if (++depth > depthMax) return true
    } else if (code === 93 || code === 125) depth--
  }
  return false
}

function bodyTooLarge(max_bytes: number): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${max_bytes} bytes.`, { max_bytes })
}
