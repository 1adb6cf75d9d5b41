import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import type { Field } from '../../src/catalog/records.ts'
import type { Value } from '../../src/model/source.ts'
import { compileExpression } from '../../src/operators/expression.ts'
import { compilePattern } from '../../src/model/pattern.ts'
import { unitSpellings } from './clients-page.ts'

/** What the public interface was recorded to answer for a field: units, values (of numbers the least and the largest), nulls. */
type Recorded = { field: string; units: (string | null)[]; values: (string | number | boolean)[]; null: boolean }
const recorded = (await Bun.file(`${import.meta.dir}/../fixtures/public-values.jsonl`).text())
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded)
const fields = new Map(contents.fields.map((field) => [field.name, field]))

/** Recorded values that are written otherwise here, with the reason. */
const otherwise: Record<string, string> = {
  private_or_unknown: 'One spelling for one class: it was recorded in capitals as well.',
}

const types: Record<Field['type'], string> = {
  string: 'string',
  list: 'string',
  boolean: 'boolean',
  integer: 'number',
  float: 'number',
}

test.each(recorded.map((it) => [it.field, it] as const))('%s can have the recorded values and unit', (name, it) => {
  const { type, unit, enum: classes, pattern, valid_range, null_meaning } = fields.get(name)!
  const isPossible = (value: Recorded['values'][number]) =>
    typeof value === types[type] &&
    (classes === undefined || typeof value === 'boolean' || classes.includes(value)) &&
    (pattern === undefined || compilePattern(pattern)(String(value))) &&
    (typeof value !== 'number' || (value >= (valid_range?.[0] ?? value) && value <= (valid_range?.[1] ?? value))) &&
    (type !== 'integer' || Number.isInteger(value))
  expect(it.values.filter((value) => !isPossible(value) && !Object.hasOwn(otherwise, String(value)))).toEqual([])
  const spellings = [
    unit,
    ...(unitSpellings.get(unit ?? 'null') ?? []).map((other) => (other === 'null' ? null : other)),
  ]
  expect(it.units.filter((other) => !spellings.includes(other))).toEqual([])
  if (it.null) expect(null_meaning).not.toBeNull()
})

describe('a formula has the recorded result', () => {
  test.each<[field: string, inputs: Record<string, Value>, result: Value]>([
    ['grading_difficulty_class', { slope_degrees: 0.6277989149093628 }, 'flat'],
    ['grading_difficulty_class', { slope_degrees: 2.190558433532715 }, 'moderate'],
    ['residential_context_class_1km', { housing_units_within_1km: 1575 }, 'dense'],
    [
      'transmission_redundancy_flag',
      { transmission_lines_within_radius_count: 12, substations_within_radius_count: 23 },
      true,
    ],
    ['grid_price_usd_per_mwh', { avg_retail_electricity_price_industrial_usd_per_kwh: 0.0986 }, 98.6],
    [
      'estimated_annual_power_cost_usd_per_mw',
      { avg_retail_electricity_price_industrial_usd_per_kwh: 0.0986 },
      863_736,
    ],
    ['modeled_onsite_gas_generation_cost_usd_per_mwh', { natural_gas_industrial_price_usd_per_mcf: 5.78 }, 52.95],
    ['nearest_urban_area_rtt_floor_ms', { nearest_urban_area_distance_m: 0 }, 0],
    ['tax_incentive_stack', { in_opportunity_zone: false, near_epa_repowering_site: false }, ''],
    ['domestic_well_household_density_class', { domestic_well_households_per_km2: 0 }, 'none'],
  ])('%s of %p', (name, values, result) => {
    const { read, decimals = 0 } = fields.get(name)!
    if (read.op !== 'computed' || read.expression === undefined) throw new Error(`${name} has no formula.`)
    const inputs = Object.fromEntries(
      Object.entries(read.from ?? {}).map(([input, from]) => [input, values[from as string]!]),
    )
    const computed = compileExpression(read.expression, Object.keys(inputs))(inputs)
    expect(typeof computed === 'number' ? Number(computed.toFixed(decimals)) : computed).toBe(result)
  })
})
