import { describe, expect, test } from 'bun:test'
import { createSingleFlight } from '../../src/async/single-flight.ts'
import type { Budget } from '../../src/model/source.ts'
import { fetchBudget } from '../fetch/fake-context.ts'
import { rejectionMessage } from '../operators/fakes.ts'

/** A single flight whose work the test resolves or rejects. */
function createControlledFlight() {
  const flights = createSingleFlight()
  const started: { budget: Budget; answer: (value: unknown) => void; fail: (error: Error) => void }[] = []
  const begin = (callerBudget: Budget) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    started.push({ budget: callerBudget, answer: resolve, fail: reject })
    return promise
  }
  const join = (key: string, callerBudget: Budget = fetchBudget, budget_ms = 60_000) =>
    flights.join(key, budget_ms, callerBudget, begin)
  return { join, started }
}

describe('concurrent calls with the same key', () => {
  test('share one flight and its result', async () => {
    const { join, started } = createControlledFlight()
    const answers = Promise.all(Array.from({ length: 100 }, () => join('a')))
    started[0]!.answer(7)
    expect(new Set(await answers)).toEqual(new Set([7]))
    expect(started).toHaveLength(1)
  })

  test('begin a new flight after the first has ended, and calls with other keys have their callerBudget', async () => {
    const { join, started } = createControlledFlight()
    const [first, other] = [join('a'), join('b')]
    started[0]!.answer(1)
    started[1]!.answer(2)
    expect(await Promise.all([first, other])).toEqual([1, 2])
    const again = join('a')
    started[2]!.answer(3)
    expect(await again).toBe(3)
  })

  test('share its error, and a later call begins a new flight', async () => {
    const { join, started } = createControlledFlight()
    const both = Promise.allSettled([join('a'), join('a')])
    started[0]!.fail(new Error('down'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const again = join('a')
    started[1]!.answer('up')
    expect(await again).toBe('up')
  })
})

describe('a caller that aborts', () => {
  test('is rejected at once, and the other callers still get the result', async () => {
    const { join, started } = createControlledFlight()
    const client = new AbortController()
    const [gone, stays] = [join('a', { signal: client.signal }), join('a')]
    client.abort(new Error('gone'))
    expect(await gone.catch((error: Error) => error.message)).toBe('gone')
    expect(started[0]!.budget.signal.aborted).toBe(false)
    started[0]!.answer(1)
    expect(await stays).toBe(1)
  })

  test('ends the flight when it was the last one', async () => {
    const { join, started } = createControlledFlight()
    const clients = [new AbortController(), new AbortController()]
    const gone = Promise.allSettled(clients.map(({ signal }) => join('a', { signal })))
    for (const client of clients) client.abort(new Error('gone'))
    await gone
    expect(started[0]!.budget.signal.aborted).toBe(true)
  })

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'a call %i microtasks after the last caller aborted begins a new flight',
    async (microtasks) => {
      const { join, started } = createControlledFlight()
      const client = new AbortController()
      const gone = join('a', { signal: client.signal }).catch(() => 'gone')
      client.abort(new Error('gone'))
      for (let i = 0; i < microtasks; i++) await Promise.resolve()
      const again = join('a')
      for (const { answer } of started) answer('answered')
      expect([await gone, await again.catch((error: Error) => error.message)]).toEqual(['gone', 'answered'])
    },
  )

  test.each([0, 1, 2, 3, 4, 5, 6])(
    'the end of its flight does not end one that began %i microtasks after it aborted',
    async (microtasks) => {
      const { join, started } = createControlledFlight()
      const client = new AbortController()
      const gone = join('a', { signal: client.signal }).catch(() => 'gone')
      client.abort(new Error('gone'))
      for (let i = 0; i < microtasks; i++) await Promise.resolve()
      const second = join('a')
      await new Promise((resolve) => setImmediate(resolve))
      const flights = started.length
      const third = join('a')
      expect(started).toHaveLength(flights)
      for (const { answer } of started) answer('answered')
      expect(await Promise.all([gone, second, third])).toEqual(['gone', 'answered', 'answered'])
    },
  )

  test('begins no flight when it aborted before', async () => {
    const { join, started } = createControlledFlight()
    expect(
      await join('a', { signal: AbortSignal.abort(new Error('gone')) }).catch((error: Error) => error.message),
    ).toBe('gone')
    expect(started).toHaveLength(0)
  })
})

test('a flight that exceeds its limit rejects all its callers with timeout, even when the work ignores its signal', async () => {
  const { join, started } = createControlledFlight()
  const both = [join('a', fetchBudget, 5), join('a', fetchBudget, 5)]
  expect(await Promise.all(both.map(rejectionMessage))).toEqual([
    'timeout: There was no answer within 0.005 s.',
    'timeout: There was no answer within 0.005 s.',
  ])
  expect(started[0]!.budget.signal.aborted).toBe(true)
})
