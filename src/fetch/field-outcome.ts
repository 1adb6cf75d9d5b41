import type { Value } from '../model/source.ts'
import type { FieldResult } from './fetch-answer.ts'

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
