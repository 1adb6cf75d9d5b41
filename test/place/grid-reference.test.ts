import { expect, test } from 'bun:test'
import { forward } from 'mgrs'
import { plusCodeOf } from '../../src/geo/text/plus-code.ts'
import { parseGridReference } from '../../src/geo/text/grid-reference.ts'
import { parseCoordinates } from '../../src/geo/text/parse-coordinates.ts'
import { randomOf } from '../../scripts/bench/random.ts'

const seed = 20_261_121
const points = 5000
const metresPerDegree = 111_320

test(`a grid reference and a plus code lead back to their cell (seed ${seed})`, () => {
  const random = randomOf(seed)
  for (let i = 0; i < points; i++) {
    const at = { lat: -14 + random() * 85, lng: -180 + random() * 360 }
    for (const [digits, side_m] of [
      [5, 1],
      [4, 10],
    ] as const) {
      const found = parseGridReference(forward([at.lng, at.lat], digits))
      // A cell at the edge of its zone is cut off, so its center may lie in the next zone.
      if (found === null) expect(edgeOf(at.lng)).toBeLessThan(side_m)
      else expect(apart_m(at, found)).toBeLessThan(side_m)
    }
    for (const digits of [8, 10, 11])
      expect(plusCodeOf(parseGridReference(plusCodeOf(at, digits))!, digits)).toBe(plusCodeOf(at, digits))
    expect(apart_m(at, parseGridReference(plusCodeOf(at, 15))!)).toBeLessThan(0.2)
  }
})

test.each([
  '13SZZ0085698900',
  '61SED0085698900',
  '13IED0085698900',
  '13S',
  '13SED',
  '13SED0098',
  '13SED008569890',
  '85FQP2Q5',
  '85FQP2Q5+M',
  '85FQP200+',
  '85FAP2Q5+MV',
  'P2Q5+MV DENVER',
])('%s is not a grid reference', (text) => expect(parseGridReference(text)).toBeNull())

test('lower case and spaces do not change the place', () => {
  expect(parseCoordinates(' 13s ed 00856 98900 ')).toEqual(parseCoordinates('13SED0085698900'))
  expect(parseCoordinates('85fqp2q5+mv')).toEqual(parseCoordinates('85FQP2Q5+MV'))
})

/** The approximate distance in meters to the next edge of a six-degree zone, at the equator. */
function edgeOf(lng: number): number {
  const within = (((lng + 180) % 6) + 6) % 6
  return Math.min(within, 6 - within) * metresPerDegree
}

function apart_m(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  return Math.hypot(
    (a.lat - b.lat) * metresPerDegree,
    (a.lng - b.lng) * metresPerDegree * Math.cos((a.lat * Math.PI) / 180),
  )
}
