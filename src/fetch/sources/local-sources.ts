import type { MaybePromise } from '../../async/maybe-promise.ts'
import type { Point } from '../../model/place.ts'
import type { AnySource, Budget, Feature, FeatureQuery, Sources } from '../../model/source.ts'
import type { FileFeatures, MemoryFeatures } from '../../drivers/driver.ts'
import { isSameQuery, memoizeLastPoint } from './memoize-per-request.ts'
import type { SourceOption } from './source-registry.ts'
import { UpstreamError } from '../../model/error.ts'
import { noRow, severalRows, type RowSearch } from '../../packs/embedded/memory-layer.ts'
import type { PlaceBlock } from '../place-block.ts'

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

/**
 * The feature of a query at each place of a block: its row, `noRow`, `severalRows` or `outsideRow`, and its distance.
 * Rows are comparable within one numbering.
 */
export type RowColumn = { rows: Int32Array; distances_m: Float64Array; numbering: object }

/** The row at a place that the source does not cover. */
export const outsideRow = -3

/**
 * A search that may have its own numbering. `numbering` is another object after the numbers have restarted. They
 * restart only in `limitNumbers`.
 */
type NumberedSearch = RowSearch & { numbering?: object; limitNumbers?(): void }

/** Finds the features of a query. Caches the latest answer, which the fields of a block share. */
class FeatureFinder {
  readonly #open: () => NumberedSearch
  #search: NumberedSearch | null = null
  #block: PlaceBlock | null = null
  #column: RowColumn = { rows: new Int32Array(1), distances_m: new Float64Array(1), numbering: this }

  /** `open` opens the search. It is called on first use. */
  constructor(open: () => NumberedSearch) {
    this.#open = open
  }

  /** Finds the features at the places of a block. The column is valid until the next block. */
  rowsOf(block: PlaceBlock): RowColumn {
    if (this.#block === block) return this.#column
    const search = (this.#search ??= this.#open())
    search.limitNumbers?.()
    const { lats, lngs, size } = block
    if (this.#column.rows.length !== size)
      this.#column = { rows: new Int32Array(size), distances_m: new Float64Array(size), numbering: this }
    const { rows, distances_m } = this.#column
    for (let i = 0; i < size; i++) {
      rows[i] = search.find(lats[i]!, lngs[i]!)
      distances_m[i] = search.distance_m
    }
    this.#column.numbering = search.numbering ?? search
    this.#block = block
    return this.#column
  }
}

/** The maximum number of lists in one numbering. Each field caches an outcome for each list. */
const maxLists = 8192

type ListNode = { number: number; next: Map<number, ListNode> | null }

/**
 * Numbers the lists of features that contain points, so that a field is evaluated once for each list. Files can have
 * many features, so the numbers restart after `maxLists` lists.
 */
class FeatureLists implements NumberedSearch {
  readonly distance_m = 0
  numbering = {}
  readonly #features: FileFeatures
  readonly #level: number | undefined
  #root: ListNode = { number: noRow, next: null }
  #count = 0

  constructor(features: FileFeatures, level: number | undefined) {
    this.#features = features
    this.#level = level
  }

  limitNumbers(): void {
    if (this.#count < maxLists) return
    this.numbering = {}
    this.#root = { number: noRow, next: null }
    this.#count = 0
  }

  /** Returns the number of the list at a point; `severalRows` if the source itself must answer or report the error. */
  find(lat: number, lng: number): number {
    const at = { lat, lng }
    if (!this.#features.covers(at)) return outsideRow
    try {
      const rows = this.#features.containingRows(at, this.#level)
      return rows ? this.#numberOf(rows) : severalRows
    } catch (error) {
      if (error instanceof UpstreamError) return severalRows
      throw error
    }
  }

  #numberOf(rows: readonly number[]): number {
    if (rows.length === 0) return noRow
    let node = this.#root
    for (const row of rows) node = nextNode(node, row)
    if (node.number === noRow) node.number = this.#count++
    return node.number
  }
}

function nextNode(node: ListNode, row: number): ListNode {
  const next = (node.next ??= new Map())
  const known = next.get(row)
  if (known) return known
  const added: ListNode = { number: noRow, next: null }
  next.set(row, added)
  return added
}
