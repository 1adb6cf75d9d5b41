import { isRecord } from '../../model/record.ts'
import { ErrorCode, ErrorDetailSchema } from '../../model/schema.ts'
import { AreaFieldResult } from '../../areas/area-answer.ts'
import { FieldGeometry, FieldResult } from '../../fetch/fetch-answer.ts'
import { GeocodeSummary } from '../../place/geocode-outcome.ts'

type Schemas = Record<string, unknown>
type Paths = Record<string, Record<string, unknown>>

/** Schemas that stand in many operations, by the name that generated clients show. */
const sharedSchemas: Schemas = {
  ErrorCode: ErrorCode,
  ErrorDetail: ErrorDetailSchema,
  FieldGeometry,
  FieldResult,
  AreaFieldResult,
  GeocodeSummary,
}

/**
 * Moves the bodies of requests and answers, and the schemas that they share, to `components`: generated clients then
 * have one type for each. `plain` changes a schema before it is compared.
 */
export function withComponents(paths: Paths, plain: (schema: unknown) => unknown): { paths: Paths; schemas: Schemas } {
  const names = new Map<string, string>()
  const originals = new Map<string, unknown>()
  const add = (name: string, schema: unknown) => {
    const text = JSON.stringify(schema)
    if (names.has(text)) return
    names.set(text, name)
    originals.set(name, schema)
  }
  for (const [name, schema] of Object.entries(sharedSchemas)) add(name, plain(schema))
  const plainPaths = plain(paths) as Paths
  for (const [path, methods] of Object.entries(plainPaths))
    for (const [method, operation] of Object.entries(methods))
      for (const { role, schema } of bodiesOf(operation)) add(nameOf(role, { path, method, originals }), schema)
  const withReferences = (value: unknown, ownName: string | null = null): unknown => {
    if (Array.isArray(value)) return value.map((it) => withReferences(it))
    if (!isRecord(value)) return value
    const name = isSchema(value) ? names.get(JSON.stringify(value)) : undefined
    if (name !== undefined && name !== ownName) return { $ref: `#/components/schemas/${name}` }
    return Object.fromEntries(Object.entries(value).map(([member, it]) => [member, withReferences(it)]))
  }
  const schemas = Object.fromEntries([...originals].map(([name, schema]) => [name, withReferences(schema, name)]))
  return { paths: withReferences(plainPaths) as Paths, schemas }
}

function isSchema(value: Record<string, unknown>): boolean {
  return 'type' in value || 'anyOf' in value
}

type Body = { role: string; schema: Record<string, unknown> }

/** The object schemas of the JSON bodies of an operation. */
function bodiesOf(operation: unknown): Body[] {
  const { requestBody, responses } = operation as { requestBody?: unknown; responses: Record<string, unknown> }
  const all = [
    ['Request', requestBody] as const,
    ...Object.entries(responses).map(([status, it]) => [roleOfStatus(Number(status)), it] as const),
  ]
  return all.flatMap(([role, body]) => {
    const content = isRecord(body) && isRecord(body.content) ? body.content['application/json'] : undefined
    const schema = isRecord(content) ? content.schema : undefined
    if (!isRecord(schema) || !('properties' in schema || 'anyOf' in schema)) return []
    return [{ role: role === 'InvalidRequest' && 'anyOf' in schema ? 'InvalidRequestOrError' : role, schema }]
  })
}

function roleOfStatus(status: number): string {
  if (status === 422) return 'InvalidRequest'
  return status >= 400 ? 'Error' : status === 202 ? 'Accepted' : 'Response'
}

/**
 * `FetchBatchRequest` for the body of POST /v1/fetch/batch, and `RunsItemResponse` for a run. Errors have no path. The
 * method is added where needed.
 */
function nameOf(role: string, at: { path: string; method: string; originals: ReadonlyMap<string, unknown> }): string {
  const segments = role.includes('Error') || role.startsWith('Invalid') ? [] : at.path.split('/')
  const base = segments
    .filter((it, i) => !it.startsWith('{') || i === segments.length - 1)
    .flatMap((word) => (word.startsWith('{') ? ['item'] : word.split(/[^a-z0-9]+/i)))
    .filter((word) => word !== '' && word !== 'v1')
    .map(capitalized)
    .join('')
  const candidates = [`${base}${role}`, `${capitalized(at.method)}${base}${role}`]
  return candidates.find((name) => !at.originals.has(name)) ?? `${candidates[1]!}${at.originals.size}`
}

function capitalized(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`
}
