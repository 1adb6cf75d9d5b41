import type { Catalog } from '../catalog/catalog.ts'
import type { Field, ReadSpec } from '../catalog/records.ts'
import type { FetchContext } from '../fetch/fetch.ts'
import type { SourceRegistry } from '../fetch/sources/source-registry.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import { Absent } from '../model/outcome.ts'
import type { Place, Point } from '../model/place.ts'
import type { Budget, Feature, Geometry, Sources, Value } from '../model/source.ts'
import { operators } from '../operators/operators.ts'

/** A feature of a set, and its distance in a straight line. */
export type NearFeature = Point & { name: string; distance_m: number; attributes: Record<string, Value> }

/** A named set of features: the field of the distance to its nearest feature, and the fields that describe it. */
type ProximitySet = { kind: string; distance: NearestRead; name: Field | null; attributes: Map<string, Field> }

type NearestRead = Extract<ReadSpec, { op: 'nearest_distance' }>

/** The sets of a catalog by name, such as `@airports`: the features whose nearest distance is a field. */
function proximitySetsOf({ fields }: Pick<Catalog, 'fields'>): Map<string, ProximitySet> {
  const sets = new Map<string, ProximitySet>()
  for (const { name: field, read } of fields.values()) {
    const kind = /^nearest_(\w+)_distance_m$/.exec(field)?.[1]
    if (kind === undefined || read.op !== 'nearest_distance') continue
    const about = [...fields.values()].filter((it) => it.name.startsWith(`nearest_${kind}_`) && describes(it, read))
    const attributes = new Map(about.map((it) => [it.name.slice(`nearest_${kind}_`.length), it]))
    const name = attributes.get('name') ?? null
    attributes.delete('name')
    sets.set(`@${pluralOf(kind)}`, { kind, distance: read, name, attributes })
  }
  return sets
}

/** Whether a field is an attribute of the same nearest feature. */
function describes({ read }: Field, distance: NearestRead): boolean {
  return read.op === 'nearest_attribute' && read.dataset === distance.dataset && read.where === distance.where
}

function pluralOf(kind: string): string {
  return kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`
}

/**
 * Returns the nearest features of a set, nearest first, at most `limit`.
 * @throws {ApiError} `unknown_set`, or `proximity_data_unavailable` if no source answers.
 */
export async function nearestOfSet(
  { set: setName, place, limit }: { set: string; place: Place; limit: number },
  { signal }: Budget,
  { catalog, registry }: Pick<FetchContext, 'catalog' | 'registry'>,
): Promise<NearFeature[]> {
  const sets = proximitySetsOf(catalog)
  const set = sets.get(setName)
  if (!set) {
    const names = [...sets.keys()]
    throw new ApiError(
      'unknown_set',
      `Unknown set ${JSON.stringify(setName.slice(0, 100))}. Use one of ${names.join(', ')}.`,
      { sets: names },
    )
  }
  const features = await nearestFeatures(set.distance, { place, limit }, { signal }, registry)
  return features.map((feature) => nearFeatureOf(feature, set, place))
}

/** The features of the first source that covers the place and answers. */
async function nearestFeatures(
  { dataset, where, search_radii_m }: NearestRead,
  { place, limit }: { place: Place; limit: number },
  budget: Budget,
  registry: SourceRegistry,
): Promise<Feature[]> {
  const handle = registry.dataset(dataset)
  const radius_m = search_radii_m?.at(-1) ?? Infinity
  const { lat, lng } = place
  const query = {
    at: { lat, lng },
    radius_m,
    limit,
    with_geometry: true as const,
    ...(where !== undefined && { where }),
  }
  let failure: UpstreamError = handle.unavailableError(place)
  for (const { source, covers } of handle.options) {
    if (!covers(place)) continue
    try {
      const features = await (source as Sources['features'])(query, budget)
      return features.filter(({ distance_m }) => distance_m <= radius_m).slice(0, limit)
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failure = error
    }
  }
  throw new ApiError('proximity_data_unavailable', failure.message, { reason: failure.code }, { cause: failure })
}

function nearFeatureOf(feature: Feature, set: ProximitySet, from: Point): NearFeature {
  const name = set.name && valueOf(set.name, feature)
  const attributes = Object.fromEntries([...set.attributes].map(([member, field]) => [member, valueOf(field, feature)]))
  const at = positionOf(feature.geometry) ?? from
  return {
    name: typeof name === 'string' ? name : set.kind.replaceAll('_', ' '),
    lat: at.lat,
    lng: at.lng,
    distance_m: feature.distance_m,
    attributes,
  }
}

/** The value of a field for one feature: null if the feature has none. */
function valueOf({ read }: Field, feature: Feature): Value {
  const { run } = operators.nearest_attribute
  const query = { at: { lat: 0, lng: 0 }, key: null, inputs: {}, margins: undefined, now: new Date(0) }
  const ofFeature = (() => [{ ...feature, distance_m: 0 }]) as Sources['features']
  try {
    const value = run(read as never, ofFeature, query, { signal: new AbortController().signal })
    return value instanceof Promise || value instanceof Absent ? null : (value as Value)
  } catch (error) {
    if (error instanceof UpstreamError) return null
    throw error
  }
}

/** The first position of a geometry; null without one. */
function positionOf(geometry: Geometry | undefined): Point | null {
  const position = geometry?.points[0] ?? geometry?.lines[0]?.[0] ?? geometry?.polygons[0]?.[0]?.[0]
  return position ? { lat: position[1], lng: position[0] } : null
}
