import { afterEach, expect, test } from 'bun:test'
import { respondWith, openFaultServer, type RespondRaw } from './fault-server.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

const call = { url: 'https://a.gov/data', deduplicate: true }
const opened: (() => void)[] = []
afterEach(() => opened.splice(0).forEach((close) => close()))

/** A host that answers when it is told to, each call with its number. */
function held(says: (nth: number) => RespondRaw = (nth) => respondWith(`{"nth":${nth}}`)) {
  const waiting: (() => void)[] = []
  const server = openFaultServer({
    data: (socket, request) => {
      waiting.push(() => says(server.asked.length)(socket, request))
    },
  })
  opened.push(server.close)
  const { net } = openTestClient({ mirror: server.mirror })
  const answered = async (calls: number) => {
    await server.until(() => server.asked.length === calls)
    waiting.splice(0).forEach((say) => say())
  }
  return { net, server, answered }
}

test('equal calls that are alike, under way at one time, are one, be they read as JSON or as they are', async () => {
  const { net, server, answered } = held()
  const all = Promise.all([net.fetchJson(call, noTimeout), net.fetchJson(call, noTimeout)])
  await answered(1)
  expect(await all).toEqual([{ nth: 1 }, { nth: 1 }])
  const bodies = Promise.all([net.send(call, noTimeout), net.send(call, noTimeout)])
  await answered(2)
  expect((await bodies).map(({ bytes }) => new TextDecoder().decode(bytes))).toEqual(['{"nth":2}', '{"nth":2}'])
  expect(server.asked).toHaveLength(2)
})

test('calls with another body, and calls that are not alike, are each made', async () => {
  const { net, answered } = held()
  const post = { ...call, method: 'POST' as const }
  const all = Promise.all([
    net.fetchJson({ ...post, body: 'a' }, noTimeout),
    net.fetchJson({ ...post, body: 'b' }, noTimeout),
  ])
  await answered(2)
  expect(await all).toHaveLength(2)
  const apart = Promise.all([net.fetchJson({ url: call.url }, noTimeout), net.fetchJson({ url: call.url }, noTimeout)])
  await answered(4)
  expect(await apart).toHaveLength(2)
})

test('they fail together, and the next is made anew', async () => {
  const { net, answered } = held((nth) => (nth === 1 ? respondWith('down', 400) : respondWith('"up"')))
  const both = [settledResult(net.fetchJson(call, noTimeout)), settledResult(net.fetchJson(call, noTimeout))]
  await answered(1)
  expect(await Promise.all(both)).toEqual(['upstream_rejected', 'upstream_rejected'])
  const later = net.fetchJson(call, noTimeout)
  await answered(2)
  expect(await later).toBe('up')
})

test('who gives up leaves with his own reason, and the others get the answer', async () => {
  const { net, answered } = held()
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
  await answered(1)
  expect(await all[2]).toEqual({ gave: { nth: 1 } })
})

test('a call that nobody waits for any more is ended', async () => {
  const { net, server } = held()
  const client = new AbortController()
  const both = [
    settledResult(net.fetchJson(call, { signal: client.signal })),
    settledResult(net.fetchJson(call, { signal: client.signal })),
  ]
  await server.until(() => server.asked.length === 1)
  client.abort(new Error('gone'))
  await Promise.all(both)
  await server.until(() => server.gone.length === 1)
  expect(server.asked).toHaveLength(1)
})
