import { expect, test } from 'bun:test'
import { humanizeName, standaloneValueText, valueText, fieldLabel } from '../../src/web/value-text.ts'

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
  ['nfip_crs_class', 'class', 'NFIP CRS class'],
  ['soil_ph', 'pH', 'Soil pH'],
  ['nearest_ev_charger_distance_m', 'm', 'Nearest EV charger distance'],
  ['us_national_grid', null, 'US national grid'],
  ['county_employment_yoy_pct', '%', 'County employment year over year'],
])('%s, in %p, has the label %p', (name, unit, words) => {
  expect(fieldLabel(name, unit)).toBe(words)
})

test('a layer name is written as words', () => expect(humanizeName('flood_risk')).toBe('Flood risk'))
