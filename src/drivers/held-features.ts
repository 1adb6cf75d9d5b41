import Flatbush from 'flatbush'
import type { Geometry, Position } from '../geo/geometry.ts'
import type { Feature, FeatureQuery } from '../model/source.ts'
import { boxValues } from './address.ts'
import { nearestFirst, type Located } from './nearest-first.ts'

/** Features held in memory, each part of each (a point, a line, a polygon) behind its box, so that a question measures only what is near. */
export function holdFeatures(located: readonly Located[]): (query: FeatureQuery) => Feature[] {
  const parts = located.flatMap((of) => partsOf(of.geometry).map((geometry) => ({ of, geometry })))
  if (parts.length === 0) return () => []
  const index = new Flatbush(parts.length)
  for (const { geometry } of parts) index.add(...boxOf(geometry))
  index.finish()
  return (query) => {
    const { w, s, e, n } = boxValues(query.at, query.radius_m)
    const near = [0, -360, 360].flatMap((turn) => index.search(w + turn, s, e + turn, n))
    return nearestFirst(together(near.map((i) => parts[i]!)), query)
  }
}

function partsOf({ points, lines, polygons }: Geometry): Geometry[] {
  return [
    ...points.map((point) => ({ points: [point], lines: [], polygons: [] })),
    ...lines.map((line) => ({ points: [], lines: [line], polygons: [] })),
    ...polygons.map((polygon) => ({ points: [], lines: [], polygons: [polygon] })),
  ]
}

function boxOf({ points, lines, polygons }: Geometry): [number, number, number, number] {
  let [w, s, e, n] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const [lng, lat] of [...points, ...lines.flat(), ...polygons.flat(2)] as Position[]) {
    w = Math.min(w, lng)
    s = Math.min(s, lat)
    e = Math.max(e, lng)
    n = Math.max(n, lat)
  }
  return [w, s, e, n]
}

/** The parts that were found, by the feature they belong to. */
function together(found: { of: Located; geometry: Geometry }[]): Located[] {
  return [...Map.groupBy(found, ({ of }) => of)].map(([{ properties }, parts]) => ({
    properties,
    geometry: {
      points: parts.flatMap(({ geometry }) => geometry.points),
      lines: parts.flatMap(({ geometry }) => geometry.lines),
      polygons: parts.flatMap(({ geometry }) => geometry.polygons),
    },
  }))
}
