import { expect, test } from 'bun:test'
import { OpenLocationCode } from 'open-location-code'
import { randomOf } from '../../scripts/bench/random.ts'
import { plusCodeOf } from '../../src/geo/text/plus-code.ts'

test('plus codes agree with the reference implementation at 20,000 points, for every length, also on cell edges and at the poles', () => {
  const random = randomOf(20_261_121)
  const edges = [-180, -179.95, -105, -104.99, 0, 0.000125, 179.999875, 180].flatMap((lng) =>
    [-90, -14.5, 0, 39.74, 39.7425, 71.05, 90].map((lat) => ({ lat, lng })),
  )
  const points = [
    ...edges,
    ...Array.from({ length: 20_000 }, () => ({ lat: 180 * random() - 90, lng: 360 * random() - 180 })),
  ]
  const lengths = [2, 4, 6, 8, 10, 11, 12, 13]
  const theirs = new OpenLocationCode()
  const wrong = points.flatMap((at) =>
    lengths
      .filter((digits) => plusCodeOf(at, digits) !== theirs.encode(at.lat, at.lng, digits))
      .map((digits) => ({ at, digits, ours: plusCodeOf(at, digits), theirs: theirs.encode(at.lat, at.lng, digits) })),
  )
  expect(wrong).toEqual([])
  expect(plusCodeOf({ lat: 39.74, lng: -104.99 }, 10)).toBe('85FQP2R6+22')
})

test.each([0, 1, 3, 7, -2])('a plus code cannot have %p digits', (digits) => {
  expect(() => plusCodeOf({ lat: 39.74, lng: -104.99 }, digits)).toThrow('Invalid plus code length')
})
