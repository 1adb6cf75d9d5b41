/** The nouns that all folders share: place, source, outcome, error. They import nothing. */
import { Type, type Static } from '@sinclair/typebox'
import { Reliability, type Estimate } from './estimate.ts'
import { literals, nullable } from './schema.ts'
import type { Value } from './source.ts'

/** Why a source that answered has no value. */
export const AbsentReason = literals(['outside_coverage', 'not_mapped', 'no_data', 'none_within_radius'])
export type AbsentReason = Static<typeof AbsentReason>

/** How far a value can be trusted, best first. */
export const confidenceLevels = ['high', 'medium', 'low'] as const
export type Confidence = (typeof confidenceLevels)[number]

/** Returns the lower of two levels. */
export function lowestConfidence(one: Confidence, other: Confidence): Confidence {
  return confidenceLevels.indexOf(one) > confidenceLevels.indexOf(other) ? one : other
}

/** The result of a read that succeeded: a value, an estimate with its margin, or the reason why there is none. */
export type FieldValue = Exclude<Value, null> | Estimate | Absent

/** A successful read without a value. A class, so that it cannot be confused with a value. */
export class Absent {
  readonly reason: AbsentReason

  constructor(reason: AbsentReason) {
    this.reason = reason
  }
}

/** The members of an outcome, by status. `absent`: there is no value here. `failed`: no source answered. */
export const outcomeMembers = {
  ok: {
    value: Type.Unsafe<Exclude<Value, null>>({ type: ['string', 'number', 'boolean'] }),
    status: Type.Literal('ok'),
    moe_90: Type.Optional(
      nullable('number', {
        description:
          'Only for fields with `margin_of_error`: the margin of error at 90 % confidence, in the unit of the value. Null if the publisher gives none; `notes` says why.',
      }),
    ),
    reliability: Type.Optional(Reliability),
  },
  absent: {
    value: Type.Null(),
    status: Type.Literal('absent', { description: 'There is nothing at this place.' }),
    absent_reason: AbsentReason,
  },
  failed: {
    value: Type.Null(),
    status: Type.Literal('failed', { description: 'The source could not answer.' }),
    error: Type.String({ description: 'A code, a colon and a message.' }),
    retryable: Type.Boolean(),
  },
}

/** The outcome of one field. */
export const Outcome = Type.Union([
  Type.Object(outcomeMembers.ok),
  Type.Object(outcomeMembers.absent),
  Type.Object(outcomeMembers.failed),
])
export type Outcome = Static<typeof Outcome>

/** The source has no data for the place. */
export const noData = new Absent('no_data')
/** There is no such feature within the search radius. */
export const noneWithinRadius = new Absent('none_within_radius')
/** The place is outside the coverage of the source. */
export const outsideCoverage = new Absent('outside_coverage')
/** The source has not mapped the place. */
export const notMapped = new Absent('not_mapped')

/** Returns the value, or `noData` for null. */
export function fieldValueOf(value: Value | Estimate | Absent): FieldValue {
  return value === null ? noData : value
}
