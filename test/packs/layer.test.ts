import { describe, expect, test } from 'bun:test'
import { loadTestLayer } from './load-test-layer.ts'
import { createGeopackage, type StoredFeature } from './create-geopackage.ts'
import { blob, boxRing, lineWkb, pointWkb, polygonWkb, type WkbShape } from './encode-wkb.ts'

const namedFeature = (
  NAME: string,
  shape: WkbShape,
  more: Record<string, number | string | null> = {},
): StoredFeature => ({ geom: blob(shape), attributes: { NAME, ...more } })
const loadFeatures = (...features: StoredFeature[]) => loadTestLayer(createGeopackage({ it: features }), 'it')
const names = (features: { properties: { NAME?: unknown } }[]) => features.map(({ properties }) => properties.NAME)

describe('a box', () => {
  const islands = loadFeatures(
    namedFeature('Attu', polygonWkb(boxRing(172, 52, 173, 53))),
    namedFeature('Adak', polygonWkb(boxRing(-177, 51, -176, 52))),
    namedFeature('Kodiak', polygonWkb(boxRing(-154, 57, -152, 58))),
  )
  const namesIn = (west: number, east: number) =>
    names(islands.boxes.inBox({ box: { west, east, south: 50, north: 60 }, detail_degrees: 0, limit: 10 }))

  test('has the features on both sides of the antimeridian if it crosses it', () => {
    expect(namesIn(170, 185)).toEqual(['Attu', 'Adak'])
    expect(namesIn(-190, -175)).toEqual(['Adak', 'Attu'])
    expect(namesIn(-160, -150)).toEqual(['Kodiak'])
  })
})

describe('a radius query', () => {
  const at = { lat: 40, lng: -105 }
  const towns = loadFeatures(
    namedFeature('far', pointWkb([-105, 40.3]), { population: 90_000 }),
    namedFeature('near', pointWkb([-105, 40.01]), { population: 50 }),
    namedFeature('middle', pointWkb([-105, 40.1]), { population: 4_000 }),
  )

  test('returns the nearest feature first, whatever the table order', () => {
    expect(names(towns.query({ at, radius_m: Infinity }))).toEqual(['near', 'middle', 'far'])
  })

  test('returns features within the radius, including its edge', () => {
    const [near] = towns.query({ at, radius_m: Infinity })
    expect(names(towns.query({ at, radius_m: near!.distance_m * (1 + 1e-9) }))).toEqual(['near'])
    expect(names(towns.query({ at, radius_m: near!.distance_m * (1 - 1e-9) }))).toEqual([])
    expect(names(towns.query({ at, radius_m: 12_000 }))).toEqual(['near', 'middle'])
  })

  test('returns no more features than the limit', () => {
    expect(names(towns.query({ at, radius_m: Infinity, limit: 2 }))).toEqual(['near', 'middle'])
    expect(names(towns.query({ at, radius_m: Infinity, limit: 1 }))).toEqual(['near'])
  })

  test('applies the condition before the limit', () => {
    expect(names(towns.query({ at, radius_m: Infinity, limit: 1, where: 'population > 1000' }))).toEqual(['middle'])
    expect(names(towns.query({ at, radius_m: Infinity, where: "NAME LIKE '%r' AND population < 1000" }))).toEqual([
      'near',
    ])
    expect(names(towns.query({ at, radius_m: Infinity, where: 'population > 100000' }))).toEqual([])
  })

  test('evaluates different conditions, and the same one again', () => {
    const ask = (where: string) => names(towns.query({ at, radius_m: Infinity, where }))
    expect(ask('population < 100')).toEqual(['near'])
    expect(ask('population > 100')).toEqual(['middle', 'far'])
    expect(ask('population < 100')).toEqual(['near'])
  })

  test('rejects a malformed condition with the position of the error', () => {
    expect(() => towns.query({ at, radius_m: 0, where: 'population >' })).toThrow('has a syntax error at character 13')
  })

  test('returns each feature once, at the distance of its nearest part', () => {
    const winding = Array.from({ length: 400 }, (_, i) => [-105 + 0.001 * (i % 20), 40.02 + 0.0005 * i])
    const features = loadFeatures(
      namedFeature('winding', lineWkb(...winding)),
      namedFeature('beside', pointWkb([-105, 40.05])),
    ).query({ at, radius_m: 100_000 })
    expect(names(features)).toEqual(['winding', 'beside'])
  })
})

describe('a containment query', () => {
  const at = { lat: 39.5, lng: -104.5 }
  const areas = loadFeatures(
    namedFeature('state', polygonWkb(boxRing(-109, 37, -102, 41)), { level: 1 }),
    namedFeature('county', polygonWkb(boxRing(-105, 39, -104, 40)), { level: 2 }),
    namedFeature('neighbour', polygonWkb(boxRing(-104, 39, -103, 40)), { level: 2 }),
    namedFeature('town', pointWkb([-104.5, 39.5]), { level: 3 }),
  )

  test('has a radius of 0 and returns features in table order', () => {
    expect(areas.query({ at, radius_m: 0 })).toEqual([
      { properties: { NAME: 'state', level: 1 }, distance_m: 0 },
      { properties: { NAME: 'county', level: 2 }, distance_m: 0 },
    ])
  })

  test('puts containing features, at distance 0, before nearby ones', () => {
    const found = areas.query({ at, radius_m: 50_000 })
    expect(names(found)).toEqual(['state', 'county', 'town', 'neighbour'])
    expect(found.map(({ distance_m }) => Math.round(distance_m))).toEqual([0, 0, 0, 43_006])
  })

  test('applies the condition and the limit', () => {
    expect(names(areas.query({ at, radius_m: 0, limit: 1 }))).toEqual(['state'])
    expect(names(areas.query({ at, radius_m: 0, where: 'level = 2' }))).toEqual(['county'])
    expect(names(areas.query({ at, radius_m: 50_000, limit: 2, where: 'level > 1' }))).toEqual(['county', 'town'])
  })

  test('returns the same after the index of the edges is built', async () => {
    await areas.prepare({ radius_m: 1 })
    expect(names(areas.query({ at, radius_m: 0 }))).toEqual(['state', 'county'])
  })
})

describe('across the antimeridian', () => {
  const islands = loadFeatures(
    namedFeature('Attu', pointWkb([172.9, 52.9])),
    namedFeature('Semisopochnoi', pointWkb([179.6, 51.95])),
    namedFeature('Amatignak', pointWkb([-179.1, 51.3])),
    namedFeature('Adak', polygonWkb(boxRing(-176.9, 51.7, -176.5, 51.9))),
  )

  test.each([
    ['from the west', { lat: 51.9, lng: 179.9 }, ['Semisopochnoi', 'Amatignak', 'Adak', 'Attu']],
    ['from the east', { lat: 51.5, lng: -179.5 }, ['Amatignak', 'Semisopochnoi', 'Adak', 'Attu']],
    ['from the line, as 180', { lat: 52, lng: 180 }, ['Semisopochnoi', 'Amatignak', 'Adak', 'Attu']],
    ['from the line, as -180', { lat: 52, lng: -180 }, ['Semisopochnoi', 'Amatignak', 'Adak', 'Attu']],
  ])('the nearest feature is the nearest on the ground %s', (_name, at, expected) => {
    expect(names(islands.query({ at, radius_m: Infinity }))).toEqual(expected)
  })

  test('longitudes 180 and -180 give the same distances', () => {
    const from = (lng: number) =>
      islands.query({ at: { lat: 52, lng }, radius_m: Infinity }).map(({ distance_m }) => Math.round(distance_m * 1000))
    expect(from(180)).toEqual(from(-180))
  })
})
