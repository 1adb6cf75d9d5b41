import { describe, expect, test } from 'bun:test'
import type { Dataset } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Place, Region } from '../../src/model/place.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { denver, createTestContext, failingOption, optionReturning, toronto } from './fake-context.ts'

const covering = (regions: Dataset['coverage']['regions']) =>
  contentsOf([fieldOf('it', { dataset: 'areas', op: 'attribute', attribute: 'IT' })], {
    datasets: { areas: datasetOf({ coverage: { regions, note: null } }) },
  })
const placeIn = (region: Region | null): Place => ({ ...denver, region })

describe('by region', () => {
  test.each<[string, Dataset['coverage']['regions'], Region | null, string]>([
    ['in a region that the dataset covers', ['conus', 'ak'], 'ak', 'x'],
    ['in a region that it does not cover', ['conus', 'ak'], 'hi', 'absent, outside_coverage'],
    [
      'outside the United States',
      ['conus', 'ak', 'hi', 'pr', 'vi', 'gu', 'as', 'mp'],
      null,
      'absent, outside_coverage',
    ],
    ['anywhere when it covers everything', 'everywhere', null, 'x'],
    ['in any region when it covers none', [], 'conus', 'absent, outside_coverage'],
  ])('%s', async (_name, regions, region, outcome) => {
    const option = optionReturning({ IT: 'x' })
    expect(await createTestContext(covering(regions), { areas: [option] }).value('it', placeIn(region))).toBe(outcome)
    expect(option.queries).toHaveLength(outcome === 'x' ? 1 : 0)
  })

  test('outside its coverage a field is absent even when its dataset has no option', async () => {
    expect(await createTestContext(covering(['conus']), {}).value('it', toronto)).toBe('absent, outside_coverage')
  })
})

describe('by option', () => {
  const contents = covering('everywhere')
  const elsewhere = { covers: () => false }

  test('an option that does not cover the place is not queried, and the next one is', async () => {
    const [first, second] = [
      optionReturning({ IT: 'pack' }, { ...elsewhere, driver: 'pack' }),
      optionReturning({ IT: 'embedded' }),
    ]
    expect(await createTestContext(contents, { areas: [first, second] }).ask('it')).toMatchObject({
      value: 'embedded',
      driver: 'embedded',
    })
    expect(first.queries).toEqual([])
  })

  test('the coverage of an option is checked with the place', async () => {
    const places: Place[] = []
    const covers = (place: Place) => places.push(place) > 0
    await createTestContext(contents, { areas: [optionReturning({ IT: 'x' }, { covers })] }).ask('it')
    expect(places).toEqual([denver])
  })

  test('a field is absent when no option covers the place', async () => {
    expect(await createTestContext(contents, { areas: [optionReturning({ IT: 'x' }, elsewhere)] }).value('it')).toBe(
      'absent, outside_coverage',
    )
  })

  test('a field fails when no available option covers the place and others are not available', async () => {
    const { value } = createTestContext(
      contents,
      { areas: [optionReturning({ IT: 'x' }, elsewhere)] },
      { incomplete: ['areas'] },
    )
    expect(await value('it')).toBe('failed, offline_no_data: No local data for areas.')
  })

  test('the next option is queried after a failure, and the first that answers counts', async () => {
    const broken = failingOption(new UpstreamError('timeout', 'Slow.'), { driver: 'pack' })
    const third = optionReturning({ IT: 'third' })
    expect(
      await createTestContext(contents, { areas: [broken, optionReturning({ IT: 'second' }), third] }).ask('it'),
    ).toMatchObject({ value: 'second', driver: 'embedded' })
    expect(third.queries).toEqual([])
  })

  test('the next option is not queried after an absent answer', async () => {
    const second = optionReturning({ IT: 'second' })
    expect(await createTestContext(contents, { areas: [optionReturning({ IT: null }), second] }).value('it')).toBe(
      'absent, no_data',
    )
    expect(second.queries).toEqual([])
  })

  test('when all options fail, the result has the last error', async () => {
    const options = [
      failingOption(new UpstreamError('timeout', 'Slow.')),
      failingOption(new UpstreamError('bad_value', 'Odd.')),
      optionReturning({ IT: 'x' }, elsewhere),
    ]
    expect(await createTestContext(contents, { areas: options }).value('it')).toBe('failed, bad_value: Odd.')
  })

  test('an unexpected error in one option is not hidden by the next', async () => {
    const { value, logged } = createTestContext(contents, {
      areas: [failingOption(new TypeError('oops')), optionReturning({ IT: 'x' })],
    })
    expect(await value('it')).toStartWith('failed, internal_error: ')
    expect(logged).toHaveLength(1)
  })
})
