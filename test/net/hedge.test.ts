import { describe, expect, test } from 'bun:test'
import { respondWith, openFaultServer, type RespondRaw } from './fault-server.ts'
import { settledResult, noTimeout, nextMacrotask, openTestClient } from './test-client.ts'

const url = 'https://a.gov/data'

/**
 * A host that has responded to `calls` calls, and then uses the responses of `then`. `endWait` ends the wait for the
 * first response.
 */
async function openServerWithHistory(calls: number, then: RespondRaw[] = []) {
  const server = openFaultServer({
    data: (socket, request) =>
      (server.requestPaths.length > calls ? (then.shift() ?? respondWith('"usual"')) : respondWith('"usual"'))(
        socket,
        request,
      ),
  })
  let late: PromiseWithResolvers<void> | null = null
  const waits: number[] = []
  const { net } = openTestClient({
    mirror: server.mirror,
    wait: (ms) => {
      waits.push(ms)
      late = Promise.withResolvers()
      return late.promise
    },
  })
  for (let i = 0; i < calls; i++) await net.fetchJson({ url }, noTimeout)
  const sendHedged = (more = {}) => settledResult(net.fetchJson({ url, hedge: true, ...more }, noTimeout))
  return {
    server,
    waits,
    sendHedged,
    net,
    endWait: () => late!.resolve(),
    extraCalls: () => server.requestPaths.length - calls,
  }
}
const silent: RespondRaw = () => {}

describe('a call with `hedge`', () => {
  test('is sent again when the first is slow; the first response is returned and the other call aborted', async () => {
    const { server, waits, sendHedged, endWait, extraCalls } = await openServerWithHistory(20, [
      silent,
      respondWith('"second"'),
    ])
    const call = sendHedged()
    await server.until(() => extraCalls() === 1)
    await nextMacrotask()
    expect(waits).toEqual([50])
    endWait()
    expect(await call).toEqual({ result: 'second' })
    await server.until(() => server.closedConnections.length > 0)
    expect(extraCalls()).toBe(2)
    server.close()
  })

  test('returns the response of the first call if it arrives first', async () => {
    let first = () => {}
    const { server, sendHedged, endWait, extraCalls } = await openServerWithHistory(20, [
      (socket, request) => (first = () => respondWith('"first"')(socket, request)),
      silent,
    ])
    const call = sendHedged()
    await server.until(() => extraCalls() === 1)
    endWait()
    await server.until(() => extraCalls() === 2)
    first()
    expect(await call).toEqual({ result: 'first' })
    server.close()
  })

  test('waits for the other call if one fails, and throws the error of the first if both fail', async () => {
    let first = () => {}
    const held: RespondRaw = (socket, request) => (first = () => respondWith('', 404)(socket, request))
    const { server, sendHedged, endWait, extraCalls } = await openServerWithHistory(40, [
      held,
      respondWith('', 403),
      held,
      respondWith('"second"'),
    ])
    for (const [expected, received] of [
      ['upstream_rejected', 2],
      [{ result: 'second' }, 4],
    ] as const) {
      const call = sendHedged()
      await server.until(() => extraCalls() === received - 1)
      endWait()
      await server.until(() => extraCalls() === received)
      first()
      expect(await call).toEqual(expected)
    }
    server.close()
  })

  test('aborts both calls', async () => {
    const { server, net, endWait, extraCalls } = await openServerWithHistory(20, [silent, silent])
    const client = new AbortController()
    const call = settledResult(net.fetchJson({ url, hedge: true }, client))
    await server.until(() => extraCalls() === 1)
    endWait()
    await server.until(() => extraCalls() === 2)
    const reason = new Error('The client went away.')
    client.abort(reason)
    expect(await call).toBe(reason)
    await server.until(() => server.closedConnections.length === 2)
    server.close()
  })
})

describe('no second call is sent', () => {
  const countHedges = async (calls: number, more: object) => {
    let first = () => {}
    const { server, waits, sendHedged, extraCalls, ...rest } = await openServerWithHistory(calls, [
      (socket, request) => (first = () => respondWith('"first"')(socket, request)),
    ])
    const call = sendHedged(more)
    await server.until(() => extraCalls() === 1)
    if (waits.length > 0) rest.endWait()
    await nextMacrotask()
    first()
    expect(await call).toEqual({ result: 'first' })
    expect(extraCalls()).toBe(1)
    server.close()
    return waits.length
  }
  test('while the host has fewer than twenty samples', async () => expect(await countHedges(19, {})).toBe(0))
  test('without `hedge`', async () => expect(await countHedges(40, { hedge: false })).toBe(0))
  test('when calls are billed', async () => expect(await countHedges(40, { metered: true })).toBe(0))

  test('when more than 5 % of the calls of the last minute would be hedged', async () => {
    const rows = [silent, respondWith('"second"'), silent]
    const { server, sendHedged, endWait, extraCalls } = await openServerWithHistory(30, rows)
    const hedge = sendHedged()
    await server.until(() => extraCalls() === 1)
    endWait()
    expect(await hedge).toEqual({ result: 'second' })
    void sendHedged()
    await server.until(() => extraCalls() === 3)
    endWait()
    await nextMacrotask()
    expect(extraCalls()).toBe(3)
    server.close()
  })

  test('when all slots of the host are taken', async () => {
    const { server, sendHedged, net, endWait, extraCalls } = await openServerWithHistory(
      40,
      Array.from({ length: 8 }, () => silent),
    )
    void sendHedged()
    for (let i = 0; i < 7; i++) void settledResult(net.fetchJson({ url }, noTimeout))
    await server.until(() => extraCalls() === 8)
    endWait()
    await nextMacrotask()
    expect(extraCalls()).toBe(8)
    server.close()
  })
})
