import { describe, expect, test } from 'bun:test'
import {
  allOf,
  andThen,
  runCoroutine,
  waitFor,
  type Coroutine,
  type MaybePromise,
} from '../../src/async/maybe-promise.ts'

function* sumOf(numbers: MaybePromise<number>[]): Coroutine<number> {
  let sum = 0
  for (const number of numbers) sum += yield* waitFor(number)
  return sum
}

function* zeroIfFails(number: MaybePromise<number>): Coroutine<number> {
  try {
    return yield* waitFor(number)
  } catch {
    return 0
  }
}

describe('a coroutine', () => {
  test('returns its result at once if nothing waits', () => expect(runCoroutine(sumOf([1, 2, 3]))).toBe(6))

  test('returns a promise if it waits for one result', async () => {
    const result = runCoroutine(sumOf([1, Promise.resolve(2), 3, Promise.resolve(4)]))
    expect(result).toBeInstanceOf(Promise)
    expect(await result).toBe(10)
  })

  test('catches the rejection of a promise that it waits for', async () => {
    expect(await runCoroutine(zeroIfFails(Promise.reject(new Error('no'))))).toBe(0)
  })

  test('throws at once before it waits, and rejects afterwards', async () => {
    const fail = function* (first: MaybePromise<number>): Coroutine<number> {
      yield* waitFor(first)
      throw new Error('broken')
    }
    expect(() => runCoroutine(fail(1))).toThrow('broken')
    expect(async () => runCoroutine(fail(Promise.resolve(1)))).toThrow('broken')
  })
})

test('a result is passed on at once, or when its promise resolves', async () => {
  expect(andThen(2, (value) => value + 1)).toBe(3)
  const later = andThen(Promise.resolve(2), (value) => value + 1)
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toBe(3)
})

test('results are joined into a promise only if one of them is a promise', async () => {
  expect(allOf([1, 2])).toEqual([1, 2])
  expect(await allOf([1, Promise.resolve(2)])).toEqual([1, 2])
})
