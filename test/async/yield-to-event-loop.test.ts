import { expect, test } from 'bun:test'
import { createSharedYieldToEventLoop, createTurnQueue } from '../../src/async/yield-to-event-loop.ts'

test('of the tasks that wait for a turn of the event loop, one continues in each turn', async () => {
  // Every slice is over at once.
  const yieldToEventLoop = createSharedYieldToEventLoop(0)
  expect(yieldToEventLoop()).toBeNull()
  const steps: string[] = []
  const task = async (name: string) => {
    for (let step = 0; step < 3; step++) {
      await yieldToEventLoop()
      steps.push(name)
    }
  }
  const turns = async (isDone: () => boolean) => {
    let longest = 0
    while (!isDone()) {
      const before = steps.length
      await new Promise<void>((done) => setImmediate(done))
      longest = Math.max(longest, steps.length - before)
    }
    return longest
  }
  const tasks = Promise.all(['a', 'b', 'c'].map(task))
  // A turn may begin before the immediate of the test and end after it.
  expect(await turns(() => steps.length === 9)).toBeLessThanOrEqual(2)
  await tasks
  expect(steps.join('')).toBe('abcabcabc')
})

test('a task continues without waiting while the slice lasts', () => {
  const yieldToEventLoop = createSharedYieldToEventLoop(60_000)
  expect([yieldToEventLoop(), yieldToEventLoop()]).toEqual([null, null])
})

test('the tasks of a turn continue at its end, and each account has its turn', async () => {
  const waitForTurn = createTurnQueue(60_000)
  const steps: string[] = []
  const task = async (account: string, name: string) => {
    await waitForTurn(account)
    steps.push(name)
  }
  const tasks = [task('a', 'a1'), task('a', 'a2'), task('a', 'a3'), task('b', 'b1'), task('c', 'c1')]
  await Promise.resolve()
  expect(steps).toEqual([])
  await Promise.all(tasks)
  expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'a3'])
})

test('after the time slice, a task waits for the end of the next turn', async () => {
  // Every slice is over at once.
  const waitForTurn = createTurnQueue(0)
  const steps: string[] = []
  const task = async (account: string, name: string) => {
    await waitForTurn(account)
    steps.push(name)
  }
  const tasks = [task('a', 'a1'), task('a', 'a2'), task('b', 'b1')]
  const perTurn: number[] = []
  while (steps.length < 3) {
    const before = steps.length
    await new Promise<void>((done) => setImmediate(done))
    perTurn.push(steps.length - before)
  }
  await Promise.all(tasks)
  expect(steps).toEqual(['a1', 'b1', 'a2'])
  // A turn may begin before the immediate of the test and end after it.
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(2)
})
