import type { MaybePromise } from '../async/maybe-promise.ts'
import type { Value } from '../model/source.ts'
import type { FieldOutcome } from './field-outcome.ts'
import { ownValueKey, singleKey, undecidedKey } from './read-column.ts'

/** Sets an item of a list, which is filled up to there: a list with holes would be slow. */
export function setAt<T>(list: (T | undefined)[], index: number, item: T): void {
  while (list.length < index) list.push(undefined)
  list[index] = item
}

/** A value of one place that no other place shares. */
export type OwnValue = string | number | boolean

/** The outcomes of one field at the places of a block. */
export class OutcomeColumn {
  /** The key of each place. The outcome of a key from 0 on is in `outcomesByKey`. */
  readonly keys: Int32Array
  /** Shared by the columns of a field, so that equal outcomes are the same object. */
  readonly outcomesByKey: readonly (FieldOutcome | undefined)[]
  /** The values of the places that have their own. Their status is `ok`, and they have no margin of error. */
  readonly ownValues: (OwnValue | null)[]
  /** The outcomes of the places that were evaluated by themselves. */
  readonly otherOutcomes = new Map<number, FieldOutcome>()
  readonly #ownOutcomeOf: (value: OwnValue) => FieldOutcome

  /** `ownOutcomeOf` returns the outcome of a place that has its own value. */
  constructor(
    keys: Int32Array,
    outcomesByKey: readonly (FieldOutcome | undefined)[],
    ownOutcomeOf: (value: OwnValue) => FieldOutcome,
  ) {
    this.keys = keys
    this.outcomesByKey = outcomesByKey
    this.#ownOutcomeOf = ownOutcomeOf
    this.ownValues = keys.includes(ownValueKey) ? Array.from({ length: keys.length }, () => null) : []
  }

  /** Sets the outcome of a place that was evaluated by itself. A promise leaves the place undecided. */
  setOutcome(i: number, outcome: MaybePromise<FieldOutcome>): void {
    this.keys[i] = outcome instanceof Promise ? undecidedKey : singleKey
    if (!(outcome instanceof Promise)) this.otherOutcomes.set(i, outcome)
  }

  /** Returns the value of a place. */
  valueAt(i: number): Value {
    const outcome = this.sharedOutcomeAt(i)
    return outcome ? outcome.value : this.ownValues[i]!
  }

  /** Returns the outcome of a place. */
  outcomeAt(i: number): FieldOutcome {
    return this.sharedOutcomeAt(i) ?? this.#ownOutcomeOf(this.ownValues[i]!)
  }

  /** Returns the outcome that a place shares with others, or null if the place has its own value. */
  sharedOutcomeAt(i: number): FieldOutcome | null {
    const key = this.keys[i]!
    if (key === ownValueKey) return null
    return key >= 0 ? this.outcomesByKey[key]! : this.otherOutcomes.get(i)!
  }
}
