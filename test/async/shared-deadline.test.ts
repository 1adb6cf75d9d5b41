import { expect, test } from 'bun:test'
import { createSharedDeadline } from '../../src/async/deadline.ts'

const never = () => new Promise<string>(() => {})
const messageOf = (work: Promise<string>) => work.catch((error: Error) => error.message)

test('work settles as it would alone', async () => {
  const { within } = createSharedDeadline(() => new Error('late'))
  expect(await within(60_000, Promise.resolve('done'))).toBe('done')
  expect(await messageOf(within(60_000, Promise.reject(new Error('broken'))))).toBe('broken')
})

test('each piece of work has its own limit, in whatever order they began', async () => {
  const { within } = createSharedDeadline(() => new Error('late'))
  const longer = within(60_000, never())
  longer.catch(() => {})
  expect(await Promise.all([30, 1, 15].map((limit_ms) => messageOf(within(limit_ms, never()))))).toEqual([
    'late',
    'late',
    'late',
  ])
  expect(await messageOf(within(1, never()))).toBe('late')
  expect(Bun.peek.status(longer)).toBe('pending')
})
