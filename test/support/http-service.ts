import type { Environment } from '../../src/config.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openTestService, type TestService, type TestServiceOptions } from './test-service.ts'
import { createConformanceCheck, withoutReferences, type OpenApi } from '../http/conformance.ts'

/** A request: JSON from the owner unless a header says otherwise. A header of `null` is not sent. */
export type HttpRequest = {
  method?: string
  headers?: Record<string, string | null> | undefined
  body?: string | Uint8Array<ArrayBuffer> | undefined
  signal?: AbortSignal
}

/** The service through its HTTP interface. Every response is checked against the OpenAPI document. */
export type HttpService = {
  testService: TestService
  /** The document as it is sent, and with the schemas in place of the references to them. */
  rawDocument: OpenApi
  document: OpenApi
  ask(path: string, letter?: HttpRequest): Promise<Response>
  /** Sends JSON. A string is sent unchanged. */
  post(path: string, body: unknown, headers?: HttpRequest['headers']): Promise<Response>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function openHttpService(env: Environment = {}, options?: TestServiceOptions): Promise<HttpService> {
  const testService = openTestService(env, options)
  const http = createHttpServer(testService.app)
  const rawDocument = (await (await testService.send('/v1/openapi.json')).json()) as OpenApi
  const document = withoutReferences(rawDocument)
  const conforms = createConformanceCheck(document)
  const ask = async (path: string, { method = 'GET', headers = {}, ...rest }: HttpRequest = {}) => {
    const given = {
      host: 'localhost',
      authorization: `Bearer ${testService.token}`,
      'content-type': 'application/json',
      ...headers,
    }
    const sent = Object.entries(given).filter((it): it is [string, string] => it[1] !== null)
    const request = new Request(`http://localhost${path}`, { method, headers: sent, ...rest })
    const response = await http.handle(request)
    await conforms(method, new URL(request.url).pathname, response)
    return response
  }
  return {
    testService,
    rawDocument,
    document,
    ask,
    post: (path, body, headers = {}) =>
      ask(path, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) }),
    close: testService.close,
    [Symbol.asyncDispose]: testService.close,
  }
}

/** Returns the error object of a response. */
export async function detailOf(response: Response): Promise<Record<string, unknown>> {
  return ((await response.json()) as { detail: Record<string, unknown> }).detail
}
