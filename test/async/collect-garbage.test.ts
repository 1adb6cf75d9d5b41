import { heapSize } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { createGarbageCollector } from '../../src/async/collect-garbage.ts'

test('garbage that outlives young collections is collected when the heap has grown', () => {
  const collect = createGarbageCollector(10)
  const work = (count: number) => Array.from({ length: count }, () => collect())
  work(10)
  const before = heapSize()
  for (let round = 0; round < 12; round++) {
    // It lives through one young collection, and is garbage after it.
    let held = Array.from({ length: 100_000 }, (_none, i) => ({ i, text: `text ${i}` }))
    work(10)
    held = []
    expect(held).toBeEmpty()
  }
  work(20)
  expect((heapSize() - before) / 1e6).toBeLessThan(40)
})
