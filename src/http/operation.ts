import { Type, type TSchema } from '@sinclair/typebox'
import type { Scope } from '../auth/accounts.ts'
import { apiCodes, type ApiCode } from '../model/error.ts'

/** What an endpoint says of itself; written beside the route, and all that the OpenAPI document is made of. */
type Description = {
  tag: string
  summary: string
  description: string
  /** The scope a token needs, `any` when every token will do; null for an open endpoint. */
  scope: Scope | 'any' | null
  body?: TSchema
  /** Requests that work as they stand. */
  examples?: Record<string, unknown>
  answers: Record<number, TSchema | null>
  /** Media types other than JSON, by status. */
  media?: Record<number, string>
  headers?: Record<string, string>
  /** What stands in the path, and in the query. */
  path?: Record<string, string>
  query?: Record<string, string>
  /** Media types of the body other than JSON. */
  bodies?: Record<string, TSchema>
  refusals?: ApiCode[]
}

const everywhere: ApiCode[] = ['host_not_allowed', 'bad_request', 'body_too_large', 'method_not_allowed', 'internal_error']
const withToken: ApiCode[] = ['token_missing', 'token_invalid', 'token_expired', 'token_revoked', 'insufficient_scope', 'origin_not_allowed', 'rate_limited', 'quota_exceeded']
const withBody: ApiCode[] = ['unsupported_media_type']

/** The OpenAPI operations of some routes, by method and path: `POST /v1/fetch`. */
export type Operations = Record<string, ReturnType<typeof operation>>

/** The OpenAPI operation of an endpoint, with every status it can answer. */
export function operation(it: Description) {
  const refusals = [...(it.refusals ?? []), ...everywhere, ...(it.scope ? withToken : []), ...(it.body ? withBody : [])]
  return {
    tags: [it.tag],
    summary: it.summary,
    description: it.description,
    ...(it.scope ? { security: [{ bearer: it.scope === 'any' ? [] : [it.scope] }] } : { security: [] }),
    ...(it.headers || it.path || it.query ? { parameters: [...parameters('path', it.path), ...parameters('query', it.query), ...parameters('header', it.headers)] } : {}),
    ...(it.body ? { requestBody: { required: true, content: { 'application/json': { schema: it.body, ...examplesOf(it.examples) }, ...mediaOf(it.bodies) } } } : {}),
    responses: { ...answersOf(it), ...(it.body || it.query ? { 422: { description: 'The request has the wrong form: every violation at once.', content: json(ShapeRefusal) } } : {}), ...refusalsOf(refusals) },
  }
}

const Detail = Type.Object({
  error: Type.String({ description: 'The code, for machines.' }),
  message: Type.String({ description: 'What was got, what was expected, what to do.' }),
  retryable: Type.Boolean({ description: 'Whether the same request may succeed later; Retry-After says when.' }),
}, { additionalProperties: true, description: 'Further members depend on the code.' })
const Refusal = Type.Object({ detail: Detail })
export const EntryError = Detail

const ShapeRefusal = Type.Object({
  detail: Type.Array(
    Type.Object({
      type: Type.String({ description: 'The kind of violation, by the names of Pydantic v2.' }),
      loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] })),
      msg: Type.String(),
      input: Type.Unknown(),
    }),
    { minItems: 1 },
  ),
})

function answersOf({ answers, media = {} }: Description) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => {
      const type = media[Number(status)] ?? 'application/json'
      return [status, { description: answerWords[status] ?? 'The answer.', ...(schema ? { content: { [type]: { schema } } } : {}) }]
    }),
  )
}

function parameters(where: string, names: Record<string, string> = {}) {
  return Object.entries(names).map(([name, description]) => ({ name, in: where, required: where === 'path', description, schema: { type: 'string' } }))
}

function mediaOf(bodies: Record<string, TSchema> = {}) {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]))
}

const answerWords: Record<string, string> = { 200: 'The answer.', 201: 'Made.', 202: 'Taken in.', 204: 'Nothing more.', 206: 'A part of it.', 304: 'Nothing has changed since the ETag that was sent.', 503: 'The service itself cannot work.' }

function refusalsOf(codes: ApiCode[]) {
  const byStatus = new Map<number, ApiCode[]>()
  for (const code of codes) byStatus.set(apiCodes[code].status, [...(byStatus.get(apiCodes[code].status) ?? []), code])
  return Object.fromEntries([...byStatus].map(([status, names]) => [status, { description: `\`${names.join('`, `')}\``, content: json(Refusal) }]))
}

function examplesOf(examples: Record<string, unknown> | undefined) {
  return examples ? { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) } : {}
}

function json(schema: TSchema) {
  return { 'application/json': { schema } }
}
