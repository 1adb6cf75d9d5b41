import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Estimate } from '../model/estimate.ts'
import type { Absent } from '../model/outcome.ts'
import type { Point, Region } from '../model/place.ts'
import type { Value } from '../model/source.ts'
import { noRow, severalRows } from '../packs/embedded/memory-layer.ts'
import type { DecidingRows } from './sources/bound-option.ts'
import type { Origin } from './evaluation.ts'
import { outsideRow } from './sources/local-sources.ts'
import type { PlaceBlock } from './place-block.ts'

/** The key of a place whose field must be evaluated there. */
export const noKey = -1
/** The key of a place that has its own value, which the read returns without evaluating the place. */
export const ownValueKey = -2
/**
 * The keys of places outside the coverage, and of places without a feature. The key of row `r` is `firstRowKey + r`.
 */
const outsideKey = 0
const noFeatureKey = 1
export const firstRowKey = 2

/** A value before it is checked and rounded. */
export type RawValue = Value | Estimate | Absent

/**
 * What a read knows about the places of a block before it evaluates them. Places with the same key, 0 or more, have the
 * same outcome while `numbering` is the same object.
 */
export interface BlockRead {
  readonly numbering: object
  keyAt(i: number): number
  /** Returns the value of a place whose key is `ownValueKey`. */
  ownValueAt(i: number): MaybePromise<RawValue>
  /** The origin of these values. */
  readonly origin: Origin
}

/** What decides the keys of a read, besides its features. */
export type KeyRules = {
  /** The regions in the coverage; null if they all are. */
  regions: ReadonlySet<Region | null> | null
  /** Whether no fallback may answer at places outside the coverage, or without a value. */
  isOutsideFinal: boolean
  isAbsentFinal: boolean
  /** Whether no other option may answer instead. */
  isOnlyOption: boolean
}

/** A read whose values the rows of features decide. */
export class RowRead implements BlockRead {
  readonly #regions: PlaceBlock['regions']
  readonly #deciding: DecidingRows
  readonly #rules: KeyRules

  constructor({ regions }: PlaceBlock, deciding: DecidingRows, rules: KeyRules) {
    this.#regions = regions
    this.#deciding = deciding
    this.#rules = rules
  }

  get numbering(): object {
    return this.#deciding.found.numbering
  }

  get origin(): Origin {
    return this.#deciding.origin
  }

  keyAt(i: number): number {
    const { found, coverage, reads, maxDistance_m } = this.#deciding
    const { regions, isOutsideFinal, isAbsentFinal, isOnlyOption } = this.#rules
    const row = found.rows[i]!
    if (!isCovered(this.#regions[i]!, regions)) return isOutsideFinal ? outsideKey : noKey
    if (row === outsideRow || coverage?.rows[i] === noRow) return isOutsideFinal && isOnlyOption ? outsideKey : noKey
    if (row === noRow) return isAbsentFinal ? noFeatureKey : noKey
    if (row === severalRows || found.distances_m[i]! > maxDistance_m) return noKey
    return reads === 'distance' ? ownValueKey : firstRowKey + row
  }

  ownValueAt(i: number): number {
    return this.#deciding.found.distances_m[i]!
  }
}

/** A read whose values are computed from the coordinates. */
export class PointRead implements BlockRead {
  readonly origin: Origin
  readonly #block: PlaceBlock
  readonly #rules: KeyRules
  readonly #compute: (at: Point, block: PlaceBlock) => MaybePromise<RawValue>

  constructor(
    block: PlaceBlock,
    { origin, rules }: { origin: Origin; rules: KeyRules },
    compute: (at: Point, block: PlaceBlock) => MaybePromise<RawValue>,
  ) {
    this.origin = origin
    this.#block = block
    this.#rules = rules
    this.#compute = compute
  }

  get numbering(): object {
    return this.#rules
  }

  keyAt(i: number): number {
    return isCovered(this.#block.regions[i]!, this.#rules.regions) ? ownValueKey : outsideKey
  }

  ownValueAt(i: number): MaybePromise<RawValue> {
    return this.#compute({ lat: this.#block.lats[i]!, lng: this.#block.lngs[i]! }, this.#block)
  }
}

/** Whether a region, null abroad, is one of those in the coverage. */
export function isCovered(region: Region | null, regions: KeyRules['regions']): boolean {
  return regions === null || (region !== null && regions.has(region))
}
