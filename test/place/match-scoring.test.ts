import { describe, expect, test } from 'bun:test'
import type { AccuracyType, AddressMatch } from '../../src/address/address.ts'
import type { Point } from '../../src/model/place.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { chooseMatch } from '../../src/place/match-scoring.ts'
import { createEmbeddedGazetteer } from '../../src/place/embedded-gazetteer.ts'
import { createAddressParser, createAddressReadings } from '../../src/address/parse-address.ts'
import { embeddedFile } from '../support/test-service.ts'

const embedded = openEmbeddedData(embeddedFile)
const gazetteer = createEmbeddedGazetteer(embedded)
const parse = createAddressParser(gazetteer)
const readings = createAddressReadings(gazetteer)

const isInState = (_at: Point, state: string | undefined) => state !== 'WY'
const query = '100 N Main St, Denver, CO 80203'
const denver = { lat: 39.7185, lng: -104.9875 }

/** A match with an address only; its parts are parsed from it. */
function match(normalized_address: string, more: Partial<AddressMatch> = {}): AddressMatch {
  return { ...denver, accuracy_type: 'rooftop', score: 1, normalized_address, components: {}, ...more }
}
const outcomeFor = (text: string, matches: AddressMatch[], scoresParts = false) =>
  chooseMatch(
    parse(text),
    matches,
    { name: 'a provider', scoresParts },
    { parse, readings, isInState, gazetteer },
  ) as Record<string, unknown>
const codesOf = ({ warnings }: Record<string, unknown>) => (warnings as string[]).map((it) => it.split(':')[0])

describe('a difference lowers the score and causes a warning', () => {
  const differences = [
    ['nothing', '100 N Main St, Denver, CO 80203', 1, []],
    ['case and spelling', '100 NORTH MAIN STREET, DENVER, CO, 80203', 1, []],
    ['the ZIP code with the same first three digits', '100 N Main St, Denver, CO 80205', 0.9, ['zip_changed']],
    ['the name of the town, with the same ZIP code', '100 N Main St, Glendale, CO 80203', 0.85, ['city_changed']],
    ['a missing direction', '100 Main St, Denver, CO 80203', 0.8, ['direction_changed']],
    [
      'a missing direction and the ZIP code',
      '100 Main St, Denver, CO 80205',
      0.7,
      ['zip_changed', 'direction_changed', 'low_score'],
    ],
  ] as const
  test.each(differences)('%s', (_name, found, accuracy, warnings) => {
    const it = outcomeFor(query, [match(found)])
    expect(it).toMatchObject({ accuracy, provider: 'a provider', normalized_address: found })
    expect(codesOf(it)).toEqual([...warnings])
  })

  test('and adds to the uncertainty of the provider', () => {
    expect(outcomeFor(query, [match('100 N Main St, Denver, CO 80205', { score: 0.95 })])).toMatchObject({
      accuracy: 0.85,
    })
  })

  test('but not twice if the provider compares the parts itself', () => {
    expect(outcomeFor(query, [match('100 N Main St, Denver, CO 80205', { score: 0.9 })], true)).toMatchObject({
      accuracy: 0.9,
      warnings: [expect.stringContaining('zip_changed')],
    })
  })
})

describe('a match on a different street or in a different town is a candidate, never an answer', () => {
  const different = [
    ['in the opposite direction', '100 S Main St, Denver, CO 80203', 'address_not_found'],
    ['of another street type', '100 N Main Ave, Denver, CO 80203', 'address_not_found'],
    ['in a ZIP code far from the town', '100 N Main St, Denver, CO 80538', 'wrong_locality'],
  ] as const
  test.each(different)('%s', (name, found, rejected) => {
    const text = name.includes('ZIP') ? '100 N Main St, Denver, CO 80203' : query
    const requested = name.includes('ZIP') ? text.replace('80203', '80538') : text
    const matched = name.includes('ZIP') ? found.replace('Denver', 'Loveland') : found
    expect(outcomeFor(requested, [match(matched)])).toMatchObject({
      rejected,
      candidates: [{ resolved_address: matched }],
    })
  })

  test('and both places are candidates if the town and the ZIP code contradict each other', () => {
    const inTown = match('100 N Main St, Denver, CO 80203')
    const inZip = match('100 N Main St, Loveland, CO 80538', { lat: 40.4, lng: -105.1 })
    expect(outcomeFor('100 N Main St, Denver, CO 80538', [inTown, inZip])).toMatchObject({
      rejected: 'address_ambiguous',
      candidates: [{}, {}],
    })
  })

  test('a match says how far the second best is, if its score is close', () => {
    const second = match('100 N Main St, Denver, CO 80205', { score: 0.75, lat: 39.8 })
    const outcome = outcomeFor(query, [match(query), second])
    expect(outcome).toMatchObject({
      normalized_address: query,
      warnings: [
        expect.stringMatching(/^runner_up: 100 N Main St, Denver, CO 80205, [\d.]+ km away, has a score of 0\.\d+\./),
      ],
    })
  })

  test('a rooftop is one only if all parts that were given agree', () => {
    const rooftop = (found: string) => outcomeFor(query, [match(found)]).accuracy_type
    expect(rooftop('100 N Main St, Denver, CO 80203')).toBe('rooftop')
    expect(rooftop('100 Main St, Denver, CO 80203')).toBe('point')
    expect(rooftop('100 N Main St, Denver, CO 80205')).toBe('point')
  })
})

describe('a match is rejected', () => {
  const refusals = [
    ['on another street', '100 N Elm St, Denver, CO 80203', 'address_not_found'],
    ['with another number', '102 N Main St, Denver, CO 80203', 'address_not_found'],
    ['without a number', 'N Main St, Denver, CO 80203', 'address_not_found'],
    ['in another state', '100 N Main St, Denver, PA 17517', 'wrong_locality'],
  ] as const
  test.each(refusals)('%s, whatever its label and score', (_name, found, rejected) => {
    expect(outcomeFor(query, [match(found)])).toEqual({ rejected })
  })

  test.each([
    ['in another ZIP region', query, '100 N Main St, Denver, CO 81501', /81501, not 80203/],
    ['in another town, with another ZIP code', query, '100 N Main St, Aurora, CO 80210', /80210, not 80203/],
    [
      'in another town, if the query has no ZIP code',
      '100 N Main St, Denver, CO',
      '100 N Main St, Aurora, CO 80203',
      /Aurora, not Denver/,
    ],
  ])('%s, with the difference and the match as a candidate', (_name, text, found, difference) => {
    expect(outcomeFor(text, [match(found)])).toEqual({
      rejected: 'wrong_locality',
      difference: expect.stringMatching(difference),
      candidates: [expect.objectContaining({ resolved_address: found })],
    })
  })

  test('with the number on a street of another type, and says which', () => {
    expect(outcomeFor('100 N Main St, Denver, CO 80203', [match('100 N Main Ave, Denver, CO 80203')])).toMatchObject({
      rejected: 'address_not_found',
      difference: 'The match is on N Main Ave, not N Main St.',
    })
  })

  test('outside the envelope or the state that it names', () => {
    expect(outcomeFor(query, [match(query, { lat: 0, lng: 0 })])).toEqual({ rejected: 'address_not_found' })
    expect(outcomeFor('100 N Main St, Cheyenne, WY', [match('100 N Main St, Cheyenne, WY')])).toEqual({
      rejected: 'address_not_found',
    })
  })

  test.each([0.59, 0.5, 0])('with a score of %p as not precise, with the match as a candidate', (score) => {
    expect(outcomeFor(query, [match(query, { score })])).toMatchObject({
      rejected: 'address_not_found',
      candidates: [{ resolved_address: query, confidence: score }],
    })
  })

  test('on a street with a similar name in a pack as not precise, with the match as a candidate', () => {
    const found = match('100 N Maine St, Denver, CO 80203', { score: 0.8 })
    expect(outcomeFor(query, [found], true)).toMatchObject({
      rejected: 'address_not_found',
      candidates: [{ resolved_address: found.normalized_address, confidence: 0.5 }],
    })
    expect(outcomeFor(query, [{ ...found, score: 0.59 }], true)).toEqual({ rejected: 'address_not_found' })
  })

  test.each(['place', 'zip', 'county', 'state'] satisfies AccuracyType[])(
    'with accuracy %s as too coarse',
    (accuracy_type) => {
      expect(outcomeFor(query, [match('Denver, CO', { accuracy_type })])).toEqual({
        rejected: 'address_too_coarse',
        accuracy_type,
      })
    },
  )

  test('only if it is coarser than the middle of the street, which is served with its label', () => {
    const center = match('Main St, Denver, CO 80203', { accuracy_type: 'street_center' })
    expect(outcomeFor('100 Main St, Denver, CO 80203', [center])).toMatchObject({ accuracy_type: 'street_center' })
  })

  test('if there is none', () => expect(outcomeFor(query, [])).toEqual({ rejected: 'address_not_found' }))
})

describe('of several matches', () => {
  const near = { lat: denver.lat + 0.0005, lng: denver.lng }
  const far = { lat: denver.lat + 0.01, lng: denver.lng }
  const text = '100 Main St, Denver, CO'

  test('the one that agrees is chosen', () => {
    expect(
      outcomeFor(query, [match('100 S Main St, Denver, CO 80203', { ...far, score: 0.8 }), match(query)]),
    ).toMatchObject({ ...denver, accuracy: 1 })
  })

  test('two good ones at one place count as one', () => {
    expect(
      outcomeFor(text, [match('100 Main St, Denver, CO 80203'), match('100 Main St, Denver, CO 80205', near)]),
    ).toMatchObject(denver)
  })

  test('two good ones far apart are ambiguous, with the better first', () => {
    expect(
      outcomeFor(text, [
        match('100 Main St, Denver, CO 80205', { ...far, score: 0.9 }),
        match('100 Main St, Denver, CO 80203'),
      ]),
    ).toEqual({
      rejected: 'address_ambiguous',
      candidates: [
        {
          resolved_address: '100 Main St, Denver, CO 80203',
          ...denver,
          confidence: 1,
          match_method: 'geocode_rooftop',
          accuracy_type: 'rooftop',
        },
        {
          resolved_address: '100 Main St, Denver, CO 80205',
          ...far,
          confidence: 0.9,
          match_method: 'geocode_rooftop',
          accuracy_type: 'rooftop',
        },
      ],
    })
  })

  test('two fair ones far apart are ambiguous, and a fair one is ignored next to a good one', () => {
    const fair = (address: string, at: Point) => match(address, { ...at, score: 0.7 })
    expect(
      outcomeFor(text, [fair('100 Main St, Denver, CO 80205', far), fair('100 Main St, Denver, CO 80203', denver)]),
    ).toMatchObject({ rejected: 'address_ambiguous' })
    expect(
      outcomeFor(text, [fair('100 Main St, Denver, CO 80205', far), match('100 Main St, Denver, CO 80203')]),
    ).toMatchObject(denver)
  })

  test('one address as rooftop and along its street is one place: the rooftop', () => {
    expect(
      outcomeFor(text, [
        match('100 Main St, Denver, CO 80203', { ...far, accuracy_type: 'range_interpolation' }),
        match('100 Main St, Denver, CO 80203'),
      ]),
    ).toMatchObject({ ...denver, accuracy_type: 'rooftop' })
  })

  test('at most five become candidates', () => {
    const many = Array.from({ length: 12 }, (_, i) =>
      match(`100 Main St, Denver, CO 802${10 + i}`, { lat: denver.lat + i / 100 }),
    )
    expect((outcomeFor(text, many).candidates as unknown[]).length).toBe(5)
  })
})

describe('an intersection', () => {
  const text = 'Broadway & E 1st Ave, Denver, CO'
  test('matches its two streets in either order', () => {
    const found = { accuracy_type: 'intersection' as const, components: { city: 'Denver', state: 'CO' } }
    expect(outcomeFor(text, [match('Broadway and E 1st Ave, Denver, CO 80203', found)])).toMatchObject({
      accuracy_type: 'intersection',
      accuracy: 1,
    })
    expect(outcomeFor(text, [match('E First Ave and Broadway, Denver, CO 80203', found)])).toMatchObject({
      accuracy: 1,
    })
  })

  test('does not match another street', () => {
    expect(
      outcomeFor(text, [
        match('Broadway and E 6th Ave, Denver, CO 80203', {
          accuracy_type: 'intersection',
          components: { city: 'Denver', state: 'CO' },
        }),
      ]),
    ).toEqual({ rejected: 'address_not_found' })
  })

  test('does not match a house, nor a house an intersection', () => {
    expect(outcomeFor(text, [match('100 Broadway, Denver, CO 80203')])).toEqual({ rejected: 'address_not_found' })
    expect(
      outcomeFor('100 Broadway, Denver, CO', [
        match('Broadway and 1st Ave, Denver, CO', { accuracy_type: 'intersection' }),
      ]),
    ).toEqual({ rejected: 'address_not_found' })
  })
})

describe('a house number', () => {
  test.each([
    ['12-34 Main St, New York, NY', '1234 Main St, New York, NY'],
    ['100 1/2 Main St, Denver, CO', '100 Main St, Denver, CO'],
  ])('%s is not %s', (text, found) => {
    expect(outcomeFor(text, [match(found)])).toEqual({ rejected: 'address_not_found' })
  })

  test('may lose its fraction or letter at the nearest rooftop', () => {
    expect(
      outcomeFor('100 1/2 Main St, Denver, CO', [
        match('100 Main St, Denver, CO', { accuracy_type: 'nearest_rooftop_match' }),
      ]),
    ).toMatchObject({ accuracy_type: 'nearest_rooftop_match' })
  })
})
