import { describe, expect, test } from 'bun:test'
import { measureGeometry } from '../../src/areas/shape/area-geometry.ts'
import type { AreaGeometry } from '../../src/areas/area-schema.ts'
import { ApiError, ValidationError } from '../../src/model/error.ts'
import { positionsOf, randomStar, seededRandom } from './random-polygons.ts'

const ring = [
  [-105, 39],
  [-104, 39],
  [-104, 40],
  [-105, 40],
  [-105, 39],
]
const hole = [
  [-104.8, 39.2],
  [-104.2, 39.2],
  [-104.2, 39.8],
  [-104.8, 39.8],
  [-104.8, 39.2],
]
const shifted = (positions: number[][], x: number) => positions.map(([lng, lat]) => [lng! + x, lat!])

async function faultOf(geometry: AreaGeometry): Promise<{ loc: string; msg: string }> {
  try {
    await measureGeometry(geometry, ['geometry'])
  } catch (error) {
    if (error instanceof ApiError)
      return { loc: (error.context.loc as unknown[]).join('.'), msg: `${error.code}: ${error.message}` }
    const [violation] = (error as ValidationError).violations
    return { loc: violation!.loc.join('.'), msg: violation!.msg }
  }
  throw new Error('The geometry was accepted.')
}

const polygon = (...coordinates: unknown[]): AreaGeometry => ({ type: 'Polygon', coordinates })
const line = (...coordinates: unknown[]): AreaGeometry => ({ type: 'LineString', coordinates })

describe('a geometry is rejected with the place of the fault', () => {
  test.each([
    ['an open ring', polygon(ring.slice(0, 4)), '0.3', /must end where it begins/],
    ['a ring of three positions', polygon(ring.slice(0, 3)), '0', /at least four positions/],
    ['a position that is text', polygon([ring[0], 'x', ...ring.slice(2)]), '0.1', /longitude, then latitude/],
    ['a position of one number', polygon([ring[0], [-104], ...ring.slice(2)]), '0.1', /longitude, then latitude/],
    ['a ring that is no list', polygon(5), '0', /list of positions/],
    ['no ring', polygon(), '', /list of positions/],
    ['a line of one position', line([-105, 39]), '', /at least two positions/],
    ['a line without a length', line([-105, 39], [-105, 39]), '', /no length/],
    [
      'a ring without an area',
      polygon([
        [-105, 39],
        [-104, 39],
        [-105, 39],
        [-105, 39],
      ]),
      '',
      /no area/,
    ],
    [
      'a bow tie',
      polygon([ring[0]!, ring[2]!, ring[1]!, ring[3]!, ring[0]!]),
      '0.0',
      /crosses edge 2 of the same ring at -104.5000000, 39.5000000/,
    ],
    [
      'a hole outside',
      polygon(ring, hole, shifted(hole, 2)),
      '2',
      /^This hole is not inside the first ring of its polygon, at -102.5000000, 39.5000000. Make it a polygon/,
    ],
    [
      'a ring that crosses itself at a vertex',
      polygon([
        [-105, 39],
        [-104.5, 39.5],
        [-104, 40],
        [-104, 39],
        [-104.5, 39.5],
        [-105, 40],
        [-105, 39],
      ]),
      '0.1',
      /^The ring meets its own edge 3 at this position, and crosses or repeats itself there\. Remove/,
    ],
    ['a ring that runs around twice', polygon([...ring, ...ring.slice(1)]), '0.0', /crosses or repeats itself/],
    [
      'a loop that is enclosed twice',
      polygon([...ring.slice(0, 4), ring[0]!, [-104.4, 39.2], [-104.6, 39.6], ring[0]!]),
      '0.0',
      /crosses or repeats itself/,
    ],
    ['a ring at one place', polygon([ring[0], ring[0], ring[0], ring[0]]), '', /no area/],
    ['a hole that fills its polygon', polygon(ring, ring), '', /its holes fill it/],
    [
      'a hole that crosses the ring',
      polygon(ring, shifted(hole, 0.5)),
      '0.1',
      /crosses edge 0 of ring geometry.coordinates.1/,
    ],
    [
      'two holes that overlap',
      polygon(ring, hole, hole),
      '2',
      /^This hole overlaps the hole geometry.coordinates.1, at -104.5000000, 39.5000000. Join the two holes/,
    ],
    [
      'polygons that overlap',
      { type: 'MultiPolygon', coordinates: [[shifted(ring, 2)], [ring], [hole]] },
      '2',
      /^This polygon overlaps polygon geometry.coordinates.1, at -104.5000000, 39.5000000. Join the two/,
    ],
    [
      'polygons that cross',
      { type: 'MultiPolygon', coordinates: [[ring], [shifted(hole, 0.5)]] },
      '0.0.1',
      /crosses edge \d of ring geometry.coordinates.1.0/,
    ],
    ['a place abroad', polygon(shifted(ring, 100)), '0.0', /^coord_out_of_bounds: .* outside the United States/],
    ['latitude first', polygon(ring.map(([lng, lat]) => [lat, lng])), '0.0', /The longitude comes first/],
    ['the antimeridian', line([179.5, 52], [-179.5, 52]), '1', /crosses the antimeridian/],
    [
      'too many positions',
      line(...Array.from({ length: 10_001 }, (_, i) => [-105 + i / 1e4, 39])),
      '10000',
      /more than 10,000 positions/,
    ],
    [
      'too large an area',
      polygon([
        [-105, 35],
        [-102, 35],
        [-102, 38],
        [-105, 38],
        [-105, 35],
      ]),
      '',
      /maximum is 25,000 km²/,
    ],
    ['too long a line', line([-120, 39], [-90, 39]), '', /maximum is 2,000 km/],
  ] as [string, AreaGeometry, string, RegExp][])('%s', async (_, geometry, at, message) => {
    const { loc, msg } = await faultOf(geometry)
    expect(loc).toBe(['geometry.coordinates', ...(at === '' ? [] : [at])].join('.'))
    expect(msg).toMatch(message)
  })
})

describe('a geometry is accepted', () => {
  test('in either direction, with heights, and with rings that touch at a point', async () => {
    const polygons = [polygon(ring), polygon(ring.toReversed()), polygon(ring.map((position) => [...position, 1600]))]
    const sizes: number[] = []
    for (const geometry of polygons) {
      const area = await measureGeometry(geometry, [])
      sizes.push(area.kind === 'polygon' ? area.area_m2 : 0)
    }
    expect(new Set(sizes.map(Math.round)).size).toBe(1)
    const touching = [
      [-105, 39.5],
      [-104.5, 39.2],
      [-104.2, 39.5],
      [-104.5, 39.8],
      [-105, 39.5],
    ]
    expect((await measureGeometry(polygon(ring, touching), [])).kind).toBe('polygon')
    expect((await measureGeometry({ type: 'MultiPolygon', coordinates: [[ring], [shifted(ring, 1)]] }, [])).kind).toBe(
      'polygon',
    )
  })

  test('with parts that are small, and far from each other', async () => {
    const small = ring.map(([lng, lat]) => [lng! / 1e4 - 104.5, lat! / 1e4 + 39])
    const hawaii = small.map(([lng, lat]) => [lng! - 51, lat! - 19])
    const area = await measureGeometry({ type: 'MultiPolygon', coordinates: [[small], [hawaii]] }, [])
    expect(area.kind === 'polygon' && Math.round(area.area_m2)).toBe(212)
  })

  test('with a representative point that it contains', async () => {
    const random = seededRandom(77)
    for (let i = 0; i < 300; i++) {
      const star = randomStar(random, { x: -104, y: 39, size: 0.5, vertices: 4 + Math.floor(40 * random()) })
      const area = await measureGeometry(polygon(positionsOf(star)), [])
      if (area.kind !== 'polygon') throw new Error('This is a polygon.')
      const { lat, lng } = area.point
      const near = [
        [lng - 1e-7, lat],
        [lng + 1e-7, lat - 1e-7],
        [lng, lat + 1e-7],
        [lng - 1e-7, lat],
      ]
      const around = await area.overlay.fromPolygon([near.slice(0, 3).flat()])
      expect((await area.overlay.split(around, area.rings)).shared.length).toBeGreaterThan(0)
    }
  })
})

test('the representative point of polygons with a gap in their middle is in one of them', async () => {
  const farther = ring.map(([lng, lat]) => [lng!, lat! + 1.5])
  const { point } = await measureGeometry({ type: 'MultiPolygon', coordinates: [[ring], [farther]] }, [])
  expect(point).toEqual({ lat: 39.5, lng: -104.5 })
})

test('5,000 random geometries are accepted or rejected with a reason', async () => {
  const random = seededRandom(20261123)
  const number = () =>
    [-105 + random(), 39 + random(), -104.5, 39.5, 0, 1e308, -180, 180, NaN][Math.floor(9 * random())]!
  const position = (): unknown =>
    random() < 0.02
      ? [null, [], 'x', [1], {}][Math.floor(5 * random())]
      : random() < 0.9
        ? [-105 + random(), 39 + random()]
        : [number(), number()]
  const path = (): unknown => {
    const positions = Array.from({ length: Math.floor(12 * random()) }, position)
    return random() < 0.8 && positions.length > 0 ? [...positions, positions[0]] : positions
  }
  const outcomes = { accepted: 0, rejected: 0 }
  for (let i = 0; i < 5000; i++) {
    const type = (['Polygon', 'MultiPolygon', 'LineString', 'MultiLineString'] as const)[Math.floor(4 * random())]!
    const paths = () => Array.from({ length: 1 + Math.floor(2 * random()) }, path)
    const coordinates = {
      Polygon: paths,
      MultiPolygon: () => [paths(), paths()],
      LineString: path,
      MultiLineString: paths,
    }[type]()
    try {
      const area = await measureGeometry({ type, coordinates: coordinates as unknown[] }, [])
      const size = area.kind === 'polygon' ? area.area_m2 : area.lengths_m.reduce((sum, it) => sum + it, 0)
      expect(size).toBeGreaterThan(0)
      outcomes.accepted++
    } catch (error) {
      if (!(error instanceof ValidationError || error instanceof ApiError)) throw error
      outcomes.rejected++
    }
  }
  expect(outcomes.accepted).toBeGreaterThan(500)
  expect(outcomes.rejected).toBeGreaterThan(500)
})
