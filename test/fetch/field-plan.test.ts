import { describe, expect, test } from 'bun:test'
import type { Dataset, Field, ReadSpec } from '../../src/catalog/records.ts'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import type { Value } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf, usualDatasets } from '../support/catalog-contents.ts'
import { denver, createTestContext, failingOption, optionReturning, fakeOption } from './fake-context.ts'

const meters: Partial<Field> = { type: 'float', unit: 'm' }
const named = { dataset: 'areas', op: 'attribute', attribute: 'IT' } as const
const field = (more: Partial<Field> = {}) => contentsOf([fieldOf('it', named, more)])

describe('a value is ok', () => {
  test.each<[string, Partial<Field>, Value, Value]>([
    ['a string', {}, 'x', 'x'],
    ['a list, which is a string', { type: 'list' }, 'a; b', 'a; b'],
    ['false', { type: 'boolean' }, false, false],
    ['zero', meters, 0, 0],
    ['a float, rounded to nine digits', meters, 123_456.789_012_345, 123_456.789],
    [
      'a float of a 32-bit raster, rounded to the decimals of its source',
      { ...meters, decimals: 1 },
      10.899_999_6,
      10.9,
    ],
    ['a float with noise, rounded to whole numbers', { ...meters, decimals: 0 }, 1_654.999_96, 1_655],
    ['a negative float that rounds to zero, which has no sign', { ...meters, decimals: 1 }, -0.04, 0],
    ['a small float, rounded to nine digits', meters, 0.000_012_345_678_912_3, 0.000_012_345_678_9],
    ['a huge float', meters, 1e18, 1e18],
    ['an integer', { ...meters, type: 'integer' }, 7, 7],
    ['an integer returned as a float, rounded', { ...meters, type: 'integer' }, 6.999_999_9, 7],
    ['the lower end of the range', { ...meters, valid_range: [0, 10] }, 0, 0],
    ['the upper end of the range', { ...meters, valid_range: [0, 10] }, 10, 10],
    ['a number in a range that is open below', { ...meters, valid_range: [null, 10] }, -1e9, -1e9],
    ['a number in a range that is open above', { ...meters, valid_range: [0, null] }, 1e9, 1e9],
    ['a number that is within the range after rounding', { ...meters, valid_range: [0, 10] }, 10.000_000_000_1, 10],
  ])('%s', async (_name, more, given, value) => {
    expect(await createTestContext(field(more), { areas: [optionReturning({ IT: given })] }).ask('it')).toMatchObject({
      status: 'ok',
      value,
    })
  })
})

describe('an estimate', () => {
  const margins = {
    suffixes: ['E', 'M'] as [string, string],
    codes: { '-5': { moe_90: 0 as const, note: 'Controlled.' } },
  }
  const survey = {
    survey: datasetOf({ shape: 'document', serve: [{ driver: 'rest', endpoint: 'https://x.org' }], margins }),
  }
  const read = { dataset: 'survey', op: 'row', column: 'AE', cast: 'float' } as const
  const ask = (row: object, more: Partial<Field> = {}, option = {}) =>
    createTestContext(
      contentsOf([fieldOf('it', read, { ...meters, ...more })], { datasets: { ...usualDatasets, ...survey } }),
      { survey: [fakeOption(() => [row], option)] },
    ).ask('it')

  test.each<[string, Partial<Field>, object, object]>([
    ['has a margin in the digits of the value', { decimals: 1 }, { AE: 33.44, AM: 2.96 }, { value: 33.4, moe_90: 3 }],
    ['of an integer has a whole margin', { type: 'integer' }, { AE: 33, AM: 2.96 }, { value: 33, moe_90: 3 }],
    ['keeps a digit of a small margin', { decimals: 1 }, { AE: 33.4, AM: 0.0123 }, { value: 33.4, moe_90: 0.01 }],
    ['without decimals has nine digits', {}, { AE: 1, AM: 1 / 3 }, { value: 1, moe_90: 0.333_333_333 }],
    ['says why it has none', {}, { AE: 1, AM: '-5' }, { moe_90: 0, reliability: 'high', notes: 'Controlled.' }],
  ])('%s', async (_, more, row, expected) => expect(await ask(row, more)).toMatchObject({ status: 'ok', ...expected }))

  test('is out of range by its value, not by its margin', async () => {
    expect(await ask({ AE: 4, AM: 9 }, { valid_range: [0, 5] })).toMatchObject({ status: 'ok', moe_90: 9 })
    expect(await ask({ AE: 9, AM: 4 }, { valid_range: [0, 5] })).toMatchObject({ status: 'failed' })
  })
})

describe('a value is rejected', () => {
  test.each<[string, Partial<Field>, Value, unknown]>([
    ['that is not a string', {}, 5, 'bad_value: it must be a string, but its source returned 5.'],
    ['that is a string', meters, '5', 'bad_value: it must be a float, but its source returned "5".'],
    [
      'that is not a boolean',
      { type: 'boolean' },
      'T',
      'bad_value: it must be a boolean, but its source returned "T".',
    ],
    [
      'that is a boolean',
      { ...meters, type: 'integer' },
      true,
      'bad_value: it must be an integer, but its source returned true.',
    ],
    [
      'that is not in the closed list of values',
      { type: 'string', enum: ['D0', 'D1'] },
      'D7',
      'bad_value: it must be one of D0, D1, but its source returned "D7".',
    ],
    [
      'that does not match the pattern',
      { type: 'string', pattern: '^[0-9]{5}$' },
      'ZZ9',
      'bad_value: it must match ^[0-9]{5}$, but its source returned "ZZ9".',
    ],
    ['that is <Null>', { type: 'string' }, '<Null>', 'bad_value: The source returned "<Null>" in place of a value.'],
    ['that is N/A', { type: 'string' }, 'N/A', 'bad_value: The source returned "N/A" in place of a value.'],
    ['that is a mark', { type: 'string' }, '--', 'bad_value: The source returned "--" in place of a value.'],
    ['that is -9999', meters, -9999, 'bad_value: The source returned -9999 in place of a value.'],
    ['that is no normal float', meters, 5e-324, 'bad_value: The source returned 5e-324 in place of a value.'],
    [
      'that is an integer read as a float',
      meters,
      3.6e-43,
      'bad_value: The source returned 3.6e-43 in place of a value.',
    ],
    ['that is the limit of a raster', meters, 3.4e38, 'bad_value: The source returned 3.4e+38 in place of a value.'],
    [
      'that is no date',
      { type: 'string', unit: 'date' },
      'soon',
      'bad_value: it must be a date, but its source returned "soon".',
    ],
    [
      'that is a time of 0',
      { type: 'string', unit: 'date', earliest: '1968-08-01' },
      '1970-01-01',
      'bad_value: The source returned "1970-01-01" in place of a value.',
    ],
    [
      'that is a day before the first one',
      { type: 'string', unit: 'date', earliest: '1974-01-01' },
      '1973-01-01',
      expect.stringMatching(/^out_of_range: 1973-01-01 is outside the dates of it, 1974-01-01 to 20\d\d-\d\d-\d\d\.$/),
    ],
    [
      'that is a day of the future',
      { type: 'string', unit: 'date' },
      '2099-01-01',
      expect.stringMatching(/^out_of_range: 2099-01-01 is outside the dates of it, open to /),
    ],
    [
      'that is a year of the future',
      { type: 'integer', unit: 'year', valid_range: [1900, 2100] },
      2099,
      expect.stringMatching(/^out_of_range: 2099 is outside the dates of it, open to /),
    ],
    [
      'below the range',
      { ...meters, valid_range: [0, 10] },
      -0.1,
      'out_of_range: -0.1 is outside the valid range of it, 0 to 10.',
    ],
    [
      'above the range',
      { ...meters, valid_range: [0, 10] },
      10.1,
      'out_of_range: 10.1 is outside the valid range of it, 0 to 10.',
    ],
    [
      'below a range that is open above',
      { ...meters, valid_range: [0, null] },
      -1,
      'out_of_range: -1 is outside the valid range of it, 0 to open.',
    ],
  ])('%s', async (_name, more, given, error) => {
    expect(await createTestContext(field(more), { areas: [optionReturning({ IT: given })] }).ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error,
      retryable: false,
    })
  })

  test.each([NaN, Infinity, -Infinity])('that is not a finite number: %p', async (given) => {
    const part = contentsOf([fieldOf('it', { dataset: 'areas', op: 'nearest_fraction', search_radii_m: null }, meters)])
    const options = { areas: [fakeOption(() => [{ properties: {}, distance_m: 0, fraction: given }])] }
    expect(await createTestContext(part, options).ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error: `bad_value: it must be a finite number, but its source returned ${given}.`,
    })
  })
})

describe('without a value a field is absent, with the reason', () => {
  test('no_data when the source returns null', async () => {
    expect(await createTestContext(field(), { areas: [optionReturning({ IT: null })] }).ask('it')).toMatchObject({
      status: 'absent',
      value: null,
      absent_reason: 'no_data',
    })
  })

  test.each(['', ' ', '\t'])('no_data when the source returns blank text (%j)', async (blank) => {
    expect(await createTestContext(field(), { areas: [optionReturning({ IT: blank })] }).ask('it')).toMatchObject({
      value: null,
      status: 'absent',
      absent_reason: 'no_data',
    })
  })

  test('none_within_radius when no feature is near', async () => {
    const near = contentsOf([
      fieldOf('it', { dataset: 'areas', op: 'nearest_distance', search_radii_m: [1_000] }, meters),
    ])
    expect(await createTestContext(near, { areas: [fakeOption(() => [])] }).ask('it')).toMatchObject({
      status: 'absent',
      value: null,
      absent_reason: 'none_within_radius',
    })
  })

  test('not_mapped when the source marks the place as not mapped', async () => {
    const mapped = contentsOf([
      fieldOf(
        'it',
        {
          dataset: 'areas',
          op: 'within',
          attribute: 'ZONE',
          true_values: ['A'],
          false_values: ['B'],
          null_when: { ZONE: ['NOT INCLUDED'] },
        },
        { type: 'boolean' },
      ),
    ])
    expect(
      await createTestContext(mapped, { areas: [optionReturning({ ZONE: 'NOT INCLUDED' })] }).ask('it'),
    ).toMatchObject({ status: 'absent', value: null, absent_reason: 'not_mapped' })
  })
})

describe('a field fails', () => {
  test.each<[UpstreamCode, boolean]>([
    ['timeout', true],
    ['offline_no_data', false],
    ['key_missing', false],
    ['unsupported_request', false],
    ['bad_value', false],
    ['out_of_range', false],
    ['schema_changed', false],
  ])('with the code %s and the message of its source, retryable: %p', async (code, retryable) => {
    const { ask, logged } = createTestContext(field(), {
      areas: [failingOption(new UpstreamError(code, 'The reason.'))],
    })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error: `${code}: The reason.`,
      retryable,
    })
    expect(logged).toEqual([])
  })

  test('with the missing requirement when its dataset has no option', async () => {
    expect(await createTestContext(field(), {}).ask('it')).toMatchObject({
      status: 'failed',
      error: 'offline_no_data: No local data for areas.',
      retryable: false,
      driver: null,
    })
  })

  test('with internal_error after an unexpected error, which is logged once, and the other fields are answered', async () => {
    const both = contentsOf(
      [fieldOf('it', named), fieldOf('well', { dataset: 'wells', op: 'attribute', attribute: 'IT' })],
      { datasets: { ...usualDatasets, wells: datasetOf() } },
    )
    const { answer, logged } = createTestContext(both, {
      areas: [failingOption(new TypeError('undefined is not an object'))],
      wells: [optionReturning({ IT: 'fine' })],
    })
    const { fields, partial_failures } = await answer(['it', 'well'])
    expect(fields.it).toMatchObject({
      status: 'failed',
      value: null,
      error: 'internal_error: An internal error occurred while it was evaluated.',
      retryable: false,
    })
    expect(fields.well).toMatchObject({ status: 'ok', value: 'fine' })
    expect(partial_failures.map(({ field }) => field)).toEqual(['it'])
    expect(logged).toEqual([{ event: 'field_error', details: { field: 'it', error: expect.any(TypeError) } }])
  })

  test('with internal_error after an unexpected error even when it has a fallback', async () => {
    const safe = contentsOf(
      [fieldOf('it', { ...named, fallback: [{ dataset: 'wells', op: 'attribute', attribute: 'IT' }] })],
      { datasets: { ...usualDatasets, wells: datasetOf() } },
    )
    const { ask, logged } = createTestContext(safe, {
      areas: [failingOption(new TypeError('undefined is not an object'))],
      wells: [optionReturning({ IT: 'fine' })],
    })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      error: 'internal_error: An internal error occurred while it was evaluated.',
    })
    expect(logged).toHaveLength(1)
  })
})

describe('every result has', () => {
  const dataset = datasetOf({ service: 'the_service', source_url: 'https://example.org/data', vintage: '2020' })
  const ofDataset = (more: Partial<Field> = {}) =>
    contentsOf([fieldOf('it', named, { unit: null, ttl_seconds: 77, ...more })], { datasets: { areas: dataset } })

  test('its service, URL, unit and TTL, and the driver and vintage of the option that answered', async () => {
    expect(
      await createTestContext(ofDataset(), {
        areas: [optionReturning({ IT: 'x' }, { driver: 'pack', vintage: '2024' })],
      }).ask('it'),
    ).toEqual({
      value: 'x',
      status: 'ok',
      source: 'the_service',
      unit: null,
      source_url: 'https://example.org/data',
      confidence: 'high',
      fetched_at: '2026-11-21T12:00:00.000+00:00',
      ttl_seconds: 77,
      dataset_vintage: '2024',
      notes: null,
      driver: 'pack',
    })
  })

  test('the vintage of the dataset when the option has none', async () => {
    expect(await createTestContext(ofDataset(), { areas: [optionReturning({ IT: 'x' })] }).ask('it')).toMatchObject({
      dataset_vintage: '2020',
    })
  })

  test('the URL of the field when it has one', async () => {
    expect(
      await createTestContext(ofDataset({ source_url: 'https://example.org/page' }), {
        areas: [optionReturning({ IT: 'x' })],
      }).ask('it'),
    ).toMatchObject({ source_url: 'https://example.org/page' })
  })

  test('the source that it would have come from when it failed', async () => {
    expect(await createTestContext(ofDataset(), {}).ask('it')).toEqual({
      value: null,
      status: 'failed',
      error: 'offline_no_data: No local data for areas.',
      retryable: false,
      source: 'the_service',
      unit: null,
      source_url: 'https://example.org/data',
      confidence: 'unknown',
      fetched_at: null,
      ttl_seconds: 77,
      dataset_vintage: '2020',
      notes: null,
      driver: null,
    })
  })
})

describe('the confidence of a value is', () => {
  const askOf = (dataset: Partial<Dataset>, read: Partial<ReadSpec> = {}, option = optionReturning({ IT: 'x' })) =>
    createTestContext(
      contentsOf([fieldOf('it', { ...named, ...read } as ReadSpec)], { datasets: { areas: datasetOf(dataset) } }),
      { areas: [option] },
    ).ask('it')

  test("high for the publisher's own value at the place", async () => {
    expect(await askOf({})).toMatchObject({ status: 'ok', confidence: 'high' })
  })

  test('high where the publisher has nothing', async () => {
    expect(
      await askOf(
        {},
        {},
        fakeOption(() => []),
      ),
    ).toMatchObject({ status: 'absent', confidence: 'high' })
  })

  test('medium for a dataset that is modeled, aggregated, coarse or dated', async () => {
    const confidence = { level: 'medium', reason: 'Modeled.' } as const
    expect(await askOf({ confidence })).toMatchObject({ status: 'ok', confidence: 'medium' })
  })

  test('low for a read that stands in for what the field names', async () => {
    const stand_in = 'A line beside the one that is meant.'
    expect(await askOf({}, { stand_in })).toMatchObject({ status: 'ok', confidence: 'low' })
  })

  test('unknown when the source failed', async () => {
    const failing = failingOption(new UpstreamError('timeout', 'No answer.'))
    expect(await askOf({}, {}, failing)).toMatchObject({ status: 'failed', confidence: 'unknown', fetched_at: null })
  })
})

test('an answer has its fields in the requested order, a list of its failures, and the time in UTC with an offset', async () => {
  const many = contentsOf(
    ['one', 'two', 'three'].map((name) => fieldOf(name, { ...named, attribute: name.toUpperCase() })),
  )
  const answer = await createTestContext(many, { areas: [optionReturning({ ONE: 1, TWO: 'b', THREE: 3 })] }).answer([
    'three',
    'two',
    'one',
  ])
  expect(Object.keys(answer.fields)).toEqual(['three', 'two', 'one'])
  expect(answer).toMatchObject({
    lat: denver.lat,
    lng: denver.lng,
    fetched_at: '2026-11-21T12:00:00.000+00:00',
    resolved_location: { lat: denver.lat, lng: denver.lng, source: 'coordinate' },
    partial_failures: [
      {
        field: 'three',
        source: 'made_up',
        error: 'bad_value: three must be a string, but its source returned 3.',
        retryable: false,
      },
      {
        field: 'one',
        source: 'made_up',
        error: 'bad_value: one must be a string, but its source returned 1.',
        retryable: false,
      },
    ],
  })
})
