import { expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { explainMargin } from '../../src/web/explore/explain.ts'
import { humanizeName } from '../../src/catalog/field-title.ts'
import { displayValueOf, marginTextOf, standaloneValueText, valueText, fieldLabel } from '../../src/web/value-text.ts'

const space = '\u00a0'
/** In the locale of the test process. */
const localNumber = (value: number) => new Intl.NumberFormat(undefined, { maximumFractionDigits: 5 }).format(value)

test.each([
  [1_198_294.3, 'm', `${localNumber(1_198_294)}${space}m`, `${localNumber(1198)}${space}km`],
  [23_313.2, 'm', `${localNumber(23_313)}${space}m`, `${localNumber(23.313)}${space}km`],
  [-12_000, 'm', `${localNumber(-12_000)}${space}m`, `${localNumber(-12)}${space}km`],
  [9999, 'm', `${localNumber(9999)}${space}m`, `${localNumber(9999)}${space}m`],
  [12_000, 'ft', `${localNumber(12_000)}${space}ft`, `${localNumber(12_000)}${space}ft`],
  [0.00123, 'g', `0.00123${space}g`, `0.00123${space}g`],
  [12, '%', '12%', '12%'],
  [1996, 'year', '1996', '1996'],
  [true, null, 'yes', 'yes'],
  ['08031', null, '08031', '08031'],
  [null, 'm', '—', '—'],
] as const)('%p in %p is %p in a column, and %p alone', (value, unit, inColumn, alone) => {
  expect([valueText({ value, unit }), standaloneValueText({ value, unit })]).toEqual([inColumn, alone])
})

test.each([
  ['nearest_airport_distance_m', 'm', 'Nearest airport distance'],
  ['firm_panel_number', null, 'FIRM panel number'],
  ['nfip_crs_class', 'class', 'Community Rating System class (NFIP)'],
  ['wetland_acres', 'acres', 'Wetland area (acres)'],
  ['nearest_power_plant_capacity_mw', 'MW', 'Nearest power plant capacity'],
  ['soil_ph', 'pH', 'Soil pH'],
  ['nearest_ev_charger_distance_m', 'm', 'Nearest EV charging station distance'],
  ['us_national_grid', null, 'US National Grid'],
  ['county_employment_yoy_pct', '%', 'Jobs in the county, yearly change'],
])('%s, in %p, has the label %p', (name, unit, words) => expect(fieldLabel(name, unit)).toBe(words))

test('a layer name is written as words', () => expect(humanizeName('flood_risk')).toBe('Flood risk'))

test.each([
  ['elevation', 1624, 'm', 'us', `${localNumber(5328)}${space}ft`, `${localNumber(1624)}${space}m`],
  ['elevation', 1624, 'm', 'metric', `${localNumber(1624)}${space}m`, `${localNumber(5328)}${space}ft`],
  ['nearest_airport_distance_m', 16_080, 'm', 'us', `9.99${space}mi`, `16.1${space}km`],
  ['nearest_stream_distance_m', 7.564, 'm', 'us', `25${space}ft`, `7.564${space}m`],
  ['mean_annual_dry_bulb_temperature_degc', 10.5, 'degC', 'us', `50.9${space}°F`, `10.5${space}°C`],
  ['annual_precipitation_mm', 508, 'mm', 'us', `20${space}in`, `508${space}mm`],
  ['utm_easting_m', 476_958, 'm', 'us', `${localNumber(476_958)}${space}m`, null],
  ['utm_easting_m', 476_958, 'm', 'metric', `${localNumber(476_958)}${space}m`, null],
  ['wetland_acres', 2, 'acres', 'metric', `0.809${space}ha`, `2${space}acres`],
  ['slope_pct', 12, '%', 'us', '12%', null],
  ['tornadoes_within_40km_count', 12, 'count', 'us', '12', null],
  ['nearest_recent_fire_year', 2021, 'year', 'us', '2021', null],
] as const)('%s of %p %s in %s units is %p, with %p beside it', (name, value, unit, units, first, other) => {
  expect(displayValueOf(name, { value, unit }, { units })).toEqual({ first, other })
})

const estimate = { value: 1_000, status: 'ok', unit: 'people/km2' } as Extract<FieldResult, { status: 'ok' }>

test('a margin of error is in the unit of the value, and none if there is none', () => {
  const result = { ...estimate, moe_90: 100 }
  expect(marginTextOf('tract_population_density_per_km2', result, 'metric')).toBe(`±${space}100`)
  expect(marginTextOf('tract_population_density_per_km2', result, 'us')).toBe(`±${space}259`)
  expect(marginTextOf('it', { ...estimate, unit: '%', moe_90: 4.4 }, 'us')).toBe(`±${space}${localNumber(4.4)}`)
  expect(marginTextOf('it', { ...estimate, moe_90: null }, 'us')).toBe(null)
  expect(marginTextOf('it', estimate, 'us')).toBe(null)
})

test('the reliability of a value is said in words', () => {
  const text = (reliability: 'high' | 'medium' | 'low') => explainMargin({ ...estimate, reliability }, '± 3')
  expect([
    text('high'),
    text('medium'),
    text('low'),
    explainMargin(estimate, '± 3'),
    explainMargin(estimate, null),
  ]).toEqual([
    '± 3 at 90% confidence. The value is reliable.',
    '± 3 at 90% confidence. Use the value with caution.',
    '± 3 at 90% confidence. The value is unreliable.',
    '± 3 at 90% confidence.',
    'None.',
  ])
})

test('the label of a class stands beside its code', () => {
  expect(
    displayValueOf(
      'fema_flood_zone',
      { value: 'X', unit: null },
      { units: 'us', class_labels: { X: 'outside the 100-year floodplain' } },
    ),
  ).toEqual({ first: 'X', other: 'outside the 100-year floodplain' })
})
