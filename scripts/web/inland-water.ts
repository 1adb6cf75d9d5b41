import type { Database } from 'bun:sqlite'
import { readCountyPolygons, type RingPosition } from './near-counties.ts'

/** Larger lakes are the Great Lakes, whose shores come with the states. */
const areaMax_squareDegrees = 1.2

/** Returns the polygons of files of geo-maps, each with its rings. */
export function readWater(...texts: string[]): RingPosition[][][] {
  return texts.flatMap((text) =>
    (JSON.parse(text) as { geometries: { coordinates: RingPosition[][][] }[] }).geometries.flatMap(
      (it) => it.coordinates,
    ),
  )
}

/** The area of a ring in square degrees. */
export function ringArea(ring: readonly RingPosition[]): number {
  const crossed = ring.slice(1).map(([lng, lat], i) => ring[i]![0] * lat - lng * ring[i]![1])
  return Math.abs(crossed.reduce((sum, product) => sum + product, 0)) / 2
}

/** Returns the lakes and rivers with at least an area by the FIPS code of the state in which they begin. */
export function waterByState(
  water: readonly RingPosition[][][],
  db: Database,
  areaMin_squareDegrees: number,
): Map<string, RingPosition[][][]> {
  const rows = db.query<{ STATEFP: string; geom: Uint8Array }, []>('SELECT STATEFP, geom FROM counties').all()
  const shores = rows.flatMap(({ STATEFP, geom }) =>
    readCountyPolygons(geom).map(([shore = []]) => ({ state: STATEFP, shore, box: boxOf(shore) })),
  )
  const cells = Map.groupBy(
    shores.flatMap((it) => cellsOf(it.box).map((cell) => ({ cell, it }))),
    ({ cell }) => cell,
  )
  const found = water.flatMap((polygon) => {
    const at = polygon[0]![0]!
    const area = ringArea(polygon[0]!)
    if (area > areaMax_squareDegrees || area < areaMin_squareDegrees) return []
    const near = cells.get(`${Math.floor(at[0])} ${Math.floor(at[1])}`) ?? []
    const state = near.find(({ it }) => isInBox(at, it.box) && isInside(at, it.shore))?.it.state
    return state === undefined ? [] : [{ state, polygon }]
  })
  return new Map(
    [...Map.groupBy(found, ({ state }) => state)].map(([state, all]) => [state, all.map(({ polygon }) => polygon)]),
  )
}

type Box = readonly [west: number, south: number, east: number, north: number]

function boxOf(ring: readonly RingPosition[]): Box {
  const bound = (axis: 0 | 1, choose: (a: number, b: number) => number, start: number) =>
    ring.reduce((bound, at) => choose(bound, at[axis]), start)
  const [min, max] = [Math.min, Math.max]
  return [bound(0, min, Infinity), bound(1, min, Infinity), bound(0, max, -Infinity), bound(1, max, -Infinity)]
}

/** The cells of one degree that a box touches. */
function cellsOf(box: Box): string[] {
  const [west, south, east, north] = box.map(Math.floor) as unknown as Box
  const cells: string[] = []
  for (let lng = west; lng <= east; lng++) for (let lat = south; lat <= north; lat++) cells.push(`${lng} ${lat}`)
  return cells
}

function isInBox([lng, lat]: RingPosition, [west, south, east, north]: Box): boolean {
  return lng >= west && lng <= east && lat >= south && lat <= north
}

function isInside([lng, lat]: RingPosition, ring: readonly RingPosition[]): boolean {
  let inside = false
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [a, b] = [ring[i]!, ring[j]!]
    if (a[1] > lat !== b[1] > lat && lng < ((b[0] - a[0]) * (lat - a[1])) / (b[1] - a[1]) + a[0]) inside = !inside
  }
  return inside
}
