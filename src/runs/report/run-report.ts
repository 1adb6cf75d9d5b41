import { Type, type Static } from '@sinclair/typebox'
import { nullable } from '../../model/schema.ts'

const Count = Type.Integer()

/** The locations that failed with one error code. */
const LocationErrorGroup = Type.Object({
  error: Type.String(),
  message: Type.String({ description: 'The message of the first of these locations.' }),
  retryable: Type.Boolean(),
  locations: Count,
  first_index: Count,
})
export type LocationErrorGroup = Static<typeof LocationErrorGroup>

/** The fields of one source that failed with one error code. */
const FieldErrorGroup = Type.Object({
  error: Type.String(),
  source: nullable('string'),
  message: Type.String({ description: 'The message of the first of these values.' }),
  retryable: Type.Boolean(),
  fields: Type.Array(Type.String()),
  values: Count,
})
export type FieldErrorGroup = Static<typeof FieldErrorGroup>

/** What a finished run found, and what is missing. All values of a failed location count as failed. */
export const RunReport = Type.Object({
  locations: Type.Object({ total: Count, ok: Count, failed: Count }),
  values: Type.Object({ total: Count, ok: Count, absent: Count, failed: Count }),
  value_counts: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), Count), {
      description:
        'For each value of a field, the number of locations that have it. Only for fields with text values, and only if there are at most 20 different values.',
    }),
  ),
  uncovered_locations: Type.Integer({
    description:
      'Answered locations that have no value and are outside the coverage of at least one field, for example in another country.',
  }),
  location_errors: Type.Array(LocationErrorGroup),
  field_errors: Type.Array(FieldErrorGroup, { description: 'Excludes the fields of failed locations.' }),
})
export type RunReport = Static<typeof RunReport>
