import { documented, integer, tableRow, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'demographics',
  lifecycle: 'stable',
  type: 'float',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const demographics: Field[] = fieldsSharing(shared, [
  {
    name: 'census_block_population_2020',
    description: '2020 Census population of the block that contains the point.',
    interpretation_hints: 'Block counts carry disclosure-avoidance noise; never read one block as exact.',
    type: 'integer',
    unit: 'people',
    ttl_seconds: 15_552_000,
    null_meaning: 'Point is outside every census block.',
    valid_range: [0, 50_000],
    read: {
      dataset: 'fcc_area_api',
      op: 'path',
      json_path: '$.results[0].block_pop_2020',
      absent_when: ['empty'],
      cast: 'integer',
    },
  },
  ...tableRow(
    {
      layer: 'demographics',
      ttl_seconds: 31_536_000,
      evidence: documented,
      dataset: 'census_cenpop_tracts',
      key: 'tract_geoid',
      none: 'The tract is not in the table: its borders changed after 2020 (Connecticut), or it is a territory other than Puerto Rico.',
    },
    {
      tract_population: {
        description: 'Population of the census tract in the census of 2020.',
        hints: 'A count, not an estimate. tract_population_acs5 is the estimate of the American Community Survey.',
        ...integer('people', [0, 100_000]),
        read: { geography: 'tract', column: 'POPULATION', cast: 'integer' },
      },
    },
  ),
  {
    name: 'tract_population_acs5',
    description: 'Population of the census tract, ACS 5-year estimate.',
    interpretation_hints: 'A five-year average with sampling error; small tracts are noisy.',
    type: 'integer',
    unit: 'people',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 200_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B01003_001E',
      cast: 'integer',
    },
  },
  {
    name: 'block_group_population',
    description: 'Population of the block group, ACS 5-year estimate.',
    interpretation_hints: 'Sampling error is large at this scale; prefer the tract for ratios.',
    type: 'integer',
    unit: 'people',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'block_group_geoid',
      geography: 'block group',
      column: 'B01003_001E',
      cast: 'integer',
    },
  },
  {
    name: 'tract_population_density_per_km2',
    description: 'Residents per square kilometer of land in the tract.',
    spoken: 'the population density of the tract',
    interpretation_hints: 'Above 1,000 is urban fabric, below 50 is rural.',
    unit: 'people/km2',
    decimals: 1,
    null_meaning:
      'Tract has no land area or no population estimate. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'tract_population_acs5 divided by tract land area in square kilometers.',
    valid_range: [0, 500_000],
    read: {
      dataset: 'census_acs5',
      op: 'computed',
      expression: '1000000 * population / land_m2',
      proportional_to: 'population',
      from: {
        population: 'tract_population_acs5',
        land_m2: {
          dataset: 'census_geocoder_geographies',
          op: 'path',
          json_path: "$.result.geographies['Census Tracts'][0].AREALAND",
          absent_when: ['empty'],
        },
      },
    },
  },
  {
    name: 'tract_median_age_years',
    description: 'Median age of tract residents.',
    interpretation_hints: 'National median is about 39.',
    lifecycle: 'beta',
    unit: 'years',
    decimals: 1,
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 120],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B01002_001E',
      cast: 'float',
    },
  },
  {
    name: 'tract_median_household_income_usd',
    description: 'Median household income of the tract over the last 12 months.',
    interpretation_hints: 'In dollars of the final survey year; 250001 is a top code.',
    type: 'integer',
    unit: 'USD',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 1_000_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B19013_001E',
      cast: 'integer',
    },
  },
  {
    name: 'tract_poverty_rate_pct',
    description: 'Share of tract residents below the poverty line.',
    interpretation_hints: '20 percent or more is a common program threshold.',
    lifecycle: 'beta',
    unit: '%',
    decimals: 1,
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      percentage: { parts: ['B17001_002E'], whole: 'B17001_001E' },
    },
  },
  {
    name: 'tract_unemployment_rate_pct',
    description: 'Share of the civilian labor force in the tract that is unemployed.',
    interpretation_hints: 'Five-year average; use county_unemployment_rate_pct for the current month.',
    lifecycle: 'beta',
    unit: '%',
    decimals: 1,
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      percentage: { parts: ['B23025_005E'], whole: 'B23025_003E' },
    },
  },
  {
    name: 'tract_bachelors_degree_or_higher_pct',
    description: "Share of adults aged 25 and over with at least a bachelor's degree.",
    interpretation_hints: 'National share is about 35 percent.',
    lifecycle: 'beta',
    unit: '%',
    decimals: 1,
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      percentage: { parts: ['B15003_022E', 'B15003_023E', 'B15003_024E', 'B15003_025E'], whole: 'B15003_001E' },
    },
  },
  ...tableRow(
    {
      layer: 'demographics',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'census_acs5',
      key: 'tract_geoid',
      none: 'Estimate suppressed or not computable.',
      covers: ['conus', 'ak', 'hi', 'pr'],
      read: { geography: 'tract' },
    },
    {
      tract_civilian_labor_force: {
        description: 'People of 16 years and more in the tract who work or look for work, ACS 5-year estimate.',
        hints: 'Counted where they live, not where they work; without the armed forces.',
        ...integer('people', [0, 100_000]),
        read: { column: 'B23025_003E', cast: 'integer' },
      },
    },
  ),
])
