import { describe, expect, test } from 'bun:test'
import { BodyQueue, bodyChunks, isBehind, receiveBody, type BodyPace } from '../../src/http/request/body.ts'

const max_bytes = 1_000_000

/** A request whose body has chunks of these sizes. */
function sentInChunks(sizes: number[]): Request {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const [i, size] of sizes.entries()) controller.enqueue(new Uint8Array(size).fill(i % 251))
      controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', body })
}

test.each([
  ['no chunk', []],
  ['one byte', [1]],
  ['single bytes', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [70_000, 300_000]],
  ['small and large ones in turn', [1, 70_000, 10, 65_536, 65_535, 2, 1]],
] as const)(
  'a body that comes as %s is the same bytes, in no more pieces than its size takes',
  async (_name, sizes) => {
    const pieces = await Array.fromAsync(bodyChunks(sentInChunks([...sizes]), max_bytes))
    expect(Buffer.concat(pieces)).toEqual(Buffer.concat(sizes.map((size, i) => new Uint8Array(size).fill(i % 251))))
    const large = sizes.filter((size) => size > 65_536).length
    expect(pieces.length).toBeLessThanOrEqual(
      2 * (large + Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 65_536)),
    )
  },
)

test('a body above its limit is not read further', async () => {
  expect(
    await Array.fromAsync(bodyChunks(sentInChunks([600_000, 600_000]), max_bytes)).catch((error: unknown) => error),
  ).toMatchObject({ code: 'body_too_large' })
})

describe('a body that arrives too slowly', () => {
  const pace: BodyPace = { grace_ms: 10_000, least_bytes_per_s: 1000, deadline_ms: 60_000, check_ms: 1 }
  test.each([
    ['nothing in the grace period', 10_000, 0, false],
    ['nothing after the grace period', 10_001, 0, true],
    ['a byte every three seconds', 13_000, 4, true],
    ['the least rate after the grace period', 30_000, 20_000, false],
    ['a byte less', 30_000, 19_999, true],
    ['most of it at once, then nothing, for as long as the least rate allows', 30_000, 20_000, false],
    ['fast, but not complete before the deadline', 60_001, 1e9, true],
  ])('%s', (_name, elapsed_ms, received_bytes, isSlow) => {
    expect(isBehind(pace, elapsed_ms, received_bytes)).toBe(isSlow)
  })

  const impatient: BodyPace = { grace_ms: 0, least_bytes_per_s: 1e9, deadline_ms: 60_000, check_ms: 1 }
  const silent = (headers: Record<string, string>) => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      cancel: () => void (isCancelled = true),
    })
    const request = new Request('http://localhost/', { method: 'POST', body, headers })
    return { request, isCancelled: () => isCancelled }
  }
  const timeout = { code: 'request_timeout', status: 408, retryable: true, detail: { retry_after_s: 1 } }

  test('is not read further, and the request fails with request_timeout', async () => {
    const { request, isCancelled } = silent({})
    expect(await receiveBody(request, max_bytes, impatient).catch((error: unknown) => error)).toMatchObject(timeout)
    expect(isCancelled()).toBe(true)
  })

  test('also when it is small', async () => {
    const { request } = silent({ 'content-length': '100' })
    const slow = { ...impatient, least_bytes_per_s: 1e9 }
    expect(await receiveBody(request, max_bytes, slow).catch((error: unknown) => error)).toMatchObject(timeout)
  })
})

describe('of the bodies of all requests', () => {
  const sent = (length: number | null, signal = new AbortController().signal) =>
    new Request('http://localhost/', {
      method: 'POST',
      body: 'x',
      signal,
      headers: length === null ? {} : { 'content-length': String(length) },
    })
  const never = () => new Promise<never>(() => {})
  /** Starts to receive bodies of an account, and returns how many of them are being received. */
  async function receiving(queue: BodyQueue, account: string, count: number, length: number | null): Promise<number> {
    let begun = 0
    const begin = () => {
      begun++
      return never()
    }
    for (let i = 0; i < count; i++) queue.run(sent(length), account, begin).catch(() => {})
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
    return begun
  }

  test('small ones are received at once', async () => {
    expect(await receiving(new BodyQueue(), 'a', 1000, 65_536)).toBe(1000)
  })

  test.each([
    ['larger ones', 65_537],
    ['those without a length', null],
  ])('%s wait, and one account leaves places to others', async (_name, length) => {
    const queue = new BodyQueue()
    expect(await receiving(queue, 'a', 100, length)).toBe(24)
    expect(await receiving(queue, 'b', 5, length)).toBe(5)
    expect(await receiving(queue, 'c', 5, length)).toBe(3)
  })

  test('one more than the queue holds fails at once with fetch_busy', async () => {
    const queue = new BodyQueue()
    await receiving(queue, 'a', 24 + 256, 100_000)
    expect(await queue.run(sent(100_000), 'a', never).catch((error: unknown) => error)).toMatchObject({
      code: 'fetch_busy',
      retryable: true,
    })
  })

  test('one whose client disconnects leaves the queue', async () => {
    const queue = new BodyQueue()
    await receiving(queue, 'a', 24, 100_000)
    const leaving = new AbortController()
    const gone = queue.run(sent(100_000, leaving.signal), 'a', never).catch((error: unknown) => (error as Error).name)
    leaving.abort()
    expect(await gone).toBe('AbortError')
  })
})
