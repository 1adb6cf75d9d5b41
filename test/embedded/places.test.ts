import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import geodesic from 'geographiclib-geodesic'
import { readGeometry } from '../../src/geo/text/wkb.ts'
import type { Point } from '../../src/model/place.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { readFeatures, describeLayer } from '../../scripts/embed/read-geopackage.ts'
import type { Properties } from '../../src/model/source.ts'
import { embeddedFile, embeddedGeopackage } from '../support/test-service.ts'
import { tenPlaces } from './ten-places.ts'

const embedded = openEmbeddedData(embeddedFile)
const db = new Database(embeddedGeopackage, { readonly: true })
afterAll(() => db.close())

const truth_m = (a: Point, b: Point) => geodesic.Geodesic.WGS84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
const publicAirport = "SITE_TYPE_CODE='A' AND FACILITY_USE_CODE='PU'"
const nearest = (layer: string, at: Point, where?: string) =>
  embedded.layer(layer).query({ at, radius_m: Infinity, limit: 1, ...(where !== undefined && { where }) })[0]!

/** Every vertex of a layer in the file, with the attributes of its feature. */
function* verticesOf(layer: string): Generator<{ at: Point; properties: Properties }> {
  for (const { geometry, properties } of readFeatures(db, describeLayer(db, layer))) {
    const found: Point[] = []
    readGeometry(geometry, { polygon() {}, ring() {}, line() {}, vertex: (lng, lat) => found.push({ lat, lng }) })
    for (const at of found) yield { at, properties }
  }
}
const airports = [...verticesOf('airports')].filter(
  ({ properties }) => properties.SITE_TYPE_CODE === 'A' && properties.FACILITY_USE_CODE === 'PU',
)
const towns = [...verticesOf('places')]
const coast = [...verticesOf('coastline')].map(({ at }) => at)

/** The distance on a sphere: accurate to 0.6 % and fast. */
function spherical_m(a: Point, b: Point): number {
  const rad = Math.PI / 180
  const half = (x: number) => Math.sin((x * rad) / 2) ** 2
  return (
    2 *
    6_371_000 *
    Math.asin(Math.sqrt(half(b.lat - a.lat) + Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * half(b.lng - a.lng)))
  )
}

/** The shortest geodesic to any of many points. It measures all that the spherical distance does not exclude. */
function slowly_m(at: Point, points: Point[]): number {
  const rough = points.map((point) => spherical_m(at, point))
  const least = rough.reduce((a, b) => Math.min(a, b))
  return points
    .filter((_, i) => rough[i]! <= least * 1.02)
    .reduce((a, point) => Math.min(a, truth_m(at, point)), Infinity)
}

describe.each(tenPlaces.map((it) => [it.name, it] as const))(
  '%s',
  (_name, { at, county, zone, airport, place, coast_m }) => {
    test('is in its county and its time zone', () => {
      expect(
        embedded
          .layer('counties')
          .query({ at, radius_m: 0 })
          .map(({ properties }) => properties.GEOID),
      ).toEqual([county])
      expect(
        embedded
          .layer('timezones')
          .query({ at, radius_m: 0 })
          .map(({ properties }) => properties.TZID),
      ).toEqual([zone])
    })

    test('has its nearest airport and place at the geodesic distance', () => {
      const [landing, town] = [nearest('airports', at, publicAirport), nearest('places', at)]
      expect([landing.properties.ARPT_ID, town.properties.NAME]).toEqual([airport, place])
      // Points are stored with an error of up to 0.6 m.
      expect(
        Math.abs(
          landing.distance_m -
            slowly_m(
              at,
              airports.map((it) => it.at),
            ),
        ),
      ).toBeLessThan(1 + landing.distance_m * 1e-4)
      expect(
        Math.abs(
          town.distance_m -
            slowly_m(
              at,
              towns.map((it) => it.at),
            ),
        ),
      ).toBeLessThan(1 + town.distance_m * 1e-4)
    })

    test('has the known distance to the coast, or that of the nearest coastline vertex', () => {
      const { distance_m } = nearest('coastline', at)
      const slow_m = slowly_m(at, coast)
      expect(distance_m).toBeLessThanOrEqual(slow_m * 1.001)
      if (coast_m === null) expect(Math.abs(distance_m / slow_m - 1)).toBeLessThan(0.001)
      else expect(Math.abs(distance_m / coast_m - 1)).toBeLessThan(0.01)
    })
  },
)

test('sections of a city are places that a condition can exclude', () => {
  const timesSquare = { lat: 40.758, lng: -73.9855 }
  expect(nearest('places', timesSquare).properties).toMatchObject({ NAME: "Hell's Kitchen", FCODE: 'PPLX' })
  expect(nearest('places', timesSquare, "FCODE <> 'PPLX'").properties).toMatchObject({ NAME: 'Weehawken', STATE: 'NJ' })
})

test('near Hudson and James Bay, the coast is theirs, at the distance of the nearest vertex of the whole map', async () => {
  const map = (await Bun.file(
    join(import.meta.dir, '../../node_modules/@geo-maps/earth-coastlines-1m/map.geo.json'),
  ).json()) as { geometries: { coordinates: [lng: number, lat: number][][][] }[] }
  // The map shows three lakes of Saskatchewan as sea.
  const shores = map.geometries
    .flatMap(({ coordinates }) => coordinates.flat(2))
    .map(([lng, lat]) => ({ lat, lng }))
    .filter(
      ({ lat, lng }) =>
        lat > 40 && lat < 75 && lng > -135 && lng < -60 && !(lat > 54 && lat < 55 && lng > -106.1 && lng < -105.9),
    )
  for (const [name, lat, lng] of [
    ['International Falls', 48.6, -93.4],
    ['Fargo', 46.88, -96.79],
    ['Rolla', 48.86, -99.62],
    ['Marquette', 46.54, -87.4],
    ['Sault Ste. Marie', 46.49, -84.35],
    ['Duluth', 46.79, -92.1],
    ['Minot', 48.23, -101.29],
    ['Plentywood', 48.77, -104.56],
  ] as const) {
    const truth = slowly_m({ lat, lng }, shores)
    const { distance_m } = nearest('coastline', { lat, lng })
    expect([name, Math.abs(distance_m / truth - 1) < 0.001]).toEqual([name, true])
  }
})
