import { expect, test } from 'bun:test'
import { poisonAt, runWithPoison } from './poison.ts'

test('a location that kills the process each time fails after three attempts; all other locations, also those of another run, are answered', async () => {
  expect(await runWithPoison(100)).toEqual({ tries: 3, failedIndexes: [poisonAt], answered: 199 })
}, 120_000)
