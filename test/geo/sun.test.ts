import { expect, test } from 'bun:test'
import { dayLengthOf, noonElevationOf, sunDeclinationAt } from '../../src/geo/sun.ts'

// The times of the equinoxes and solstices of 2026, from the Astronomical Applications Department of the US Naval
// Observatory.
test.each([
  ['2026-03-20T14:46Z', 0],
  ['2026-06-21T08:24Z', 23.436],
  ['2026-09-23T00:05Z', 0],
  ['2026-12-21T20:50Z', -23.436],
])('The declination of the sun at %s is %p degrees', (time, expected) => {
  expect(Math.abs(sunDeclinationAt(new Date(time)) - expected)).toBeLessThan(0.02)
})

test('A day has 24 hours in the polar summer, none in the polar night, and a bit more than 12 at an equinox', () => {
  expect([dayLengthOf(71, 23.4), dayLengthOf(71, -23.4)]).toEqual([24, 0])
  expect(dayLengthOf(0, 0)).toBeCloseTo(12.11, 2)
})

test('The sun at noon stands in the zenith where its declination is the latitude', () => {
  expect([noonElevationOf(20, 20), noonElevationOf(71, -23)]).toEqual([90, -4])
})
