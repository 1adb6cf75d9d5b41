import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { catalogErrorsOf } from '../../src/catalog/checks.ts'
import type { CatalogContents, Field, ReadSpec } from '../../src/catalog/records.ts'
import { contentsOf, datasetOf, fieldOf, usual } from './made-up.ts'

const named: ReadSpec = { dataset: 'areas', op: 'attribute', attribute: 'NAME' }
const good = fieldOf('good', named)
const number: Partial<Field> = { type: 'float', unit: 'm' }
/** A read that the types would not let pass, as a typing error in a record that is cast or comes from elsewhere would give. */
const odd = (read: Record<string, unknown>) =>
  ({ dataset: 'areas', op: 'attribute', attribute: 'NAME', ...read }) as unknown as ReadSpec

test('the catalog as it is has no fault', () => {
  expect(catalogErrorsOf(contents)).toEqual([])
})

test('a small catalog that holds together has no fault', () => {
  expect(catalogErrorsOf(contentsOf([good]))).toEqual([])
})

const withDataset = (dataset: Parameters<typeof datasetOf>[0], ...fields: Field[]) =>
  contentsOf(fields, { datasets: { ...usual, areas: datasetOf(dataset) } })

const ofNames: [string, CatalogContents, string][] = [
  ['a field twice', contentsOf([good, good]), 'field good is there twice'],
  [
    'a layer in two places',
    contentsOf([good, fieldOf('b2', named, { layer: 'other' }), fieldOf('c3', named)]),
    'layer made_up stands in two places: the fields of a layer stand together',
  ],
  [
    'a name of a field that is not in snake_case',
    contentsOf([fieldOf('badName', named)]),
    'badName is not a name in snake_case',
  ],
  ['a name of one letter', contentsOf([fieldOf('a', named)]), 'a is not a name in snake_case'],
  [
    'a name of a dataset that begins with a digit',
    contentsOf([], { datasets: { '3dep': datasetOf() } }),
    '3dep is not a name in snake_case',
  ],
]
const ofDatasets: [string, CatalogContents, string][] = [
  [
    'a driver that is not there',
    withDataset({ serve: [{ driver: 'fax' } as never] }),
    'dataset areas: there is no driver fax',
  ],
  [
    'a driver by the name of something every object has',
    withDataset({ serve: [{ driver: 'toString' } as never] }),
    'dataset areas: there is no driver toString',
  ],
  [
    'a setting missing',
    withDataset({ serve: [{ driver: 'embedded' } as never] }),
    'dataset areas, embedded: /layer: Expected',
  ],
  [
    'a setting that the driver does not know',
    withDataset({ serve: [{ driver: 'embedded', layer: 'areas', colour: 'red' } as never] }),
    'dataset areas, embedded: /colour: Unexpected property',
  ],
  [
    'a setting of another type',
    withDataset({ serve: [{ driver: 'pack', file: 'a.tif', band: 1.5 }] }),
    'dataset areas, pack: /band: Expected integer',
  ],
  [
    'an endpoint that is no address',
    withDataset({ serve: [{ driver: 'arcgis', endpoint: 'example.org/0' }] }),
    "dataset areas, arcgis: /endpoint: Expected string to match '^https?://'",
  ],
  [
    'a driver that does not give the shape',
    withDataset({ shape: 'document' }),
    'dataset areas: embedded does not give document',
  ],
  [
    'a condition of the wrong form',
    withDataset({ serve: [{ driver: 'embedded', layer: 'areas', where: 'POP >' }] }),
    'dataset areas: The condition POP > has the wrong form: at character 6 an attribute or a value was expected, and it ends.',
  ],
]
const ofReads: [string, CatalogContents, string][] = [
  [
    'a dataset that is not there',
    contentsOf([fieldOf('it', odd({ dataset: 'nowhere' }))]),
    'field it: reads nowhere, which is no dataset',
  ],
  [
    'an operator that is not there',
    contentsOf([fieldOf('it', odd({ op: 'guess' }))]),
    'field it: there is no operator guess',
  ],
  [
    'an operator for another shape',
    contentsOf([fieldOf('it', { dataset: 'computed', op: 'attribute', attribute: 'NAME' })]),
    'field it: attribute reads features, and computed gives document',
  ],
  [
    'an argument missing',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'nearest_attribute', search_radii_m: [1] } as never)]),
    'field it: nearest_attribute: /attribute: Expected',
  ],
  [
    'an argument that the operator does not know',
    contentsOf([fieldOf('it', odd({ atribute: 'NAME' }))]),
    'field it: attribute: /atribute: Unexpected property',
  ],
  [
    'an argument of another type',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'count', radius_m: -1 })]),
    'field it: count: /radius_m: Expected number to be greater than 0',
  ],
  [
    'an input that is no field',
    contentsOf([fieldOf('it', { dataset: 'computed', op: 'computed', expression: 'a', from: { a: 'nothing' } })]),
    'field it: reads nothing, which is no field',
  ],
  [
    'a key that is no field',
    contentsOf([fieldOf('it', odd({ key: ['good', 'nothing'] })), good]),
    'field it: reads nothing, which is no field',
  ],
  [
    'a fault in an input that is a read of its own',
    contentsOf([
      fieldOf('it', { dataset: 'computed', op: 'computed', expression: 'a', from: { a: odd({ dataset: 'nowhere' }) } }),
    ]),
    'field it: reads nowhere, which is no dataset',
  ],
  [
    'a fault in a fallback of a fallback',
    contentsOf([fieldOf('it', { ...named, fallback: [{ ...named, fallback: [odd({ op: 'guess' })] }] })]),
    'field it: there is no operator guess',
  ],
  [
    'a code set that the dataset does not have',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'within', attribute: 'CODE', test: { in: 'crops' } })]),
    'field it: uses the code set crops, which areas does not have',
  ],
  [
    'the classes of a dataset that has none',
    contentsOf([fieldOf('it', { ...named, classes: 'dataset' })]),
    'field it: uses the classes of areas, which has none',
  ],
]
const ofFormulas: [string, CatalogContents, string][] = [
  [
    'a condition of the wrong form',
    contentsOf([fieldOf('it', { ...named, where: "NAME = 'x' OR" })]),
    "field it: The condition NAME = 'x' OR has the wrong form: at character 14 an attribute or a value was expected, and it ends.",
  ],
  [
    'a condition of the wrong form, but for its year',
    contentsOf([fieldOf('it', { ...named, where: 'YEAR => {year-10}' })]),
    'field it: The condition YEAR => 1990 has the wrong form: at character 7 an attribute or a value was expected, and there is >.',
  ],
  [
    'a year that nobody fills in',
    contentsOf([fieldOf('it', { ...named, where: 'YEAR > {yaer}' })]),
    'field it: The condition YEAR > {yaer} has the wrong form at character 8.',
  ],
  [
    'an expression of the wrong form',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', expression: '100*(A' })]),
    'field it: The expression 100*(A has the wrong form.',
  ],
  [
    'an expression with a function that is not there',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', expression: 'sqare(A)' })]),
    'field it: The expression sqare(A) cannot be used: there is no function sqare; there are',
  ],
  [
    'an expression over an input that is not given',
    contentsOf([
      good,
      fieldOf('it', { dataset: 'computed', op: 'computed', expression: 'a + b', from: { a: 'good' } }),
    ]),
    'field it: The expression a + b cannot be used: b is unknown; known are a.',
  ],
  [
    'a skip_when over an input that is not given',
    contentsOf([good, fieldOf('it', { ...named, skip_when: 'a > 1', from: { b: 'good' } })]),
    'field it: The expression a > 1 cannot be used: a is unknown; known are b.',
  ],
  [
    'a skip_when of the wrong form in a fallback',
    contentsOf([good, fieldOf('it', { ...named, fallback: [{ ...named, skip_when: 'a >', from: { a: 'good' } }] })]),
    'field it: The expression a > has the wrong form.',
  ],
]
const ofClaims: [string, CatalogContents, string][] = [
  [
    'a range of a text',
    contentsOf([fieldOf('it', named, { valid_range: [0, 1] })]),
    'field it: valid_range is for numbers',
  ],
  [
    'an empty range',
    contentsOf([fieldOf('it', named, { ...number, valid_range: [1, 1] })]),
    'field it: valid_range is empty',
  ],
  [
    'a number in the enum of a text',
    contentsOf([fieldOf('it', named, { enum: ['a', 1] })]),
    'field it: enum has a value that is no string',
  ],
  [
    'a text in the enum of a number',
    contentsOf([fieldOf('it', named, { ...number, enum: [1, '2'] })]),
    'field it: enum has a value that is no float',
  ],
  ['a unit of a text', contentsOf([fieldOf('it', named, { unit: 'm' })]), 'field it: a string has no unit'],
  ['a number without a unit', contentsOf([fieldOf('it', named, { type: 'integer' })]), 'field it: a number has a unit'],
  [
    'a deprecated field without its heir',
    contentsOf([fieldOf('it', named, { lifecycle: 'deprecated' })]),
    'field it: is deprecated, and replaced_by is missing',
  ],
  [
    'a stable field with an open point',
    contentsOf([fieldOf('it', named, { lifecycle: 'stable', evidence: 'open point: all of it' })]),
    'field it: has an open point, and is stable',
  ],
]
const members = (count: number) => Array.from({ length: count }, (_, i) => `field_${i}`)
const ofPresets: [string, CatalogContents, string][] = [
  [
    'a preset of a field that is not there',
    contentsOf([good], { presets: { few: { reason: 'x', fields: ['good', 'bad'] } } }),
    'preset few names bad, which is no field',
  ],
  [
    'a preset that names a field twice',
    contentsOf([good], { presets: { few: { reason: 'x', fields: ['good', 'good'] } } }),
    'preset few names good twice',
  ],
  [
    'an empty preset',
    contentsOf([good], { presets: { few: { reason: 'x', fields: [] } } }),
    'preset few has 0 members; 1 to 50 are allowed',
  ],
  [
    'a preset of 51',
    contentsOf(
      members(51).map((name) => fieldOf(name, named)),
      { presets: { many: { reason: 'x', fields: members(51) } } },
    ),
    'preset many has 51 members; 1 to 50 are allowed',
  ],
  [
    'a synonym of a field that is not there',
    contentsOf([good], { synonyms: { word: ['good', 'bad'] } }),
    'synonym word names bad, which is no field',
  ],
]
const over = (name: string, ...inputs: string[]) =>
  fieldOf(
    name,
    {
      dataset: 'computed',
      op: 'computed',
      expression: '1',
      from: Object.fromEntries(inputs.map((input) => [input, input])),
    },
    { ...number },
  )
const ofCircles: [string, CatalogContents, string][] = [
  ['a field that needs itself', contentsOf([over('one', 'one')]), 'field one needs itself: one -> one'],
  [
    'three fields that need each other',
    contentsOf([over('one', 'two'), over('two', 'lat', 'three'), over('three', 'one')]),
    'field one needs itself: one -> two -> three -> one',
  ],
  [
    'a circle through a key',
    contentsOf([over('one', 'two'), fieldOf('two', { ...named, key: 'one' })]),
    'field one needs itself: one -> two -> one',
  ],
  [
    'a circle through a fallback',
    contentsOf([
      fieldOf('one', {
        ...named,
        fallback: [{ dataset: 'computed', op: 'computed', expression: 'two', from: { two: 'two' } }],
      }),
      over('two', 'one'),
    ]),
    'field one needs itself: one -> two -> one',
  ],
]

describe.each([
  ['names', ofNames],
  ['datasets', ofDatasets],
  ['reads', ofReads],
  ['formulas', ofFormulas],
  ['claims', ofClaims],
  ['presets and synonyms', ofPresets],
  ['circles', ofCircles],
] as const)('of %s', (_name, cases) => {
  test.each([...cases])('%s is a fault with the name of its record, and the only one', (_name, contents, fault) => {
    const faults = catalogErrorsOf(contents)
    expect(faults.filter((it) => !it.startsWith(fault))).toEqual([])
    expect(faults.length).toBeGreaterThan(0)
  })
})

test('computed fields that need each other without a circle are no fault', () => {
  expect(
    catalogErrorsOf(
      contentsOf([
        over('top', 'left', 'right'),
        over('left', 'ground'),
        over('right', 'ground'),
        over('ground', 'lat', 'lng'),
      ]),
    ),
  ).toEqual([])
})

test('a year of the clock, as a condition may have it, is no fault', () => {
  expect(
    catalogErrorsOf(contentsOf([fieldOf('it', { ...named, where: 'FIRE_YEAR >= {year-10} AND FIRE_YEAR < {year}' })])),
  ).toEqual([])
})

test('a catalog that does not hold together does not open, and all its faults are told at once', () => {
  const faulty = contentsOf(
    [fieldOf('badName', odd({ dataset: 'nowhere' })), fieldOf('it', odd({ op: 'guess' }), { unit: 'm' })],
    { presets: { few: { reason: 'x', fields: ['bad'] } } },
  )
  const message = [
    'The catalog does not hold together:',
    'badName is not a name in snake_case',
    'field badName: reads nowhere, which is no dataset',
    'field it: there is no operator guess',
    'field it: a string has no unit',
    'preset few names bad, which is no field',
  ].join('\n')
  expect(() => createCatalog(faulty)).toThrow(new Error(message))
})
