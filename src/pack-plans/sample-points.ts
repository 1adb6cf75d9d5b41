import { geometryContains } from '../geo/measure.ts'
import type { Point } from '../model/place.ts'
import type { Position } from '../model/source.ts'
import { boxesOfArea, type Area } from './area.ts'

/**
 * Points inside an area: evenly distributed ones, and ones just inside its border. The same area gives the same points.
 */
export function samplePointsOf(area: Area, inside: number, atBorder: number): Point[] {
  const random = createRandom(area.id)
  return [...pointsInside(area, inside, random), ...pointsAtBorder(area, atBorder, random)]
}

const maxAttempts = 1_000
/** How far the points at the border are inside, in degrees: about 10 m. */
const borderOffset_degrees = 0.0001

function pointsInside(area: Area, count: number, random: () => number): Point[] {
  const boxes = boxesOfArea(area)
  const points: Point[] = []
  for (let attempt = 0; points.length < count && attempt < maxAttempts * count; attempt++) {
    const { w, s, e, n } = boxes[Math.floor(random() * boxes.length)]!
    const point = roundPoint({ lat: s + (n - s) * random(), lng: w + (e - w) * random() })
    if (contains(area, point)) points.push(point)
  }
  return points
}

function pointsAtBorder(area: Area, count: number, random: () => number): Point[] {
  const rings = area.polygons.flatMap(([outer]) => (outer ? [outer] : []))
  const points: Point[] = []
  for (let attempt = 0; points.length < count && attempt < maxAttempts * count; attempt++) {
    const ring = rings[Math.floor(random() * rings.length)]!
    const i = Math.floor(random() * (ring.length - 1))
    const inside = besideMiddle(ring[i]!, ring[i + 1]!).find((point) => contains(area, point))
    if (inside) points.push(inside)
  }
  return points
}

/** The points on both sides of the middle of an edge. */
function besideMiddle(from: Position, to: Position): Point[] {
  const [x, y] = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1
  const [dx, dy] = [(to[1] - from[1]) / length, (from[0] - to[0]) / length]
  return [borderOffset_degrees, -borderOffset_degrees].map((offset) =>
    roundPoint({ lat: y + dy * offset, lng: x + dx * offset }),
  )
}

function contains({ polygons }: Area, at: Point): boolean {
  return geometryContains({ polygons: polygons as Position[][][] }, at)
}

function roundPoint({ lat, lng }: Point): Point {
  return { lat: Math.round(lat * 1e6) / 1e6, lng: Math.round(lng * 1e6) / 1e6 }
}

/** Pseudorandom numbers from 0 to 1 that depend on a text only. */
function createRandom(seed: string): () => number {
  let count = 0
  return () => Number(Bun.hash(`${seed} ${count++}`) % 2n ** 32n) / 2 ** 32
}
