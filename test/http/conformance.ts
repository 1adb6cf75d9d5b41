import addFormats from 'ajv-formats'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { version } from '../../catalog/version.ts'

type Schema = Record<string, unknown>
type Media = Record<string, { schema: Schema }>
export type OpenApiOperation = {
  security: Record<string, string[]>[]
  'x-limits'?: string
  parameters?: { name: string }[]
  requestBody?: { content: Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }> }
  responses: Record<string, { content?: Media }>
}
export type OpenApi = {
  openapi: string
  paths: Record<string, Record<string, OpenApiOperation>>
  components: { schemas: Record<string, Schema> }
}

/** The document with the schemas in place of the references to them. */
export function withoutReferences(document: OpenApi): OpenApi {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: string }
    if ($ref !== undefined) return resolve(document.components.schemas[$ref.replace('#/components/schemas/', '')])
    return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, resolve(it)]))
  }
  return { ...document, paths: resolve(document.paths) as OpenApi['paths'] }
}

/** Paths that are not in the OpenAPI document. */
export const undocumentedPaths = [
  '/',
  '/v1/docs/start.js',
  '/v1/docs/swagger-ui.css',
  '/v1/docs/page.css',
  '/v1/docs/swagger-ui-bundle.js',
]
const wallStatuses = [400, 401, 404, 405, 413, 421]

/** Throws when a response does not match the OpenAPI document, or lacks a header of every response. */
export type RequireConformance = (method: string, path: string, response: Response) => Promise<void>

export function createConformanceCheck(document: OpenApi): RequireConformance {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  addFormats(ajv)
  const compiled = new Map<Schema, ReturnType<typeof ajv.compile>>()
  return async (method, path, response) => {
    const text = await textOf(response.clone() as Response)
    const faults = [
      ...headerFaults(path, response),
      ...statusFaults(document, method, path, response),
      ...(isJson(response) && text !== '' ? bodyFaults(method, path, response.status, text) : []),
    ]
    if (faults.length > 0)
      throw new Error(`${method} ${path} answered ${response.status}: ${faults.join('; ')}\n${text.slice(0, 2000)}`)
  }

  function bodyFaults(method: string, path: string, status: number, text: string): string[] {
    const body = JSON.parse(text) as unknown
    const schema = operationAt(document, method, path)?.responses[status]?.content?.['application/json']?.schema
    const described = schema ? schemaFaults(schema, status, body) : []
    return [...described, ...(status >= 400 && path !== '/readyz' ? refusalFaults(status, body) : []), ...leaks(text)]
  }

  function schemaFaults(schema: Schema, status: number, body: unknown): string[] {
    const check = compiled.get(schema) ?? ajv.compile(status < 400 ? (closed(schema) as Schema) : schema)
    compiled.set(schema, check)
    return check(body) ? [] : [`the body is not as described: ${ajv.errorsText(check.errors)}`]
  }
}

/** Returns the operation of a request. HEAD is GET without its body. */
function operationAt({ paths }: OpenApi, method: string, path: string): OpenApiOperation | undefined {
  const template =
    Object.keys(paths).find((it) => it === pathOf(path)) ??
    Object.keys(paths).find((it) => new RegExp(`^${it.replace(/\{\w+\}/g, '[^/]+')}$`).test(pathOf(path)))
  return template === undefined ? undefined : paths[template]![method === 'HEAD' ? 'get' : method.toLowerCase()]
}

/** Returns a schema without additional properties, so that every member of a response must be documented. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, closed(part)]))
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...parts, additionalProperties: false }
    : parts
}

function headerFaults(path: string, { status, headers }: Response): string[] {
  const faults = []
  if (headers.get('x-content-type-options') !== 'nosniff') faults.push('no nosniff')
  if (headers.has('x-request-id') === (status === 500)) faults.push('X-Request-ID is on every answer but a plain 500')
  if (path.startsWith('/v1/') && headers.get('x-catalog-version') !== version) faults.push('no X-Catalog-Version')
  if (headers.has('www-authenticate') !== (status === 401 || status === 403))
    faults.push('WWW-Authenticate goes with 401 and 403')
  if (headers.has('allow') !== (status === 405)) faults.push('Allow goes with 405')
  return faults
}

function statusFaults(document: OpenApi, method: string, path: string, response: Response): string[] {
  const { status } = response
  const type = response.headers.get('content-type')?.split(';')[0]
  const operation = operationAt(document, method, path)
  if (!operation)
    return wallStatuses.includes(status) || undocumentedPaths.includes(pathOf(path))
      ? []
      : ['the status is not one of an undescribed address']
  const described = operation.responses[status]
  if (!described) return ['the status is not described']
  const types = Object.keys(described.content ?? {})
  return types.length === 0 || types.includes(type ?? '') ? [] : [`${type} is not the described ${types.join(' or ')}`]
}

/** The rule for errors: `detail` is a list of violations for 422, or an object with error, message and retryable otherwise. */
function refusalFaults(status: number, body: unknown): string[] {
  const { detail } = body as { detail?: unknown }
  if (status === 422 && Array.isArray(detail)) return detail.length > 0 ? [] : ['422 goes with a list']
  if (typeof detail !== 'object' || detail === null || Array.isArray(detail)) return ['detail is no object']
  const { error, message, retryable } = detail as Record<string, unknown>
  const isWhole =
    typeof error === 'string' &&
    /^[a-z_]+$/.test(error) &&
    typeof message === 'string' &&
    message.length > 10 &&
    typeof retryable === 'boolean'
  return isWhole ? [] : ['detail lacks error, message or retryable']
}

function leaks(text: string): string[] {
  return /node_modules|\.ts:\d|\\n +at /.test(text) ? ['it shows where the source is'] : []
}

async function textOf(response: Response): Promise<string> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  const coding = response.headers.get('content-encoding')
  return new TextDecoder().decode(
    coding === 'gzip' ? Bun.gunzipSync(bytes) : coding === 'zstd' ? Bun.zstdDecompressSync(bytes) : bytes,
  )
}

function isJson({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false
}

function pathOf(path: string): string {
  return path.split(/[?#]/)[0]!.replace(/(?<=.)\/$/, '')
}
