import type { FileFeatures } from '../drivers/driver.ts'
import { UpstreamError } from '../model/error.ts'
import type { Point } from '../model/place.ts'
import { noRow, severalRows, type RowSearch } from '../packs/memory-layer.ts'
import type { PlaceBlock } from './place-block.ts'

/**
 * The feature of a query at each place of a block: its row, `noRow`, `severalRows` or `outsideRow`, and its distance.
 * Rows are comparable within one numbering.
 */
export type RowColumn = { rows: Int32Array; distances_m: Float64Array; numbering: object }

/** The row at a place that the source does not cover. */
export const outsideRow = -3

/**
 * A search that may number what it finds itself: `numbering` changes when the numbers begin again, which they may do
 * when `startOver` is called.
 */
type NumberedSearch = RowSearch & { numbering?: object; startOver?(): void }

/** Finds the features of a query. It keeps its latest answer, which the fields of a request or of a block share. */
export class FeatureFinder {
  readonly #open: () => NumberedSearch
  #search: NumberedSearch | null = null
  /** The distance of the feature that `rowAt` returned. */
  distance_m = 0
  #point: Point | null = null
  #row = 0
  #block: PlaceBlock | null = null
  #column: RowColumn | null = null

  /** `open` prepares for the query. It is called on first use. */
  constructor(open: () => NumberedSearch) {
    this.#open = open
  }

  /** Returns the row of the feature at the point of a request, and sets `distance_m`. */
  rowAt(at: Point): number {
    if (this.#point === at) return this.#row
    const search = (this.#search ??= this.#open())
    search.startOver?.()
    this.#row = search.find(at.lat, at.lng)
    this.distance_m = search.distance_m
    this.#point = at
    return this.#row
  }

  /** The numbering of the rows of `rowAt`. */
  get numbering(): object {
    const search = (this.#search ??= this.#open())
    return search.numbering ?? search
  }

  /** Finds the features at the places of a block. */
  rowsOf(block: PlaceBlock): RowColumn {
    if (this.#block === block && this.#column) return this.#column
    const search = (this.#search ??= this.#open())
    search.startOver?.()
    const { lats, lngs, size } = block
    const { numbering } = this
    const column = { rows: new Int32Array(size), distances_m: new Float64Array(size), numbering }
    for (let i = 0; i < size; i++) {
      column.rows[i] = search.find(lats[i]!, lngs[i]!)
      column.distances_m[i] = search.distance_m
    }
    this.#block = block
    this.#column = column
    return column
  }
}

/** Lists that are numbered before the numbers begin again. An outcome of each is kept for each field. */
const maxLists = 8192

type ListNode = { number: number; next: Map<number, ListNode> | null }

/**
 * Numbers the lists of features that contain points, so that what a list decides is evaluated once. The features are in
 * files, and may be many. So the numbers begin again when there are `maxLists`.
 */
export class FeatureLists implements NumberedSearch {
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

  startOver(): void {
    if (this.#count < maxLists) return
    this.numbering = {}
    this.#root = { number: noRow, next: null }
    this.#count = 0
  }

  /** Returns the number of the list at a point. `severalRows`: the source itself must answer, or report the error. */
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
