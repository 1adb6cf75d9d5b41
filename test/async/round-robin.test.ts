import { expect, test } from 'bun:test'
import { createRoundRobin } from '../../src/async/round-robin.ts'

test('callers take turns, also within one time slice', async () => {
  const turns = createRoundRobin(1000)
  const order: string[] = []
  const read = async (name: string) => {
    for (let i = 0; i < 3; i++) await turns(() => order.push(name))
  }
  await Promise.all(['a', 'b', 'c'].map(read))
  expect(order.join('')).toBe('abcabcabc')
})

test('after the time slice, work waits for the next turn of the event loop', async () => {
  const perTurn: number[] = []
  const turns = createRoundRobin(0, (pieces) => perTurn.push(pieces))
  await Promise.all(Array.from({ length: 3 }, () => turns(() => {})))
  expect(perTurn).toEqual([1, 1, 1])
})

test('work that throws rejects only its own caller', async () => {
  const turns = createRoundRobin(1000)
  const results = await Promise.allSettled([
    turns(() => {
      throw new Error('gone')
    }),
    turns(() => 2),
  ])
  expect(results).toMatchObject([{ status: 'rejected', reason: { message: 'gone' } }, { value: 2 }])
})
