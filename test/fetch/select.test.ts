import { describe, expect, test } from 'bun:test'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { selectFields, type FieldCap, type FieldRequest } from '../../src/fetch/catalog/select.ts'
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
const selected = (selection: FieldRequest, cap: FieldCap = 'union') =>
  selectFields(selection, cap, catalog).map(({ name }) => name)
function errorDetailOf(selection: FieldRequest, cap: FieldCap = 'union') {
  try {
    return selected(selection, cap)
  } catch (error) {
    return error instanceof ApiError ? error.detail : error
  }
}

describe('a selection is', () => {
  test.each<[string, FieldRequest, string[]]>([
    ['the named fields in their order', { fields: ['field_9', 'field_4'] }, ['field_9', 'field_4']],
    [
      'without duplicates; the first mention counts',
      { fields: ['field_9', 'field_4', 'field_9', 'field_5', 'field_4'] },
      ['field_9', 'field_4', 'field_5'],
    ],
    ['the members of a preset, in its order', { preset: 'few' }, ['field_3', 'field_1', 'field_2']],
    [
      'the members of the preset first, then the other fields',
      { preset: 'few', fields: ['field_9', 'field_1', 'field_0'] },
      ['field_3', 'field_1', 'field_2', 'field_9', 'field_0'],
    ],
    ['the fields alone with an empty preset', { preset: '', fields: ['field_9'] }, ['field_9']],
    ['the preset alone with no fields', { preset: 'few', fields: [] }, ['field_3', 'field_1', 'field_2']],
  ])('%s', (_name, selection, expected) => expect(selected(selection)).toEqual(expected))

  test.each<FieldRequest>([{}, { fields: [] }, { preset: '' }, { preset: '', fields: [] }])(
    'rejected when it is empty: %j',
    (selection) => {
      expect(errorDetailOf(selection)).toMatchObject({
        error: 'no_fields_requested',
        presets: ['few', 'most'],
        retryable: false,
      })
    },
  )

  test.each(['FEW', 'few ', 'constructor', '__proto__'])('rejected when the preset is unknown: %j', (preset) => {
    expect(errorDetailOf({ preset, fields: ['field_1'] })).toMatchObject({
      error: 'preset_unknown',
      preset,
      presets: ['few', 'most'],
    })
  })
})

describe('the maximum number of fields', () => {
  test('allows fifty different fields, including duplicates', () => {
    expect(selected({ fields: [...names.slice(0, 50), ...names.slice(0, 50)] })).toHaveLength(50)
  })

  test('rejects the fifty-first field, with the number and the maximum', () => {
    expect(errorDetailOf({ fields: names.slice(0, 51) })).toEqual({
      error: 'fields_too_many',
      message:
        'Too many fields: 51 requested, 50 allowed. Split the request, or use POST /v1/fetch/batch, where the fields of a preset do not count.',
      retryable: false,
      documentation_url: '/guide/errors#fields_too_many',
      requested: 51,
      max: 50,
    })
  })

  test('counts the union of preset and fields in a fetch', () => {
    expect(selected({ preset: 'most', fields: ['field_0', 'field_49'] })).toHaveLength(50)
    expect(errorDetailOf({ preset: 'most', fields: ['field_50'] })).toMatchObject({
      error: 'fields_too_many',
      requested: 51,
    })
  })

  test('counts only the named fields in a batch', () => {
    expect(selected({ preset: 'most', fields: names.slice(20, 70) }, 'explicit')).toHaveLength(70)
    expect(errorDetailOf({ preset: 'most', fields: names.slice(0, 51) }, 'explicit')).toMatchObject({
      error: 'fields_too_many',
      requested: 51,
    })
  })
})

describe('unknown fields', () => {
  test('are listed in their order, each with suggestions', () => {
    expect(errorDetailOf({ fields: ['feild_7', 'field_1', 'zzzzzzzzzzzz'] })).toMatchObject({
      error: 'fields_unknown',
      fields_unknown: ['feild_7', 'zzzzzzzzzzzz'],
      suggestions: { feild_7: expect.arrayContaining(['field_7']), zzzzzzzzzzzz: [] },
      message: expect.stringMatching(/^Unknown fields "feild_7", "zzzzzzzzzzzz"\. Did you mean "field_/),
    })
  })

  test('are reported before the maximum number is checked', () => {
    expect(errorDetailOf({ fields: [...names, 'nothing'] })).toMatchObject({
      error: 'fields_unknown',
      fields_unknown: ['nothing'],
    })
  })

  test('are listed up to fifty, five of them in the message and ten with suggestions', () => {
    const many = Array.from({ length: 300 }, (_, i) => `unknown_${i}`)
    const detail = errorDetailOf({ fields: many }) as {
      fields_unknown: string[]
      suggestions: Record<string, string[]>
      message: string
    }
    expect([detail.fields_unknown, Object.keys(detail.suggestions)]).toEqual([many.slice(0, 50), many.slice(0, 10)])
    expect(detail.message).toStartWith(
      'Unknown fields "unknown_0", "unknown_1", "unknown_2", "unknown_3", "unknown_4" and 295 more.',
    )
  })

  test('of any length produce a short error', () => {
    const detail = errorDetailOf({ fields: ['x'.repeat(1_000_000)] })
    expect(JSON.stringify(detail).length).toBeLessThan(2_000)
  })

  test.each(['__proto__', 'constructor', 'toString', '', ' ', 'FIELD_1', 'field_1\u0000', '🏔️'])(
    'may be any text: %j',
    (name) => {
      expect(errorDetailOf({ fields: [name] })).toMatchObject({ error: 'fields_unknown', fields_unknown: [name] })
    },
  )
})
