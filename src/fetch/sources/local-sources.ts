import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { Point } from '../../model/place.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Sources } from '../../model/source.ts'
import type { FileFeatures, MemoryFeatures } from '../../drivers/driver.ts'
import { FeatureFinder, FeatureLists } from '../parcel/feature-finder.ts'
import { isSameQuery, memoizeLastPoint } from './memoize-per-request.ts'
import type { SourceOption } from './source-registry.ts'

/** An option whose features are in memory or in files. */
export type LocalOption = SourceOption & ({ inMemory: MemoryFeatures } | { inFiles: FileFeatures })

/**
 * A query for local features, without its point. It keeps its latest answer, which the fields of a request or of a
 * block share.
 */
export class LocalQuery {
  readonly template: Omit<FeatureQuery, 'at'>
  readonly finder: FeatureFinder
  readonly #source: Sources['features']
  #at: Point | null = null
  #features: MaybePromise<Feature[]> = []
  /** Whether the layer has answered this query without waiting, so that it needs no preparation any more. */
  isReady = false

  constructor(template: Omit<FeatureQuery, 'at'>, source: AnySource, finder: FeatureFinder) {
    this.template = template
    this.finder = finder
    this.#source = source as unknown as Sources['features']
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
}

/** The feature sources in memory and in packs. Reads that send the same query share its answer. */
export class LocalSources {
  readonly #sources = new Map<SourceOption, AnySource>()
  readonly #queries = new Map<SourceOption, LocalQuery[]>()

  /** Returns the source of an option, with the answers about its latest point. */
  sourceOf(option: SourceOption): AnySource {
    const known = this.#sources.get(option)
    if (known) return known
    const source = memoizeLastPoint(option.source)
    this.#sources.set(option, source)
    return source
  }

  /** Returns the query of an option. Queries in files with the same level share what was found. */
  queryOf(option: LocalOption, template: Omit<FeatureQuery, 'at'>): LocalQuery {
    const queries = this.#queries.get(option) ?? []
    this.#queries.set(option, queries)
    const known = queries.find((query) => isSameQuery(query.template, template))
    if (known) return known
    const shared = option.inMemory ? undefined : queries.find((query) => query.template.level === template.level)
    const query = new LocalQuery(template, option.source, shared?.finder ?? finderOf(option, template))
    queries.push(query)
    return query
  }
}

function finderOf({ inMemory, inFiles }: LocalOption, template: Omit<FeatureQuery, 'at'>): FeatureFinder {
  return new FeatureFinder(() => (inMemory ? inMemory.rowSearch(template) : new FeatureLists(inFiles!, template.level)))
}
