import type { Value } from './source.ts'

/** Why a source that answered has no value. */
export type AbsentReason = 'outside_coverage' | 'not_mapped' | 'no_data' | 'none_within_radius'

/** The result of a read that succeeded: a value, or the reason why there is none. */
export type FieldValue = Exclude<Value, null> | Absent

/** A successful read without a value. A class, so that it cannot be confused with a value. */
export class Absent {
  readonly reason: AbsentReason

  constructor(reason: AbsentReason) {
    this.reason = reason
  }
}

/** The outcome of one field. `absent`: the source answered that there is no value here; `failed`: no source answered. */
export type Outcome =
  | { value: Exclude<Value, null>; status: 'ok' }
  | { value: null; status: 'absent'; absent_reason: AbsentReason }
  | { value: null; status: 'failed'; error: string; retryable: boolean }

/** The source has no data for the place. */
export const noData = new Absent('no_data')
/** There is no such feature within the search radius. */
export const noneWithinRadius = new Absent('none_within_radius')
/** The place is outside the coverage of the source. */
export const outsideCoverage = new Absent('outside_coverage')
/** The source has not mapped the place. */
export const notMapped = new Absent('not_mapped')

/** Returns the value, or `noData` for null. */
export function fieldValueOf(value: Value | Absent): FieldValue {
  return value === null ? noData : value
}
