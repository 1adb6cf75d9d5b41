import type { Value } from '../model/source.ts'
import type { FieldResult } from './fetch-answer.ts'

/** The outcome of a field at one place, and its result as the answer has it: as an object and as JSON. */
export type FieldOutcome = {
  value: Value
  /** The JSON of the value. */
  valueJson: string
  /** All members of the result but the value, which come after it. */
  members: ResultMembers
}

/** Members of a result. `json` is their JSON after the value: it begins with a comma instead of a brace. */
export type ResultMembers = { object: WithoutValue<FieldResult>; json: string }

type WithoutValue<Result> = Result extends unknown ? Omit<Result, 'value'> : never

/** Returns the result of an outcome. */
export function resultOf({ value, members }: FieldOutcome): FieldResult {
  return { value, ...members.object } as FieldResult
}

/** Creates an outcome. */
export function createOutcome(value: Value, members: ResultMembers): FieldOutcome {
  return { value, valueJson: typeof value === 'string' ? jsonOf(value) : String(value), members }
}

/** Texts of these characters need no escapes, and testing for them costs less than `JSON.stringify`. */
const plainText = /^[\w .,'()/:+-]*$/

function jsonOf(value: string): string {
  return plainText.test(value) ? `"${value}"` : JSON.stringify(value)
}
