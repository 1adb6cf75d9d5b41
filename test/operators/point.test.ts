import { describe, expect, test } from 'bun:test'
import { noData, notMapped } from '../../src/model/outcome.ts'
import type { Feature, FeatureQuery, Properties, Value } from '../../src/model/source.ts'
import { attributeOperator } from '../../src/operators/features/attribute.ts'
import { firstLevelOperator } from '../../src/operators/features/first-level.ts'
import { withinOperator } from '../../src/operators/features/within.ts'
import {
  recordingSource,
  fieldQuery,
  fakePoint,
  fakeBudget,
  failingSource,
  testFeature,
  rejectionMessage,
  type Args,
} from './fakes.ts'

const featuresAt = (...properties: Properties[]) =>
  recordingSource<FeatureQuery, Feature[]>(() => properties.map((it) => testFeature(it)))
const attributeOf = (args: Args<typeof attributeOperator>, ...here: Properties[]) =>
  attributeOperator.run(args, featuresAt(...here), fieldQuery, fakeBudget)
const isWithin = (args: Args<typeof withinOperator>, ...here: Properties[]) =>
  withinOperator.run(args, featuresAt(...here), fieldQuery, fakeBudget)

describe('attribute', () => {
  test('is an attribute of the feature that contains the point, ignoring the case of its name', async () => {
    expect(await attributeOf({ attribute: 'wetland_type' }, { 'NWI.WETLAND_TYPE': 'Lake' })).toBe('Lake')
  })

  test('all fields of a layer without a condition send the same query', async () => {
    const layer = featuresAt({ FLD_ZONE: 'AE', SFHA_TF: 'T' })
    await attributeOperator.run({ attribute: 'FLD_ZONE', pick: ['FLD_ZONE rank AE,X'] }, layer, fieldQuery, fakeBudget)
    await attributeOperator.run({ attribute: 'SFHA_TF' }, layer, fieldQuery, fakeBudget)
    await withinOperator.run(
      { attribute: 'SFHA_TF', true_values: ['T'], false_values: ['F'], none: null },
      layer,
      fieldQuery,
      fakeBudget,
    )
    expect(layer.queries).toEqual(Array.from({ length: 3 }, () => ({ at: fakePoint, radius_m: 0 })))
  })

  test('is null or `none` if no feature contains the point', async () => {
    expect(await attributeOf({ attribute: 'dm' })).toBeNull()
    expect(await attributeOf({ attribute: 'dm', none: 'None', transform: "prefix('D')" })).toBe('None')
  })

  test('a missing attribute is an error, and a null attribute is not', async () => {
    expect(await rejectionMessage(attributeOf({ attribute: 'dm' }, { DN: 3 }))).toContain(
      'schema_changed: The source no longer has dm. It has DN.',
    )
    expect(await attributeOf({ attribute: 'dm' }, { dm: null })).toBeNull()
  })

  test('`pick` chooses among several features, and null comes last', async () => {
    const overlapping = [
      { ql: null, end: 5 },
      { ql: 'QL 2', end: 1 },
      { ql: 'QL 1', end: 2 },
      { ql: 'QL 1', end: 3 },
    ]
    expect(await attributeOf({ attribute: 'end', pick: ['ql asc', 'end desc'] }, ...overlapping)).toBe(3)
    expect(await attributeOf({ attribute: 'end', pick: ['ql rank QL 2,QL 1'] }, ...overlapping)).toBe(1)
    expect(await attributeOf({ attribute: 'end', pick: ['end desc'] }, { end: 9 }, { end: 10 })).toBe(10)
    expect(await attributeOf({ attribute: 'end', pick: ['ql rank QL 7'] }, ...overlapping)).toBe(5)
  })

  test('a reducer combines several features', async () => {
    const species = [{ comname: 'Lynx' }, { comname: 'Gray wolf' }, { comname: null }, { comname: 'Lynx' }]
    expect(await attributeOf({ attribute: 'comname', reducer: 'distinct_join', separator: '; ' }, ...species)).toBe(
      'Lynx; Gray wolf',
    )
  })

  test.each<[string, Args<typeof attributeOperator>, Properties, unknown]>([
    ['a sentinel as a number', { attribute: 'v', sentinels: [-9999] }, { v: -9999 }, null],
    ['a sentinel as text', { attribute: 'v', sentinels: [-9999] }, { v: '-9999.0' }, null],
    ['a blank sentinel', { attribute: 'v', sentinels: ['', ' '] }, { v: ' ' }, null],
    ['what is no sentinel', { attribute: 'v', sentinels: ['', 0] }, { v: false }, false],
    ['a label', { attribute: 'v', classes: { 1: 'one', '2*': 'two' } }, { v: 1 }, 'one'],
    ['a label by prefix', { attribute: 'v', classes: { 1: 'one', '2*': 'two' } }, { v: '234' }, 'two'],
    ['a cast', { attribute: 'v', cast: 'float' }, { v: ' 2.50 ' }, 2.5],
    ['a cast of nothing', { attribute: 'v', cast: 'integer' }, { v: '' }, null],
    ['a slice', { attribute: 'v', transform: 'slice(0,8)' }, { v: '101900030304' }, '10190003'],
    ['a prefix', { attribute: 'v', transform: "prefix('D')" }, { v: 0 }, 'D0'],
    [
      'a date of epoch milliseconds',
      { attribute: 'v', transform: 'epoch_ms_to_date' },
      { v: 1_136_073_600_000 },
      '2006-01-01',
    ],
    ['a date of text', { attribute: 'v', transform: 'epoch_ms_to_date' }, { v: '2006-01-01T00:00:00Z' }, '2006-01-01'],
    [
      'the dummy date',
      { attribute: 'v', transform: 'epoch_ms_to_date', null_if_year_ge: 9000 },
      { v: 253_370_764_800_000 },
      null,
    ],
    ['a year of a service', { attribute: 'v', transform: 'year' }, { v: 1_556_582_400_000 }, 2019],
    ['a year of a pack', { attribute: 'v', transform: 'year' }, { v: '2019-04-30' }, 2019],
    ['a year of a year', { attribute: 'v', transform: 'year' }, { v: 2019 }, 2019],
    ['feet', { attribute: 'v', unit_from: 'u' }, { v: 10, u: 'Feet' }, 10],
    ['metres as feet', { attribute: 'v', unit_from: 'u' }, { v: 3.048, u: 'METERS' }, 10],
    ['a length of no unit', { attribute: 'v', unit_from: 'u' }, { v: 10, u: null }, 10],
    [
      'a length of a unit that means none',
      { attribute: 'v', unit_from: 'u', sentinels: ['NP'] },
      { v: 10, u: 'NP' },
      10,
    ],
    ['nothing for blank text', { attribute: 'v' }, { v: ' ' }, null],
    ['a formula', { expression: '100*a/b' }, { A: 1, B: 4 }, 25],
    ['a formula over nothing', { expression: '100*a/b' }, { A: 1, B: 0 }, null],
    [
      'a formula of text',
      { expression: "a == b ? a : a + ' - ' + b" },
      { A: 'Permian', B: 'Jurassic' },
      'Permian - Jurassic',
    ],
    ['a decoded value', { attribute: 'v', decode: 'nwi_water_regime' }, { v: 'PEM1A' }, 'Temporarily Flooded'],
  ])('gives %s', async (_, args, properties, value) => {
    expect(await attributeOf(args, properties)).toEqual(value as never)
  })

  test.each<[string, Args<typeof attributeOperator>, Properties]>([
    ['a code that has no label', { attribute: 'v', classes: { 1: 'one' } }, { v: 3 }],
    [
      'a code named as the members of every object are',
      { attribute: 'v', classes: { 1: 'one' } },
      { v: 'constructor' },
    ],
    ['a number that is none', { attribute: 'v' }, { v: NaN }],
    ['text for a number', { attribute: 'v', cast: 'float' }, { v: 'about 5' }],
    ['a fraction for a whole number', { attribute: 'v', cast: 'integer' }, { v: '5.5' }],
    ['text for a date', { attribute: 'v', transform: 'year' }, { v: 'spring' }],
    ['a date beyond all dates', { attribute: 'v', transform: 'iso_date' }, { v: 1e300 }],
    ['an unknown unit', { attribute: 'v', unit_from: 'u' }, { v: 1, u: 'fathoms' }],
    ['text in a formula', { expression: 'v * 2' }, { v: 'two' }],
  ])('refuses %s', async (_, args, properties) => {
    expect(await rejectionMessage(attributeOf(args, properties))).toStartWith('bad_value: ')
  })

  test('a failing source fails the field', async () => {
    expect(
      await rejectionMessage(
        attributeOperator.run({ attribute: 'v', none: 'None' }, failingSource, fieldQuery, fakeBudget),
      ),
    ).toContain('No answer.')
    expect(
      await rejectionMessage(withinOperator.run({ none: false }, failingSource, fieldQuery, fakeBudget)),
    ).toContain('No answer.')
    expect(
      await rejectionMessage(
        firstLevelOperator.run({ levels: [1], search: 'linear' }, failingSource, fieldQuery, fakeBudget),
      ),
    ).toContain('No answer.')
  })
})

describe('within', () => {
  test('is true if a feature contains the point, otherwise false', async () => {
    expect(await isWithin({}, {})).toBe(true)
    expect(await isWithin({})).toBe(false)
    expect(await isWithin({ none: null })).toBeNull()
  })

  test('sends its condition and its level', async () => {
    const layer = featuresAt()
    await withinOperator.run({ where: "a = 'b'", level: 3 }, layer, fieldQuery, fakeBudget)
    expect(layer.queries as unknown[]).toEqual([{ at: fakePoint, radius_m: 0, where: "a = 'b'", level: 3 }])
  })

  const flag: Args<typeof withinOperator> = {
    attribute: 'v',
    true_values: ['T', 'AE', 3],
    false_values: ['F', 4, null],
    unknown_values: ['U'],
  }
  test.each<[string, unknown, Value]>([
    ['a value of the list of true values', true, 'T'],
    ['a value of the list of false values', false, 'F'],
    ['a value that the publisher uses for unknown', noData, 'U'],
    ['a number as text', true, '3'],
    ['text with white space around', true, ' AE '],
    ['null, where it is listed', false, null],
    ['blank text, where null is listed', false, ' '],
  ])('of %s is %p', async (_, expected, v) => expect(await isWithin(flag, { v })).toBe(expected as boolean))

  test.each<[Value]>([['ZZ9'], ['N/A'], ['<Null>'], ['t'], [true], [0], [-9999]])(
    'of %p, which no list has, is an error and never false',
    async (v) => expect(await rejectionMessage(isWithin(flag, { v }))).toStartWith('bad_value: The source returned '),
  )

  test('of null, which no list has, is an error', async () => {
    expect(
      await rejectionMessage(isWithin({ attribute: 'v', true_values: ['T'], false_values: ['F'] }, { v: null })),
    ).toStartWith('bad_value: The source returned null')
  })

  test('of text is decided by patterns', async () => {
    const patterns = { attribute: 'v', true_values: { matches: '^V(E|[0-9]+)?$' }, false_values: { matches: '^A' } }
    expect(await isWithin(patterns, { v: 'V12' })).toBe(true)
    expect(await isWithin(patterns, { v: 'AE' })).toBe(false)
    expect(await rejectionMessage(isWithin(patterns, { v: 'OPEN WATER, V' }))).toStartWith('bad_value: ')
  })

  test('one true flag of several features or attributes suffices', async () => {
    expect(await isWithin(flag, { v: 'ZZ9' }, { v: 'T' })).toBe(true)
    expect(await isWithin({ ...flag, attribute: ['v', 'w'] }, { v: 'F', w: 'T' })).toBe(true)
    expect(await isWithin({ ...flag, attribute: ['v', 'w'] }, { v: 'F', w: 'U' })).toBe(noData)
    expect(await isWithin(flag, { v: 'F' }, { v: 'U' })).toBe(noData)
    expect(await rejectionMessage(isWithin(flag, { v: 'F' }, { v: 'ZZ9' }))).toStartWith('bad_value: ')
  })

  test('a "not mapped" feature is absent, unless another feature passes', async () => {
    const args: Args<typeof withinOperator> = {
      attribute: 'v',
      true_values: ['T'],
      false_values: ['F'],
      null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] },
      none: null,
    }
    expect(await isWithin(args, { v: 'F', FLD_ZONE: 'AREA NOT INCLUDED' })).toBe(notMapped)
    expect(await isWithin(args, { v: 'F', FLD_ZONE: 'AREA NOT INCLUDED' }, { v: 'T', FLD_ZONE: 'AE' })).toBe(true)
    expect(await isWithin(args, { v: 'F', FLD_ZONE: 'X' })).toBe(false)
    expect(await isWithin({ null_when: { FLD_ZONE: ['AREA NOT INCLUDED'] } }, { FLD_ZONE: 'AREA NOT INCLUDED' })).toBe(
      notMapped,
    )
    for (const FLD_ZONE of [null, '<Null>'])
      expect(await rejectionMessage(isWithin(args, { v: 'F', FLD_ZONE }))).toStartWith('bad_value: ')
  })

  test('a flag of a missing attribute is an error', async () => {
    expect(
      await rejectionMessage(isWithin({ attribute: 'v', true_values: ['T'], false_values: ['F'] }, { w: 'T' })),
    ).toStartWith('schema_changed: ')
  })

  test('an unresolved code set is a catalog error', async () => {
    expect(
      await rejectionMessage(isWithin({ attribute: 'v', true_values: 'crops', false_values: [1] }, { v: 1 })),
    ).toContain('The catalog did not resolve the code set crops.')
  })
})

describe('first_level', () => {
  const flooded = (from: number) =>
    recordingSource((query: FeatureQuery & { level?: number }): Feature[] =>
      query.level! >= from ? [testFeature({})] : [],
    )
  const levels = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

  test.each([1, 2, 5, 9, 10])('bisect and linear search find level %p', async (from) => {
    expect(await firstLevelOperator.run({ levels, search: 'bisect' }, flooded(from), fieldQuery, fakeBudget)).toBe(from)
    expect(await firstLevelOperator.run({ levels, search: 'linear' }, flooded(from), fieldQuery, fakeBudget)).toBe(from)
  })

  test('is null if no level contains the point, after at most four queries', async () => {
    const dry = flooded(99)
    expect(await firstLevelOperator.run({ levels, search: 'bisect' }, dry, fieldQuery, fakeBudget)).toBeNull()
    expect(dry.queries.length).toBeLessThanOrEqual(4)
    expect(dry.queries[0] as unknown).toEqual({ at: fakePoint, radius_m: 0, level: 6 })
  })
})
