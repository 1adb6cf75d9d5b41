import { describe, expect, test } from 'bun:test'
import type { Field } from '../../src/catalog/records.ts'
import { UpstreamError, type UpstreamCode } from '../../src/model/error.ts'
import type { Value } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf, usualDatasets } from '../support/catalog-contents.ts'
import { denver, deskOf, failing, giving, way } from './fake-context.ts'

const metres: Partial<Field> = { type: 'float', unit: 'm' }
const named = { dataset: 'areas', op: 'attribute', attribute: 'IT' } as const
const field = (more: Partial<Field> = {}) => contentsOf([fieldOf('it', named, more)])

describe('a value is ok', () => {
  test.each<[string, Partial<Field>, Value, Value]>([
    ['a text', {}, 'x', 'x'],
    ['an empty text', {}, '', ''],
    ['a list, which is a text', { type: 'list' }, 'a; b', 'a; b'],
    ['false', { type: 'boolean' }, false, false],
    ['zero', metres, 0, 0],
    ['a float, to nine digits', metres, 123_456.789_012_345, 123_456.789],
    ['a small float, to nine digits', metres, 0.000_012_345_678_912_3, 0.000_012_345_678_9],
    ['a huge float', metres, 1e300, 1e300],
    ['an integer', { ...metres, type: 'integer' }, 7, 7],
    ['an integer that comes as a float, rounded', { ...metres, type: 'integer' }, 6.999_999_9, 7],
    ['the least that is possible', { ...metres, valid_range: [0, 10] }, 0, 0],
    ['the greatest that is possible', { ...metres, valid_range: [0, 10] }, 10, 10],
    ['a number in a range that is open below', { ...metres, valid_range: [null, 10] }, -1e9, -1e9],
    ['a number in a range that is open above', { ...metres, valid_range: [0, null] }, 1e9, 1e9],
    ['a number that is in the range when it is rounded', { ...metres, valid_range: [0, 10] }, 10.000_000_000_1, 10],
  ])('%s', async (_name, more, given, value) => {
    expect(await deskOf(field(more), { areas: [giving({ IT: given })] }).ask('it')).toMatchObject({
      status: 'ok',
      value,
    })
  })
})

describe('a value is refused', () => {
  test.each<[string, Partial<Field>, Value, string]>([
    ['that is no text', {}, 5, 'bad_value: it is a string, and its source gave 5.'],
    ['that is a text', metres, '5', 'bad_value: it is a float, and its source gave "5".'],
    ['that is no boolean', { type: 'boolean' }, 'T', 'bad_value: it is a boolean, and its source gave "T".'],
    [
      'that is a boolean',
      { ...metres, type: 'integer' },
      true,
      'bad_value: it is a integer, and its source gave true.',
    ],
    [
      'below the range',
      { ...metres, valid_range: [0, 10] },
      -0.1,
      'out_of_range: -0.1 is not possible for it: its range is 0 to 10.',
    ],
    [
      'above the range',
      { ...metres, valid_range: [0, 10] },
      10.1,
      'out_of_range: 10.1 is not possible for it: its range is 0 to 10.',
    ],
    [
      'below a range that is open above',
      { ...metres, valid_range: [0, null] },
      -1,
      'out_of_range: -1 is not possible for it: its range is 0 to open.',
    ],
  ])('%s', async (_name, more, given, error) => {
    expect(await deskOf(field(more), { areas: [giving({ IT: given })] }).ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error,
      retryable: false,
    })
  })

  test.each([NaN, Infinity, -Infinity])('that is a number without a value: %p', async (given) => {
    const part = contentsOf([fieldOf('it', { dataset: 'areas', op: 'nearest_fraction', search_radii_m: null }, metres)])
    const ways = { areas: [way(() => [{ properties: {}, distance_m: 0, fraction: given }])] }
    expect(await deskOf(part, ways).ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error: `bad_value: it is a number, and its source gave ${given}.`,
    })
  })
})

describe('without a value a field is absent, with the reason', () => {
  test('no_data where the source has nothing to say', async () => {
    expect(await deskOf(field(), { areas: [giving({ IT: null })] }).ask('it')).toMatchObject({
      status: 'absent',
      value: null,
      absent_reason: 'no_data',
    })
  })

  test('none_within_radius where nothing is near', async () => {
    const near = contentsOf([
      fieldOf('it', { dataset: 'areas', op: 'nearest_distance', search_radii_m: [1_000] }, metres),
    ])
    expect(await deskOf(near, { areas: [way(() => [])] }).ask('it')).toMatchObject({
      status: 'absent',
      value: null,
      absent_reason: 'none_within_radius',
    })
  })

  test('not_mapped where the map says that it does not say', async () => {
    const mapped = contentsOf([
      fieldOf(
        'it',
        {
          dataset: 'areas',
          op: 'within',
          attribute: 'ZONE',
          test: { in: ['A'] },
          null_when: { ZONE: ['NOT INCLUDED'] },
        },
        { type: 'boolean' },
      ),
    ])
    expect(await deskOf(mapped, { areas: [giving({ ZONE: 'NOT INCLUDED' })] }).ask('it')).toMatchObject({
      status: 'absent',
      value: null,
      absent_reason: 'not_mapped',
    })
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
  ])('with the code %s and a sentence of its source, retryable: %p', async (code, retryable) => {
    const { ask, logged } = deskOf(field(), { areas: [failing(new UpstreamError(code, 'The source says why.'))] })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      value: null,
      error: `${code}: The source says why.`,
      retryable,
    })
    expect(logged).toEqual([])
  })

  test('with what is missing where its dataset has no way', async () => {
    expect(await deskOf(field(), {}).ask('it')).toMatchObject({
      status: 'failed',
      error: 'offline_no_data: There is no local data for areas.',
      retryable: false,
      driver: null,
    })
  })

  test('by a fault of ours alone: it says so, is logged once, and the others are answered', async () => {
    const both = contentsOf(
      [fieldOf('it', named), fieldOf('well', { dataset: 'wells', op: 'attribute', attribute: 'IT' })],
      { datasets: { ...usualDatasets, wells: datasetOf() } },
    )
    const { answer, logged } = deskOf(both, {
      areas: [failing(new TypeError('undefined is not an object'))],
      wells: [giving({ IT: 'fine' })],
    })
    const { fields, partial_failures } = await answer(['it', 'well'])
    expect(fields.it).toMatchObject({
      status: 'failed',
      value: null,
      error: 'internal_error: it could not be worked out, by a fault of ours.',
      retryable: false,
    })
    expect(fields.well).toMatchObject({ status: 'ok', value: 'fine' })
    expect(partial_failures.map(({ field }) => field)).toEqual(['it'])
    expect(logged).toEqual([{ event: 'field_error', about: { field: 'it', error: expect.any(TypeError) } }])
  })

  test('by a fault of ours although it has a fallback, which would hide it', async () => {
    const safe = contentsOf(
      [fieldOf('it', { ...named, fallback: [{ dataset: 'wells', op: 'attribute', attribute: 'IT' }] })],
      { datasets: { ...usualDatasets, wells: datasetOf() } },
    )
    const { ask, logged } = deskOf(safe, {
      areas: [failing(new TypeError('undefined is not an object'))],
      wells: [giving({ IT: 'fine' })],
    })
    expect(await ask('it')).toMatchObject({
      status: 'failed',
      error: 'internal_error: it could not be worked out, by a fault of ours.',
    })
    expect(logged).toHaveLength(1)
  })
})

describe('every result says', () => {
  const about = datasetOf({ service: 'the_service', source_url: 'https://example.org/data', vintage: '2020' })
  const ofDataset = (more: Partial<Field> = {}) =>
    contentsOf([fieldOf('it', named, { unit: null, ttl_seconds: 77, ...more })], { datasets: { areas: about } })

  test('its service, link, unit and time to live, and the way that answered with its edition', async () => {
    expect(
      await deskOf(ofDataset(), { areas: [giving({ IT: 'x' }, { driver: 'pack', vintage: '2024' })] }).ask('it'),
    ).toEqual({
      value: 'x',
      status: 'ok',
      source: 'the_service',
      unit: null,
      source_url: 'https://example.org/data',
      ttl_seconds: 77,
      vintage: '2024',
      driver: 'pack',
    })
  })

  test('the edition that the dataset states, where the way states none', async () => {
    expect(await deskOf(ofDataset(), { areas: [giving({ IT: 'x' })] }).ask('it')).toMatchObject({ vintage: '2020' })
  })

  test('the link of the field itself, where it has one', async () => {
    expect(
      await deskOf(ofDataset({ source_url: 'https://example.org/page' }), { areas: [giving({ IT: 'x' })] }).ask('it'),
    ).toMatchObject({ source_url: 'https://example.org/page' })
  })

  test('where it would have come from, when it failed', async () => {
    expect(await deskOf(ofDataset(), {}).ask('it')).toEqual({
      value: null,
      status: 'failed',
      error: 'offline_no_data: There is no local data for areas.',
      retryable: false,
      source: 'the_service',
      unit: null,
      source_url: 'https://example.org/data',
      ttl_seconds: 77,
      vintage: '2020',
      driver: null,
    })
  })
})

test('an answer has its fields in the order they were asked for, its failures once more as a list, and the time in UTC with an offset', async () => {
  const many = contentsOf(
    ['one', 'two', 'three'].map((name) => fieldOf(name, { ...named, attribute: name.toUpperCase() })),
  )
  const answer = await deskOf(many, { areas: [giving({ ONE: 1, TWO: 'b', THREE: 3 })] }).answer(['three', 'two', 'one'])
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
        error: 'bad_value: three is a string, and its source gave 3.',
        retryable: false,
      },
      {
        field: 'one',
        source: 'made_up',
        error: 'bad_value: one is a string, and its source gave 1.',
        retryable: false,
      },
    ],
  })
})
