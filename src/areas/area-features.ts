import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import { trackFreshness } from '../fetch/sources/source-cache.ts'
import type { SourceOption } from '../fetch/sources/source-registry.ts'
import type { GeometryRunner } from '../geo/overlay/geometry-jobs.ts'
import type { AreaFilter, AreaQuery, Extent } from '../model/area.ts'
import type { Budget, Freshness } from '../model/source.ts'
import { queryExtentOf, type QueryArea } from './shape/area-geometry.ts'
import { joinPieces, type JoinedFeature } from './shape/partition.ts'
import { bufferPieces } from '../geo/overlay/buffer.ts'

/** Selects features of an option: a condition, and the level of a dataset that has one layer per level. */
type Selection = { where?: string; level?: number }

/** The features of an option that touch the area. `freshness` is null for local data. */
export type SelectedFeatures = { features: readonly JoinedFeature[]; freshness: Freshness | null }

/** Reads the features that touch an area. Fields with the same selection share them. Local ones are there at once. */
export class AreaFeatures {
  readonly #area: QueryArea
  readonly #budget: Budget
  readonly #selected = new Map<SourceOption, Map<string | undefined, MaybePromise<SelectedFeatures>>>()
  readonly #geometry: GeometryRunner
  #filter: MaybePromise<AreaFilter> | undefined
  #extent: Extent | undefined

  constructor(area: QueryArea, budget: Budget, geometry: GeometryRunner) {
    this.#area = area
    this.#budget = budget
    this.#geometry = geometry
  }

  read(option: SourceOption, { where, level }: Selection = {}): MaybePromise<SelectedFeatures> {
    let ofOption = this.#selected.get(option)
    if (!ofOption) this.#selected.set(option, (ofOption = new Map()))
    const key = level === undefined ? where : `${level}\n${where ?? ''}`
    const known = ofOption.get(key)
    if (known) return known
    const selected = this.#select(option, {
      extent: (this.#extent ??= queryExtentOf(this.#area)),
      ...(where !== undefined && { where }),
      ...(level !== undefined && { level }),
    })
    ofOption.set(key, selected)
    return selected
  }

  #select({ area, remote }: SourceOption, query: AreaQuery): MaybePromise<SelectedFeatures> {
    if (!remote)
      return andThen(area!.features(query, this.#budget), (it) => ({ features: joinPieces(it), freshness: null }))
    const { leastFresh, onFreshness } = trackFreshness()
    this.#filter ??= filterOfArea(this.#area, this.#geometry)
    const found = andThen(this.#filter, (filter) =>
      area!.features({ ...query, filter }, { ...this.#budget, onFreshness }),
    )
    return andThen(found, (it) => ({ features: joinPieces(it), freshness: leastFresh() }))
  }
}

/** The margin of a filter: this share of the size of the area, but at least some meters. */
const marginShare = 0.001
const marginMin_degrees = 0.0001

/**
 * Returns the polygon or the lines that select the features of a service. A polygon has a margin, because a service
 * tests it in its own coordinate system; what the margin adds is cut off here.
 */
function filterOfArea(area: QueryArea, { grow }: Pick<GeometryRunner, 'grow'>): MaybePromise<AreaFilter> {
  if (area.kind === 'line') return { kind: 'line', paths: bufferPieces(area.lines) }
  const { west, south, east, north } = area.extent
  const margin_degrees = Math.max(marginMin_degrees, marginShare * Math.max(east - west, north - south))
  const grown = grow({ rings: area.overlay.toPaths(area.rings), margin_degrees })
  return andThen(grown, (paths) => ({ kind: 'polygon', paths }))
}
