import type { ShapePosition, SimulatedShape } from './layers/shapes.ts'

/**
 * Whether two shapes share a point, in the plane of degrees, as an ArcGIS server tests it. Borders belong to both
 * sides.
 */
export function shapesIntersect(one: SimulatedShape, other: SimulatedShape): boolean {
  if (!boxesMeet(one, other)) return false
  return (
    cornersOf(one).some((corner) => holds(other, corner)) ||
    cornersOf(other).some((corner) => holds(one, corner)) ||
    sidesCross(one, other)
  )
}

/** Metres from a position to a shape, 0 inside: the plane about the position, good for some hundred kilometres. */
export function distanceToShape_m(at: ShapePosition, shape: SimulatedShape): number {
  if (holds(shape, at)) return 0
  const flat = flatAbout(at)
  if (shape.kind === 'point') return Math.hypot(...flat(shape.at))
  return Math.min(...sidesOf(shape).map(([from, to]) => metresToSide(flat(from), flat(to))))
}

/**
 * A position as its reference system writes it. Degrees of NAD83 are taken for those of WGS84. Null for a system the
 * stand-in does not know.
 */
export function projectPosition([lng, lat]: ShapePosition, wkid: number): ShapePosition | null {
  if (isDegrees(wkid)) return [lng, lat]
  if (!isMercator(wkid)) return null
  return [(lng * Math.PI * earth_m) / 180, Math.log(Math.tan(Math.PI / 4 + (lat * Math.PI) / 360)) * earth_m]
}

/** The degrees of a position that is written in a reference system. */
export function unprojectPosition([x, y]: ShapePosition, wkid: number): ShapePosition | null {
  if (isDegrees(wkid)) return [x, y]
  if (!isMercator(wkid)) return null
  return [(x / earth_m) * (180 / Math.PI), (2 * Math.atan(Math.exp(y / earth_m)) - Math.PI / 2) * (180 / Math.PI)]
}

/** Whether a ring runs clockwise, as the borders of Esri do and their holes do not. */
export function isClockwise(ring: ShapePosition[]): boolean {
  return ring.slice(1).reduce((sum, [x, y], index) => sum + (x - ring[index]![0]) * (y + ring[index]![1]), 0) > 0
}

const earth_m = 6_378_137
const isDegrees = (wkid: number) => wkid === 4326 || wkid === 4269
const isMercator = (wkid: number) => wkid === 102_100 || wkid === 3857

type Side = [from: ShapePosition, to: ShapePosition]

function cornersOf(shape: SimulatedShape): ShapePosition[] {
  if (shape.kind === 'point') return [shape.at]
  return shape.kind === 'line' ? shape.paths.flat() : shape.polygons.flat(2)
}

function sidesOf(shape: SimulatedShape): Side[] {
  if (shape.kind === 'point') return []
  const chains = shape.kind === 'line' ? shape.paths : shape.polygons.flat()
  return chains.flatMap((chain) => chain.slice(1).map((to, index): Side => [chain[index]!, to]))
}

function holds(shape: SimulatedShape, at: ShapePosition): boolean {
  if (shape.kind === 'point') return shape.at[0] === at[0] && shape.at[1] === at[1]
  if (sidesOf(shape).some((side) => liesOn(side, at))) return true
  return (
    shape.kind === 'polygon' &&
    shape.polygons.some((rings) => rings.filter((ring) => evenOdd(ring, at)).length % 2 === 1)
  )
}

function evenOdd(ring: ShapePosition[], [x, y]: ShapePosition): boolean {
  return (
    ring.slice(1).filter(([toX, toY], index) => {
      const [fromX, fromY] = ring[index]!
      return fromY > y !== toY > y && x < fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX)
    }).length %
      2 ===
    1
  )
}

function liesOn([from, to]: Side, at: ShapePosition): boolean {
  return Math.abs(turn(from, to, at)) < 1e-16 && within(at[0], from[0], to[0]) && within(at[1], from[1], to[1])
}

function within(value: number, one: number, other: number): boolean {
  return value >= Math.min(one, other) - 1e-12 && value <= Math.max(one, other) + 1e-12
}

function turn([ax, ay]: ShapePosition, [bx, by]: ShapePosition, [cx, cy]: ShapePosition): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

function sidesCross(one: SimulatedShape, other: SimulatedShape): boolean {
  const sides = sidesOf(other)
  return sidesOf(one).some(([a, b]) =>
    sides.some(([c, d]) => turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0),
  )
}

function boxesMeet(one: SimulatedShape, other: SimulatedShape): boolean {
  const [a, b] = [boxOf(one), boxOf(other)]
  return a.west <= b.east && b.west <= a.east && a.south <= b.north && b.south <= a.north
}

function boxOf(shape: SimulatedShape) {
  const corners = cornersOf(shape)
  const [lngs, lats] = [corners.map(([lng]) => lng), corners.map(([, lat]) => lat)]
  return { west: Math.min(...lngs), east: Math.max(...lngs), south: Math.min(...lats), north: Math.max(...lats) }
}

/** Positions as metres about one of them. */
function flatAbout([lng, lat]: ShapePosition) {
  const degree_m = 111_195
  const narrow = Math.cos((lat * Math.PI) / 180)
  return ([x, y]: ShapePosition): ShapePosition => [(x - lng) * degree_m * narrow, (y - lat) * degree_m]
}

function metresToSide([fromX, fromY]: ShapePosition, [toX, toY]: ShapePosition): number {
  const [x, y] = [toX - fromX, toY - fromY]
  const length = x * x + y * y
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, -(fromX * x + fromY * y) / length))
  return Math.hypot(fromX + share * x, fromY + share * y)
}
