import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Estimate } from '../model/estimate.ts'
import type { Absent } from '../model/outcome.ts'
import type { Point, Region } from '../model/place.ts'
import type { Value } from '../model/source.ts'
import { noRow, severalRows } from '../packs/memory-layer.ts'
import type { DecidingRows, FoundRow } from './bound-option.ts'
import type { Evaluation, Origin } from './evaluation.ts'
import { outsideRow } from './feature-finder.ts'
import type { PlaceBlock } from './place-block.ts'

/** A place whose field must be evaluated by itself. */
export const undecidedKey = -1
/** A place whose field was evaluated by itself. */
export const singleKey = -3
/** A place that has its own value, which the read returns without evaluating the place. */
export const ownValueKey = -2
/**
 * The keys of places outside the coverage, and of places without a feature. The key of row `r` is `firstRowKey + r`.
 */
export const outsideKey = 0
const noFeatureKey = 1
export const firstRowKey = 2

/**
 * What a read knows about all places of a block. Places with the same key, 0 or more, have the same evaluation while
 * `numbering` is the same object. `valueAt` returns the value of a place that has its own.
 */
export type ReadColumn = {
  keys: Int32Array
  numbering: object
  /** The origin of the values that places have of their own. */
  origin: Origin
  valueAt(i: number): MaybePromise<Value | Estimate | Absent>
  /** Returns the evaluation of the key `firstRowKey + row`; null if it must be evaluated at a place. May throw. */
  evaluateRow(row: number): Evaluation | null
}

/** What decides the keys of a read, besides its features. */
export type KeyRules = {
  coversRegion(region: Region | null): boolean
  /** Whether no fallback may answer at places outside the coverage, or without a value. */
  isOutsideFinal: boolean
  isAbsentFinal: boolean
  /** Whether no other option may answer instead. */
  isOnlyOption: boolean
}

/** Returns the keys of the places of a block, whose features are known. */
export function keysOfRows({ size, regions }: PlaceBlock, deciding: DecidingRows, rules: KeyRules): Int32Array {
  const { rows, distances_m, coverage } = deciding
  const keys = new Int32Array(size)
  const found: FoundRow = { row: noRow, distance_m: 0, coverageRow: null }
  for (let i = 0; i < size; i++) {
    found.row = rows[i]!
    found.distance_m = distances_m[i]!
    if (coverage) found.coverageRow = coverage.rows[i]!
    keys[i] = keyOfRow(regions[i]!, found, deciding, rules)
  }
  return keys
}

/** Returns the key of a place, whose feature is known. */
export function keyOfRow(
  region: Region | null,
  { row, distance_m, coverageRow }: FoundRow,
  { reads, maxDistance_m }: Pick<DecidingRows, 'reads' | 'maxDistance_m'>,
  { coversRegion, isOutsideFinal, isAbsentFinal, isOnlyOption }: KeyRules,
): number {
  if (!coversRegion(region)) return isOutsideFinal ? outsideKey : undecidedKey
  if (row === outsideRow || coverageRow === noRow) return isOutsideFinal && isOnlyOption ? outsideKey : undecidedKey
  if (row === noRow) return isAbsentFinal ? noFeatureKey : undecidedKey
  if (row === severalRows || distance_m > maxDistance_m) return undecidedKey
  return reads === 'distance' ? ownValueKey : firstRowKey + row
}

/** Returns the column of values that are computed from the coordinates of the places in the coverage. */
export function computedColumnOf(
  { lats, lngs, regions, size }: PlaceBlock,
  { coversRegion }: Pick<KeyRules, 'coversRegion'>,
  column: Pick<ReadColumn, 'origin' | 'numbering'>,
  valueOf: (at: Point) => ReturnType<ReadColumn['valueAt']>,
): ReadColumn {
  const keys = new Int32Array(size)
  for (let i = 0; i < size; i++) keys[i] = coversRegion(regions[i]!) ? ownValueKey : outsideKey
  return { ...column, keys, valueAt: (i) => valueOf({ lat: lats[i]!, lng: lngs[i]! }), evaluateRow: () => null }
}
