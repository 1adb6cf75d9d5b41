import { Validator } from '@seriousme/openapi-schema-validator'
import { validate } from '@readme/openapi-parser'
import { afterAll, describe, expect, test } from 'bun:test'
import { apiCodes } from '../../src/model/error.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { undocumentedPaths, type OpenApiOperation } from './conformance.ts'
import { openHttpService } from '../support/http-service.ts'

const upstreams = openUpstreams()
const httpService = await openHttpService({
  FIELDSTONE_OFFLINE: '0',
  FIELDSTONE_MIRROR: upstreams.url,
  GEOCODIO_API_KEY: 'test-geocodio',
})
afterAll(async () => {
  await httpService.close()
  upstreams.close()
})

const { document, rawDocument } = httpService
/** Routes that other standards describe (OAuth, MCP, Prometheus), and the pages. */
const standards =
  /^\/(metrics|oauth|\.well-known|mcp|sign-in|sign-out|device|invitation|assets|areas|ask|runs|catalog|coverage|sources|account|guide|shared)(\/|$)/
/** The parameters without which an operation answers nothing. */
const queries: Record<string, string> = {
  'GET /v1/fetch': '?lat=39.7392&lng=-104.9903&fields=county',
  'GET /report': '?at=39.7392,-104.9903&fields=county',
  'POST /v1/functions/snowflake': '?fields=county',
  'POST /v1/functions/bigquery': '?fields=county',
  'POST /v1/functions/redshift': '?fields=county',
}
/** The status without the parameters that an operation needs in headers. */
const statuses: Record<string, number> = { '/v1/functions/snowflake': 422 }
const queryPathOf = (method: string, path: string) => `${path}${queries[`${method} ${path}`] ?? ''}`
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [`${method.toUpperCase()} ${path}`, method.toUpperCase(), path, operation] as const,
  ),
)

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1 for one validator', async () => {
    expect(await new Validator().validate(structuredClone(rawDocument) as never)).toMatchObject({ valid: true })
    expect(document.openapi).toStartWith('3.1')
  })

  test('is valid OpenAPI 3.1 for a second validator', async () => {
    expect(await validate(structuredClone(rawDocument) as never)).toMatchObject({ valid: true, warnings: [] })
  })

  test('describes every route except pages, OAuth and assets', () => {
    const routes = createHttpServer(httpService.testService.app)
      .routes.filter(({ method, path }) => method !== 'HEAD' && !standards.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(routes.toSorted()).toEqual(
      [...operations.map(([name]) => name), ...undocumentedPaths.map((path) => `GET ${path}`)].toSorted(),
    )
  })

  test('has each body of JSON once, as a component with a name', () => {
    const bodies = Object.values(rawDocument.paths).flatMap((methods) =>
      Object.values(methods).flatMap(
        ({ requestBody, responses }) =>
          [requestBody, ...Object.values(responses)].flatMap(
            (it) => it?.content?.['application/json']?.schema ?? [],
          ) as { $ref?: string; type?: string }[],
      ),
    )
    expect(bodies.length).toBeGreaterThan(100)
    expect(bodies.filter(({ $ref, type }) => $ref === undefined && type !== 'array' && type !== 'string')).toEqual([])
    const names = Object.keys(rawDocument.components.schemas)
    const expected = ['ErrorCode', 'FieldResult', 'FetchRequest', 'FetchResponse', 'RunsItemResponse', 'InvalidRequest']
    expect(names).toEqual(expect.arrayContaining(expected))
    const used = new Set(
      [...JSON.stringify(rawDocument).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, it]) => it!),
    )
    expect([...used].toSorted()).toEqual(names.toSorted())
  })

  test('types its parameters, and lists every error code', () => {
    const typeOf = (path: string, method: string, name: string) =>
      (document.paths[path]![method]!.parameters as { name: string; schema: object }[]).find((it) => it.name === name)!
        .schema
    expect(typeOf('/v1/fetch', 'get', 'lat')).toEqual({ type: 'number' })
    expect(typeOf('/v1/fetch', 'get', 'fields')).toEqual({ type: 'array', items: { type: 'string' } })
    expect(typeOf('/v1/runs', 'get', 'limit')).toMatchObject({ type: 'integer' })
    expect(typeOf('/v1/runs', 'post', 'fresh')).toEqual({ type: 'boolean' })
    expect(typeOf('/v1/runs/{run_id}/results', 'get', 'status')).toMatchObject({ enum: ['ok', 'failed'] })
    expect(rawDocument.components.schemas.ErrorCode!.enum).toEqual(Object.keys(apiCodes))
  })

  test('lists every tag of its operations once', () => {
    const listed = (document as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name)
    const used = operations.flatMap(([, , , operation]) => (operation as unknown as { tags: string[] }).tags)
    expect(listed.toSorted()).toEqual([...new Set(used)].toSorted())
  })

  test('has storage_full for every operation that changes the database', () => {
    const withoutStorageFull = operations
      .filter(([, method, path]) => method !== 'GET' && /^\/v1\/(runs|users)/.test(path))
      .filter(([, , , operation]) => !JSON.stringify(operation.responses[503] ?? '').includes('storage_full'))
    expect(withoutStorageFull.map(([name]) => name)).toEqual([])
  })

  test('has a unique id, a description and the scope of every operation', () => {
    const ids = operations.map(([, , , operation]) => (operation as unknown as { operationId: string }).operationId)
    expect(new Set(ids).size).toBe(operations.length)
    const open = operations.filter(([, , , { security }]) => security.length === 0).map(([name]) => name)
    expect(open).toEqual([
      'GET /healthz',
      'GET /readyz',
      'GET /v1/meta/fields',
      'GET /v1/meta/sources',
      'GET /v1/meta/coverage',
      'GET /v1/meta/limits',
      'GET /catalog.jsonld',
      'GET /v1/docs',
      'POST /v1/mcp/device/start',
      'POST /v1/mcp/device/poll',
      'GET /v1/openapi.json',
    ])
  })

  test('is the same for every caller and names only its own host', async () => {
    const text = await (await httpService.ask('/v1/openapi.json', { headers: { authorization: null } })).text()
    expect(JSON.parse(text)).toEqual(rawDocument)
    expect([...text.matchAll(/https?:\/\/[^"/\s]+/g)].map(([address]) => address)).toEqual(['http://127.0.0.1:8080'])
  })
})

/** The status of an example on a server without a network, which cannot fetch packs. */
function statusOfExample(path: string): number {
  if (path.startsWith('/v1/packs/')) return 409
  if (path === '/v1/runs') return 202
  // The run of the example does not exist.
  if (path.includes('{')) return 404
  return path === '/v1/users' || /\/(tokens|shares|pins)$/.test(path) ? 201 : 200
}

describe('every described operation', () => {
  test.each(operations.filter(([, method]) => method === 'GET'))(
    '%s exists, and needs nothing but a GET, and a token where it says so',
    async (_name, _method, path, { security }) => {
      expect((await httpService.ask(path, { headers: { authorization: null } })).status).toBe(
        security.length === 0 ? 200 : 401,
      )
      expect((await httpService.ask(queryPathOf('GET', path))).status).toBe(
        statuses[path] ?? (path.includes('{') ? 404 : 200),
      )
    },
  )

  test.each(operations.filter(([, method, , { requestBody }]) => method === 'POST' && requestBody))(
    '%s exists, and has examples that work as they stand',
    async (_name, _method, path, operation) => {
      const examples = examplesOf(operation)
      expect(examples.length).toBeGreaterThan(0)
      for (const example of examples)
        expect((await httpService.post(queryPathOf('POST', path), example)).status).toBe(statusOfExample(path))
    },
  )

  test('with an example returns ok values and no error for its example', async () => {
    const bodies = operations.flatMap(([, , path, operation]) =>
      examplesOf(operation).map((example) => [path, example] as const),
    )
    for (const [path, example] of bodies) {
      const text = await (await httpService.post(queryPathOf('POST', path), example)).text()
      if (path.startsWith('/v1/fetch')) expect(text).toContain('"status":"ok"')
      expect(text).not.toContain('"ok":false')
    }
  })

  test.each(operations)(
    '%s documents the common errors, and no status that it never returns',
    (_name, _method, path, { responses, security, requestBody, 'x-limits': limits }) => {
      const usual = [
        ['200', '201', '202', '204'].find((status) => responses[status])!,
        '400',
        '405',
        '413',
        '421',
        '500',
        ...(security.length > 0 ? ['401', '403'] : []),
        // The start of a device login needs no token, and is limited by address.
        ...((security.length > 0 && limits !== 'none') || path.endsWith('/device/start') ? ['429'] : []),
        ...(requestBody ? ['408', '415', '422'] : []),
      ]
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(usual))
      expect(
        Object.keys(responses).filter(
          (status) =>
            ![...usual, '202', '204', '206', '302', '304', '404', '409', '416', '422', '501', '503', '504'].includes(
              status,
            ),
        ),
      ).toEqual([])
    },
  )
})

/** The schema of a request body matches the behavior of the service. */
describe('the schema of a body', () => {
  const schemaOf = (path: string) =>
    document.paths[path]!.post!.requestBody!.content['application/json']!.schema as {
      required?: string[]
      properties: Record<string, Record<string, unknown>>
    }

  test('has the members of the specification, and `include`', () => {
    const members = ['lat', 'lng', 'address', 'fields', 'preset', 'on_unknown', 'include']
    expect(Object.keys(schemaOf('/v1/fetch').properties)).toEqual(members)
    expect(Object.keys(schemaOf('/v1/fetch/batch').properties)).toEqual(['locations', 'fields', 'preset', 'on_unknown'])
    expect(schemaOf('/v1/fetch/batch').required).toEqual(['locations'])
  })

  test('allows 1 to 25 locations', () => {
    expect(schemaOf('/v1/fetch/batch').properties.locations).toMatchObject({ type: 'array', minItems: 1, maxItems: 25 })
  })
})

function examplesOf({ requestBody }: OpenApiOperation): unknown[] {
  return Object.values(requestBody?.content['application/json']?.examples ?? {}).map(({ value }) => value)
}
