import { expect, test } from 'bun:test'
import { dotSize } from '../../src/web/map/style.ts'

const zoomedOutRadius = (count: number) => Number(dotSize(count).radius.at(4))

test('zoomed out, dots are smaller the more there are, but always visible', () => {
  const sizes = [1, 100, 500, 2000, 10_000, 100_000].map(zoomedOutRadius)
  expect(sizes.slice(0, 5)).toEqual(sizes.slice(0, 5).toSorted((a, b) => b - a))
  expect(zoomedOutRadius(100)).toEqual(zoomedOutRadius(1))
  expect(zoomedOutRadius(10_000)).toBe(1.6)
  expect(zoomedOutRadius(100_000)).toBe(1.6)
  expect(zoomedOutRadius(500)).toBeLessThan(zoomedOutRadius(100))
})

test('zoomed in, dots have the same size whatever their number', () => {
  expect(dotSize(10_000).radius.slice(-2)).toEqual(dotSize(1).radius.slice(-2))
})
