import { mesh, type Topology } from 'topojson-client'
import { segmentDistance2, xyzOf, type Xyz } from '../../src/geo/ecef.ts'
import type { Point } from '../../src/model/place.ts'
import { atlas2023 } from './counties.ts'
import { read, type LngLat } from './layer.ts'
import { tideStationPositions } from './tide-stations.ts'

/** A station farther from the shore than this is up a tidal river. */
const farthest_m = 5_000
/** In degrees. No segment whose ends are this much farther away than `farthest_m` is that near. */
const boxMargin_degrees = 0.06

/**
 * Returns the tide stations at the sea: near a line of the coast, or near the outer border of the counties of 2023,
 * which follows the shore of islands and bays that the generalized coast leaves out.
 */
export function shoreStations(coast: LngLat[][]): Point[] {
  const net = JSON.parse(read(atlas2023).toString('utf8')) as Topology
  const outerBorder = mesh(net, net.objects.counties!, (a, b) => a === b).coordinates
  const segments = [...coast, ...outerBorder].flatMap(segmentsOf)
  return tideStationPositions().filter((station) => isNear(station, segments))
}

type Segment = { from: LngLat; to: LngLat }

function segmentsOf(line: LngLat[]): Segment[] {
  return line.slice(1).map((to, i) => ({ from: line[i]!, to }))
}

function isNear(station: Point, segments: Segment[]): boolean {
  const at = xyzOf(station)
  const boxWidth_degrees = boxMargin_degrees / Math.cos((station.lat * Math.PI) / 180)
  return segments.some(
    ({ from, to }) =>
      Math.min(from[1], to[1]) <= station.lat + boxMargin_degrees &&
      Math.max(from[1], to[1]) >= station.lat - boxMargin_degrees &&
      Math.min(from[0], to[0]) <= station.lng + boxWidth_degrees &&
      Math.max(from[0], to[0]) >= station.lng - boxWidth_degrees &&
      distanceTo_m(at, from, to) <= farthest_m,
  )
}

function distanceTo_m(at: Xyz, from: LngLat, to: LngLat): number {
  const a = xyzOf({ lat: from[1], lng: from[0] })
  const b = xyzOf({ lat: to[1], lng: to[0] })
  return Math.sqrt(segmentDistance2(at, a.x, a.y, a.z, b.x, b.y, b.z))
}
