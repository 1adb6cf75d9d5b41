import type { Value } from './source.ts'

/** Why there is no value, when there is none: the four kinds of "nothing" that are answers. */
export type AbsentReason = 'outside_coverage' | 'not_mapped' | 'no_data' | 'none_within_radius'

/** What a read comes to when the source did answer: a value, or the reason why there is none. */
export type FieldValue = Exclude<Value, null> | Absent

/** A valid "nothing here". A class, so that it cannot be mistaken for a value. */
export class Absent {
  readonly reason: AbsentReason

  constructor(reason: AbsentReason) {
    this.reason = reason
  }
}

/** How one field came out. `absent` is an answer (there is no value here); `failed` is the lack of one. */
export type Outcome =
  | { value: Exclude<Value, null>; status: 'ok' }
  | { value: null; status: 'absent'; absent_reason: AbsentReason }
  | { value: null; status: 'failed'; error: string; retryable: boolean }

/** The source has no data of the place. */
export const noData = new Absent('no_data')
/** There is none within the distance that is searched. */
export const noneWithinRadius = new Absent('none_within_radius')
/** The place is outside what the source covers. */
export const outsideCoverage = new Absent('outside_coverage')
/** The place is not mapped. */
export const notMapped = new Absent('not_mapped')

/** The reading that a raw value stands for: `null` is "no data". */
export function fieldValueOf(value: Value | Absent): FieldValue {
  return value === null ? noData : value
}
