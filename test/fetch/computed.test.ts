import { describe, expect, test } from 'bun:test'
import type { Field, ReadSpec } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Feature } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf, usualDatasets } from '../support/catalog-contents.ts'
import { denver, deskOf, failing, giving, toronto, way } from './fake-context.ts'

const metres: Partial<Field> = { type: 'float', unit: 'm' }
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
const [a, b] = [fieldOf('aa', attribute('A'), metres), fieldOf('bb', attribute('B', 'wells'), metres)]
const sum = fieldOf('sum', formula('x + y', { x: 'aa', y: 'bb' }), metres)
const contents = contentsOf(
  [
    a,
    b,
    sum,
    fieldOf('twice', formula('2 * sum', { sum: 'sum' }), metres),
    fieldOf('more', formula('sum + twice + lat', { sum: 'sum', twice: 'twice', lat: 'lat' }), metres),
  ],
  { datasets },
)

describe('a computed field', () => {
  test('is worked out from other fields and the point, to any depth', async () => {
    const { ask } = deskOf(contents, { areas: [giving({ A: 1 })], wells: [giving({ B: 2 })] })
    expect(await ask('sum')).toMatchObject({ status: 'ok', value: 3, driver: 'computed', vintage: null })
    expect(await ask('more')).toMatchObject({ value: 3 + 6 + denver.lat })
  })

  test('is worked out from a read of its own', async () => {
    const own = contentsOf([fieldOf('it', formula('x / 1000', { x: attribute('A') }), metres)], { datasets })
    expect(await deskOf(own, { areas: [giving({ A: 2500 })] }).value('it')).toBe(2.5)
  })

  test('is absent when an input is absent, for the reason of the input', async () => {
    const { value } = deskOf(contents, { areas: [giving({ A: null })], wells: [giving({ B: 2 })] })
    expect([await value('sum'), await value('twice')]).toEqual(['absent, no_data', 'absent, no_data'])
    const outside = deskOf(contents, { areas: [giving({ A: 1 })], wells: [giving({ B: 2 })] })
    expect(await outside.value('sum', toronto)).toBe('absent, outside_coverage')
  })

  test('fails when an input fails, as the input failed', async () => {
    const { ask } = deskOf(contents, {
      areas: [giving({ A: 1 })],
      wells: [failing(new UpstreamError('timeout', 'The wells took too long.'))],
    })
    expect(await ask('more')).toMatchObject({
      status: 'failed',
      error: 'timeout: The wells took too long.',
      retryable: true,
      driver: null,
    })
  })

  test('fails when an input fails by a fault of ours, which is logged for the field that was asked', async () => {
    const { value, logged } = deskOf(contents, { areas: [failing(new TypeError('oops'))], wells: [giving({ B: 2 })] })
    expect(await value('twice')).toBe('failed, internal_error: twice could not be worked out, by a fault of ours.')
    expect(logged.map(({ about }) => about.field)).toEqual(['twice'])
  })

  test('without a number is absent: a division by zero gives none', async () => {
    const ratio = contentsOf([a, b, fieldOf('it', formula('x / y', { x: 'aa', y: 'bb' }), metres)], { datasets })
    expect(await deskOf(ratio, { areas: [giving({ A: 1 })], wells: [giving({ B: 0 })] }).value('it')).toBe(
      'absent, no_data',
    )
  })

  test('is held to its range like any other', async () => {
    const small = contentsOf(
      [a, fieldOf('it', formula('1000 * x', { x: 'aa' }), { ...metres, valid_range: [0, 100] })],
      { datasets },
    )
    expect(await deskOf(small, { areas: [giving({ A: 1 })] }).value('it')).toStartWith(
      'failed, out_of_range: 1000 is not possible',
    )
  })

  test('with the clock has the time of the desk, the same for all fields', async () => {
    const now = new Date('2030-06-01T00:00:00Z')
    const magnetic = contentsOf([
      fieldOf(
        'it',
        { dataset: 'computed', op: 'computed', function: 'wmm_declination', from: { lat: 'lat', lng: 'lng' } },
        { type: 'float', unit: 'degrees' },
      ),
    ])
    expect(await deskOf(magnetic, {}, { now }).value('it')).toBe(
      'failed, unsupported_request: The World Magnetic Model of this version does not cover 2030-06-01. Install a newer version of Fieldstone.',
    )
  })
})

describe('a condition with a year', () => {
  test('is asked with the year of the desk', async () => {
    const fires = giving({ A: 1 })
    const recent = contentsOf([
      fieldOf('it', { ...attribute('A'), where: 'YEAR >= {year-10} AND YEAR <= {year}' } as ReadSpec, metres),
    ])
    await deskOf(recent, { areas: [fires] }, { now: new Date('2027-12-31T23:59:59Z') }).ask('it')
    expect(fires.asked.map(({ where }) => where)).toEqual(['YEAR >= 2017 AND YEAR <= 2027'])
  })
})

describe('a key', () => {
  const row = (key: string | string[]): ReadSpec => ({ dataset: 'county', op: 'row', key, column: 'POP' })
  const rows = () => way(() => [{ POP: 5 }])
  const fips = fieldOf('fips', attribute('GEOID'))
  const tract = fieldOf('tract', attribute('TRACT'))
  const keyed = (key: string | string[]) =>
    contentsOf([fips, tract, fieldOf('it', row(key), { type: 'integer', unit: 'count' })], { datasets })

  test('is the value of a field', async () => {
    const county = rows()
    expect(
      await deskOf(keyed('fips'), { areas: [giving({ GEOID: '08031', TRACT: '1' })], county: [county] }).value('it'),
    ).toBe(5)
    expect(county.asked).toEqual([{ at: { lat: denver.lat, lng: denver.lng }, key: '08031' }])
  })

  test('is the values of several, joined', async () => {
    const county = rows()
    await deskOf(keyed(['fips', 'tract']), {
      areas: [giving({ GEOID: '08031', TRACT: '000101' })],
      county: [county],
    }).ask('it')
    expect(county.asked.map(({ key }) => key)).toEqual(['08031|000101'])
  })

  test('is the value of a read of its own', async () => {
    const county = rows()
    const read = { ...row('code'), from: { code: attribute('CODE') } } as ReadSpec
    const contents = contentsOf([fieldOf('it', read, { type: 'integer', unit: 'count' })], { datasets })
    expect(await deskOf(contents, { areas: [giving({ CODE: 7292 })], county: [county] }).value('it')).toBe(5)
    expect(county.asked.map(({ key }) => key)).toEqual(['7292'])
  })

  test('that is absent makes the field absent, and one that failed makes it fail; the document is not asked', async () => {
    const county = rows()
    const ask = (areas: ReturnType<typeof way>) =>
      deskOf(keyed('fips'), { areas: [areas], county: [county] }).value('it')
    expect(await ask(way((): Feature[] => []))).toBe('absent, no_data')
    expect(await ask(failing(new UpstreamError('timeout', 'Slow.')))).toBe('failed, timeout: Slow.')
    expect(county.asked).toEqual([])
  })
})

describe('what is shared is asked once', () => {
  test('a field that several are computed from is read once', async () => {
    let reads = 0
    const [areas, wells] = [giving({ A: 1 }, { covers: () => ++reads > 0 }), giving({ B: 2 })]
    const { fields } = await deskOf(contents, { areas: [areas], wells: [wells] }).answer([
      'sum',
      'twice',
      'more',
      'aa',
      'bb',
    ])
    expect(Object.values(fields).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    expect([reads, areas.asked.length, wells.asked.length]).toEqual([1, 1, 1])
  })

  test('fields that put the same question to one source share its answer, and its failure', async () => {
    const many = contentsOf(['one', 'two', 'three'].map((name) => fieldOf(name, attribute(name))))
    const areas = giving({ one: 'a', two: 'b', three: 'c' })
    const { fields } = await deskOf(many, { areas: [areas] }).answer(['one', 'two', 'three'])
    expect([Object.values(fields).map(({ value }) => value), areas.asked.length]).toEqual([['a', 'b', 'c'], 1])
    const broken = failing(new UpstreamError('timeout', 'Slow.'))
    const failed = await deskOf(many, { areas: [broken] }).answer(['one', 'two', 'three'])
    expect([failed.partial_failures.length, broken.asked.length]).toEqual([3, 1])
  })

  test('other questions are other calls', async () => {
    const many = contentsOf([
      fieldOf('one', attribute('A')),
      fieldOf('two', { ...attribute('A'), where: 'B = 1' } as ReadSpec),
      fieldOf('three', { dataset: 'areas', op: 'nearest_attribute', attribute: 'A', search_radii_m: [1_000] }),
      fieldOf('four', { dataset: 'areas', op: 'nearest_distance', search_radii_m: [1_000] }, metres),
    ])
    const areas = giving({ A: 'a', B: 1 })
    await deskOf(many, { areas: [areas] }).answer(['one', 'two', 'three', 'four'])
    expect(areas.asked).toHaveLength(3)
  })

  test('another place is another question', async () => {
    const areas = giving({ A: 1 })
    const { ask } = deskOf(contents, { areas: [areas] })
    await Promise.all([ask('aa'), ask('aa', { ...denver, lat: 40 })])
    expect(areas.asked.map(({ at }) => (at as { lat: number }).lat)).toEqual([denver.lat, 40])
  })
})
