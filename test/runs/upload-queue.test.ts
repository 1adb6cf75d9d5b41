import { connect } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { createUploadQueue } from '../../src/runs/upload/upload-queue.ts'
import { openRawService } from '../http/socket.ts'

const small = 1000
const large = 2_000_000
const settled = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Submissions whose steps are ended by the test. */
function counter() {
  const intake = createUploadQueue()
  const steps = new Map<string, PromiseWithResolvers<void>>()
  const wait = async (step: string) => {
    steps.set(step, Promise.withResolvers<void>())
    await steps.get(step)!.promise.finally(() => steps.delete(step))
  }
  return {
    /** The names of the steps in progress. */
    underWay: () => [...steps.keys()].toSorted(),
    end(step: string) {
      steps.get(step)!.resolve()
    },
    fail(step: string) {
      steps.get(step)!.reject(new Error(step))
    },
    send(name: string, size_bytes: number, account = 'a', signal = new AbortController().signal) {
      const answered = intake({
        account,
        size_bytes,
        signal,
        receive: () => wait(`receives ${name}`),
        handle: async () => {
          await wait(`takes ${name}`)
          return name
        },
      })
      answered.catch(() => {})
      return answered
    },
  }
}

describe('of concurrent submissions', () => {
  test('all small ones are received, and one is handled at a time', async () => {
    const { send, underWay, end } = counter()
    const all = ['1', '2', '3', '4', '5', '6'].map((name) => send(name, small))
    expect(underWay()).toHaveLength(6)
    for (const name of ['1', '2', '3', '4', '5', '6']) end(`receives ${name}`)
    for (const name of ['1', '2', '3', '4', '5', '6']) {
      await settled()
      expect(underWay()).toEqual([`takes ${name}`])
      end(`takes ${name}`)
    }
    expect(await Promise.all(all)).toEqual(['1', '2', '3', '4', '5', '6'])
  })

  test('two large ones of two accounts are received, and one of them is handled', async () => {
    const { send, underWay, end } = counter()
    for (const name of ['1', '3']) void send(name, large)
    void send('2', large, 'b')
    await settled()
    expect(underWay()).toEqual(['receives 1', 'receives 2'])
    end('receives 1')
    end('receives 2')
    await settled()
    expect(underWay()).toEqual(['takes 1'])
    end('takes 1')
    await settled()
    expect(underWay()).toEqual(['receives 3', 'takes 2'])
  })

  test('one without a length counts as large', async () => {
    const { send, underWay } = counter()
    for (const name of ['1', '2', '3', '4', '5']) void send(name, Infinity, name)
    await settled()
    expect(underWay()).toHaveLength(2)
  })

  test('a small one waits neither for slow large ones nor for a large one that is handled', async () => {
    const { send, underWay, end } = counter()
    for (const name of ['1', '2', '3', '4', '5']) void send(name, large)
    await settled()
    end('receives 1')
    const little = send('little', small)
    end('receives little')
    await settled()
    expect(underWay()).toContain('takes little')
    end('takes little')
    expect(await little).toBe('little')
  })

  test('one account receives one large one, and the second place is free for another account at once', async () => {
    const { send, underWay } = counter()
    for (const name of ['1', '2', '3', '4', '5', '6']) void send(name, large)
    await settled()
    expect(underWay()).toEqual(['receives 1'])
    void send('another', large, 'b')
    await settled()
    expect(underWay()).toContain('receives another')
  })

  test('a place that becomes free goes to an account without one', async () => {
    const { send, underWay, end } = counter()
    for (const name of ['1', '2', '3', '4', '5', '6']) void send(name, large)
    void send('other', large, 'b')
    void send('another', large, 'c')
    await settled()
    expect(underWay()).toEqual(['receives 1', 'receives other'])
    end('receives other')
    await settled()
    end('takes other')
    await settled()
    expect(underWay()).toEqual(['receives 1', 'receives another'])
  })
})

test('a failed submission makes room for the next and rejects with its error', async () => {
  const { send, underWay, end, fail } = counter()
  const all = ['1', '2', '3', '4', '5'].map((name) => send(name, large))
  await settled()
  fail('receives 1')
  await settled()
  end('receives 2')
  await settled()
  fail('takes 2')
  await settled()
  expect(underWay()).toEqual(['receives 3'])
  const [first, second] = await Promise.allSettled(all.slice(0, 2))
  expect([first, second].map((it) => (it as PromiseRejectedResult).reason)).toMatchObject([
    { message: 'receives 1' },
    { message: 'takes 2' },
  ])
})

test('a client that disconnects while it waits leaves the queue', async () => {
  const { send, underWay, end } = counter()
  const leaving = new AbortController()
  void send('1', large)
  const gone = send('gone', large, 'a', leaving.signal)
  void send('next', large)
  leaving.abort()
  expect(await gone.catch((error: unknown) => (error as Error).name)).toBe('AbortError')
  await settled()
  end('receives 1')
  await settled()
  end('takes 1')
  await settled()
  expect(underWay()).toContain('receives next')
})

test('when the queue is full, a submission fails immediately with fetch_busy, which is retryable', async () => {
  const { send } = counter()
  for (let i = 0; i < 1 + 64; i++) void send(String(i), large)
  await settled()
  expect(await send('late', large).catch((error: unknown) => error)).toMatchObject({
    code: 'fetch_busy',
    status: 503,
    retryable: true,
    detail: { retry_after_s: 1 },
  })
})

test('over HTTP, slow large submissions do not block a small one, and after they disconnect, they do not block a large one', async () => {
  const { testService: service, port, close } = await openRawService({ FIELDSTONE_AUTH: 'off' })
  const head = (length: number) =>
    `POST /v1/runs HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
  const slow = await Promise.all(
    Array.from(
      { length: 6 },
      () =>
        new Promise<ReturnType<typeof connect>>((resolve) => {
          const socket = connect(port, '127.0.0.1', () => socket.write(`${head(large)}{"kind":`, () => resolve(socket)))
        }),
    ),
  )
  try {
    const body = JSON.stringify({
      kind: 'fetch_batch',
      request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] },
    })
    const submit = (text: string) =>
      fetch(`http://127.0.0.1:${port}/v1/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', host: `localhost:${port}` },
        body: text,
      })
    expect((await submit(body)).status).toBe(202)
    for (const socket of slow) socket.destroy()
    expect((await submit(body.padEnd(large))).status).toBe(202)
    expect(service.logged.filter((line) => line.includes('"error"'))).toEqual([])
  } finally {
    for (const socket of slow) socket.destroy()
    await close()
  }
})
