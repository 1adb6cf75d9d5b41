import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import type { CatalogDocument } from '../../src/catalog/catalog-document.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { fetchOnlineFields } from './fetch-fields.ts'
import { words } from '../support/words.ts'

let service: OnlineService
beforeAll(() => {
  service = openOnlineService()
})
afterAll(() => service.close())

const marginOf = (result: FieldResult) =>
  result.status === 'ok' ? [result.value, result.moe_90, result.reliability, result.notes] : result

/** Every field that has a margin, and what it is in Boulder, computed by hand. */
const inBoulder: Record<string, [value: number, moe_90: number, reliability: string]> = {
  tract_population_acs5: [4_321, 312, 'high'],
  block_group_population: [1_187, 402, 'medium'],
  tract_median_age_years: [33.4, 2.9, 'high'],
  tract_median_household_income_usd: [78_125, 9_847, 'high'],
  // 676 ± 187 of 4,102 ± 318
  tract_poverty_rate_pct: [16.5, 4.4, 'medium'],
  // 99 ± 58 of 2,750 ± 241
  tract_unemployment_rate_pct: [3.6, 2.1, 'medium'],
  // 1,783 ± 215 of 2,890 ± 236
  tract_bachelors_degree_or_higher_pct: [61.7, 5.5, 'high'],
  tract_median_home_value_usd: [812_500, 64_210, 'high'],
  tract_median_gross_rent_usd: [1_890, 143, 'high'],
  // 901 ± 119 of 2,056 ± 126
  tract_owner_occupied_pct: [43.8, 5.1, 'high'],
  // 154 ± 71 of 2,210 ± 118
  tract_vacancy_rate_pct: [7, 3.2, 'medium'],
  tract_median_structure_year_built: [1_974, 3, 'high'],
  tract_housing_units_count: [2_210, 118, 'high'],
  county_median_household_income: [78_125, 9_847, 'high'],
  tract_civilian_labor_force: [2_750, 241, 'high'],
  county_median_household_income_usd: [64_000, 2_417, 'high'],
}

test('an estimate of the Census has the margin of error that was published with it, and its reliability', async () => {
  const names = Object.keys(inBoulder)
  const results = await fetchOnlineFields(service, testPlaces.boulder, names)
  expect(Object.fromEntries(names.map((name) => [name, marginOf(results[name]!)]))).toEqual(
    Object.fromEntries(names.map((name) => [name, [...inBoulder[name]!, null]])),
  )
})

test('an income that is read from the other survey has the margin of that survey', async () => {
  service.upstreams.fault({ path: /\/poverty\/saipe/ }, { status: 503 })
  try {
    const name = 'county_median_household_income_usd'
    const result = (await fetchOnlineFields(service, testPlaces.paradise, [name]))[name]!
    expect([result.source, ...(marginOf(result) as unknown[])]).toEqual(['census_acs5', 78_125, 9_847, 'high', null])
  } finally {
    service.upstreams.heal()
  }
})

test('the margin of the density is that of the population, per square kilometer', async () => {
  const { tract_population_acs5: people, tract_population_density_per_km2: density } = await fetchOnlineFields(
    service,
    testPlaces.boulder,
    ['tract_population_acs5', 'tract_population_density_per_km2'],
  )
  const [count, moe] = marginOf(people!) as number[]
  const [perKm2, moePerKm2] = marginOf(density!) as number[]
  expect(moePerKm2).toBeCloseTo((moe! / count!) * perKm2!, 1)
})

test('the notes say why an estimate has no margin', async () => {
  const { tract_median_age_years: age, tract_median_household_income_usd: income } = await fetchOnlineFields(
    service,
    testPlaces.kansas,
    ['tract_median_age_years', 'tract_median_household_income_usd'],
  )
  expect(marginOf(age!)).toEqual([33.4, null, undefined, expect.stringContaining('too few sample observations')])
  expect(marginOf(income!)).toEqual([250_001, null, undefined, expect.stringContaining('highest interval')])
})

test('an absent estimate, and a field without a margin, have no member for it', async () => {
  const results = await fetchOnlineFields(service, testPlaces.kansas, ['tract_median_gross_rent_usd', 'county'])
  expect(results.tract_median_gross_rent_usd!.status).toBe('absent')
  for (const result of Object.values(results)) {
    expect(result).not.toHaveProperty('moe_90')
    expect(result).not.toHaveProperty('reliability')
  }
})

test('the result files of a run have a column with the margin of each estimate, with include=margins', async () => {
  const { boulder, kansas } = testPlaces
  const run = await service.post(
    '/v1/runs',
    {
      kind: 'fetch_batch',
      request: { locations: [boulder, kansas], fields: ['county', 'tract_population_acs5', 'tract_median_age_years'] },
    },
    { prefer: 'wait=30' },
  )
  const { run_id } = (await run.json()) as { run_id: string }
  const csv = await (await service.send(`/v1/runs/${run_id}/artifacts/csv?include=margins`)).text()
  expect(csv.split('\r\n').map((line) => line.split(',').slice(6))).toEqual([
    words`
      county tract_population_acs5 tract_median_age_years failed_fields tract_population_acs5_moe
      tract_median_age_years_moe
    `,
    ['Boulder County', '4321', '33.4', '', '312', '2.9'],
    [expect.any(String), '4321', '33.4', '', '312', ''],
    [],
  ])
  const geojson = (await (await service.send(`/v1/runs/${run_id}/artifacts/geojson?include=margins`)).json()) as {
    features: { properties: object }[]
  }
  expect(geojson.features.map(({ properties }) => properties)).toMatchObject([
    { tract_population_acs5_moe: 312, tract_median_age_years_moe: 2.9 },
    { tract_population_acs5_moe: 312, tract_median_age_years_moe: null },
  ])
})

test('the catalog names the fields that have a margin of error', async () => {
  const { fields } = (await (await service.send('/v1/meta/fields')).json()) as CatalogDocument
  const named = fields.filter(({ margin_of_error }) => margin_of_error).map(({ name }) => name)
  expect(named.toSorted()).toEqual([...Object.keys(inBoulder), 'tract_population_density_per_km2'].toSorted())
})
