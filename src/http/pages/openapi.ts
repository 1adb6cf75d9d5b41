import { Elysia } from 'elysia'
import { Type } from '@sinclair/typebox'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { isRecord } from '../../model/record.ts'
import { withComponents } from './openapi-components.ts'
import { defineOperations, type Operations } from '../request/operation.ts'
import { createStaticBody, staticResponse, type StaticBody } from './static-body.ts'

const openApiOperations = defineOperations('Documentation', {
  'GET /v1/openapi.json': {
    scope: null,
    summary: 'OpenAPI document',
    description: 'OpenAPI 3.1, generated from the schemas that validate the requests.',
    responses: { 200: Type.Object({ openapi: Type.String() }, { additionalProperties: true }) },
  },
})

export const openApiRoutes = (app: App, operations: Operations) => {
  let body: StaticBody | null = null
  return new Elysia().get('/v1/openapi.json', ({ request }) => {
    body ??= createStaticBody(openApiDocument(app, { ...operations, ...openApiOperations }))
    return staticResponse(body, request)
  })
}

/** Returns the OpenAPI 3.1 document of operations. */
export function openApiDocument(
  { version, config }: { version: string; config: Pick<Config, 'base_url'> },
  operations: Operations,
): object {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [route, operation] of Object.entries(operations)) {
    const [method = '', path = ''] = route.toLowerCase().split(' ')
    const operationId = `${method}_${path.replace(/^\/(v1\/)?/, '').replace(/[^a-z0-9]+/g, '_')}`
    paths[path] = { ...paths[path], [method]: { operationId, ...operation } }
  }
  const { paths: plainPaths, schemas } = withComponents(paths, withPlainMaps)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fieldstone',
      version,
      description:
        'Named fields for any US coordinate, each with its value, status, unit, source and vintage. A field whose source could not answer is `failed`, never `absent`. An optional member that is null counts as not given.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: config.base_url }],
    tags: [...new Set(Object.values(operations).flatMap(({ tags }) => tags))].map((name) => ({ name })),
    paths: plainPaths,
    components: {
      schemas,
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API token: `fst_pat_…`.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'fieldstone',
          description:
            'A browser session of the dashboard that was started with a password. Requests that change data also send X-CSRF-Token. Over https the cookie is __Host-fieldstone.',
        },
      },
    },
  }
}

/** The pattern with which TypeBox describes a map: every name. */
const everyName = '^(.*)$'

/**
 * Describes maps by `additionalProperties`, because generators of clients do not know `patternProperties`. A member that
 * is always null gets a type that is not only null: openapi-fetch has no member whose type is null.
 */
function withPlainMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPlainMaps)
  if (!isRecord(value)) return value
  const { patternProperties, ...members } = value
  const values = isRecord(patternProperties) ? patternProperties[everyName] : undefined
  const plain = values === undefined ? value : { ...members, additionalProperties: values }
  return Object.fromEntries(
    Object.entries(plain).map(([name, member]) => [
      name,
      name === 'properties' && isRecord(member) ? withPlainMaps(withPlainNulls(member)) : withPlainMaps(member),
    ]),
  )
}

function withPlainNulls(properties: Record<string, unknown>): Record<string, unknown> {
  const plainOf = (schema: unknown) =>
    isRecord(schema) && schema.type === 'null'
      ? { ...schema, type: ['string', 'null'], not: { type: 'string' } }
      : schema
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plainOf(schema)]))
}
