import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'bun:test'
import { TurnQueue } from '../../src/async/turn-queue.ts'

/** Runs a piece of work of each caller, and returns the order of the pieces. */
async function orderOf(callers: string[], queue: TurnQueue): Promise<string[]> {
  const order: string[] = []
  await Promise.all(callers.map((caller, i) => queue.run(caller, () => void order.push(`${caller}${i}`))))
  return order
}

test('work waits for the end of the turn, and its callers take turns', async () => {
  const queue = new TurnQueue(1000, 100)
  expect(await orderOf(['a', 'a', 'a', 'b', 'c', 'b'], queue)).toEqual(['a0', 'b3', 'c4', 'a1', 'b5', 'a2'])
})

test('when the slice of a turn is used up, the rest waits for the next turn', async () => {
  const queue = new TurnQueue(0, 100)
  const order: string[] = []
  const first = queue.run('a', () => void order.push('first'))
  const second = queue.run('a', () => void order.push('second'))
  await first
  order.push('between')
  await second
  expect(order).toEqual(['first', 'between', 'second'])
})

test('more work than the queue holds runs at once', async () => {
  const queue = new TurnQueue(1000, 2)
  expect(await orderOf(['a', 'b', 'c', 'd'], queue)).toEqual(['c2', 'd3', 'a0', 'b1'])
  expect(await orderOf(['a', 'b'], queue)).toEqual(['a0', 'b1'])
})

test('an error rejects only its piece of work', async () => {
  const queue = new TurnQueue(1000, 100)
  const failing = queue.run('a', () => {
    throw new Error('broken')
  })
  const rejecting = queue.run('a', () => Promise.reject(new Error('late')))
  const working = queue.run('a', () => 1)
  expect(await Promise.allSettled([failing, rejecting, working])).toMatchObject([
    { reason: new Error('broken') },
    { reason: new Error('late') },
    { value: 1 },
  ])
})

test('each piece of work runs in the asynchronous context of its caller', async () => {
  const storage = new AsyncLocalStorage<string>()
  const queue = new TurnQueue(1000, 100)
  const found = ['one', 'two'].map((name) =>
    storage.run(name, () =>
      queue.run('a', async () => {
        await nextTurn()
        return storage.getStore()
      }),
    ),
  )
  expect(await Promise.all(found)).toEqual(['one', 'two'])
})
