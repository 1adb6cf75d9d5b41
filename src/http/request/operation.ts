import { Type, type TSchema } from '@sinclair/typebox'
import type { Scope } from '../../auth/scope.ts'
import { apiCodes, type ApiCode } from '../../model/error.ts'
import { ErrorDetailSchema } from '../../model/schema.ts'
import { unitSystems } from '../../ask/answer/display-units.ts'
import { unknownFieldPolicies } from '../../fetch/catalog/select.ts'
import { runKinds } from '../../runs/run-kind.ts'

/**
 * The scope of an endpoint; null for a public one. `any` accepts every valid token. `admin_or_session` accepts a token
 * with the scope admin, and a browser session that was started with a password.
 */
export type RequiredScope = Scope | 'any' | 'admin_or_session'

/**
 * The limits that apply to an endpoint. `both`: requests per minute and the daily quota. `minute`: only the former, for
 * what does no work, such as polling. `locations`: the request counts per minute, and each of its locations counts
 * toward the daily quota. `none`: never rejected, so that an account can always revoke what it has lost.
 */
export type AppliedLimits = 'both' | 'minute' | 'locations' | 'none'

/** The errors of a request that selects fields. */
export const selectionErrorCodes: readonly ApiCode[] = [
  'no_fields_requested',
  'preset_unknown',
  'fields_unknown',
  'fields_too_many',
]

/** The description of an endpoint. The OpenAPI document is generated from these. */
export type Endpoint = {
  summary: string
  description: string
  scope: RequiredScope | null
  /** Whether the endpoint writes to the database, which fails while the disk is full or read-only. */
  writes?: true
  /** The limits of the account that apply. Default: both. */
  limits?: AppliedLimits
  /** Whether a request without a body is valid. */
  isBodyOptional?: true
  body?: TSchema
  /** Valid example requests by name. */
  examples?: Record<string, unknown>
  responses: Record<number, TSchema | null>
  /** Response media types other than JSON, by status. */
  media?: Record<number, string | readonly string[]>
  headers?: Record<string, string>
  /** Descriptions of the path and query parameters, by name. */
  path?: Record<string, ParameterDoc>
  query?: Record<string, ParameterDoc>
  /** Schemas of request bodies other than JSON, by media type. */
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
  'auth_missing',
  'auth_malformed',
  'auth_invalid',
  'auth_expired',
  'auth_revoked',
  'insufficient_scope',
  'origin_not_allowed',
]
const limitErrorCodes: Record<AppliedLimits, ApiCode[]> = {
  both: ['rate_limited', 'quota_exceeded'],
  minute: ['rate_limited'],
  locations: ['rate_limited', 'quota_exceeded'],
  none: [],
}
const writeErrorCodes: ApiCode[] = ['storage_full', 'storage_read_only', 'storage_unavailable']
const bodyErrorCodes: ApiCode[] = ['unsupported_media_type', 'request_timeout', 'fetch_busy']

/** OpenAPI operations by method and path: `POST /v1/fetch`. */
export type Operations = Record<string, ReturnType<typeof operationOf>>

/** Returns the OpenAPI operations of endpoints, by method and path. The document groups them by their tag. */
export function defineOperations(tag: string, endpoints: Readonly<Record<string, Endpoint>>): Operations {
  return Object.fromEntries(Object.entries(endpoints).map(([route, endpoint]) => [route, operationOf(tag, endpoint)]))
}

/** Returns the OpenAPI operation of an endpoint with every possible status. */
function operationOf(tag: string, endpoint: Endpoint) {
  const limits = endpoint.limits ?? 'both'
  const codes = new Set([
    ...(endpoint.errorCodes ?? []),
    ...commonErrorCodes,
    ...(endpoint.scope ? [...tokenErrorCodes, ...limitErrorCodes[limits]] : []),
    ...(endpoint.scope === 'admin_or_session' ? (['auth_method_not_allowed'] as const) : []),
    ...(endpoint.writes ? writeErrorCodes : []),
    ...(endpoint.body ? bodyErrorCodes : []),
  ])
  return {
    tags: [tag],
    summary: endpoint.summary,
    description: endpoint.description,
    security: securityOf(endpoint.scope),
    ...(endpoint.scope ? { 'x-limits': limits } : {}),
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
            required: endpoint.isBodyOptional !== true,
            content: {
              'application/json': { schema: endpoint.body, ...examplesOf(endpoint.examples) },
              ...mediaTypesOf(endpoint.otherBodies),
            },
          },
        }
      : {}),
    responses: {
      ...successResponses(endpoint),
      ...errorResponses([...codes]),
      ...invalidRequestResponse([...codes]),
    },
  }
}

type Security = { bearer: Scope[] } | { session: [] }

function securityOf(scope: RequiredScope | null): Security[] {
  if (scope === null) return []
  if (scope === 'admin_or_session') return [{ bearer: ['admin'] }, { session: [] }]
  return [{ bearer: scope === 'any' ? [] : [scope] }]
}

const ErrorBody = Type.Object({ detail: ErrorDetailSchema })

const ValidationErrorBody = Type.Object({
  detail: Type.Array(
    Type.Object({
      type: Type.String({ description: 'The type of the violation, as in Pydantic v2.' }),
      loc: Type.Array(Type.Unsafe<string | number>({ type: ['string', 'integer'] })),
      msg: Type.String(),
      input: Type.Unknown(),
    }),
    { minItems: 1 },
  ),
})

/**
 * The response to an invalid request: a list of violations. A code with the same status is an object instead, because
 * the request has the right form.
 */
function invalidRequestResponse(codes: ApiCode[]) {
  const ofStatus = codes.filter((code) => apiCodes[code].status === invalidStatus)
  const violations = 'The request is invalid. Lists all violations at once.'
  return {
    [invalidStatus]:
      ofStatus.length === 0
        ? { description: violations, content: jsonContent(ValidationErrorBody) }
        : {
            description: `${violations} Or \`${ofStatus.join('`, `')}\`.`,
            content: jsonContent(Type.Union([ValidationErrorBody, ErrorBody])),
          },
  }
}

const invalidStatus = 422

function successResponses({ responses, media = {} }: Endpoint) {
  return Object.fromEntries(
    Object.entries(responses).map(([status, schema]) => {
      const types = [media[Number(status)] ?? 'application/json'].flat()
      return [
        status,
        {
          description: statusDescriptions[status] ?? 'Success.',
          ...(schema ? { content: Object.fromEntries(types.map((type) => [type, { schema }])) } : {}),
        },
      ]
    }),
  )
}

function mediaTypesOf(bodies: Record<string, TSchema> = {}) {
  return Object.fromEntries(Object.entries(bodies).map(([type, schema]) => [type, { schema }]))
}

const statusDescriptions: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'No content.',
  206: 'Partial content.',
  304: 'Not modified since the given ETag.',
  503: 'The service is unavailable.',
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

/** A parameter of an operation: its description, or with it the schema, if the name alone does not give it. */
type ParameterDoc = string | { description: string; schema: object }

const integer = { type: 'integer', minimum: 0 }
const boolean = { type: 'boolean' }
const names = { type: 'array', items: { type: 'string' } }
const date = { type: 'string', format: 'date' }

/** The schemas of parameters that are no plain text, by where they are and their names. */
const schemas: Readonly<Record<string, object>> = {
  'path index': integer,
  'path x': integer,
  'path z': integer,
  'query bbox': { type: 'array', items: { type: 'number' } },
  'query fields': names,
  'query fresh': boolean,
  'query from': date,
  'query header_row': integer,
  'query include': names,
  'query include_parcel': boolean,
  'query kind': { type: 'string', enum: Object.keys(runKinds) },
  'query limit': integer,
  'query on_unknown': { type: 'string', enum: [...unknownFieldPolicies] },
  'query parameter-name': names,
  'query status': { type: 'string', enum: ['ok', 'failed'] },
  'query to': date,
  'query units': { type: 'string', enum: [...unitSystems] },
  'query view': { type: 'string', enum: ['summary'] },
  'query west': boolean,
  'query within': { type: 'number' },
}

/** Returns the OpenAPI parameters with these descriptions. A list is one text with commas. */
function parametersIn(location: 'path' | 'query' | 'header', docs: Record<string, ParameterDoc> = {}) {
  return Object.entries(docs).map(([name, doc]) => {
    const { description, schema } =
      typeof doc === 'string' ? { description: doc, schema: schemas[`${location} ${name}`] ?? { type: 'string' } } : doc
    const isList = 'type' in schema && schema.type === 'array'
    return {
      name,
      in: location,
      required: location === 'path',
      description,
      ...(isList && { style: 'form', explode: false }),
      schema,
    }
  })
}
