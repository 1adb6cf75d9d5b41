import { afterAll, describe, expect, test } from 'bun:test'
import { createHttpServer } from '../../src/http/server.ts'
import type { Behaviour } from './messages-api.ts'
import { miami, openModelHouse, question, until } from './model-house.ts'

/** An upstream that never answers. */
const taken: AbortSignal[] = []
const upstream = Bun.serve({
  port: 0,
  idleTimeout: 60,
  fetch: ({ signal }) => {
    taken.push(signal)
    return new Promise<Response>((resolve) =>
      signal.addEventListener('abort', () => resolve(new Response(null, { status: 499 })), { once: true }),
    )
  },
})
const { api, house, close } = openModelHouse({ FIELDSTONE_MIRROR: `http://localhost:${upstream.port}` })
const http = createHttpServer(house.app)
await new Promise<void>((resolve) => http.listen({ hostname: '127.0.0.1', port: 0 }, () => resolve()))
afterAll(async () => {
  await http.stop(true)
  close()
  await upstream.stop(true)
})

const plan = (fields: string[]): Behaviour => ({ says: { fields, preset: null, answerable: true, reasoning: 'x' } })

/** Sends a request and closes the connection once `isSo` holds. */
async function askUntil(path: string, isSo: () => boolean): Promise<void> {
  const gone = new AbortController()
  const asked = fetch(`http://127.0.0.1:${http.server!.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${house.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ question, ...miami }),
    signal: gone.signal,
  }).then((response) => response.text())
  asked.catch(() => 'cut off')
  await until(isSo)
  gone.abort()
  expect(
    await asked.then(
      () => 'answered',
      () => 'cut off',
    ),
  ).toBe('cut off')
}

describe.each(['/v1/ask', '/v1/ask/stream'])('a client that closes its connection to %s', (path) => {
  test('while the model plans aborts that call, and nothing is fetched', async () => {
    taken.length = 0
    api.play([{ fails: 'hangs' }], [])
    await askUntil(path, () => api.calls.length === 1)
    await until(() => api.calls[0]!.aborted.aborted)
    expect([api.calls.length, taken.length]).toEqual([1, 0])
  })

  test('during a source call aborts that call, and no model writes', async () => {
    taken.length = 0
    api.play([plan(['elevation'])], [])
    await askUntil(path, () => taken.length > 0)
    await until(() => taken.every(({ aborted }) => aborted))
    expect(api.calls.map(({ stream }) => stream)).toEqual([false])
  })

  test('while the model writes aborts that call', async () => {
    api.play([plan(['county'])], [{ stallsAfter: '{"answer":"It is in Miami-Dade ' }])
    await askUntil(path, () => api.calls.length === 2)
    await until(() => api.calls[1]!.aborted.aborted)
    expect(api.calls).toHaveLength(2)
  })
})
