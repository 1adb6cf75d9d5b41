import type { Value } from '../model/source.ts'
import type { FieldResult } from './fetch-answer.ts'

/** Outcomes by the key of the places that share them. */
export type SharedOutcomes = (FieldOutcome | undefined)[]

/** The key of a place that shares its outcome with no other. */
const ownKey = -1

/** The outcomes of one field at the places of a block. A place is open until its field is evaluated there. */
export class OutcomeColumn {
  /** The key of each place; below 0 if the place shares its outcome with no other. */
  readonly keys: number[] = []
  /** Belongs to the field, so that the places of all blocks share it. */
  readonly shared: SharedOutcomes
  /** The outcomes that are not shared, by place. */
  readonly #own: (FieldOutcome | undefined)[] = []
  #hasOpenPlaces = false

  constructor(shared: SharedOutcomes) {
    this.shared = shared
  }

  /** Whether a place was open when it was added. */
  get hasOpenPlaces(): boolean {
    return this.#hasOpenPlaces
  }

  /** Adds a place with a key from 0 on, or an open place without a key. */
  addKey(key: number): void {
    this.keys.push(key)
    if (key < 0 || this.shared[key] === undefined) this.#hasOpenPlaces = true
  }

  /** Adds a place with an outcome of its own; null leaves it open. */
  addOwn(outcome: FieldOutcome | null): void {
    const i = this.keys.push(ownKey) - 1
    if (outcome) setItem(this.#own, i, outcome)
    else this.#hasOpenPlaces = true
  }

  isOpenAt(i: number): boolean {
    return this.#find(i) === undefined
  }

  /** Sets the outcome of an open place. */
  set(i: number, outcome: FieldOutcome): void {
    if (this.#find(i) === outcome) return
    this.keys[i] = ownKey
    setItem(this.#own, i, outcome)
  }

  /** Returns the outcome of a place that is not open. */
  at(i: number): FieldOutcome {
    return this.#find(i)!
  }

  #find(i: number): FieldOutcome | undefined {
    const key = this.keys[i]!
    return key >= 0 ? this.shared[key] : this.#own[i]
  }
}

/** Sets an item of a list, which is filled up to there: a list with holes would be slow. */
export function setItem<T>(list: (T | undefined)[], index: number, item: T): void {
  while (list.length < index) list.push(undefined)
  list[index] = item
}

/** The outcome of a field, and its result as the answer has it: as an object and as JSON. */
export class FieldOutcome {
  readonly value: Value
  /** All members of the result but the value, which come after it. */
  readonly members: ResultMembers
  #valueJson: string | null = null

  constructor(value: Value, members: ResultMembers) {
    this.value = value
    this.members = members
  }

  /** The JSON of the value. */
  get valueJson(): string {
    return (this.#valueJson ??= typeof this.value === 'string' ? jsonOf(this.value) : String(this.value))
  }
}

/** Members of a result. `json` is their JSON after the value: it begins with a comma instead of a brace. */
export type ResultMembers = { object: WithoutValue<TimedByAnswer<FieldResult>>; json: string }

type WithoutValue<Result> = Result extends unknown ? Omit<Result, 'value'> : never

/** A result that has `fetched_at` only if it differs from the time of the answer. */
export type TimedByAnswer<Result> = Result extends { fetched_at: infer Time }
  ? Omit<Result, 'fetched_at'> & { fetched_at?: Time }
  : never

/** Returns the result of an outcome in an answer of the given time. */
export function resultOf({ value, members: { object } }: FieldOutcome, fetched_at: string): FieldResult {
  return { value, ...object, ...(object.fetched_at === undefined && { fetched_at }) } as FieldResult
}

/** Texts of these characters need no escapes, and testing for them costs less than `JSON.stringify`. */
const plainText = /^[\w .,'()/:+-]*$/

function jsonOf(value: string): string {
  return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
}
