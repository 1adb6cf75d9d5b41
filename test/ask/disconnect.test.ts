import { afterAll, describe, expect, test } from 'bun:test'
import { createHttpServer } from '../../src/http/server.ts'
import type { ModelBehavior } from './messages-api.ts'
import { miami, openModelService, question, waitUntil } from './model-service.ts'

/** An upstream that never answers. */
const abortSignals: AbortSignal[] = []
const upstream = Bun.serve({
  port: 0,
  idleTimeout: 60,
  fetch: ({ signal }) => {
    abortSignals.push(signal)
    return new Promise<Response>((resolve) =>
      signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })), { once: true }),
    )
  },
})
const { api, service, close } = openModelService({ FIELDSTONE_MIRROR: `http://localhost:${upstream.port}` })
await service.ready
const http = createHttpServer(service.app)
await new Promise<void>((resolve) => http.listen({ hostname: '127.0.0.1', port: 0 }, () => resolve()))
afterAll(async () => {
  await http.stop(true)
  await close()
  await upstream.stop(true)
})

const plan = (fields: string[]): ModelBehavior => ({ says: { fields, preset: null, answerable: true, reasoning: 'x' } })

/** Sends a request and closes the connection once `isSo` holds. */
async function sendUntil(path: string, condition: () => boolean): Promise<void> {
  const controller = new AbortController()
  const response = fetch(`http://127.0.0.1:${http.server!.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ question, ...miami }),
    signal: controller.signal,
  }).then((response) => response.text())
  response.catch(() => 'cut off')
  await waitUntil(condition)
  controller.abort()
  expect(
    await response.then(
      () => 'answered',
      () => 'cut off',
    ),
  ).toBe('cut off')
}

describe.each(['/v1/ask', '/v1/ask/stream'])('a client that closes its connection to %s', (path) => {
  test('while the model plans aborts that call, and nothing is fetched', async () => {
    abortSignals.length = 0
    api.play([{ fails: 'hangs' }], [])
    await sendUntil(path, () => api.calls.length === 1)
    await waitUntil(() => api.calls[0]!.aborted.aborted)
    expect([api.calls.length, abortSignals.length]).toEqual([1, 0])
  })

  test('during a source call aborts that call, and no model writes', async () => {
    abortSignals.length = 0
    api.play([plan(['elevation'])], [])
    await sendUntil(path, () => abortSignals.length > 0)
    await waitUntil(() => abortSignals.every(({ aborted }) => aborted))
    expect(api.calls.map(({ stream }) => stream)).toEqual([false])
  })

  test('while the model writes aborts that call', async () => {
    api.play([plan(['county'])], [{ stallsAfter: '{"answer":"It is in Miami-Dade ' }])
    await sendUntil(path, () => api.calls.length === 2)
    await waitUntil(() => api.calls[1]!.aborted.aborted)
    expect(api.calls).toHaveLength(2)
  })
})
