import { openAskPipeline } from '../../src/ask/ask.ts'
import { createModels } from '../../src/ask/planner/models.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { openMessagesApi, type MessagesApi } from './messages-api.ts'

export const modelKey = 'sk-ant-test-secret-5f1e'
export const miami = { lat: 25.79, lng: -80.13 }
export const question = 'What county is this in, how far is the coast, and which airport is nearest?'

export type ModelService = {
  api: MessagesApi
  service: TestService
  /** The same service with shorter time limits. */
  withTimeLimits(limits: TimeLimits): (path: string, init: RequestInit) => Promise<Response>
  close(): Promise<void>
}

type TimeLimits = { max_ms?: number; planner_ms?: number; synthesizer_ms?: number }

/** A service whose models are the fake, and that can reach nothing else. */
export function openModelService(env: Record<string, string> = {}): ModelService {
  const api = openMessagesApi()
  const service = openTestService({
    FIELDSTONE_OFFLINE: '0',
    FIELDSTONE_MIRROR: 'http://localhost:9',
    ANTHROPIC_API_KEY: modelKey,
    ANTHROPIC_BASE_URL: api.url,
    ...env,
  })
  return {
    api,
    service,
    withTimeLimits({ max_ms, ...stages }) {
      const models = {
        ...createModels(
          { base_url: api.url, key: modelKey, planner: 'claude-haiku-5-5', synthesizer: 'claude-sonnet-5-5' },
          () => {},
        ),
        ...stages,
      }
      const http = createHttpServer({
        ...service.app,
        ask: openAskPipeline({
          models,
          unavailableReason: '',
          isBuiltInAllowed: true,
          ...(max_ms !== undefined && { max_ms }),
        }),
      })
      const headers = {
        host: 'localhost',
        'content-type': 'application/json',
        authorization: `Bearer ${service.token}`,
      }
      return async (path, init) => {
        await service.ready
        return http.handle(new Request(`http://localhost${path}`, { ...init, method: 'POST', headers }))
      }
    },
    async close() {
      await service.close()
      api.close()
    },
  }
}

/** Waits until a condition holds. */
export async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the events of a stream in order. */
export async function eventsOf(response: Response): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const text = await response.text()
  return [...text.matchAll(/^event: (\w+)\nid: \d+\ndata: (.*)$/gm)].map(([, event, data]) => ({
    event: event!,
    data: JSON.parse(data!) as Record<string, unknown>,
  }))
}
