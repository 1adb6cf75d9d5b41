import { describe, expect, test } from 'bun:test'
import type { Dataset } from '../../src/catalog/records.ts'
import { UpstreamError } from '../../src/model/error.ts'
import type { Place, Region } from '../../src/model/place.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { denver, deskOf, failing, giving, toronto } from './fake-context.ts'

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
    ['anywhere, when it covers everything', 'everywhere', null, 'x'],
    ['nowhere, when it covers nothing', [], 'conus', 'absent, outside_coverage'],
  ])('%s', async (_name, regions, region, outcome) => {
    const way = giving({ IT: 'x' })
    expect(await deskOf(covering(regions), { areas: [way] }).value('it', placeIn(region))).toBe(outcome)
    expect(way.asked).toHaveLength(outcome === 'x' ? 1 : 0)
  })

  test('outside it a field is absent even where its dataset has no way: nothing failed, for nothing is there', async () => {
    expect(await deskOf(covering(['conus']), {}).value('it', toronto)).toBe('absent, outside_coverage')
  })
})

describe('by way', () => {
  const contents = covering('everywhere')
  const elsewhere = { covers: () => false }

  test('a way that does not cover the place is not asked, and the next is', async () => {
    const [first, second] = [giving({ IT: 'pack' }, { ...elsewhere, driver: 'pack' }), giving({ IT: 'embedded' })]
    expect(await deskOf(contents, { areas: [first, second] }).ask('it')).toMatchObject({
      value: 'embedded',
      driver: 'embedded',
    })
    expect(first.asked).toEqual([])
  })

  test('a way is asked of the place itself', async () => {
    const asked: Place[] = []
    const covers = (place: Place) => asked.push(place) > 0
    await deskOf(contents, { areas: [giving({ IT: 'x' }, { covers })] }).ask('it')
    expect(asked).toEqual([denver])
  })

  test('where none of them covers the place, the field is absent', async () => {
    expect(await deskOf(contents, { areas: [giving({ IT: 'x' }, elsewhere)] }).value('it')).toBe(
      'absent, outside_coverage',
    )
  })

  test('where none of those at hand covers the place and there are others, it is not known', async () => {
    const { value } = deskOf(contents, { areas: [giving({ IT: 'x' }, elsewhere)] }, { lacking: ['areas'] })
    expect(await value('it')).toBe('failed, offline_no_data: There is no local data for areas.')
  })

  test('the next way is asked when one has failed, and the first that answers counts', async () => {
    const broken = failing(new UpstreamError('timeout', 'Slow.'), { driver: 'pack' })
    const third = giving({ IT: 'third' })
    expect(await deskOf(contents, { areas: [broken, giving({ IT: 'second' }), third] }).ask('it')).toMatchObject({
      value: 'second',
      driver: 'embedded',
    })
    expect(third.asked).toEqual([])
  })

  test('the next way is not asked when one has answered that there is nothing', async () => {
    const second = giving({ IT: 'second' })
    expect(await deskOf(contents, { areas: [giving({ IT: null }), second] }).value('it')).toBe('absent, no_data')
    expect(second.asked).toEqual([])
  })

  test('when all have failed, the last failure is the one that is told', async () => {
    const ways = [
      failing(new UpstreamError('timeout', 'Slow.')),
      failing(new UpstreamError('bad_value', 'Odd.')),
      giving({ IT: 'x' }, elsewhere),
    ]
    expect(await deskOf(contents, { areas: ways }).value('it')).toBe('failed, bad_value: Odd.')
  })

  test('a fault of ours in one way is not hidden by the next', async () => {
    const { value, logged } = deskOf(contents, { areas: [failing(new TypeError('oops')), giving({ IT: 'x' })] })
    expect(await value('it')).toStartWith('failed, internal_error: ')
    expect(logged).toHaveLength(1)
  })
})
