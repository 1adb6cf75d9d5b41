import { describe, expect, test } from 'bun:test'
import { boxesOfPolygons, boxesTouch, mergeBoxes, splitAtAntimeridian, widenBoxes } from '../../src/geo/boxes.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { randomOf } from '../../scripts/bench/random.ts'

const contains = (boxes: { w: number; s: number; e: number; n: number }[], lng: number, lat: number) =>
  boxes.some(({ w, s, e, n }) => lng >= w && lng <= e && lat >= s && lat <= n)

describe('Boxes', () => {
  test('widened by a distance contain every point within that distance', () => {
    const random = randomOf(7)
    for (let i = 0; i < 5_000; i++) {
      const [w, s] = [-180 + 359 * random(), -15 + 86 * random()]
      const box = { w, s, e: Math.min(180, w + 3 * random()), n: s + 2 * random() }
      const margin_m = 10 ** (1 + 4.5 * random())
      const widened = widenBoxes([box], margin_m)
      const from = { lng: random() < 0.5 ? box.w : box.e, lat: random() < 0.5 ? box.s : box.n }
      const reach_degrees = (margin_m / 50_000) * random()
      const angle = 2 * Math.PI * random()
      const to = {
        lat: from.lat + reach_degrees * Math.sin(angle),
        lng: from.lng + 2 * reach_degrees * Math.cos(angle),
      }
      const isInRange = Math.abs(to.lat) < 89 && distanceBetween_m(from, to) <= margin_m
      if (isInRange) expect([i, contains(widened, ((to.lng + 540) % 360) - 180, to.lat)]).toEqual([i, true])
    }
  })

  test('across the antimeridian become two', () => {
    expect(splitAtAntimeridian({ w: 179, s: 51, e: 181, n: 52 })).toEqual([
      { w: 179, s: 51, e: 180, n: 52 },
      { w: -180, s: 51, e: -179, n: 52 },
    ])
    expect(splitAtAntimeridian({ w: -181, s: 51, e: -179, n: 52 })).toEqual([
      { w: 179, s: 51, e: 180, n: 52 },
      { w: -180, s: 51, e: -179, n: 52 },
    ])
    expect(splitAtAntimeridian({ w: -200, s: 0, e: 200, n: 1 })).toEqual([{ w: -180, s: 0, e: 180, n: 1 }])
    const square = (lng: number) => [
      [
        [lng, 51],
        [lng + 1, 51],
        [lng + 1, 52],
        [lng, 51],
      ] as [number, number][],
    ]
    expect(boxesOfPolygons([square(172), square(-179)])).toEqual([
      { w: -179, s: 51, e: -178, n: 52 },
      { w: 172, s: 51, e: 173, n: 52 },
    ])
    expect(boxesOfPolygons([square(-100), square(-98)])).toEqual([{ w: -100, s: 51, e: -97, n: 52 }])
  })

  test('are merged where they overlap, unless that would add more than they cover', () => {
    expect(
      mergeBoxes([
        { w: 0, s: 0, e: 2, n: 2 },
        { w: 1, s: 0, e: 3, n: 2 },
      ]),
    ).toEqual([{ w: 0, s: 0, e: 3, n: 2 }])
    const cross = [
      { w: 0, s: 4, e: 10, n: 5 },
      { w: 4, s: 0, e: 5, n: 10 },
    ]
    expect(mergeBoxes(cross)).toEqual(cross)
    expect(boxesTouch(cross[0]!, cross[1]!)).toBe(true)
    const random = randomOf(3)
    const many = Array.from({ length: 300 }, () => {
      const [w, s] = [10 * random(), 10 * random()]
      return { w, s, e: w + random(), n: s + random() }
    })
    const merged = mergeBoxes(many)
    expect(merged.length).toBeLessThan(many.length)
    for (const { w, s, e, n } of many) expect(contains(merged, (w + e) / 2, (s + n) / 2)).toBe(true)
  })
})
