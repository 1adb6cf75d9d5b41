import type { Static, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { ApiError, ShapeError, type Violation } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { violationsOf } from './violations.ts'

export const bodyMax_bytes = 1_048_576
const depthMax = 32

/** What a JSON Schema cannot say of a body; told only of bodies that are objects. */
export type Rule = (body: Record<string, unknown>) => Violation[]

/** A reader of one kind of body: JSON of this schema, or an error with every violation at once. */
export function bodyOf<S extends TSchema>(schema: S, rules: Rule): (request: Request) => Promise<Static<S>> {
  const checked = TypeCompiler.Compile(schema)
  return async (request) => {
    const body = parsed(await textOf(request))
    const broken = isRecord(body) ? rules(body) : []
    if (broken.length === 0 && checked.Check(body)) return body
    throw new ShapeError(violationsOf(checked, body, broken))
  }
}

/** Refuses by its Content-Length what need not be read. */
export function mustBeSmall({ headers }: Request): void {
  if (Number(headers.get('content-length') ?? 0) > bodyMax_bytes) throw tooLarge()
}

function mustBeJson({ headers }: Request): void {
  const type = headers.get('content-type')?.split(';')[0]!.trim().toLowerCase() ?? ''
  const encoding = headers.get('content-encoding')?.toLowerCase() ?? 'identity'
  if (type !== 'application/json' && !/^application\/[a-z0-9.+-]{1,64}\+json$/.test(type)) {
    throw new ApiError('unsupported_media_type', `The body is ${type === '' ? 'of no stated type' : JSON.stringify(type)}: send Content-Type: application/json.`)
  }
  if (encoding !== 'identity') throw new ApiError('unsupported_media_type', `Content-Encoding ${JSON.stringify(encoding)} is not read: send the body as it is.`)
}

async function textOf(request: Request): Promise<string> {
  mustBeJson(request)
  const bytes = request.headers.has('content-length') ? await request.bytes() : await streamed(request)
  try {
    return utf8.decode(bytes)
  } catch {
    throw new ShapeError([{ type: 'json_invalid', loc: ['body'], msg: 'The body is not UTF-8.', input: null }])
  }
}

/** Throws at bytes that are no UTF-8; to look for U+FFFD in the text would refuse those who sent one. */
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** A body of unknown length, read up to the limit and no further. */
async function streamed({ body }: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bodyMax_bytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsed(text: string): unknown {
  if (isDeep(text)) throw new ShapeError([{ type: 'json_invalid', loc: ['body'], msg: `The JSON is nested deeper than ${depthMax} levels.`, input: null }])
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new ShapeError([{ type: 'json_invalid', loc: ['body'], msg: `The body is not JSON: ${(error as Error).message}.`, input: null }])
  }
}

/** Counts brackets before the parser meets them: a deep text would hold it up for half a second. */
function isDeep(text: string): boolean {
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

function tooLarge(): ApiError {
  return new ApiError('body_too_large', `The body is larger than ${bodyMax_bytes} bytes.`, { max_bytes: bodyMax_bytes })
}
