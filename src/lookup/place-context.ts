import { Type, type Static } from '@sinclair/typebox'
import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { fetchFields, type FieldContext } from '../fetch/fetch.ts'
import type { Place } from '../model/place.ts'
import { nullable } from '../model/schema.ts'
import type { Budget, Value } from '../model/source.ts'

/** The catalog field of each member. */
export const contextFields = {
  state_fips: 'state_fips',
  state: 'political_region',
  state_code: 'state',
  county_fips: 'county_fips',
  county: 'county',
  tract_geoid: 'tract_geoid',
  block_group_geoid: 'block_group_geoid',
  block_geoid: 'block_geoid',
  congressional_district: 'congressional_district',
  cbsa_name: 'cbsa_name',
  cbsa_code: 'cbsa_code',
  elevation_m: 'elevation',
  fema_flood_zone: 'fema_flood_zone',
  within_floodplain: 'within_floodplain_polygon',
  coastal_high_hazard: 'coastal_high_hazard',
  in_opportunity_zone: 'in_opportunity_zone',
  opportunity_zone_tract_geoid: 'opportunity_zone_tract_geoid',
  timezone: 'timezone',
} as const

/** The catalog field of each member of `county_market`. */
export const marketFields = {
  population: 'county_population',
  population_growth_1yr_pct: 'county_population_growth_1yr_pct',
  net_domestic_migration: 'county_net_domestic_migration',
  building_permits_total_annual: 'county_building_permits_total_annual',
  building_permits_sf_annual: 'county_building_permits_sf_annual',
  building_permits_yoy_pct: 'county_building_permits_yoy_pct',
  hpi_yoy_pct: 'county_hpi_yoy_pct',
  employment_total: 'county_employment_total',
  employment_yoy_pct: 'county_employment_yoy_pct',
  median_household_income_usd: 'county_median_household_income_usd',
} as const

/**
 * Facts about a place. A member is null when it does not apply or its source failed; `context_failures` lists the
 * latter.
 */
export const placeContextMembers = {
  ...valueSchemasOf(contextFields),
  county_market: Type.Object({
    as_of: nullable('string', {
      description:
        'Edition of the population estimates. If they have no value, edition of the first member with a value. Null when no member has a value.',
    }),
    ...valueSchemasOf(marketFields),
  }),
  context_failures: Type.Array(
    Type.Object({
      member: Type.String({ description: 'Its name, such as elevation_m or county_market.population.' }),
      field: Type.String({ description: 'The catalog field of the member.' }),
      source: Type.String(),
      dataset_vintage: nullable('string'),
      reason: Type.String({ description: 'The error code.' }),
      error: Type.String({ description: 'A code, a colon and a message.' }),
      retryable: Type.Boolean(),
    }),
    { description: 'Members that are null because their source failed.' },
  ),
}
const placeContextSchema = Type.Object(placeContextMembers)
export type PlaceContext = Static<typeof placeContextSchema>

/** Fetches the fields of the place context. */
export async function fetchPlaceContext(place: Place, budget: Budget, context: FieldContext): Promise<PlaceContext> {
  const names = [...Object.values(contextFields), ...Object.values(marketFields)]
  const { fields } = await fetchFields(
    names.map((name) => context.catalog.fields.get(name)!),
    place,
    budget,
    context,
  )
  const failures = [
    ...failedMembers(contextFields, fields, ''),
    ...failedMembers(marketFields, fields, 'county_market.'),
  ]
  return {
    ...valuesOf(contextFields, fields),
    county_market: { as_of: marketEdition(fields), ...valuesOf(marketFields, fields) },
    context_failures: failures,
  }
}

/** The edition of the first member with a value. */
function marketEdition(fields: FetchAnswer['fields']): string | null {
  const answered = Object.values(marketFields).find((name) => fields[name]!.status === 'ok')
  return answered === undefined ? null : fields[answered]!.dataset_vintage
}

function valuesOf<Names extends Record<string, string>>(names: Names, fields: FetchAnswer['fields']) {
  return Object.fromEntries(Object.entries(names).map(([member, field]) => [member, fields[field]!.value])) as Record<
    keyof Names,
    Value
  >
}

function failedMembers(
  names: Record<string, string>,
  fields: FetchAnswer['fields'],
  prefix: string,
): PlaceContext['context_failures'] {
  return Object.entries(names).flatMap(([name, field]) => {
    const result = fields[field]!
    if (result.status !== 'failed') return []
    const { source, dataset_vintage, error, retryable } = result
    return [
      { member: prefix + name, field, source, dataset_vintage, reason: error.split(':', 1)[0]!, error, retryable },
    ]
  })
}

function valueSchemasOf<Names extends Record<string, string>>(names: Names) {
  const schema = nullable(['string', 'number', 'boolean'])
  return Object.fromEntries(Object.keys(names).map((member) => [member, schema])) as Record<keyof Names, typeof schema>
}
