import { expect, test } from 'bun:test'
import { createSharedYieldToEventLoop } from '../../src/async/incremental-task.ts'

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
