import type { Geometry } from '../geo/geometry.ts'
import { measured } from '../geo/measure.ts'
import { conditionOf } from '../geo/where.ts'
import type { Feature, FeatureQuery, Properties } from '../model/source.ts'

/** A feature with its geometry, before anybody asks how far it is. */
export type Located = { geometry: Geometry; properties: Properties }

/** The features that a question is about, measured, nearest first. A feature without a geometry is nowhere. */
export function nearestFirst(located: Iterable<Located>, { at, radius_m, where, limit = Infinity }: FeatureQuery): Feature[] {
  const passes = where === undefined ? () => true : conditionOf(where)
  const features: Feature[] = []
  for (const { geometry, properties } of located) {
    if (!passes(properties)) continue
    const found = measured(geometry, at)
    if (found && found.distance_m <= radius_m) features.push({ properties, ...found })
  }
  return features.sort((a, b) => a.distance_m - b.distance_m).slice(0, limit)
}
