import { describe, expect, test } from 'bun:test'
import { createSingleFlight } from '../../src/async/single-flight.ts'
import type { Budget } from '../../src/model/source.ts'
import { budget } from '../fetch/fake-context.ts'
import { refusal } from '../operators/fakes.ts'

/** Questions under way that are answered when the test says so. */
function held() {
  const flights = createSingleFlight()
  const begun: { budget: Budget; answer: (value: unknown) => void; fail: (error: Error) => void }[] = []
  const begin = (own: Budget) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    begun.push({ budget: own, answer: resolve, fail: reject })
    return promise
  }
  const join = (key: string, own: Budget = budget, budget_ms = 60_000) => flights.join(key, budget_ms, own, begin)
  return { join, begun }
}

describe('equal questions under way at one time', () => {
  test('are one question, and all get its answer', async () => {
    const { join, begun } = held()
    const answers = Promise.all(Array.from({ length: 100 }, () => join('a')))
    begun[0]!.answer(7)
    expect(new Set(await answers)).toEqual(new Set([7]))
    expect(begun).toHaveLength(1)
  })

  test('are asked again when the first is answered, and other questions are other flights', async () => {
    const { join, begun } = held()
    const [first, other] = [join('a'), join('b')]
    begun[0]!.answer(1)
    begun[1]!.answer(2)
    expect(await Promise.all([first, other])).toEqual([1, 2])
    const again = join('a')
    begun[2]!.answer(3)
    expect(await again).toBe(3)
  })

  test('fail together, and nobody later is told of that failure', async () => {
    const { join, begun } = held()
    const both = Promise.allSettled([join('a'), join('a')])
    begun[0]!.fail(new Error('down'))
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const again = join('a')
    begun[1]!.answer('up')
    expect(await again).toBe('up')
  })
})

describe('who goes away', () => {
  test('leaves at once, and the others still get the answer', async () => {
    const { join, begun } = held()
    const client = new AbortController()
    const [gone, stays] = [join('a', { signal: client.signal }), join('a')]
    client.abort(new Error('gone'))
    expect(await gone.catch((error: Error) => error.message)).toBe('gone')
    expect(begun[0]!.budget.signal.aborted).toBe(false)
    begun[0]!.answer(1)
    expect(await stays).toBe(1)
  })

  test('as the last one takes the question along', async () => {
    const { join, begun } = held()
    const clients = [new AbortController(), new AbortController()]
    const gone = Promise.allSettled(clients.map(({ signal }) => join('a', { signal })))
    for (const client of clients) client.abort(new Error('gone'))
    await gone
    expect(begun[0]!.budget.signal.aborted).toBe(true)
  })

  test.each([0, 1, 2, 3, 4, 5, 6])('and who comes %i breaths after the last has gone begins anew', async (breaths) => {
    const { join, begun } = held()
    const client = new AbortController()
    const gone = join('a', { signal: client.signal }).catch(() => 'gone')
    client.abort(new Error('gone'))
    for (let i = 0; i < breaths; i++) await Promise.resolve()
    const again = join('a')
    for (const { answer } of begun) answer('answered')
    expect([await gone, await again.catch((error: Error) => error.message)]).toEqual(['gone', 'answered'])
  })

  test('and one who had gone before asks nothing', async () => {
    const { join, begun } = held()
    expect(
      await join('a', { signal: AbortSignal.abort(new Error('gone')) }).catch((error: Error) => error.message),
    ).toBe('gone')
    expect(begun).toHaveLength(0)
  })
})

test('a question whose time is up has timed out for all, also where the source does not listen', async () => {
  const { join, begun } = held()
  const both = [join('a', budget, 5), join('a', budget, 5)]
  expect(await Promise.all(both.map(refusal))).toEqual([
    'timeout: There was no answer within 0.005 s.',
    'timeout: There was no answer within 0.005 s.',
  ])
  expect(begun[0]!.budget.signal.aborted).toBe(true)
})
