import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Point } from '../model/place.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Sources } from '../model/source.ts'
import type { MemoryFeatures } from '../drivers/driver.ts'
import type { RowSearch } from '../packs/memory-layer.ts'
import { isSameQuery, memoizeLastPoint } from './memoize-per-request.ts'
import type { PlaceBlock } from './place-block.ts'
import type { SourceOption } from './source-registry.ts'

/** An option whose features are in memory. */
export type MemoryOption = SourceOption & { inMemory: MemoryFeatures }

/** The feature of a query at each place of a block: its row, `noRow` or `severalRows`, and its distance. */
export type RowColumn = { rows: Int32Array; distances_m: Float64Array }

/**
 * A query for features in memory, without its point. It keeps its latest answer, which the fields of a request or of a
 * block share.
 */
export class MemoryQuery {
  readonly template: Omit<FeatureQuery, 'at'>
  readonly #source: Sources['features']
  readonly #memory: MemoryFeatures
  #at: Point | null = null
  #features: MaybePromise<Feature[]> = []
  /** Whether the layer has answered this query without waiting, so that it needs no preparation any more. */
  isReady = false
  /** The distance of the feature that `rowAt` returned. */
  distance_m = 0
  #rowPoint: Point | null = null
  #row = 0
  #rowSearch: RowSearch | null = null
  #block: PlaceBlock | null = null
  #column: RowColumn | null = null

  constructor(template: Omit<FeatureQuery, 'at'>, { source, inMemory }: MemoryOption) {
    this.template = template
    this.#source = source as unknown as Sources['features']
    this.#memory = inMemory
  }

  /** Returns the features at the point of a request. */
  featuresAt(at: Point, budget: Budget): MaybePromise<Feature[]> {
    if (this.#at === at) return this.#features
    const features = this.#source({ at, ...this.template }, budget)
    this.#features = features
    this.#at = at
    if (!(features instanceof Promise)) this.isReady = true
    return features
  }

  /** Returns the row of the feature at the point of a request, and sets `distance_m`. The query must be ready. */
  rowAt(at: Point): number {
    if (this.#rowPoint === at) return this.#row
    const search = (this.#rowSearch ??= this.#memory.rowSearch(this.template))
    this.#row = search.find(at.lat, at.lng)
    this.distance_m = search.distance_m
    this.#rowPoint = at
    return this.#row
  }

  /** Finds the features at the places of a block. */
  rowsOf(block: PlaceBlock): RowColumn {
    if (this.#block === block && this.#column) return this.#column
    const search = (this.#rowSearch ??= this.#memory.rowSearch(this.template))
    const { lats, lngs, size } = block
    const column = { rows: new Int32Array(size), distances_m: new Float64Array(size) }
    for (let i = 0; i < size; i++) {
      column.rows[i] = search.find(lats[i]!, lngs[i]!)
      column.distances_m[i] = search.distance_m
    }
    this.#block = block
    this.#column = column
    return column
  }
}

/** The feature sources in memory and in packs. Reads that send the same query share its answer. */
export class LocalSources {
  readonly #sources = new Map<SourceOption, AnySource>()
  readonly #queries = new Map<SourceOption, MemoryQuery[]>()

  /** Returns the source of an option, with the answers about its latest point. */
  sourceOf(option: SourceOption): AnySource {
    const known = this.#sources.get(option)
    if (known) return known
    const source = memoizeLastPoint(option.source)
    this.#sources.set(option, source)
    return source
  }

  /** Returns the query of an option whose features are in memory. */
  queryOf(option: MemoryOption, template: Omit<FeatureQuery, 'at'>): MemoryQuery {
    const queries = this.#queries.get(option) ?? []
    this.#queries.set(option, queries)
    const known = queries.find((query) => isSameQuery(query.template, template))
    if (known) return known
    const query = new MemoryQuery(template, option)
    queries.push(query)
    return query
  }
}
