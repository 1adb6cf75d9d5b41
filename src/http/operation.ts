import { Type, type TSchema } from '@sinclair/typebox'
import type { Scope } from '../auth/accounts.ts'
import { apiCodes, type ApiCode } from '../model/error.ts'

/** What an endpoint says of itself; written beside the route, and all that the OpenAPI document is made of. */
type Endpoint = {
  tag: string
  summary: string
  description: string
  /** The scope a token needs, `any` when every token will do; null for an open endpoint. */
  scope: Scope | 'any' | null
  body?: TSchema
  /** Requests that work as they stand. */
  examples?: Record<string, unknown>
  responses: Record<number, TSchema | null>
  /** Media types other than JSON, by status. */
  media?: Record<number, string>
  headers?: Record<string, string>
  /** What stands in the path, and in the query. */
  path?: Record<string, string>
  query?: Record<string, string>
  /** Media types of the body other than JSON. */
  otherBodies?: Record<string, TSchema>
  errorCodes?: ApiCode[]
}

const commonErrorCodes: ApiCode[] = [
  'host_not_allowed',
  'bad_request',
  'body_too_large',
  'method_not_allowed',
  'internal_error',
]
const tokenErrorCodes: ApiCode[] = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'token_revoked',
  'insufficient_scope',
  'origin_not_allowed',
  'rate_limited',
  'quota_exceeded',
]
const bodyErrorCodes: ApiCode[] = ['unsupported_media_type']

/** The OpenAPI operations of some routes, by method and path: `POST /v1/fetch`. */
export type Operations = Record<string, ReturnType<typeof defineOperation>>

/** The OpenAPI operation of an endpoint, with every status it can answer. */
export function defineOperation(endpoint: Endpoint) {
  const codes = [
    ...(endpoint.errorCodes ?? []),
    ...commonErrorCodes,
    ...(endpoint.scope ? tokenErrorCodes : []),
    ...(endpoint.body ? bodyErrorCodes : []),
  ]
  return {
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(endpoint.scope
      ? { security: [{ bearer: endpoint.scope === 'any' ? [] : [endpoint.scope] }] }
      : { security: [] }),
    ...(endpoint.headers || endpoint.path || endpoint.query
      ? {
          parameters: [
            ...parametersIn('path', endpoint.path),
            ...parametersIn('query', endpoint.query),
            ...parametersIn('header', endpoint.headers),
          ],
        }
      : {}),
    ...(endpoint.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: endpoint.body, ...examplesOf(endpoint.examples) },
              ...mediaTypesOf(endpoint.otherBodies),
            },
          },
        }
      : {}),
    responses: {
      ...successResponses(endpoint),
      ...(endpoint.body || endpoint.query
        ? {
            422: {
              description: 'The request has the wrong form: every violation at once.',
              content: jsonContent(ValidationErrorBody),
            },
          }
        : {}),
      ...errorResponses(codes),
    },
  }
}

const Detail = Type.Object(
  {
    error: Type.String({ description: 'The code, for machines.' }),
    message: Type.String({ description: 'What was got, what was expected, what to do.' }),
    retryable: Type.Boolean({ description: 'Whether the same request may succeed later; Retry-After says when.' }),
  },
  { additionalProperties: true, description: 'Further members depend on the code.' },
)
const ErrorBody = Type.Object({ detail: Detail })
export const EntryError = Detail

const ValidationErrorBody = Type.Object({
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

function successResponses({ responses, media = {} }: Endpoint) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const type = media[Number(status)] ?? 'application/json'
      return [
        status,
        {
          description: statusDescriptions[status] ?? 'The answer.',
          ...(schema ? { content: { [type]: { schema } } } : {}),
        },
      ]
    }),
  )
}

function parametersIn(location: string, names: Record<string, string> = {}) {
  return Object.entries(names).map(([name, description]) => ({
    name,
    in: location,
    required: location === 'path',
    description,
    schema: { type: 'string' },
  }))
}

function mediaTypesOf(bodies: Record<string, TSchema> = {}) {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]))
}

const statusDescriptions: Record<string, string> = {
  200: 'The answer.',
  201: 'Made.',
  202: 'Taken in.',
  204: 'Nothing more.',
  206: 'A part of it.',
  304: 'Nothing has changed since the ETag that was sent.',
  503: 'The service itself cannot work.',
}

function errorResponses(codes: ApiCode[]) {
  const byStatus = new Map<number, ApiCode[]>()
  for (const code of codes) byStatus.set(apiCodes[code].status, [...(byStatus.get(apiCodes[code].status) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      status,
      { description: `\`${names.join('`, `')}\``, content: jsonContent(ErrorBody) },
    ]),
  )
}

function examplesOf(examples: Record<string, unknown> | undefined) {
  return examples
    ? { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }
    : {}
}

function jsonContent(schema: TSchema) {
  return { 'application/json': { schema } }
}
