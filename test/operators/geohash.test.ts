import { expect, test } from 'bun:test'
import ngeohash from 'ngeohash'
import { randomOf } from '../../scripts/bench/random.ts'
import { geohashOf } from '../../src/operators/functions/cell-code.ts'

test('geohashes agree with ngeohash at 20,000 points, for every length, also on cell edges and centers', () => {
  const random = randomOf(20_261_121)
  const edges = [-180, -90, -45, 0, 45, 90, 180].flatMap((lng) =>
    [-90, -45, 0, 22.5, 45, 90].map((lat) => ({ lat, lng })),
  )
  const points = [
    ...edges,
    ...Array.from({ length: 20_000 }, () => ({ lat: 180 * random() - 90, lng: 360 * random() - 180 })),
  ]
  const wrong = points.filter((at, i) => geohashOf(at, 1 + (i % 12)) !== ngeohash.encode(at.lat, at.lng, 1 + (i % 12)))
  expect(wrong).toEqual([])
  expect(geohashOf({ lat: 57.64911, lng: 10.40744 }, 11)).toBe('u4pruydqqvj')
})
