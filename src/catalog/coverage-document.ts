import { Type, type Static } from '@sinclair/typebox'

/** Counties in which the same local data answers. */
export const CountyCoverage = Type.Object({
  fields: Type.Integer({ description: 'The number of fields that local data answers in these counties.' }),
  presets: Type.Array(Type.String(), {
    description:
      'The presets that local data answers completely there. Fields without data in that part of the United States are not counted.',
  }),
  counties: Type.Array(Type.String(), { description: 'The FIPS codes of the counties, sorted.' }),
})
export type CountyCoverage = Static<typeof CountyCoverage>

/** The response of GET /v1/meta/coverage. */
export const CoverageDocument = Type.Object({
  fields: Type.Integer({ description: 'The number of fields of the catalog.' }),
  groups: Type.Array(CountyCoverage, {
    description: 'All counties, grouped by what answers there. The group with the most fields comes first.',
  }),
})
export type CoverageDocument = Static<typeof CoverageDocument>
