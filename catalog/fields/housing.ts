import type { Field } from '../../src/catalog/records.ts'
import { computed, documented, float, integer, fieldsSharing } from '../families.ts'

const nearbyBlocks = {
  dataset: 'census_tigerweb_blocks_2020',
  op: 'aggregate',
  reducer: 'sum',
  radius_m: 1_000,
} as const

const shared = {
  layer: 'housing',
  lifecycle: 'beta',
  type: 'integer',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const housing: Field[] = fieldsSharing(shared, [
  {
    name: 'tract_median_home_value_usd',
    description: 'Median self-reported value of owner-occupied homes in the tract.',
    interpretation_hints: 'Owner estimates lag the market; 2000001 is a top code.',
    unit: 'USD',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 5_000_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B25077_001E',
      cast: 'integer',
    },
  },
  {
    name: 'tract_median_gross_rent_usd',
    description: 'Median gross rent in the tract, utilities included.',
    interpretation_hints:
      '3501 is a top code. The median includes the rents of existing tenants, so it is usually below the asking rent.',
    unit: 'USD/month',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 10_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B25064_001E',
      cast: 'integer',
    },
  },
  {
    name: 'tract_owner_occupied_pct',
    description: 'Share of occupied homes lived in by their owner.',
    interpretation_hints: 'National share is about 65 percent.',
    type: 'float',
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
      percentage: { parts: ['B25003_002E'], whole: 'B25003_001E' },
    },
  },
  {
    name: 'tract_vacancy_rate_pct',
    description: 'Share of homes in the tract that are vacant for any reason.',
    interpretation_hints: 'Seasonal homes count as vacant; resort tracts read high.',
    type: 'float',
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
      percentage: { parts: ['B25002_003E'], whole: 'B25002_001E' },
    },
  },
  {
    name: 'tract_median_structure_year_built',
    description: 'Median year in which homes in the tract were built.',
    interpretation_hints: '1939 means 1939 or earlier.',
    unit: 'year',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'B25035_001E. The source value 0 stands for "1939 or earlier" and is given as 1939.',
    valid_range: [1600, 2100],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B25035_001E',
      stand_ins: { '0': 1939 },
      cast: 'integer',
    },
    evidence:
      'checked: the label is in public variable lists; walkerke/tidycensus issue 477 says that 0 means 1939 or earlier, and has the address of an answer of the 2020 edition',
  },
  {
    name: 'tract_housing_units_count',
    description: 'Number of housing units in the tract.',
    interpretation_hints: 'ACS estimate, controlled to county totals only.',
    unit: 'count',
    null_meaning:
      'Estimate suppressed or not computable (Census sentinel such as -666666666). Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    valid_range: [0, 100_000],
    read: {
      dataset: 'census_acs5',
      op: 'row',
      key: 'tract_geoid',
      geography: 'tract',
      column: 'B25001_001E',
      cast: 'integer',
    },
  },
  {
    name: 'fair_market_rent_2br_usd',
    description: 'HUD fair market rent for a two-bedroom home in the area that contains the point.',
    interpretation_hints: 'A 40th-percentile gross rent for a metro or county, not a rent quote.',
    lifecycle: 'stable',
    unit: 'USD/month',
    ttl_seconds: 7_776_000,
    null_meaning: 'Point is outside every fair market rent area, or the area has no rent (0 in the source).',
    valid_range: [300, 10_000],
    read: { dataset: 'hud_fair_market_rents', op: 'attribute', attribute: 'FMR_2BDR', sentinels: [0] },
  },
  ...computed(
    {
      dataset: 'census_tigerweb_blocks_2020',
      layer: 'housing',
      ttl_seconds: 31_536_000,
      evidence: documented,
    },
    {
      housing_units_within_1km: {
        ...integer('homes', [0, 1_000_000]),
        description: 'Homes in the 2020 census blocks that touch a circle of 1 km.',
        hints: 'Blocks at the edge count whole, so large rural blocks count homes that are farther away.',
        derivation: 'Sum of HU100.',
        null_meaning: 'No census block within 1 km, such as at sea.',
        from: { homes: { ...nearbyBlocks, attribute: 'HU100' } },
        expression: 'homes',
      },
      housing_units_density_per_km2: {
        ...float('units/km2', 2, [0, 500_000]),
        description: 'Homes per square kilometer of land of the 2020 census blocks that touch a circle of 1 km.',
        hints: 'Under 10 rural, 500 suburban, above 5,000 a dense city.',
        derivation: 'Sum of HU100 / sum of AREALAND; water is left out.',
        null_meaning: 'No census block within 1 km, or only water.',
        from: {
          homes: { ...nearbyBlocks, attribute: 'HU100' },
          land_m2: { ...nearbyBlocks, attribute: 'AREALAND' },
        },
        expression: 'homes / land_m2 * 1000000',
      },
    },
  ),
  ...computed(
    { layer: 'housing', ttl_seconds: 31_536_000 },
    {
      residential_context_class_1km: {
        description: 'How much housing there is within 1 km, in four classes.',
        hints: 'isolated: no home; sparse: 1 to 49; moderate: 50 to 499; dense: 500 or more.',
        derivation: 'Classes of housing_units_within_1km.',
        null_meaning: 'No census block within 1 km, such as at sea.',
        enum: ['isolated', 'sparse', 'moderate', 'dense'],
        from: { homes: 'housing_units_within_1km' },
        expression: "homes >= 500 ? 'dense' : homes >= 50 ? 'moderate' : homes > 0 ? 'sparse' : 'isolated'",
      },
    },
  ),
])
