import { describe, expect, test } from 'bun:test'
import type { Value } from '../../src/model/source.ts'
import { pathOperator } from '../../src/operators/features/path.ts'
import { rowOperator } from '../../src/operators/row.ts'
import {
  recordingSource,
  fieldQuery,
  fakePoint,
  fakeBudget,
  failingSource,
  rejectionMessage,
  type Args,
} from './fakes.ts'

const holding = (document: unknown) => recordingSource(() => document)

describe('path', () => {
  const pathOf = (args: Args<typeof pathOperator>, document: unknown, inputs: Record<string, Value> = {}) =>
    pathOperator.run(args, holding(document), { ...fieldQuery, inputs }, fakeBudget)

  test('requests the document of the point or of the key', async () => {
    const source = recordingSource<{ at: typeof fakePoint; key?: string }, unknown>(() => ({ a: 1 }))
    await pathOperator.run({ json_path: '$.a' }, source, fieldQuery, fakeBudget)
    await pathOperator.run({ json_path: '$.a' }, source, { ...fieldQuery, key: '08031' }, fakeBudget)
    expect(source.queries).toEqual([{ at: fakePoint }, { at: fakePoint, key: '08031' }])
  })

  const alerts = {
    features: [
      { properties: { event: 'Flood Watch', severity: 'Severe', sent: '2026-05-01T10:00:00-06:00' } },
      { properties: { event: 'Tornado Warning', severity: 'Extreme', sent: '2026-05-01T09:00:00-06:00' } },
      { properties: { event: 'Special Statement', severity: 'Unknown', sent: '2026-05-01T11:00:00-06:00' } },
      { properties: { event: 'Tornado Emergency', severity: 'Extreme', sent: '2026-05-01T09:30:00-06:00' } },
    ],
  }
  const species = {
    resources: {
      populationsBySid: {
        1: { population: { listingStatusCode: 'E', optionalCommonName: 'Whooping crane' } },
        2: { population: { listingStatusCode: 'C', optionalCommonName: 'Monarch' } },
        3: { population: { listingStatusCode: 'T', optionalCommonName: 'Lynx' } },
        4: { population: { listingStatusCode: 'E', optionalCommonName: 'Whooping crane' } },
      },
    },
  }

  test.each<[string, Args<typeof pathOperator>, unknown, unknown]>([
    ['a value', { json_path: '$.current.ozone' }, { current: { ozone: 71.5 } }, 71.5],
    ['a number as text', { json_path: '$.a', cast: 'float', sentinels: ['-'] }, { a: '3.4' }, 3.4],
    ['a sentinel for "no value"', { json_path: '$.a', cast: 'float', sentinels: ['-'] }, { a: '-' }, null],
    ['the end of a sentinel', { json_path: '$.a', sentinels: ['* not defined'] }, { a: 'Districts Not Defined' }, null],
    [
      'text without that end',
      { json_path: '$.a', sentinels: ['* not defined'] },
      { a: 'Not Defined Creek' },
      'Not Defined Creek',
    ],
    ['a missing member', { json_path: '$.a.b', absent_when: ['missing'] }, { a: {} }, null],
    ['a null', { json_path: '$.a', absent_when: ['null'] }, { a: null }, null],
    ['a default value', { json_path: '$.a[0].b', absent_when: ['empty'], none: 'none' }, { a: [] }, 'none'],
    ['nothing here', { json_path: '$.a[0].b' }, { nothing_here: true }, null],
    ['a default where there is nothing', { json_path: '$.a[0].b', none: 'none' }, { nothing_here: true }, 'none'],
    ['false', { json_path: '$.a' }, { a: false }, false],
    ['an existing record', { json_path: '$.a[0]', test: 'exists', none: false }, { a: [{ b: 1 }] }, true],
    [
      'a missing record',
      { json_path: '$.a[0]', absent_when: ['empty'], test: 'exists', none: false },
      { a: [] },
      false,
    ],
    ['the count of records', { json_path: '$.features[*]', reducer: 'count' }, alerts, 4],
    [
      'the count of an empty list',
      { json_path: '$.features[*]', absent_when: ['empty'], reducer: 'count' },
      { features: [] },
      0,
    ],
    [
      'the first by rank and date',
      {
        json_path: '$.features[*].properties',
        pick: ['severity rank Extreme,Severe,Moderate,Minor', 'sent desc'],
        attribute: 'event',
      },
      alerts,
      'Tornado Emergency',
    ],
    [
      'a filtered number',
      {
        json_path: '$.resources.populationsBySid.*.population',
        filter: { listingStatusCode: ['E', 'T'] },
        reducer: 'count',
      },
      species,
      3,
    ],
    [
      'filtered names',
      {
        json_path: '$.resources.populationsBySid.*.population',
        filter: { listingStatusCode: ['E'] },
        attribute: 'optionalCommonName',
        reducer: 'distinct_join',
        separator: '; ',
      },
      species,
      'Whooping crane',
    ],
    [
      'the maximum of both',
      { json_path: '$[*].nowcastAQI | $[*].AQI', reducer: 'max' },
      [{ AQI: 41 }, { AQI: 57 }],
      57,
    ],
    [
      'the least of those that have a type',
      { json_path: '$.items[?(@.attributes.DEM_Type)].attributes.LowPS', reducer: 'min' },
      {
        items: [
          { attributes: { LowPS: 1 } },
          { attributes: { LowPS: 10, DEM_Type: 'x' } },
          { attributes: { LowPS: 3, DEM_Type: 'y' } },
        ],
      },
      3,
    ],
    [
      'distinct numbers',
      { json_path: '$.a[*].n', reducer: 'count_distinct' },
      { a: [{ n: 4501 }, { n: 4501 }, { n: 3300 }] },
      2,
    ],
    [
      'months in order',
      { json_path: '$.T2M.*', sentinels: [-999], reducer: 'join', separator: ',' },
      { T2M: { JAN: -1.5, FEB: 0, ANN: -0.7 } },
      '-1.5,0,-0.7',
    ],
    [
      'no months where one is missing',
      { json_path: '$.T2M.*', sentinels: [-999], reducer: 'join', separator: ',' },
      { T2M: { JAN: -999, FEB: 0, ANN: -0.7 } },
      null,
    ],
    ['a slice', { json_path: '$.a', transform: 'slice(0,11)' }, { a: '080310017023007' }, '08031001702'],
  ])('gives %s', async (_, args, document, value) => expect(await pathOf(args, document)).toEqual(value as never))

  test('a formula uses the inputs and the found value', async () => {
    const args: Args<typeof pathOperator> = { json_path: '$.GEOID', expression: "state + '-' + slice(value, 2, 4)" }
    expect(await pathOf(args, { GEOID: '0801' }, { state: 'CO' })).toBe('CO-01')
    expect(await pathOf({ ...args, absent_when: ['missing'] }, {}, { state: 'CO' })).toBeNull()
  })

  test.each<[string, unknown]>([
    ['text', '<html>'],
    ['nothing', null],
    ['no document', undefined],
  ])('rejects %s as a document', async (_, document) => {
    expect(await rejectionMessage(pathOf({ json_path: '$.a', none: false }, document))).toStartWith('bad_value: ')
  })

  test.each<[string, Args<typeof pathOperator>, unknown, string]>([
    ['a null', { json_path: '$.count' }, { count: null }, 'bad_value'],
    ['a mark that is no sentinel', { json_path: '$.a', sentinels: ['-'] }, { a: '--' }, 'bad_value'],
    ['an empty list', { json_path: '$.a[*].b', reducer: 'count' }, { a: [] }, 'bad_value'],
    ['a missing member', { json_path: '$.count' }, { total: 3 }, 'schema_changed'],
    ['a missing list', { json_path: '$.a[*]', absent_when: ['empty'], reducer: 'count' }, {}, 'schema_changed'],
    ['a list that is null', { json_path: '$.a[0].b', absent_when: ['empty', 'null'] }, { a: null }, 'schema_changed'],
    ['a list that is an object', { json_path: '$.a[*]', absent_when: ['empty'] }, { a: {} }, 'schema_changed'],
    ['a list of null', { json_path: '$.a[*]', absent_when: ['empty'], reducer: 'count' }, { a: [null] }, 'bad_value'],
    ['no key of the family', { json_path: '$[/Areas$/][0].b', absent_when: ['empty'] }, { a: [] }, 'schema_changed'],
    ['a renamed attribute', { json_path: '$.a[0]', attribute: 'b' }, { a: [{ c: 1 }] }, 'schema_changed'],
    [
      'a renamed member of a filter',
      { json_path: '$.a[*]', filter: { code: ['E'] }, reducer: 'count' },
      { a: [{ name: 'E' }] },
      'schema_changed',
    ],
    [
      'a renamed member of an order',
      { json_path: '$.a[*]', pick: ['sent desc'], attribute: 'b' },
      { a: [{ b: 1 }, { b: 2 }] },
      'schema_changed',
    ],
  ])('fails where the document has %s instead of a value', async (_, args, document, code) => {
    expect(await rejectionMessage(pathOf(args, document))).toStartWith(`${code}: `)
  })

  test('rejects a record as a value, and text as a number', async () => {
    expect(await rejectionMessage(pathOf({ json_path: '$.a' }, { a: { b: 1 } }))).toContain(
      'The source returned {"b":1}. Expected a single value.',
    )
    expect(await rejectionMessage(pathOf({ json_path: '$.a[*]', reducer: 'max' }, { a: ['many'] }))).toStartWith(
      'bad_value: ',
    )
  })

  test('of a failing source fails', async () => {
    expect(
      await rejectionMessage(
        pathOperator.run({ json_path: '$.a', none: false }, failingSource, fieldQuery, fakeBudget),
      ),
    ).toContain('No answer.')
  })
})

describe('row', () => {
  const rowOf = (args: Args<typeof rowOperator>, document: unknown, key: string | null = null) =>
    rowOperator.run(args, holding(document), { ...fieldQuery, key }, fakeBudget)
  const sentinels = [-666_666_666]

  test('requests the rows of the key', async () => {
    const source = recordingSource<{ at: typeof fakePoint; key?: string }, unknown>(() => [{ a: 1 }])
    await rowOperator.run({ column: 'a' }, source, { ...fieldQuery, key: '08031' }, fakeBudget)
    expect(source.queries).toEqual([{ at: fakePoint, key: '08031' }])
  })

  test.each<[string, Args<typeof rowOperator>, unknown, unknown]>([
    ['a column of a record', { column: 'MUKEY' }, { mukey: '497' }, '497'],
    ['a column of the first record', { column: 'a' }, [{ a: 1 }, { a: 2 }], 1],
    [
      'a column under names',
      { column: 'B01003_001E', cast: 'integer' },
      [
        ['NAME', 'B01003_001E'],
        ['Tract 1', '4021'],
      ],
      4021,
    ],
    [
      'a column of one of several tables',
      { table: 'chorizon', column: 'a' },
      { component: [{ a: 1 }], chorizon: [{ a: 2 }] },
      2,
    ],
    ['a column of joined tables', { table: 'chorizon', column: 'a' }, [{ a: 2 }], 2],
    ['no row', { column: 'a', classes: { 1: 'High' } }, [], null],
    ['no document', { column: 'a' }, null, null],
    ['nothing here', { column: 'a' }, { nothing_here: true }, null],
    ['a text sentinel', { column: 'a', sentinels }, [{ a: '-666666666' }], null],
    ['a code that stands for a number', { column: 'a', cast: 'integer', stand_ins: { '0': 1939 } }, [{ a: '0' }], 1939],
    ['a number beside such a code', { column: 'a', cast: 'integer', stand_ins: { '0': 1939 } }, [{ a: '2001' }], 2001],
    [
      'another spelling',
      { column: 'a', stand_ins: { 'Late Quaternary': 'late Quaternary' } },
      [{ a: 'Late Quaternary' }],
      'late Quaternary',
    ],
    ['a formula over text', { expression: '100*(a+b)/c' }, [{ a: '1', b: '2', c: '12' }], 25],
    ['a formula over a sentinel', { expression: '100*a/b', sentinels }, [{ a: '-666666666', b: '2' }], null],
    ['a formula that divides by zero', { expression: '100*a/b' }, [{ a: 1, b: 0 }], null],
    [
      'the picked row',
      { column: 'a', pick: ['Year desc'] },
      [
        { Year: '999', a: 1 },
        { Year: '2024', a: 2 },
      ],
      2,
    ],
    [
      'the row of a condition',
      { column: 'a', where: "own_code = '0' AND industry_code = '10'" },
      [
        { own_code: '5', industry_code: '10', a: 1 },
        { own_code: '0', industry_code: '10', a: 2 },
      ],
      2,
    ],
    [
      'the least of the rows',
      { column: 'resdept_r', reducer: 'min', cast: 'float' },
      [{ resdept_r: '150' }, { resdept_r: null }, { resdept_r: '46' }],
      46,
    ],
  ])('gives %s', async (_, args, document, value) => expect(await rowOf(args, document)).toEqual(value as never))

  test('a mean over a depth range weights each horizon by its thickness in the range', async () => {
    const horizons = [
      { hzdept_r: '0', hzdepb_r: '10', ph: '5' },
      { hzdept_r: '10', hzdepb_r: '50', ph: '8' },
      { hzdept_r: '50', hzdepb_r: '90', ph: '9' },
    ]
    const args: Args<typeof rowOperator> = { column: 'ph', reducer: 'weighted_mean', depth_cm: [0, 30] }
    expect(await rowOf(args, horizons)).toBeCloseTo(7, 12)
    expect(await rowOf(args, [{ ...horizons[0]!, ph: null }, horizons[1]])).toBe(8)
    expect(await rowOf(args, [horizons[2]])).toBeNull()
    expect(await rowOf(args, [])).toBeNull()
    expect(await rejectionMessage(rowOf({ column: 'ph', reducer: 'weighted_mean' }, horizons))).toContain(
      'The reducer `weighted_mean` requires `depth_cm`.',
    )
  })

  test('the key must match the kind of area', async () => {
    expect(await rowOf({ column: 'a', geography: 'tract' }, [{ a: 1 }], '08031001702')).toBe(1)
    expect(
      await rejectionMessage(rowOf({ column: 'a', geography: 'block group' }, [{ a: 1 }], '08031001702')),
    ).toContain('Invalid block group key 08031001702. Expected 12 digits.')
  })

  test.each<[string, unknown]>([
    ['text', '<html>'],
    ['a header without rows', [['a', 'b']]],
    ['an empty header', [[], []]],
    ['a row that is too short', [['a', 'b'], ['1']]],
    ['a header that is not a list', [{ a: 1 }, ['1']]],
  ])('rejects %s', async (_, document) => {
    expect(await rejectionMessage(rowOf({ column: 'a' }, document))).toStartWith('bad_value: ')
  })

  test('fails where a column or a name in the condition is missing, and does not take it for another row', async () => {
    for (const args of [{ column: 'a' }, { column: 'b', where: "a = '1'" }, { expression: 'a+b' }])
      expect(await rejectionMessage(rowOf(args, [{ b: 1 }]))).toStartWith('schema_changed: ')
  })

  test('that must have a match fails without one: the codes in the rows have changed', async () => {
    const counted = { op: 'row', column: 'jobs', where: "own_code = '0'", has_match: true } as const
    const rows = [{ own_code: '9', jobs: 7 }]
    expect(await rejectionMessage(rowOperator.run(counted, async () => rows, fieldQuery, fakeBudget))).toStartWith(
      'schema_changed: ',
    )
    expect(await rowOperator.run(counted, async () => [], fieldQuery, fakeBudget)).toBe(null)
  })

  test('without a column, an expression or a percentage is a catalog error', async () => {
    expect(await rejectionMessage(rowOf({}, [{ a: 1 }]))).toContain(
      'The operation has no `column`, `expression` or `percentage`.',
    )
  })

  test('of a failing source fails', async () => {
    expect(await rejectionMessage(rowOperator.run({ column: 'a' }, failingSource, fieldQuery, fakeBudget))).toContain(
      'No answer.',
    )
  })
})
