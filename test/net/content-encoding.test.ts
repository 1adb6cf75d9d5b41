import { describe, expect, test } from 'bun:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { maxBody_bytes, readResponseBody } from '../../src/net/body.ts'
import { fetchBounded } from '../../src/net/bounded-fetch.ts'
import { createBomb, bombSize_bytes, encodeBody, encodings } from '../upstreams/encodings.ts'
import { respondWith, openFaultServer, writeMessage, type RespondRaw } from './fault-server.ts'
import { settledResult, noTimeout, openTestClient } from './test-client.ts'

/** A server that records the Accept-Encoding of every request. */
function openRecordingServer(...answers: RespondRaw[]) {
  const accepted: (string | undefined)[] = []
  const row: RespondRaw = (socket, request) => {
    accepted.push(/^accept-encoding: (.*)\r$/im.exec(request)?.[1])
    ;(answers.length > 1 ? answers.shift()! : answers[0]!)(socket, request)
  }
  return { accepted, ...openFaultServer({ data: row }) }
}
const url = 'https://a.gov/data'
const success = respondWith('{}')

describe('the requested encoding', () => {
  test('is gzip, and identity for a range', async () => {
    const server = openRecordingServer(success)
    const { net } = openTestClient({ mirror: server.mirror })
    await net.send({ url }, noTimeout)
    await net.send({ url, headers: { Range: 'bytes=0-9' } }, noTimeout)
    await net.send({ url, headers: { 'accept-encoding': 'identity' } }, noTimeout)
    server.close()
    expect(server.accepted).toEqual(['gzip', 'identity', 'identity'])
  })

  test('is the same after a redirect to another host', async () => {
    for (const headers of [{ range: 'bytes=0-9' }, { 'accept-encoding': 'identity' }]) {
      const server = openRecordingServer(respondWith('', 302, { Location: 'https://allowed.gov/data' }), success)
      await openTestClient({ mirror: server.mirror }).net.send({ url, headers }, noTimeout)
      server.close()
      expect(server.accepted).toEqual(['identity', 'identity'])
    }
  })
})

describe('an encoding that was not requested', () => {
  const zstd = { 'Content-Encoding': 'zstd' }

  test('is named in the error, and the call is not retried', async () => {
    const server = openRecordingServer(respondWith('x', 200, { 'Content-Encoding': 'gzip, zstd' }))
    const error: unknown = await openTestClient({ mirror: server.mirror })
      .net.send({ url }, noTimeout)
      .catch((thrown: unknown) => thrown)
    server.close()
    expect(String(error)).toBe('Error: a.gov returned the content encoding "gzip, zstd", which was not requested.')
    expect(server.requestPaths.length).toBe(1)
  })

  test('does not matter without a body', async () => {
    for (const status of [204, 304]) {
      const server = openRecordingServer((socket) =>
        writeMessage(socket, `HTTP/1.1 ${status} Said\nContent-Encoding: zstd\n\n`),
      )
      const { bytes } = await openTestClient({ mirror: server.mirror }).net.send(
        { url, acceptedStatuses: [304] },
        noTimeout,
      )
      server.close()
      expect([status, bytes.length]).toEqual([status, 0])
    }
  })

  test('does not matter for an error status or a redirect', async () => {
    const busy = openRecordingServer(respondWith('not zstd', 503, zstd))
    expect(
      await settledResult(openTestClient({ mirror: busy.mirror }).net.send({ url, metered: true }, noTimeout)),
    ).toBe('upstream_5xx, retryable')
    busy.close()
    const moved = openRecordingServer(respondWith(createBomb('zstd'), 302, { ...zstd, Location: '/data?2' }), success)
    expect(await openTestClient({ mirror: moved.mirror }).net.fetchJson({ url }, noTimeout)).toEqual({})
    moved.close()
  })
})

test('a body without compression, of which all has arrived, is joined in steps', async () => {
  const chunk = new Uint8Array(65_536).fill(7)
  let left = maxBody_bytes / chunk.length
  const body = new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk.slice())
      else controller.close()
    },
  })
  let turns = 0
  const counting = setInterval(() => turns++)
  const bytes = await readResponseBody(new Response(body), maxBody_bytes, 'a.gov', new AbortController().signal)
  clearInterval(counting)
  expect([bytes.length, bytes.every((byte) => byte === 7)]).toEqual([maxBody_bytes, true])
  expect(turns).toBeGreaterThan(1)
})

describe('a gzip body', () => {
  const inGzip = (bytes: Uint8Array) => new Response(new Uint8Array(bytes), { headers: { 'content-encoding': 'gzip' } })
  const read = (bytes: Uint8Array, cap_bytes: number, signal = noTimeout.signal) =>
    readResponseBody(inGzip(bytes), cap_bytes, 'a.gov', signal)

  test('is limited by its decompressed length, to the byte', async () => {
    const body = gzipSync('0123456789'.repeat(100))
    expect((await read(body, 1000)).length).toBe(1000)
    expect(await settledResult(read(body, 999))).toBe('too_large')
  })

  test('never exceeds 64 MiB, whatever the cap of the call', async () => {
    expect((await read(gzipSync(Buffer.alloc(maxBody_bytes)), Infinity)).length).toBe(maxBody_bytes)
    expect(await settledResult(read(gzipSync(Buffer.alloc(maxBody_bytes + 1)), Infinity))).toBe('too_large')
  })

  test('is also limited by its compressed length, for empty members', async () => {
    const nothing = gzipSync('')
    expect(
      await settledResult(read(Buffer.concat(Array.from({ length: 100 }, () => nothing)), 50 * nothing.length)),
    ).toBe('too_large')
  })

  test('may be empty', async () => {
    expect((await read(new Uint8Array(), 10)).length).toBe(0)
    expect((await read(gzipSync(''), 100)).length).toBe(0)
  })

  test('is aborted on timeout, and yields to the event loop meanwhile', async () => {
    const time = new AbortController()
    let turns = 0
    const count = () => {
      if (++turns === 3) time.abort(new DOMException('', 'TimeoutError'))
      else setImmediate(count)
    }
    setImmediate(count)
    expect(await settledResult(read(createBomb('gzip'), bombSize_bytes, time.signal))).toBe('timeout, retryable')
    expect(turns).toBe(3)
  })

  test('with random damage is rejected, or decompresses to its content', async () => {
    const seed = Math.trunc(Math.random() * 2 ** 31)
    const random = randomBy(seed)
    const letters = Buffer.from(Array.from({ length: 3000 }, () => 97 + random(26)))
    const intact = gzipSync(letters)
    for (let i = 0; i < 500; i++) {
      const damaged = Buffer.from(intact.subarray(0, random(3) === 0 ? random(intact.length) : intact.length))
      if (random(2) === 0 && damaged.length > 0) damaged[random(damaged.length)] = random(256)
      const got = await settledResult(read(damaged, 10_000).then((bytes) => Buffer.from(bytes).toString()))
      expect([seed, i, got]).toEqual([seed, i, expectedOf(damaged)])
    }
  })

  function expectedOf(damaged: Uint8Array): unknown {
    if (damaged.length === 0) return { result: '' }
    try {
      return { result: gunzipSync(damaged).toString() }
    } catch {
      return 'bad_response, retryable'
    }
  }
})

describe('a configured server', () => {
  const fetched = (port: number, max_bytes: number) =>
    fetchBounded(`http://127.0.0.1:${port}/a.gov/data`, {}, max_bytes).then((response) => response.text())

  test('is requested without compression, and returns status, headers and body', async () => {
    const server = openRecordingServer(respondWith('0123456789', 404, { 'X-Said': 'yes' }))
    const response = await fetchBounded(`${server.mirror}/a.gov/data`, { headers: { 'x-own': '1' } }, 10)
    expect(response.status).toBe(404)
    expect(response.headers.get('x-said')).toBe('yes')
    expect(await response.text()).toBe('0123456789')
    expect(server.accepted).toEqual(['identity'])
    server.close()
  })

  test('may respond without a body', async () => {
    const server = openRecordingServer((socket) =>
      writeMessage(socket, 'HTTP/1.1 204 Said\nContent-Encoding: zstd\n\n'),
    )
    expect((await fetchBounded(`${server.mirror}/a.gov/data`, {}, 10)).status).toBe(204)
    server.close()
  })

  test('is read up to the limit, to the byte', async () => {
    const server = openRecordingServer(respondWith('0123456789'))
    expect(await fetched(server.port, 10)).toBe('0123456789')
    expect(await settledResult(fetched(server.port, 9))).toBe('too_large')
    server.close()
  })

  test.each(encodings)('is rejected when it responds with %s', async (encoding) => {
    const server = openRecordingServer(
      respondWith(encodeBody(Buffer.from('{}'), encoding), 200, { 'Content-Encoding': encoding }),
    )
    expect(await settledResult(fetched(server.port, 1000))).toBe('bad_response, retryable')
    server.close()
  })
})

/** Whole numbers below a limit, the same for the same seed. */
function randomBy(seed: number): (below: number) => number {
  let state = seed | 1
  return (below) => {
    state = Math.imul(state, 48_271) & 0x7fff_ffff
    return (state >>> 8) % below
  }
}
