import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { census } from '../../catalog/datasets/census.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { Estimate, reliabilityOf } from '../../src/model/estimate.ts'
import { computedOperator } from '../../src/operators/computed.ts'
import { marginOfProportion, marginOfRatio, marginOfSum } from '../../src/operators/value/margin-of-error.ts'
import { rowOperator } from '../../src/operators/row.ts'
import { fakeBudget, fieldQuery, rejectionMessage, type Args } from './fakes.ts'

const acs = { margins: census.census_acs5!.margins!, sentinels: census.census_acs5!.sentinels! }
const known = (value: number, moe_90: number) => ({ value, moe_90 })
const rowOf = (args: Args<typeof rowOperator>, row: Record<string, unknown>) =>
  rowOperator.run({ ...acs, ...args }, async () => [Object.keys(row), Object.values(row)], fieldQuery, fakeBudget)

// The worked examples of "Understanding and Using American Community Survey Data: What All Data Users Need to Know",
// US Census Bureau, 2018, chapter 8 (acs_general_handbook_2018_ch08.pdf), tables 8.1, 8.4 and 8.5: women and men who
// never married, and all women of 15 years and over, in Fairfax, Arlington and Alexandria.
const neverMarriedWomen = [known(135_173, 3_860), known(43_104, 2_642), known(24_842, 1_957)]
const women = [known(466_037, 391), known(97_360, 572), known(67_101, 459)]
const neverMarriedMen = [known(156_720, 4_222), known(44_613, 2_819), known(25_507, 2_259)]

describe('the worked examples of the Census handbook', () => {
  test('a sum is 203,119 ± 5,070', () => expect(Math.round(marginOfSum(neverMarriedWomen))).toBe(5_070))

  test('a proportion is 32.2 % ± 0.8 %', () => {
    expect(Math.round(marginOfSum(women))).toBe(831)
    expect(marginOfProportion(known(203_119, 5_070), known(630_498, 831))).toBeCloseTo(0.008, 3)
  })

  test('a ratio is 1.117 ± 0.039', () => {
    const men = known(226_840, marginOfSum(neverMarriedMen))
    expect(marginOfRatio(men, known(203_119, 5_070))).toBeCloseTo(0.039, 3)
  })
})

describe('in a recorded answer of the Census API, for a tract of students in Atlanta,', () => {
  // test/recorded/manifest.tsv says where it comes from.
  const answer = Bun.file(`${import.meta.dir}/../recorded/answers/api.census.gov/acs5-tract-13121001002.json`)
  const { fields } = createCatalog(contents)

  test.each([
    ['tract_population_acs5', 7_396, 416, 'high'],
    ['tract_median_age_years', 20.3, 0.4, 'high'],
    ['tract_median_household_income_usd', 55_985, 27_187, 'medium'],
    ['tract_median_gross_rent_usd', 1_714, 89, 'high'],
    // 42 ± 53 of 740 ± 164, by hand: 100 * sqrt(53^2 - (42 / 740 * 164)^2) / 740
    ['tract_owner_occupied_pct', 5.675_676, 7.050_842, 'low'],
  ] as const)('%s is %p ± %p, and its reliability is %p', async (field, value, moe_90, reliability) => {
    const read = fields.get(field)!.read as Args<typeof rowOperator>
    const document: unknown = await answer.json()
    const query = { ...fieldQuery, key: '13121001002' }
    const estimate = (await rowOperator.run(read, async () => document, query, fakeBudget)) as Estimate
    expect(estimate.value).toBeCloseTo(value, 6)
    expect(estimate.margin.moe_90).toBeCloseTo(moe_90, 6)
    expect(reliabilityOf(estimate.value, estimate.margin.moe_90)).toBe(reliability)
  })
})

describe('derived margins', () => {
  test('of several estimates that are 0, only the largest margin counts', () => {
    expect(marginOfSum([known(0, 22), known(0, 22), known(0, 29), known(41, 37)])).toBeCloseTo(Math.hypot(29, 37), 9)
    expect(marginOfSum([known(0, 19), known(0, 27), known(0, 22)])).toBe(27)
  })

  test('a proportion uses the formula of a ratio if the value under the root is negative', () => {
    const [part, whole] = [known(90, 10), known(100, 20)]
    expect(marginOfProportion(part, whole)).toBe(marginOfRatio(part, whole))
    expect(marginOfRatio(part, whole)).toBeCloseTo(Math.hypot(10, 0.9 * 20) / 100, 12)
  })
})

describe('the row of a table with margins', () => {
  test.each<[string, Record<string, unknown>, Estimate | number | null]>([
    ['an estimate', { B1_001E: '4321', B1_001M: '312' }, new Estimate(4321, { moe_90: 312 })],
    [
      'a controlled one',
      { B1_001E: '4321', B1_001M: '-555555555' },
      new Estimate(4321, acs.margins.codes['-555555555']!),
    ],
    [
      'an open interval',
      { B1_001E: 250001, B1_001M: -333333333 },
      new Estimate(250001, acs.margins.codes['-333333333']!),
    ],
    ['few observations', { B1_001E: '7', B1_001M: '-222222222.0' }, new Estimate(7, acs.margins.codes['-222222222']!)],
    [
      'no margin',
      { B1_001E: '7', B1_001M: null },
      new Estimate(7, { moe_90: null, note: 'The publisher gives no margin of error here.' }),
    ],
    [
      'no column of margins, as in a local copy',
      { B1_001E: '7' },
      new Estimate(7, { moe_90: null, note: 'The source that answered has no margins of error.' }),
    ],
    ['no estimate', { B1_001E: '-666666666', B1_001M: '-222222222' }, null],
  ])('%s', async (_, row, expected) => {
    expect(await rowOf({ column: 'B1_001E', cast: 'integer' }, row)).toEqual(expected)
  })

  test('only a controlled estimate has the margin 0', () => {
    const withZero = Object.keys(acs.margins.codes).filter((code) => acs.margins.codes[code]!.moe_90 === 0)
    expect(withZero).toEqual(['-555555555'])
    expect(acs.sentinels.map(String).toSorted()).toEqual(Object.keys(acs.margins.codes).toSorted())
  })

  test.each(['-12', 'N/A', '1e999', true])('the margin %p is an error, because no code explains it', async (margin) => {
    expect(
      await rejectionMessage(rowOf({ column: 'B1_001E', cast: 'integer' }, { B1_001E: '7', B1_001M: margin })),
    ).toContain('The source returned the margin of error')
  })

  test('a column that is no estimate has no margin', async () => {
    expect(await rowOf({ column: 'NAME' }, { NAME: 'Boulder' })).toBe('Boulder')
    expect(await rowOf({ column: 'year' }, { year: 2024, yearM: 3 })).toBe(2024)
  })
})

describe('a percentage', () => {
  const ofAdults = { percentage: { parts: ['B2_022E', 'B2_023E'], whole: 'B2_001E' } }
  const adults = { B2_001E: '400', B2_001M: '40', B2_022E: '60', B2_022M: '20', B2_023E: '40', B2_023M: '15' }

  test('has the margin of a proportion, whose part is a sum', async () => {
    expect(await rowOf(ofAdults, adults)).toEqual(
      new Estimate(25, { moe_90: (100 * Math.sqrt(20 ** 2 + 15 ** 2 - (0.25 * 40) ** 2)) / 400 }),
    )
  })

  test('has no margin if one of its columns has none', async () => {
    expect(await rowOf(ofAdults, { ...adults, B2_023M: '-222222222' })).toEqual(
      new Estimate(25, acs.margins.codes['-222222222']!),
    )
  })

  test.each([
    ['a part without an estimate', { ...adults, B2_022E: '-666666666' }],
    ['a whole without an estimate', { ...adults, B2_001E: null }],
    ['a whole of 0', { ...adults, B2_001E: '0' }],
  ])('%s has no value', async (_, row) => expect(await rowOf(ofAdults, row)).toBe(null))

  test('a table without margins gives the number alone', async () => {
    const run = rowOperator.run(ofAdults, async () => adults, fieldQuery, fakeBudget)
    expect(await run).toBe(25)
  })

  test('a missing column of estimates is a change of the schema', async () => {
    expect(await rejectionMessage(rowOf(ofAdults, { B2_001E: '400' }))).toContain('B2_022E')
  })
})

test('a value that is proportional to an estimate has its margin in proportion', async () => {
  const density = { expression: '1000000 * population / land', proportional_to: 'population' }
  const query = { ...fieldQuery, inputs: { population: 0, land: 2_000_000 } }
  const run = (moe_90: number | null, note?: string) =>
    computedOperator.run(
      density,
      null,
      { ...query, margins: { population: { moe_90, ...(note && { note }) } } },
      fakeBudget,
    )
  expect(await run(12)).toEqual(new Estimate(0, { moe_90: 6 }))
  expect(await run(null, 'none')).toEqual(new Estimate(0, { moe_90: null, note: 'none' }))
  expect(await computedOperator.run(density, null, query, fakeBudget)).toBe(0)
})

test.each([
  [1000, 197.4, 'high'],
  [1000, 197.5, 'medium'],
  [-1000, 658, 'medium'],
  [1000, 658.1, 'low'],
  [0, 0, 'high'],
  [0, 12, null],
  [1000, null, null],
] as const)('the reliability of %p with a margin of %p is %p', (value, moe_90, expected) => {
  expect(reliabilityOf(value, moe_90)).toBe(expected)
})
