import { expect, test } from 'bun:test'
import geodesic from 'geographiclib-geodesic'
import { distanceBetween_m, segmentDistance2, xyzOf } from '../../src/geo/ecef.ts'

const wgs84 = geodesic.Geodesic.WGS84
const pairs = [
  ['ten kilometres', { lat: 39.7392, lng: -104.9903 }, { lat: 39.8, lng: -105.08 }],
  ['across the antimeridian', { lat: 51.9, lng: 179.9 }, { lat: 52, lng: -179.8 }],
  ['a few metres', { lat: 61.2181, lng: -149.9003 }, { lat: 61.21815, lng: -149.90025 }],
  ['Denver to the Gulf', { lat: 39.7392, lng: -104.9903 }, { lat: 29.3, lng: -94.8 }],
  ['Maine to Hawaii', { lat: 44.8, lng: -66.95 }, { lat: 19.6, lng: -155.5 }],
] as const

test.each(pairs)('a distance agrees with the geodesic within 0.1 %% (%s)', (_name, a, b) => {
  const truth = wgs84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
  expect(Math.abs(distanceBetween_m(a, b) / truth - 1)).toBeLessThan(0.001)
})

test('at 10 km a distance agrees with the geodesic within one millionth', () => {
  const [, a, b] = pairs[0]
  expect(Math.abs(distanceBetween_m(a, b) / wgs84.Inverse(a.lat, a.lng, b.lat, b.lng).s12! - 1)).toBeLessThan(1e-6)
})

test('the distance to a segment is measured to its nearest point, which may be an end', () => {
  const from = xyzOf({ lat: 40.01, lng: -105 })
  const west = xyzOf({ lat: 40, lng: -105.02 })
  const east = xyzOf({ lat: 40, lng: -104.98 })
  const beside = Math.sqrt(segmentDistance2(from, west.x, west.y, west.z, east.x, east.y, east.z))
  expect(Math.abs(beside - distanceBetween_m({ lat: 40.01, lng: -105 }, { lat: 40, lng: -105 }))).toBeLessThan(1)
  const beyond = Math.sqrt(
    segmentDistance2(xyzOf({ lat: 40, lng: -104.9 }), west.x, west.y, west.z, east.x, east.y, east.z),
  )
  expect(Math.abs(beyond - distanceBetween_m({ lat: 40, lng: -104.9 }, { lat: 40, lng: -104.98 }))).toBeLessThan(1)
})

test('a segment of length 0 is a point', () => {
  const a = xyzOf({ lat: 40, lng: -105 })
  expect(segmentDistance2(a, a.x, a.y, a.z, a.x, a.y, a.z)).toBe(0)
})
