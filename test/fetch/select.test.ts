import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { selectFields, type FieldCap, type FieldSelection } from '../../src/fetch/select.ts'
import { ApiError } from '../../src/model/error.ts'
import { contentsOf, fieldOf } from '../support/catalog-contents.ts'

const names = Array.from({ length: 70 }, (_, i) => `field_${i}`)
const catalog = createCatalog(
  contentsOf(
    names.map((name) => fieldOf(name, { dataset: 'areas', op: 'attribute', attribute: 'A' })),
    {
      presets: {
        few: { reason: 'x', fields: ['field_3', 'field_1', 'field_2'] },
        most: { reason: 'x', fields: names.slice(0, 50) },
      },
    },
  ),
)
const selected = (selection: FieldSelection, cap: FieldCap = 'union') =>
  selectFields(selection, cap, catalog).map(({ name }) => name)
function refusalOf(selection: FieldSelection, cap: FieldCap = 'union') {
  try {
    return selected(selection, cap)
  } catch (error) {
    return error instanceof ApiError ? error.detail : error
  }
}

describe('a selection is', () => {
  test.each<[string, FieldSelection, string[]]>([
    ['the fields that are named, in that order', { fields: ['field_9', 'field_4'] }, ['field_9', 'field_4']],
    [
      'each of them once, where it is named first',
      { fields: ['field_9', 'field_4', 'field_9', 'field_5', 'field_4'] },
      ['field_9', 'field_4', 'field_5'],
    ],
    ['the members of a preset, in its order', { preset: 'few' }, ['field_3', 'field_1', 'field_2']],
    [
      'the members of the preset first, then the fields that it lacks',
      { preset: 'few', fields: ['field_9', 'field_1', 'field_0'] },
      ['field_3', 'field_1', 'field_2', 'field_9', 'field_0'],
    ],
    ['the fields alone with an empty preset', { preset: '', fields: ['field_9'] }, ['field_9']],
    ['the preset alone with no fields', { preset: 'few', fields: [] }, ['field_3', 'field_1', 'field_2']],
  ])('%s', (_name, selection, expected) => expect(selected(selection)).toEqual(expected))

  test.each<FieldSelection>([{}, { fields: [] }, { preset: '' }, { preset: '', fields: [] }])(
    'refused when it is nothing: %j',
    (selection) => {
      expect(refusalOf(selection)).toMatchObject({
        error: 'no_fields_requested',
        presets: ['few', 'most'],
        retryable: false,
      })
    },
  )

  test.each(['FEW', 'few ', 'constructor', '__proto__'])('refused when there is no such preset: %j', (preset) => {
    expect(refusalOf({ preset, fields: ['field_1'] })).toMatchObject({
      error: 'preset_unknown',
      preset,
      presets: ['few', 'most'],
    })
  })
})

describe('the cap', () => {
  test('lets fifty different fields pass, however often they are named', () => {
    expect(selected({ fields: [...names.slice(0, 50), ...names.slice(0, 50)] })).toHaveLength(50)
  })

  test('refuses the fifty-first, with the number and the most', () => {
    expect(refusalOf({ fields: names.slice(0, 51) })).toEqual({
      error: 'fields_too_many',
      message: '51 fields are asked for and 50 are allowed: split the request.',
      retryable: false,
      requested: 51,
      max: 50,
    })
  })

  test('counts the union of preset and fields in a fetch', () => {
    expect(selected({ preset: 'most', fields: ['field_0', 'field_49'] })).toHaveLength(50)
    expect(refusalOf({ preset: 'most', fields: ['field_50'] })).toMatchObject({
      error: 'fields_too_many',
      requested: 51,
    })
  })

  test('counts only the fields that are named in a batch', () => {
    expect(selected({ preset: 'most', fields: names.slice(20, 70) }, 'explicit')).toHaveLength(70)
    expect(refusalOf({ preset: 'most', fields: names.slice(0, 51) }, 'explicit')).toMatchObject({
      error: 'fields_too_many',
      requested: 51,
    })
  })
})

describe('unknown fields', () => {
  test('are told all at once, each with what it may have meant, in the order they were named', () => {
    expect(refusalOf({ fields: ['feild_7', 'field_1', 'zzzzzzzzzzzz'] })).toMatchObject({
      error: 'fields_unknown',
      unknown: ['feild_7', 'zzzzzzzzzzzz'],
      suggestions: { feild_7: expect.arrayContaining(['field_7']), zzzzzzzzzzzz: [] },
      message: expect.stringMatching(/^The catalog has no field "feild_7", "zzzzzzzzzzzz"\. Did you mean field_/),
    })
  })

  test('are told before there are too many', () => {
    expect(refusalOf({ fields: [...names, 'nothing'] })).toMatchObject({
      error: 'fields_unknown',
      unknown: ['nothing'],
    })
  })

  test('are told up to fifty, five of them in the sentence and ten with suggestions', () => {
    const many = Array.from({ length: 300 }, (_, i) => `unknown_${i}`)
    const refusal = refusalOf({ fields: many }) as {
      unknown: string[]
      suggestions: Record<string, string[]>
      message: string
    }
    expect([refusal.unknown, Object.keys(refusal.suggestions)]).toEqual([many.slice(0, 50), many.slice(0, 10)])
    expect(refusal.message).toStartWith(
      'The catalog has no field "unknown_0", "unknown_1", "unknown_2", "unknown_3", "unknown_4" and 295 more.',
    )
  })

  test('of any length are answered in a few letters', () => {
    const refusal = refusalOf({ fields: ['x'.repeat(1_000_000)] })
    expect(JSON.stringify(refusal).length).toBeLessThan(2_000)
  })

  test.each(['__proto__', 'constructor', 'toString', '', ' ', 'FIELD_1', 'field_1\u0000', '🏔️'])(
    'are names like any other: %j',
    (name) => {
      expect(refusalOf({ fields: [name] })).toMatchObject({ error: 'fields_unknown', unknown: [name] })
    },
  )
})
