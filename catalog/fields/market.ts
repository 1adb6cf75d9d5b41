import { documented, integer, tableRow, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'market',
  lifecycle: 'stable',
  type: 'integer',
  unit: '%',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const market: Field[] = fieldsSharing(shared, [
  {
    name: 'county_population',
    description: 'Resident population of the county on 1 July of the latest estimate year.',
    interpretation_hints: 'Vintage estimates are revised every year; never mix vintages in a trend.',
    unit: 'people',
    null_meaning:
      'County code is not in the estimates file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 12_000_000],
    read: { dataset: 'census_pep_county', op: 'row', key: 'county_fips', column: 'POPESTIMATE2025', cast: 'integer' },
  },
  {
    name: 'county_population_growth_1yr_pct',
    description: 'Population change of the county over the latest estimate year.',
    interpretation_hints: 'About 0.5 is the national pace; above 2 is fast growth.',
    type: 'float',
    decimals: 4,
    null_meaning:
      'County code is not in the estimates file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Latest estimate divided by the previous year, minus one, in percent.',
    valid_range: [-100, 1_000],
    read: {
      dataset: 'census_pep_county',
      op: 'row',
      key: 'county_fips',
      expression: '100*(POPESTIMATE2025/POPESTIMATE2024-1)',
    },
  },
  {
    name: 'county_net_domestic_migration',
    description: 'Net moves into the county from the rest of the country over the latest estimate year.',
    spoken: 'the net migration into the county from the rest of the country',
    interpretation_hints: 'Negative means more people left than arrived; international moves are excluded.',
    unit: 'people',
    null_meaning:
      'County code is not in the estimates file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [-500_000, 500_000],
    read: { dataset: 'census_pep_county', op: 'row', key: 'county_fips', column: 'DOMESTICMIG2025', cast: 'integer' },
  },
  {
    name: 'county_building_permits_total_annual',
    description: 'Housing units authorized by permits in the county in the latest full year.',
    spoken: 'the number of homes permitted in the county in the latest full year',
    interpretation_hints: 'Includes imputed values for offices that did not report.',
    unit: 'housing units',
    null_meaning:
      'County is not in the permits file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 200_000],
    read: {
      dataset: 'census_bps_county',
      op: 'row',
      key: 'county_fips',
      expression: 'units_1+units_2+units_3_4+units_5p',
    },
  },
  {
    name: 'county_building_permits_sf_annual',
    description: 'Single-family units authorized by permits in the county in the latest full year.',
    spoken: 'the number of single-family homes permitted in the county in the latest full year',
    interpretation_hints: 'One-unit structures only, attached or detached.',
    unit: 'housing units',
    null_meaning:
      'County is not in the permits file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 200_000],
    read: { dataset: 'census_bps_county', op: 'row', key: 'county_fips', column: 'units_1', cast: 'integer' },
  },
  {
    name: 'county_building_permits_yoy_pct',
    description: 'Change in authorized housing units against the previous year.',
    interpretation_hints: 'Small counties swing widely; read with the unit totals.',
    lifecycle: 'beta',
    type: 'float',
    decimals: 1,
    null_meaning:
      'No permits in the base year or county not in the file. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Total units of the latest year divided by the year before, minus one, in percent.',
    valid_range: [-100, 1_000_000],
    read: {
      dataset: 'census_bps_county',
      op: 'row',
      key: 'county_fips',
      expression:
        '100*((units_1+units_2+units_3_4+units_5p)/(units_1_prior+units_2_prior+units_3_4_prior+units_5p_prior)-1)',
    },
    evidence:
      'open point: the units of the previous year are in columns whose names end in _prior; our own import is to make them, and it has not been written yet',
  },
  {
    name: 'county_hpi_yoy_pct',
    description: 'Annual change of the FHFA all-transactions house price index for the county.',
    interpretation_hints:
      'Nominal, not seasonally adjusted, developmental series; counties with too few sales are blank.',
    type: 'float',
    decimals: 2,
    null_meaning:
      'Too few repeat sales to index the county. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [-100, 1_000],
    read: {
      dataset: 'fhfa_hpi_county',
      op: 'row',
      key: 'county_fips',
      column: 'Annual Change (%)',
      pick: ['Year desc'],
      cast: 'float',
    },
  },
  {
    name: 'county_employment_total',
    description: 'Covered jobs located in the county in the last month of the latest quarter.',
    spoken: 'the number of jobs in the county',
    interpretation_hints: 'Counts jobs at workplaces, not employed residents; excludes most self-employed.',
    unit: 'jobs',
    ttl_seconds: 604_800,
    null_meaning:
      'Value withheld (any disclosure_code, such as N or -) or county not published. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands).',
    valid_range: [0, 8_000_000],
    read: {
      dataset: 'bls_qcew_county',
      op: 'row',
      key: 'county_fips',
      expression: 'disclosure_code == null ? month3_emplvl : null',
      where: "own_code = '0' AND industry_code = '10' AND agglvl_code = '70'",
      has_match: true,
      cast: 'integer',
    },
  },
  {
    name: 'county_employment_yoy_pct',
    description: 'Over-the-year change of covered employment in the county.',
    interpretation_hints:
      'The change that the source publishes, rounded to tenths. It is adjusted for changes of county and industry codes.',
    type: 'float',
    decimals: 1,
    ttl_seconds: 604_800,
    null_meaning:
      'Value withheld (any oty_disclosure_code, such as N or -) or county not published. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, US Virgin Islands).',
    valid_range: [-100, 1_000_000],
    read: {
      dataset: 'bls_qcew_county',
      op: 'row',
      key: 'county_fips',
      expression: 'oty_disclosure_code == null ? oty_month3_emplvl_pct_chg : null',
      where: "own_code = '0' AND industry_code = '10' AND agglvl_code = '70'",
      has_match: true,
      cast: 'float',
    },
  },
  {
    name: 'county_median_household_income_usd',
    description: 'Median household income of the county, SAIPE model estimate.',
    interpretation_hints: 'A single-year model estimate, more current than ACS 5-year values.',
    unit: 'USD',
    null_meaning:
      'County is not in the SAIPE series. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [0, 500_000],
    read: {
      dataset: 'census_saipe_county',
      op: 'row',
      key: 'county_fips',
      column: 'SAEMHI_PT',
      cast: 'integer',
      fallback: [
        {
          dataset: 'census_acs5',
          op: 'row',
          key: 'county_fips',
          geography: 'county',
          column: 'B19013_001E',
          cast: 'integer',
        },
      ],
    },
  },
  {
    name: 'county_unemployment_rate_pct',
    description: 'Unemployment rate of the county in the latest published month.',
    interpretation_hints: 'Not seasonally adjusted; compare with the same month of other years.',
    lifecycle: 'beta',
    type: 'float',
    decimals: 1,
    ttl_seconds: 604_800,
    null_meaning:
      'No observation for the latest month. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100],
    read: {
      dataset: 'bls_laus_county',
      op: 'path',
      key: 'county_fips',
      json_path: '$.Results.series[0].data[0].value',
      absent_when: ['empty'],
      cast: 'float',
    },
    evidence: 'open point: the access rules of the host of the bulk files, and the mark for missing months',
  },
  {
    name: 'county_rural_urban_continuum_code',
    description: 'USDA rural-urban continuum code of the county, 1 to 9.',
    interpretation_hints: '1 to 3 are metro counties by size, 4 to 9 nonmetro by urban population and adjacency.',
    lifecycle: 'beta',
    unit: 'class',
    ttl_seconds: 15_552_000,
    null_meaning:
      'County code is not in the 2023 edition. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [1, 9],
    read: { dataset: 'usda_ers_rucc', op: 'row', key: 'county_fips', column: 'RUCC_2023', cast: 'integer' },
    evidence: 'open point: column name RUCC_2023',
  },
  ...tableRow(
    {
      layer: 'market',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'census_acs5',
      key: 'county_fips',
      none: 'Estimate suppressed or not computable.',
      covers: ['conus', 'ak', 'hi', 'pr'],
      read: { geography: 'county' },
    },
    {
      county_median_household_income: {
        description: 'Median household income of the county, ACS 5-year estimate.',
        hints:
          'A five-year average with a margin of error. county_median_household_income_usd is the estimate of one year, from a model (SAIPE).',
        ...integer('USD', [0, 500_000]),
        read: { column: 'B19013_001E', cast: 'integer' },
      },
    },
  ),
])
