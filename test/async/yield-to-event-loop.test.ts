import { expect, test } from 'bun:test'
import { createSharedYieldToEventLoop } from '../../src/async/incremental-task.ts'

test.each([
  ['one continues in each turn', { a: 'one', b: 'one', c: 'one' }, 'abcabcabc'],
  ['accounts take turns', { a: 'one', b: 'one', c: 'two' }, 'acbcacbab'],
])('of the tasks that wait for a turn of the event loop, %s', async (_what, accounts, order) => {
  // Every slice is over at once.
  const yieldFor = createSharedYieldToEventLoop(0)
  expect(yieldFor('one')()).toBeNull()
  const steps: string[] = []
  const task = async ([name, account]: [string, string]) => {
    const yieldToEventLoop = yieldFor(account)
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
  const tasks = Promise.all(Object.entries(accounts).map(task))
  // A turn may begin before the immediate of the test and end after it.
  expect(await turns(() => steps.length === 9)).toBeLessThanOrEqual(2)
  await tasks
  expect(steps.join('')).toBe(order)
})

test('a task continues without waiting while the slice lasts, and its turn is not the end of a slice', async () => {
  let ends = 0
  const onSliceEnd = () => void ends++
  const yieldToEventLoop = createSharedYieldToEventLoop(60_000, onSliceEnd)('one')
  expect([yieldToEventLoop(), yieldToEventLoop()]).toEqual([null, null])
  await new Promise<void>((done) => setImmediate(done))
  expect(ends).toBe(0)
  const endSlice = createSharedYieldToEventLoop(0, onSliceEnd)('one')
  void endSlice()
  await endSlice()
  expect(ends).toBe(1)
})
