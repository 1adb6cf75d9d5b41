import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { requireValidContents } from '../../src/catalog/catalog.ts'
import { catalogErrorsOf } from '../../src/catalog/checks.ts'
import type { CatalogContents, Field, ReadSpec } from '../../src/catalog/records.ts'
import { contentsOf, datasetOf, fieldOf, usualDatasets } from '../support/catalog-contents.ts'

const named: ReadSpec = { dataset: 'areas', op: 'attribute', attribute: 'NAME' }
const good = fieldOf('good', named)
const number: Partial<Field> = { type: 'float', unit: 'm' }
/** A read that the types reject, as it may come from a cast or from outside. */
const invalidRead = (read: Record<string, unknown>) =>
  ({ dataset: 'areas', op: 'attribute', attribute: 'NAME', ...read }) as unknown as ReadSpec

test('the catalog is valid', () => expect(catalogErrorsOf(contents)).toEqual([]))

test('a small valid catalog has no errors', () => expect(catalogErrorsOf(contentsOf([good]))).toEqual([]))

const withDataset = (dataset: Parameters<typeof datasetOf>[0], ...fields: Field[]) =>
  contentsOf(fields, { datasets: { ...usualDatasets, areas: datasetOf(dataset) } })

const nameCases: [string, CatalogContents, string][] = [
  ['a field that is defined twice', contentsOf([good, good]), 'field good is defined twice'],
  [
    'a layer that is split',
    contentsOf([good, fieldOf('b2', named, { layer: 'other' }), fieldOf('c3', named)]),
    'layer made_up is split: list its fields together',
  ],
  [
    'a field name that is not in snake_case',
    contentsOf([fieldOf('badName', named)]),
    'badName is not a valid name: use 2 to 64 characters of a-z, 0-9 and _, starting with a letter',
  ],
  ['a name of one letter', contentsOf([fieldOf('a', named)]), 'a is not a valid name'],
  [
    'a dataset name that starts with a digit',
    contentsOf([], { datasets: { '3dep': datasetOf() } }),
    '3dep is not a valid name',
  ],
]
const datasetCases: [string, CatalogContents, string][] = [
  [
    'a date in an attribute that is not requested',
    withDataset({ attributes: ['NAME'], dated_by: { text: '{EFF_DATE}' } }),
    'dataset areas, dated_by: EFF_DATE is not in attributes',
  ],
  [
    'a malformed path of a date',
    withDataset({ dated_by: { from: 'current', text: '{time}' } }),
    'dataset areas, dated_by: ',
  ],
  [
    'an unknown level of confidence',
    withDataset({ confidence: { level: 'good', reason: 'Measured.' } as never }),
    'dataset areas, confidence: good is not one of high, medium, low',
  ],
  [
    'a level of confidence without a reason',
    withDataset({ confidence: { level: 'low', reason: '' } }),
    'dataset areas, confidence: the reason must be a sentence',
  ],
  ['an unknown driver', withDataset({ serve: [{ driver: 'fax' } as never] }), 'dataset areas: unknown driver fax'],
  [
    'a driver named like a property of every object',
    withDataset({ serve: [{ driver: 'toString' } as never] }),
    'dataset areas: unknown driver toString',
  ],
  [
    'a missing setting',
    withDataset({ serve: [{ driver: 'embedded' } as never] }),
    'dataset areas, embedded: /layer: Expected',
  ],
  [
    'an unknown driver setting',
    withDataset({ serve: [{ driver: 'embedded', layer: 'areas', colour: 'red' } as never] }),
    'dataset areas, embedded: /colour: Unexpected property',
  ],
  [
    'a setting of the wrong type',
    withDataset({ serve: [{ driver: 'pack', file: 'a.tif', band: 1.5 }] }),
    'dataset areas, pack: /band: Expected integer',
  ],
  [
    'an endpoint that is not a URL',
    withDataset({ serve: [{ driver: 'arcgis', endpoint: 'example.org/0' }] }),
    "dataset areas, arcgis: /endpoint: Expected string to match '^https?://'",
  ],
  [
    'a driver that does not support the shape',
    withDataset({ shape: 'document' }),
    'dataset areas: driver embedded does not support shape document',
  ],
  [
    'a condition with a syntax error',
    withDataset({ serve: [{ driver: 'embedded', layer: 'areas', where: 'POP >' }] }),
    'dataset areas: The condition POP > has a syntax error at character 6: expected an attribute or a value, found the end.',
  ],
]
const readCases: [string, CatalogContents, string][] = [
  [
    'an unknown dataset',
    contentsOf([fieldOf('it', invalidRead({ dataset: 'nowhere' }))]),
    'field it: unknown dataset nowhere',
  ],
  [
    'an unknown operator',
    contentsOf([fieldOf('it', invalidRead({ op: 'guess' }))]),
    'field it: unknown operator guess',
  ],
  [
    'an operator for another shape',
    contentsOf([fieldOf('it', { dataset: 'computed', op: 'attribute', attribute: 'NAME' })]),
    'field it: operator attribute needs shape features, but dataset computed has shape document',
  ],
  [
    'a missing argument',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'nearest_attribute', attribute: 'NAME' } as never)]),
    'field it: nearest_attribute: /search_radii_m: Expected',
  ],
  [
    'an unknown argument',
    contentsOf([fieldOf('it', invalidRead({ atribute: 'NAME' }))]),
    'field it: attribute: /atribute: Unexpected property',
  ],
  [
    'an argument of the wrong type',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'count', radius_m: -1 })]),
    'field it: count: /radius_m: Expected number to be greater than 0',
  ],
  [
    'an input that is not a field',
    contentsOf([fieldOf('it', { dataset: 'computed', op: 'computed', expression: 'a', from: { a: 'nothing' } })]),
    'field it: unknown field nothing',
  ],
  [
    'a key that is not a field',
    contentsOf([fieldOf('it', invalidRead({ key: ['good', 'nothing'] })), good]),
    'field it: unknown field nothing',
  ],
  [
    'an error in a nested read',
    contentsOf([
      fieldOf('it', {
        dataset: 'computed',
        op: 'computed',
        expression: 'a',
        from: { a: invalidRead({ dataset: 'nowhere' }) },
      }),
    ]),
    'field it: unknown dataset nowhere',
  ],
  [
    'an error in a fallback of a fallback',
    contentsOf([fieldOf('it', { ...named, fallback: [{ ...named, fallback: [invalidRead({ op: 'guess' })] }] })]),
    'field it: unknown operator guess',
  ],
  [
    'a code set that the dataset lacks',
    contentsOf([
      fieldOf('it', { dataset: 'areas', op: 'within', attribute: 'CODE', true_values: 'crops', false_values: ['x'] }),
    ]),
    'field it: dataset areas has no code set crops',
  ],
  [
    'a flag without false values',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'within', attribute: 'CODE', true_values: ['x'] })]),
    'field it: within: list both true_values and false_values of the attribute',
  ],
  [
    'true values without an attribute',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'within', true_values: ['x'], false_values: ['y'] })]),
    'field it: within: true_values and false_values need the attribute that has them',
  ],
  [
    'the classes of a dataset without classes',
    contentsOf([fieldOf('it', { ...named, classes: 'dataset' })]),
    'field it: dataset areas has no classes',
  ],
]
const formulaCases: [string, CatalogContents, string][] = [
  [
    'a condition with a syntax error',
    contentsOf([fieldOf('it', { ...named, where: "NAME = 'x' OR" })]),
    "field it: The condition NAME = 'x' OR has a syntax error at character 14: expected an attribute or a value, found the end.",
  ],
  [
    'a condition with a syntax error after its year is filled',
    contentsOf([fieldOf('it', { ...named, where: 'YEAR => {year-10}' })]),
    'field it: The condition YEAR => 1990 has a syntax error at character 7: expected an attribute or a value, found >.',
  ],
  [
    'a misspelled year placeholder',
    contentsOf([fieldOf('it', { ...named, where: 'YEAR > {yaer}' })]),
    'field it: The condition YEAR > {yaer} has a syntax error at character 8.',
  ],
  [
    'an expression with a syntax error',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', expression: '100*(A' })]),
    'field it: The expression 100*(A has a syntax error.',
  ],
  [
    'an expression with an unknown function',
    contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', expression: 'sqare(A)' })]),
    'field it: Invalid expression sqare(A): unknown function sqare. Known functions:',
  ],
  [
    'an expression with an unknown input',
    contentsOf([
      good,
      fieldOf('it', { dataset: 'computed', op: 'computed', expression: 'a + b', from: { a: 'good' } }),
    ]),
    'field it: Invalid expression a + b: unknown name b. Known names: a.',
  ],
  [
    'a value in proportion to something that is no input',
    contentsOf([
      good,
      fieldOf('it', {
        dataset: 'computed',
        op: 'computed',
        expression: 'a',
        proportional_to: 'b',
        from: { a: 'good' },
      }),
    ]),
    'field it: proportional_to: b is not one of the inputs in `from`',
  ],
  [
    'a skip_when with an unknown input',
    contentsOf([good, fieldOf('it', { ...named, skip_when: 'a > 1', from: { b: 'good' } })]),
    'field it: Invalid expression a > 1: unknown name a. Known names: b.',
  ],
  [
    'a skip_when with a syntax error in a fallback',
    contentsOf([good, fieldOf('it', { ...named, fallback: [{ ...named, skip_when: 'a >', from: { a: 'good' } }] })]),
    'field it: The expression a > has a syntax error.',
  ],
]
const fieldCases: [string, CatalogContents, string][] = [
  [
    'a valid_range of a string',
    contentsOf([fieldOf('it', named, { valid_range: [0, 1] })]),
    'field it: valid_range is allowed only for numbers',
  ],
  [
    'an empty valid_range',
    contentsOf([fieldOf('it', named, { ...number, valid_range: [1, 1] })]),
    'field it: valid_range is empty: min must be below max',
  ],
  [
    'a number in the enum of a string',
    contentsOf([fieldOf('it', named, { enum: ['a', 1] })]),
    'field it: enum has a value that is not of type string',
  ],
  [
    'a string in the enum of a number',
    contentsOf([fieldOf('it', named, { ...number, enum: [1, '2'] })]),
    'field it: enum has a value that is not of type float',
  ],
  [
    'a unit of a string',
    contentsOf([fieldOf('it', named, { unit: 'm' })]),
    'field it: unit must be null for type string',
  ],
  [
    'a number without a unit',
    contentsOf([fieldOf('it', named, { type: 'integer' })]),
    'field it: unit is missing for type integer',
  ],
  [
    'a deprecated field without replaced_by',
    contentsOf([fieldOf('it', named, { lifecycle: 'deprecated' })]),
    'field it: replaced_by is missing for a deprecated field',
  ],
  [
    'a stable field with an open point',
    contentsOf([fieldOf('it', named, { lifecycle: 'stable', evidence: 'open point: all of it' })]),
    'field it: the evidence of a stable field must not start with "open point"',
  ],
]
const members = (count: number) => Array.from({ length: count }, (_, i) => `field_${i}`)
const presetCases: [string, CatalogContents, string][] = [
  [
    'a preset with an unknown field',
    contentsOf([good], { presets: { few: { reason: 'x', fields: ['good', 'bad'] } } }),
    'preset few: unknown field bad',
  ],
  [
    'a preset that lists a field twice',
    contentsOf([good], { presets: { few: { reason: 'x', fields: ['good', 'good'] } } }),
    'preset few: field good is listed twice',
  ],
  [
    'an empty preset',
    contentsOf([good], { presets: { few: { reason: 'x', fields: [] } } }),
    'preset few has 0 fields; 1 to 50 are allowed',
  ],
  [
    'a preset of 51 fields',
    contentsOf(
      members(51).map((name) => fieldOf(name, named)),
      { presets: { many: { reason: 'x', fields: members(51) } } },
    ),
    'preset many has 51 fields; 1 to 50 are allowed',
  ],
  [
    'a synonym of an unknown field',
    contentsOf([good], { synonyms: { word: ['good', 'bad'] } }),
    'synonym word: unknown field bad',
  ],
  [
    'related fields that are unknown',
    contentsOf([good], { relatedFields: { crime: ['bad'] } }),
    'related fields of crime: unknown field bad',
  ],
  [
    'related fields of a synonym',
    contentsOf([good], { synonyms: { word: ['good'] }, relatedFields: { word: ['good'] } }),
    'related fields of word: the phrase is also a synonym',
  ],
  [
    'a loose synonym that is not a synonym',
    contentsOf([good], { looseSynonyms: ['noisy'] }),
    'loose synonym noisy: the phrase is not in the list of synonyms',
  ],
  ['a label of an unknown field', contentsOf([good], { fieldLabels: { bad: 'Bad' } }), 'label of bad: unknown field'],
  [
    'a label of a class that the enum does not have',
    contentsOf([{ ...good, enum: ['A'] }], { classLabels: { good: { A: 'first', B: 'second' } } }),
    'class labels of good: B is not in its enum',
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
const cycleCases: [string, CatalogContents, string][] = [
  ['a field that depends on itself', contentsOf([over('one', 'one')]), 'field one depends on itself: one -> one'],
  [
    'three fields that depend on each other',
    contentsOf([over('one', 'two'), over('two', 'lat', 'three'), over('three', 'one')]),
    'field one depends on itself: one -> two -> three -> one',
  ],
  [
    'a cycle through a key',
    contentsOf([over('one', 'two'), fieldOf('two', { ...named, key: 'one' })]),
    'field one depends on itself: one -> two -> one',
  ],
  [
    'a cycle through a fallback',
    contentsOf([
      fieldOf('one', {
        ...named,
        fallback: [{ dataset: 'computed', op: 'computed', expression: 'two', from: { two: 'two' } }],
      }),
      over('two', 'one'),
    ]),
    'field one depends on itself: one -> two -> one',
  ],
]

describe.each([
  ['names', nameCases],
  ['datasets', datasetCases],
  ['reads', readCases],
  ['formulas', formulaCases],
  ['field members', fieldCases],
  ['presets and synonyms', presetCases],
  ['cycles', cycleCases],
] as const)('in %s', (_name, cases) => {
  test.each([...cases])('%s gives only errors that name its record', (_name, contents, error) => {
    const errors = catalogErrorsOf(contents)
    expect(errors.filter((it) => !it.startsWith(error))).toEqual([])
    expect(errors.length).toBeGreaterThan(0)
  })
})

test('computed fields may depend on each other without a cycle', () => {
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

test('a condition may contain the current year', () => {
  expect(
    catalogErrorsOf(contentsOf([fieldOf('it', { ...named, where: 'FIRE_YEAR >= {year-10} AND FIRE_YEAR < {year}' })])),
  ).toEqual([])
})

test('requireValidContents throws all errors of an invalid catalog at once', () => {
  const invalid = contentsOf(
    [
      fieldOf('badName', invalidRead({ dataset: 'nowhere' })),
      fieldOf('it', invalidRead({ op: 'guess' }), { unit: 'm' }),
    ],
    { presets: { few: { reason: 'x', fields: ['bad'] } } },
  )
  const message = [
    'The catalog is invalid. Fix these errors:',
    'badName is not a valid name: use 2 to 64 characters of a-z, 0-9 and _, starting with a letter',
    'field badName: unknown dataset nowhere',
    'field it: unknown operator guess',
    'field it: unit must be null for type string',
    'preset few: unknown field bad',
  ].join('\n')
  expect(() => requireValidContents(invalid)).toThrow(new Error(message))
})
