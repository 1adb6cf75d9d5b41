import about from '../../package.json' with { type: 'json' }
import { configOf } from '../../src/config.ts'
import { openApiDocument } from '../../src/http/pages/openapi.ts'
import { operations } from '../../src/http/server.ts'

/** A JSON schema, as far as the document uses it. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  const?: string | number | boolean
  enum?: string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  description?: string
}
export type Parameter = { name: string; in: 'path' | 'query' | 'header'; description: string; schema: Schema }
type Content = Record<string, { schema: Schema }>
type Operation = {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

/** One method of a client. `answers`: the schemas of JSON answers; empty if the answer is a file, or has no content. */
export type ClientMethod = {
  name: string
  method: string
  path: string
  summary: string
  parameters: Parameter[]
  body: Schema | null
  /** Whether the body can also be the text of a CSV file. */
  takesCsv: boolean
  answers: Schema[]
  isFile: boolean
}

/** The OpenAPI document of this version. */
export const apiDocument = openApiDocument({ version: about.version, config: configOf({}) }, operations) as Document

/** Paths that other clients serve: streams, pages, warehouses, logins of programs and the standards of the OGC. */
const otherClients = /\/(events|stream|docs|openapi\.json|functions\/.*|mcp\/.*)$/
/** Headers that only caches and resumed downloads use. */
const cacheHeaders = /^(If-.*|Range|Last-Event-ID)$/

/** The methods of the clients: everything below /v1, and the checks of health. */
export const clientMethods: ClientMethod[] = Object.entries(apiDocument.paths)
  .filter(([path]) => /^\/(v1\/|healthz|readyz)/.test(path) && !otherClients.test(path))
  .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => methodOf(path, method, operation)))

function methodOf(path: string, method: string, operation: Operation): ClientMethod {
  const { operationId, summary, parameters = [], requestBody, responses } = operation
  const successes = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Number(status) < 300 ? Object.entries(content) : [],
  )
  const answers = successes.flatMap(([type, { schema }]) => (type === 'application/json' ? [schema] : []))
  return {
    name: operationId.replace(/_$/, ''),
    method: method.toUpperCase(),
    path,
    summary,
    parameters: parameters.filter(({ name }) => !cacheHeaders.test(name)),
    body: requestBody?.content['application/json']?.schema ?? null,
    takesCsv: requestBody?.content['text/csv'] !== undefined,
    answers: [...new Map(answers.map((schema) => [JSON.stringify(schema), schema])).values()],
    isFile: successes.length > 0 && answers.length === 0,
  }
}
