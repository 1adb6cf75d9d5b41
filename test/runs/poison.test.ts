import { expect, test } from 'bun:test'
import { poisonAt, poisoned } from './poison.ts'

test('a location that kills the whole process each time is tried three times and given up; all others, those of another run too, are answered', async () => {
  expect(await poisoned(100)).toEqual({ tries: 3, givenUp: [poisonAt], answered: 199 })
}, 120_000)
