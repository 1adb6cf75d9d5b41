import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import { usEnvelope } from '../../src/geo/us.ts'
import { readGeometry } from '../../src/geo/text/wkb.ts'
import type { Point } from '../../src/model/place.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { readFeatures, describeLayer } from '../../scripts/embed/read-geopackage.ts'
import { embeddedFile, embeddedGeopackage } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)

const counties = embedded.layer('counties')
const countiesAt = (lat: number, lng: number) =>
  counties.query({ at: { lat, lng }, radius_m: 0 }).map(({ properties }) => String(properties.GEOID))

const seed = 20_261_121

/** Random points: half in the 48 states, the rest in the other boxes of the envelope. */
function scattered(count: number): Point[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, (_, i) => {
    const [south, west, north, east] = usEnvelope[i % 2 === 0 ? 0 : (i >> 1) % usEnvelope.length]!
    return { lat: south + random() * (north - south), lng: west + random() * (east - west) }
  })
}

test('no point is in two counties', () => {
  const points = scattered(50_000)
  const found = points.map((at) => ({ at, seed, counties: countiesAt(at.lat, at.lng) }))
  expect(found.filter(({ counties }) => counties.length > 1)).toEqual([])
  expect(found.filter(({ counties }) => counties.length === 1).length).toBeGreaterThan(15_000)
})

test('no corner of a county border is in two counties', () => {
  const db = new Database(embeddedGeopackage, { readonly: true })
  const corners: Point[] = []
  let count = 0
  const vertex = (lng: number, lat: number) => {
    if (count++ % 40 === 0) corners.push({ lat, lng })
  }
  for (const { geometry } of readFeatures(db, describeLayer(db, 'counties')))
    readGeometry(geometry, { polygon() {}, ring() {}, line() {}, vertex })
  db.close()
  expect(corners.length).toBeGreaterThan(10_000)
  expect(corners.filter(({ lat, lng }) => countiesAt(lat, lng).length > 1)).toEqual([])
})

const known = [
  ['Hartford, in a planning region of Connecticut', 41.7658, -72.6734, '09110'],
  ['Bridgeport', 41.1792, -73.1894, '09120'],
  ['New Haven', 41.3083, -72.9279, '09170'],
  ['Valdez, since the division of Valdez-Cordova', 61.1308, -146.3483, '02063'],
  ['Glennallen, since the division of Valdez-Cordova', 62.1092, -145.5472, '02066'],
  ['Pine Ridge, in the county that was renamed Oglala Lakota', 43.0255, -102.5563, '46102'],
  ['Bedford, the city that joined its county', 37.3343, -79.5231, '51019'],
  ['Bethel', 60.7922, -161.7558, '02050'],
  ['Hooper Bay, in the census area that was renamed Kusilvak', 61.53, -166.1, '02158'],
  ['Kake, which moved to Prince of Wales-Hyder', 56.9758, -133.9472, '02198'],
  ['Hagåtña', 13.4745, 144.7504, '66010'],
  ['Pago Pago', -14.2794, -170.7006, '60010'],
  ['Saipan', 15.1869, 145.7545, '69110'],
  ['Charlotte Amalie', 18.3419, -64.9307, '78030'],
  ['San Juan', 18.4655, -66.1057, '72127'],
  ['Times Square', 40.758, -73.9855, '36061'],
  ['Washington', 38.8895, -77.0353, '11001'],
  ['an independent city', 37.5407, -77.436, '51760'],
  ['Attu, beyond the antimeridian', 52.9, 172.9, '02016'],
  ['Liberty Island, an exclave in the waters of New Jersey', 40.6892, -74.0445, '36061'],
] as const

test.each(known)('%s is in its county of 2023', (_name, lat, lng, county) => {
  expect(countiesAt(lat, lng)).toEqual([county])
})

describe('islands that end at the shore', () => {
  test.each([
    ['a pier of Charlotte Amalie', 18.3345, -64.9305, ['78030']],
    ['Apra Harbor', 13.45, 144.65, ['66010']],
    ['ten kilometers off Guam', 13.45, 144.53, []],
    ['the sea between St. Thomas and St. Croix', 18.05, -64.8, []],
  ])('include their harbors and nothing beyond: %s', (_name, lat, lng, expected) => {
    expect(countiesAt(lat, lng)).toEqual(expected)
  })
})

test.each([
  ['Toronto', 43.65, -79.38],
  ['Tijuana', 32.51, -117.02],
  ['Ciudad Juárez', 31.69, -106.42],
  ['Windsor, Ontario', 42.3, -83.02],
  ['Havana', 23.11, -82.37],
  ['the open sea', 27.4, -73],
])('%s is in no county', (_name, lat, lng) => expect(countiesAt(lat, lng)).toEqual([]))

test('every state, the District and the five territories have counties, and every county has its state', () => {
  const all = counties.query({ at: { lat: 39, lng: -98 }, radius_m: Infinity }).map(({ properties }) => properties)
  expect(new Set(all.map(({ STUSPS }) => STUSPS)).size).toBe(56)
  expect(new Set(all.map(({ GEOID }) => GEOID)).size).toBe(all.length)
  expect(
    all.filter(({ GEOID, STATEFP }) => !/^\d{5}$/.test(String(GEOID)) || String(GEOID).slice(0, 2) !== STATEFP),
  ).toEqual([])
})

test('names keep their accents', () => {
  const named = (GEOID: string) =>
    counties.query({ at: { lat: 39, lng: -98 }, radius_m: Infinity, limit: 1, where: `GEOID = '${GEOID}'` })[0]!
      .properties.NAMELSAD
  expect(['35013', '72011', '72127', '22071', '09110'].map(named)).toEqual([
    'Doña Ana County',
    'Añasco Municipio',
    'San Juan Municipio',
    'Orleans Parish',
    'Capitol Planning Region',
  ])
})
