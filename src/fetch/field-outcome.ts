import type { Value } from '../model/source.ts'
import type { FieldResult } from './fetch-answer.ts'

/** The outcome of a field, and its result as the answer has it: as an object and as JSON. */
export class FieldOutcome {
  readonly value: Value
  /** All members of the result but the value, which come after it. */
  readonly members: ResultMembers
  /** Its position among the outcomes that places share; -1 for the outcome of one place. */
  readonly key: number
  #valueJson: string | null = null

  constructor(value: Value, members: ResultMembers, key = -1) {
    this.value = value
    this.members = members
    this.key = key
  }

  /** The JSON of the value. */
  get valueJson(): string {
    return (this.#valueJson ??= typeof this.value === 'string' ? jsonOf(this.value) : String(this.value))
  }
}

/** Sets an item of a list by key. The list is filled up to there: one with holes would be slow. */
export function setAtKey<T>(list: (T | undefined)[], key: number, item: T): void {
  while (list.length < key) list.push(undefined)
  list[key] = item
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
  return { value, ...(object.fetched_at === undefined && { fetched_at }), ...object } as FieldResult
}

/** Texts of these characters need no escapes, and testing for them costs less than `JSON.stringify`. */
const plainText = /^[\w .,'()/:+-]*$/

function jsonOf(value: string): string {
  return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
}
