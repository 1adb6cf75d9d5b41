import { expect, test } from 'bun:test'
import { extentOf } from '../../src/geo/overlay/cut-at-extent.ts'
import { Overlay } from '../../src/geo/overlay/overlay.ts'
import type { FlatPath } from '../../src/model/area.ts'
import { randomStar, seededRandom } from '../areas/random-polygons.ts'

const random = seededRandom(12)
const [x, y, size] = [-105, 39, 0.1]
const outline = randomStar(random, { x, y, size, vertices: 1_000 })
const farOutline = outline.map((value, i) => (i % 2 === 0 ? value + 3 * size : value))
const overlay = new Overlay(extentOf([outline, farOutline]))
const rings = await overlay.union([
  ...(await overlay.fromPolygon([outline])),
  ...(await overlay.fromPolygon([farOutline])),
])

test('the part of a detailed outline within a polygon is the same as without a cut near the polygon', async () => {
  for (let i = 0; i < 30; i++) {
    const at = { x: x + 3 * size * random(), y: y + size * (random() - 0.5) }
    const polygon = randomStar(random, { ...at, size: size * (0.01 + random() ** 3), vertices: 3 + (i % 9) })
    const { shared } = await overlay.split(rings, await overlay.fromPolygon([polygon]))
    const within = await overlay.withinPolygon(rings, [polygon])
    const difference_m2 = Math.abs(overlay.area_m2(within.shared) - overlay.area_m2(shared))
    expect(difference_m2 / overlay.area_m2(rings)).toBeLessThan(1e-12)
    expect(within.isAll).toBe(false)
  }
})

test('a polygon around one of two outlines does not contain all of them', async () => {
  const around = (margin: number, east: number): FlatPath => {
    const [west, south, north] = [x - margin, y - margin, y + margin]
    return [west, south, east, south, east, north, west, north]
  }
  const one = await overlay.withinPolygon(rings, [around(1.5 * size, x + 1.5 * size)])
  expect(one.isAll).toBe(false)
  expect(overlay.area_m2(one.shared) / overlay.area_m2(rings)).toBeCloseTo(0.5, 10)
  const both = await overlay.withinPolygon(rings, [around(1.5 * size, x + 4.5 * size)])
  expect(both.isAll).toBe(true)
})
