import type { FileFeatures } from '../../drivers/driver.ts'
import { UpstreamError } from '../../model/error.ts'
import { noRow, severalRows, type RowSearch } from '../../packs/embedded/memory-layer.ts'
import type { PlaceBlock } from '../place-block.ts'

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
export class FeatureFinder {
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
