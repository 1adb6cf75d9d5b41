import { afterEach, expect, test } from 'bun:test'
import { respondWith, openFaultServer, type RespondRaw } from './fault-server.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

const call = { url: 'https://a.gov/data', deduplicate: true }
const opened: (() => void)[] = []
afterEach(() => opened.splice(0).forEach((close) => close()))

/** A host whose responses the test releases. Each response contains the number of its call. */
function openPausedServer(responseFor: (nth: number) => RespondRaw = (nth) => respondWith(`{"nth":${nth}}`)) {
  const waiting: (() => void)[] = []
  const server = openFaultServer({
    data: (socket, request) => {
      waiting.push(() => responseFor(server.requestPaths.length)(socket, request))
    },
  })
  opened.push(server.close)
  const { net } = openTestClient({ mirror: server.mirror })
  const releaseCalls = async (calls: number) => {
    await server.until(() => server.requestPaths.length === calls)
    waiting.splice(0).forEach((respond) => respond())
  }
  return { net, server, releaseCalls }
}

test('identical concurrent calls with `deduplicate` share one request, as JSON or as bytes', async () => {
  const { net, server, releaseCalls } = openPausedServer()
  const all = Promise.all([net.fetchJson(call, noTimeout), net.fetchJson(call, noTimeout)])
  await releaseCalls(1)
  expect(await all).toEqual([{ nth: 1 }, { nth: 1 }])
  const bodies = Promise.all([net.send(call, noTimeout), net.send(call, noTimeout)])
  await releaseCalls(2)
  expect((await bodies).map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(['{"nth":2}', '{"nth":2}'])
  expect(server.requestPaths).toHaveLength(2)
})

test('calls with different bodies, and calls without `deduplicate`, are sent separately', async () => {
  const { net, releaseCalls } = openPausedServer()
  const post = { ...call, method: 'POST' as const }
  const all = Promise.all([
    net.fetchJson({ ...post, body: 'a' }, noTimeout),
    net.fetchJson({ ...post, body: 'b' }, noTimeout),
  ])
  await releaseCalls(2)
  expect(await all).toHaveLength(2)
  const apart = Promise.all([net.fetchJson({ url: call.url }, noTimeout), net.fetchJson({ url: call.url }, noTimeout)])
  await releaseCalls(4)
  expect(await apart).toHaveLength(2)
})

test('they share a failure, and the next call is sent again', async () => {
  const { net, releaseCalls } = openPausedServer((nth) => (nth === 1 ? respondWith('down', 400) : respondWith('"up"')))
  const both = [settledResult(net.fetchJson(call, noTimeout)), settledResult(net.fetchJson(call, noTimeout))]
  await releaseCalls(1)
  expect(await Promise.all(both)).toEqual(['upstream_rejected', 'upstream_rejected'])
  const later = net.fetchJson(call, noTimeout)
  await releaseCalls(2)
  expect(await later).toBe('up')
})

test('an aborted caller gets its own reason, and the others get the response', async () => {
  const { net, releaseCalls } = openPausedServer()
  const [client, late] = [new AbortController(), new AbortController()]
  const all = [
    settledResult(net.fetchJson(call, { signal: client.signal })),
    settledResult(net.fetchJson(call, { signal: late.signal })),
    settledResult(net.fetchJson(call, noTimeout)),
  ]
  const gone = new Error('gone')
  client.abort(gone)
  late.abort(new DOMException('Time is up.', 'TimeoutError'))
  expect(await Promise.all(all.slice(0, 2))).toEqual([gone, 'timeout, retryable'])
  await releaseCalls(1)
  expect(await all[2]).toEqual({ result: { nth: 1 } })
})

test('a call without remaining callers is aborted', async () => {
  const { net, server } = openPausedServer()
  const client = new AbortController()
  const both = [
    settledResult(net.fetchJson(call, { signal: client.signal })),
    settledResult(net.fetchJson(call, { signal: client.signal })),
  ]
  await server.until(() => server.requestPaths.length === 1)
  client.abort(new Error('gone'))
  await Promise.all(both)
  await server.until(() => server.closedConnections.length === 1)
  expect(server.requestPaths).toHaveLength(1)
})
