import { describe, expect, test } from 'bun:test'
import type { Field, ReadSpec } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Feature } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf, usualDatasets } from '../support/catalog-contents.ts'
import { denver, createTestContext, failingOption, optionReturning, toronto, fakeOption } from './fake-context.ts'

const meters: Partial<Field> = { type: 'float', unit: 'm' }
const attribute = (name: string, dataset = 'areas'): ReadSpec => ({ dataset, op: 'attribute', attribute: name })
const formula = (expression: string, from: NonNullable<ReadSpec['from']>): ReadSpec => ({
  dataset: 'computed',
  op: 'computed',
  expression,
  from,
})
const datasets = {
  ...usualDatasets,
  wells: datasetOf({ coverage: { regions: ['conus'], note: null } }),
  county: datasetOf({ shape: 'document', serve: [{ driver: 'computed' }] }),
}
const [a, b] = [fieldOf('aa', attribute('A'), meters), fieldOf('bb', attribute('B', 'wells'), meters)]
const sum = fieldOf('sum', formula('x + y', { x: 'aa', y: 'bb' }), meters)
const contents = contentsOf(
  [
    a,
    b,
    sum,
    fieldOf('twice', formula('2 * sum', { sum: 'sum' }), meters),
    fieldOf('more', formula('sum + twice + lat', { sum: 'sum', twice: 'twice', lat: 'lat' }), meters),
  ],
  { datasets },
)

describe('a computed field', () => {
  test('is computed from other fields and the point, to any depth', async () => {
    const { ask } = createTestContext(contents, {
      areas: [optionReturning({ A: 1 })],
      wells: [optionReturning({ B: 2 })],
    })
    expect(await ask('sum')).toMatchObject({ status: 'ok', value: 3, driver: 'computed', dataset_vintage: null })
    expect(await ask('more')).toMatchObject({ value: 3 + 6 + denver.lat })
  })

  test('is trusted no more than the least of its inputs', async () => {
    const confidence = { level: 'medium', reason: 'Modeled.' } as const
    const modeled = contentsOf(
      [a, b, sum, fieldOf('stood', formula('x', { x: { ...attribute('A'), stand_in: 'Near.' } }), meters)],
      { datasets: { ...datasets, wells: datasetOf({ confidence }) } },
    )
    const { ask } = createTestContext(modeled, {
      areas: [optionReturning({ A: 1 })],
      wells: [optionReturning({ B: 2 })],
    })
    const levels = await Promise.all(['aa', 'bb', 'sum', 'stood'].map(async (name) => (await ask(name)).confidence))
    expect(levels).toEqual(['high', 'medium', 'medium', 'low'])
  })

  test('is computed from a read of its own', async () => {
    const own = contentsOf([fieldOf('it', formula('x / 1000', { x: attribute('A') }), meters)], { datasets })
    expect(await createTestContext(own, { areas: [optionReturning({ A: 2500 })] }).value('it')).toBe(2.5)
  })

  test('is absent for the reason of its absent input', async () => {
    const { value } = createTestContext(contents, {
      areas: [optionReturning({ A: null })],
      wells: [optionReturning({ B: 2 })],
    })
    expect([await value('sum'), await value('twice')]).toEqual(['absent, no_data', 'absent, no_data'])
    const outside = createTestContext(contents, {
      areas: [optionReturning({ A: 1 })],
      wells: [optionReturning({ B: 2 })],
    })
    expect(await outside.value('sum', toronto)).toBe('absent, outside_coverage')
  })

  test('fails with the error of its failed input', async () => {
    const { ask } = createTestContext(contents, {
      areas: [optionReturning({ A: 1 })],
      wells: [failingOption(new UpstreamError('timeout', 'The wells took too long.'))],
    })
    expect(await ask('more')).toMatchObject({
      status: 'failed',
      error: 'timeout: The wells took too long.',
      retryable: true,
      driver: null,
    })
  })

  test('fails when an input throws an unexpected error, which is logged for the requested field', async () => {
    const { value, logged } = createTestContext(contents, {
      areas: [failingOption(new TypeError('oops'))],
      wells: [optionReturning({ B: 2 })],
    })
    expect(await value('twice')).toBe('failed, internal_error: An internal error occurred while twice was evaluated.')
    expect(logged.map(({ details }) => details.field)).toEqual(['twice'])
  })

  test('is absent after a division by zero', async () => {
    const ratio = contentsOf([a, b, fieldOf('it', formula('x / y', { x: 'aa', y: 'bb' }), meters)], { datasets })
    expect(
      await createTestContext(ratio, { areas: [optionReturning({ A: 1 })], wells: [optionReturning({ B: 0 })] }).value(
        'it',
      ),
    ).toBe('absent, no_data')
  })

  test('is checked against its valid range', async () => {
    const small = contentsOf(
      [a, fieldOf('it', formula('1000 * x', { x: 'aa' }), { ...meters, valid_range: [0, 100] })],
      { datasets },
    )
    expect(await createTestContext(small, { areas: [optionReturning({ A: 1 })] }).value('it')).toStartWith(
      'failed, out_of_range: 1000 is outside the valid range',
    )
  })

  test('uses the time of the request', async () => {
    const now = new Date('2030-06-01T00:00:00Z')
    const magnetic = contentsOf([
      fieldOf(
        'it',
        { dataset: 'computed', op: 'computed', function: 'wmm_declination', from: { lat: 'lat', lng: 'lng' } },
        { type: 'float', unit: 'degrees' },
      ),
    ])
    expect(await createTestContext(magnetic, {}, { now }).value('it')).toBe(
      'failed, unsupported_request: The World Magnetic Model of this version does not cover 2030-06-01. Install a newer version of Fieldstone.',
    )
  })
})

describe('a condition with a year', () => {
  test('is sent with the year of the request', async () => {
    const fires = optionReturning({ A: 1 })
    const recent = contentsOf([
      fieldOf('it', { ...attribute('A'), where: 'YEAR >= {year-10} AND YEAR <= {year}' } as ReadSpec, meters),
    ])
    await createTestContext(recent, { areas: [fires] }, { now: new Date('2027-12-31T23:59:59Z') }).ask('it')
    expect(fires.queries.map(({ where }) => where)).toEqual(['YEAR >= 2017 AND YEAR <= 2027'])
  })
})

describe('a key', () => {
  const row = (key: string | string[]): ReadSpec => ({ dataset: 'county', op: 'row', key, column: 'POP' })
  const rows = () => fakeOption(() => [{ POP: 5 }])
  const fips = fieldOf('fips', attribute('GEOID'))
  const tract = fieldOf('tract', attribute('TRACT'))
  const keyed = (key: string | string[]) =>
    contentsOf([fips, tract, fieldOf('it', row(key), { type: 'integer', unit: 'count' })], { datasets })

  test('is the value of a field', async () => {
    const county = rows()
    expect(
      await createTestContext(keyed('fips'), {
        areas: [optionReturning({ GEOID: '08031', TRACT: '1' })],
        county: [county],
      }).value('it'),
    ).toBe(5)
    expect(county.queries).toEqual([{ at: { lat: denver.lat, lng: denver.lng }, key: '08031' }])
  })

  test('is the values of several, joined', async () => {
    const county = rows()
    await createTestContext(keyed(['fips', 'tract']), {
      areas: [optionReturning({ GEOID: '08031', TRACT: '000101' })],
      county: [county],
    }).ask('it')
    expect(county.queries.map(({ key }) => key)).toEqual(['08031|000101'])
  })

  test('is the value of a read of its own', async () => {
    const county = rows()
    const read = { ...row('code'), from: { code: attribute('CODE') } } as ReadSpec
    const contents = contentsOf([fieldOf('it', read, { type: 'integer', unit: 'count' })], { datasets })
    expect(
      await createTestContext(contents, { areas: [optionReturning({ CODE: 7292 })], county: [county] }).value('it'),
    ).toBe(5)
    expect(county.queries.map(({ key }) => key)).toEqual(['7292'])
  })

  test('that is absent makes the field absent, and a failed one makes it fail, without a query', async () => {
    const county = rows()
    const ask = (areas: ReturnType<typeof fakeOption>) =>
      createTestContext(keyed('fips'), { areas: [areas], county: [county] }).value('it')
    expect(await ask(fakeOption((): Feature[] => []))).toBe('absent, no_data')
    expect(await ask(failingOption(new UpstreamError('timeout', 'Slow.')))).toBe('failed, timeout: Slow.')
    expect(county.queries).toEqual([])
  })
})

describe('shared inputs are read once', () => {
  test('a field that is the input of several is read once', async () => {
    let reads = 0
    const [areas, wells] = [optionReturning({ A: 1 }, { covers: () => ++reads > 0 }), optionReturning({ B: 2 })]
    const { fields } = await createTestContext(contents, { areas: [areas], wells: [wells] }).answer([
      'sum',
      'twice',
      'more',
      'aa',
      'bb',
    ])
    expect(Object.values(fields).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    expect([reads, areas.queries.length, wells.queries.length]).toEqual([1, 1, 1])
  })

  test('fields that send the same query to a source share its answer and its failure', async () => {
    const many = contentsOf(['one', 'two', 'three'].map((name) => fieldOf(name, attribute(name))))
    const areas = optionReturning({ one: 'a', two: 'b', three: 'c' })
    const { fields } = await createTestContext(many, { areas: [areas] }).answer(['one', 'two', 'three'])
    expect([Object.values(fields).map(({ value }) => value), areas.queries.length]).toEqual([['a', 'b', 'c'], 1])
    const broken = failingOption(new UpstreamError('timeout', 'Slow.'))
    const failed = await createTestContext(many, { areas: [broken] }).answer(['one', 'two', 'three'])
    expect([failed.partial_failures.length, broken.queries.length]).toEqual([3, 1])
  })

  test('different queries are separate calls', async () => {
    const many = contentsOf([
      fieldOf('one', attribute('A')),
      fieldOf('two', { ...attribute('A'), where: 'B = 1' } as ReadSpec),
      fieldOf('three', { dataset: 'areas', op: 'nearest_attribute', attribute: 'A', search_radii_m: [1_000] }),
      fieldOf('four', { dataset: 'areas', op: 'nearest_distance', search_radii_m: [1_000] }, meters),
    ])
    const areas = optionReturning({ A: 'a', B: 1 })
    await createTestContext(many, { areas: [areas] }).answer(['one', 'two', 'three', 'four'])
    expect(areas.queries).toHaveLength(3)
  })

  test('another place is a separate query', async () => {
    const areas = optionReturning({ A: 1 })
    const { ask } = createTestContext(contents, { areas: [areas] })
    await Promise.all([ask('aa'), ask('aa', { ...denver, lat: 40 })])
    expect(areas.queries.map(({ at }) => (at as { lat: number }).lat)).toEqual([denver.lat, 40])
  })
})
