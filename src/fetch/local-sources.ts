import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Point } from '../model/place.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Sources } from '../model/source.ts'
import { isSameQuery, memoizeLastPoint } from './memoize-per-request.ts'
import type { SourceOption } from './source-registry.ts'

/** A query for features in memory, without its point. It keeps its latest answer, which the fields of a request share. */
export class MemoryQuery {
  readonly template: Omit<FeatureQuery, 'at'>
  readonly #source: Sources['features']
  #at: Point | null = null
  #features: MaybePromise<Feature[]> = []

  constructor(template: Omit<FeatureQuery, 'at'>, source: Sources['features']) {
    this.template = template
    this.#source = source
  }

  /** Returns the features at the point of a request. */
  featuresAt(at: Point, budget: Budget): MaybePromise<Feature[]> {
    if (this.#at === at) return this.#features
    const features = this.#source({ at, ...this.template }, budget)
    this.#features = features
    this.#at = at
    return features
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
  queryOf(option: SourceOption, template: Omit<FeatureQuery, 'at'>): MemoryQuery {
    const queries = this.#queries.get(option) ?? []
    this.#queries.set(option, queries)
    const known = queries.find((query) => isSameQuery(query.template, template))
    if (known) return known
    const query = new MemoryQuery(template, option.source as unknown as Sources['features'])
    queries.push(query)
    return query
  }
}
