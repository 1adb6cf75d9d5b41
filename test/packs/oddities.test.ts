import { describe, expect, test } from 'bun:test'
import { loadTestLayer } from './load-test-layer.ts'
import type { Point } from '../../src/model/place.ts'
import { addPlainTable, createGeopackage } from './create-geopackage.ts'
import {
  blob,
  boxRing,
  circularString,
  collection,
  lineWkb,
  multiline,
  multipoint,
  multipolygon,
  pointWkb,
  polygonWkb,
} from './encode-wkb.ts'

/** A layer with one feature named `it`, followed by a distant ordinary point named `after`. */
function layerOf(geom: Uint8Array | null) {
  return loadTestLayer(
    createGeopackage({
      shapes: [
        { geom, attributes: { NAME: 'it' } },
        { geom: blob(pointWkb([-70, 45])), attributes: { NAME: 'after' } },
      ],
    }),
    'shapes',
  )
}
const at = (lng: number, lat: number): Point => ({ lat, lng })
const namesContaining = (geom: Uint8Array, point: Point) =>
  layerOf(geom)
    .query({ at: point, radius_m: 0 })
    .map(({ properties }) => properties.NAME)
const queryNear = (geom: Uint8Array | null, point: Point) => layerOf(geom).query({ at: point, radius_m: 100_000 })

const square = boxRing(-105, 39, -104, 40)
const hole = boxRing(-104.6, 39.4, -104.4, 39.6)
const ringed = polygonWkb(square, hole)
const twoParts = multipolygon([square], [boxRing(-103, 39, -102, 40)])

const containmentCases = [
  ['a polygon with a hole', blob(ringed), [at(-104.8, 39.5), at(-104.5, 39.8)], [at(-104.5, 39.5), at(-103.9, 39.5)]],
  [
    'a polygon whose hole has an island',
    blob(multipolygon([square, hole], [boxRing(-104.55, 39.45, -104.45, 39.55)])),
    [at(-104.5, 39.5), at(-104.8, 39.5)],
    [at(-104.58, 39.5)],
  ],
  ['a multipolygon', blob(twoParts), [at(-104.5, 39.5), at(-102.5, 39.5)], [at(-103.5, 39.5)]],
  [
    'a polygon that runs the other way round',
    blob(polygonWkb(square.toReversed())),
    [at(-104.5, 39.5)],
    [at(-103.5, 39.5)],
  ],
  [
    'a polygon that touches the antimeridian',
    blob(polygonWkb(boxRing(179, 51, 180, 52))),
    [at(179.5, 51.5), at(179.999999, 51.5)],
    [at(-179.999999, 51.5), at(-179.5, 51.5), at(178.9, 51.5)],
  ],
  [
    'a polygon cut at the antimeridian',
    blob(multipolygon([boxRing(179, 51, 180, 52)], [boxRing(-180, 51, -179, 52)])),
    [at(179.5, 51.5), at(-179.5, 51.5), at(180, 51.5), at(-180, 51.5)],
    [at(178.5, 51.5), at(-178.5, 51.5)],
  ],
  ['a polygon with heights', blob(ringed, { numbers: 3 }), [at(-104.8, 39.5)], [at(-104.5, 39.5)]],
  ['a polygon with measures', blob(ringed, { numbers: 'm' }), [at(-104.8, 39.5)], [at(-104.5, 39.5)]],
  ['a multipolygon with heights and measures', blob(twoParts, { numbers: 4 }), [at(-102.5, 39.5)], [at(-103.5, 39.5)]],
  ['a polygon in big-endian WKB', blob(ringed, { little: false }), [at(-104.8, 39.5)], [at(-104.5, 39.5)]],
  [
    'a multipolygon in big-endian WKB with heights',
    blob(twoParts, { little: false, numbers: 3, envelope: 2 }),
    [at(-102.5, 39.5)],
    [at(-103.5, 39.5)],
  ],
  [
    'a polygon in a collection, beside a line',
    blob(collection(lineWkb([-104, 39], [-103, 39]), ringed)),
    [at(-104.8, 39.5)],
    [at(-104.5, 39.5)],
  ],
  ['a polygon among empty ones', blob(multipolygon([[]], [], [square], [])), [at(-104.5, 39.5)], [at(-103.5, 39.5)]],
] as const

describe('a point is contained', () => {
  test.each(containmentCases)('by %s if it is inside, and not if it is outside', (_name, geom, inside, outside) => {
    expect(inside.filter((point) => namesContaining(geom, point).join() !== 'it')).toEqual([])
    expect(outside.filter((point) => namesContaining(geom, point).length > 0)).toEqual([])
  })

  test.each([0, 1, 2, 3, 4] as const)('whatever the envelope in the geometry header (kind %i)', (envelope) => {
    expect(namesContaining(blob(ringed, { envelope }), at(-104.8, 39.5))).toEqual(['it'])
  })

  test('by no polygon that is not closed: it is rejected when the layer is laid out', () => {
    expect(() => layerOf(blob(polygonWkb(square.slice(0, -1))))).toThrow('Ring 0 does not end where it begins.')
  })

  test('once by a multipolygon whose parts overlap', () => {
    expect(
      namesContaining(blob(multipolygon([square], [boxRing(-104.9, 39.1, -104.1, 39.9)])), at(-104.5, 39.5)),
    ).toEqual(['it'])
  })

  test.each([
    ['a line', lineWkb([-105, 39], [-104, 39])],
    ['a closed line', lineWkb(...square)],
    ['a point', pointWkb([-105, 39])],
    ['a multipoint', multipoint([-105, 39], [-104, 39])],
  ])('never by %s', (_name, shape) => expect(namesContaining(blob(shape), at(-105, 39))).toEqual([]))
})

describe('a feature is found near a point', () => {
  const here = at(-104.5, 39.5)
  test.each([
    ['a line, at the perpendicular foot', lineWkb([-105, 39.509], [-104, 39.509]), 1_000],
    [
      'a line with two parts, at the nearer one',
      multiline(
        [
          [-104.5, 39.6],
          [-104.4, 39.6],
        ],
        [
          [-104.6, 39.509],
          [-104.4, 39.509],
        ],
      ),
      1_000,
    ],
    ['a multipoint, at its nearest point', multipoint([-104, 39], [-104.5, 39.509], [-105, 40]), 1_000],
    ['a polygon, at its hole', polygonWkb(square, boxRing(-104.6, 39.4, -104.4, 39.509)), 1_000],
    ['a point with a height', pointWkb([-104.5, 39.509, 4_000]), 1_000],
    ['a line of one vertex', lineWkb([-104.5, 39.509]), 1_000],
    ['a line with a repeated vertex', lineWkb([-104.6, 39.509], [-104.6, 39.509], [-104.4, 39.509]), 1_000],
  ])('%s', (_name, shape, about_m) => {
    const [found, ...more] = queryNear(blob(shape), here)
    expect(found!.properties.NAME).toBe('it')
    expect(Math.abs(found!.distance_m - about_m)).toBeLessThan(2)
    expect(more).toEqual([])
  })
})

describe('a feature without a geometry', () => {
  const nothing = [
    ['that is NULL', null],
    ['with the empty flag', blob(pointWkb([NaN, NaN]), { isEmpty: true })],
    ['with the empty flag, whatever follows it', blob(polygonWkb(square), { isEmpty: true })],
    ['with the empty flag and nothing after it', blob(polygonWkb(square), { isEmpty: true }).slice(0, 8)],
    ['that is an empty point without the flag', blob(pointWkb([NaN, NaN]))],
    ['that is an empty line without the flag', blob(lineWkb())],
    ['that is a polygon without rings', blob(polygonWkb())],
    ['that is a polygon whose ring has no vertices', blob(polygonWkb([]))],
    ['that is an empty collection', blob(collection())],
    ['that is a multipolygon of empty polygons', blob(multipolygon([], [[]]))],
  ] as const

  test.each(nothing)('(%s) is never found, and later features keep their attributes', (_name, geom) => {
    const layer = layerOf(geom)
    expect(
      [at(-104.5, 39.5), at(0, 0), at(-70, 45)].flatMap((point) => layer.query({ at: point, radius_m: 0 })),
    ).toEqual([])
    expect(layer.query({ at: at(0, 0), radius_m: Infinity }).map(({ properties }) => properties.NAME)).toEqual([
      'after',
    ])
    expect(layer.query({ at: at(-70, 45), radius_m: Infinity })).toEqual([
      { properties: { NAME: 'after' }, distance_m: 0 },
    ])
  })

  test.each(nothing)('(%s) does not affect a polygon next to it', (_name, geom) => {
    const beside = [blob(ringed), geom, blob(polygonWkb(boxRing(-103, 39, -102, 40))), geom]
    const layer = loadTestLayer(
      createGeopackage({ shapes: beside.map((geom, i) => ({ geom, attributes: { NAME: i } })) }),
      'shapes',
    )
    expect(layer.query({ at: at(-102.5, 39.5), radius_m: 0 }).map(({ properties }) => properties.NAME)).toEqual([2])
    expect(layer.query({ at: at(-104.8, 39.5), radius_m: Infinity }).map(({ properties }) => properties.NAME)).toEqual([
      0, 2,
    ])
  })
})

describe('a layer', () => {
  test('that is missing is rejected with the names of the existing layers', () => {
    const db = createGeopackage({ rivers: [], 'lakes and ponds': [] })
    expect(() => loadTestLayer(db, 'ponds')).toThrow(
      'The GeoPackage has no layer ponds. Its layers: lakes and ponds, rivers.',
    )
  })

  test('without features finds nothing', () => {
    expect(
      loadTestLayer(createGeopackage({ shapes: [] }), 'shapes').query({ at: at(0, 0), radius_m: Infinity }),
    ).toEqual([])
  })

  test('is a table with a geometry column', () => {
    const db = createGeopackage({})
    addPlainTable(db, 'notes', [{ NAME: 'a note' }])
    expect(() => loadTestLayer(db, 'notes')).toThrow('The GeoPackage has no layer notes. Its layers: none.')
  })

  test('returns every attribute except its key by name, even if the name contains a quote or is an SQL keyword', () => {
    const attributes = { 'the "old" name': 'x', "O'Hare": 1, select: 2.5, GEOMETRY: 'round', Ünïcødé: null, a_fid: 7 }
    const layer = loadTestLayer(
      createGeopackage({ 'a "quoted" layer': [{ geom: blob(polygonWkb(square)), attributes }] }),
      'a "quoted" layer',
    )
    expect(layer.query({ at: at(-104.5, 39.5), radius_m: 0 })).toEqual([{ properties: attributes, distance_m: 0 }])
  })

  test.each([
    ['is not a GeoPackage geometry', Uint8Array.of(1, 1, 0, 0, 0), 'it does not start with GP'],
    ['has arcs', blob(circularString([0, 0], [1, 1], [2, 0])), 'Unsupported WKB geometry type 8'],
    ['is truncated', blob(polygonWkb(square)).slice(0, -8), 'A geometry is truncated'],
  ])('with a geometry that %s is rejected', (_name, geom, message) => expect(() => layerOf(geom)).toThrow(message))
})
