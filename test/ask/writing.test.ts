import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { createAnswerTextReader } from '../../src/ask/answer/synthesizer.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import type { Fact } from '../../src/ask/answer/fact.ts'
import { meaningOf } from '../../src/ask/answer/sentence.ts'
import { unsupportedNumbers } from '../../src/ask/answer/number-check.ts'
import { writeFromTemplates } from '../../src/ask/answer/template-writer.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { testDictionary } from '../support/test-dictionary.ts'

const catalog = createCatalog(contents)
const planner = new BuiltInPlanner(catalog, testDictionary)
const planFor = (question: string) => planner.plan(question).fields.map(({ name }) => name)
const point = { lat: 25.79, lng: -80.13 }

function fact(name: string, outcome: Partial<FieldResult> | number | string | boolean): Fact {
  const field = catalog.fields.get(name)!
  const given = typeof outcome === 'object' ? outcome : { value: outcome, status: 'ok' as const }
  return {
    field,
    result: {
      source: catalog.datasets.get(field.read.dataset)!.service,
      unit: field.unit,
      source_url: 'https://example.org/',
      ttl_seconds: 1,
      confidence: 'high',
      fetched_at: '2026-11-28T00:00:00.000+00:00',
      dataset_vintage: null,
      notes: null,
      driver: 'rest',
      ...given,
    } as FieldResult,
  }
}
const written = (question: string, ...facts: Fact[]) => writeFromTemplates({ question, facts }).lines

describe('sentences', () => {
  const longestIn = (lines: string[]) =>
    Math.max(
      ...lines
        .flatMap((line) => line.replaceAll(/ \[\d+\]/g, '').split(/(?<=[.?!])\s+/))
        .map((it) => it.split(/\s+/).length),
    )

  test('have at most 40 words, for each value and absence of each field', () => {
    const outcomes: Partial<FieldResult>[] = (
      ['no_data', 'not_mapped', 'none_within_radius', 'outside_coverage'] as const
    ).map((absent_reason) => ({ status: 'absent', value: null, absent_reason }))
    for (const { name, type, class_labels } of catalog.fields.values()) {
      const keys = Object.keys(class_labels ?? {}).map((key) => (type === 'string' ? key : Number(key)))
      const values = type === 'boolean' ? [true, false] : [...keys, type === 'string' ? 'Some name' : 3.5]
      const all = [...outcomes, ...values.map((value) => ({ status: 'ok' as const, value, dataset_vintage: '2023' }))]
      for (const outcome of all) {
        const lines = written('?', fact(name, outcome))
        expect([name, lines, longestIn(lines) <= 40]).toEqual([name, lines, true])
      }
    }
  })

  test.each([...catalog.presets])(
    'have at most 40 words when the fields of %s are absent or failed',
    (_, { fields }) => {
      for (const outcome of [
        { status: 'absent', value: null, absent_reason: 'outside_coverage' },
        { status: 'failed', error: 'offline_no_data: x' },
      ]) {
        const lines = written('?', ...fields.map((name) => fact(name, outcome as Partial<FieldResult>)))
        expect([lines, longestIn(lines) <= 40]).toEqual([lines, true])
        expect(lines.join(' ')).not.toContain('(offline_no_data)')
      }
    },
  )
})

describe('the date of a value', () => {
  const facts = [
    fact('coast_distance_m', { value: 431, status: 'ok', dataset_vintage: 'geo-maps 0.6.0; tide stations 2026-09-24' }),
  ]
  const unsupportedIn = (answer: string) => unsupportedNumbers(answer, { facts, point, question: '' })

  test.each([
    'It is 431 m, as of 2026-09-24.',
    'It is 431 m, as of September 24, 2026.',
    'It is 431 m (24 September 2026).',
    'It is 431 m, says the edition of Sep 24, 2026, geo-maps 0.6.0.',
    'It is 431 m, in data of 2026.',
  ])('can be quoted: %s', (answer) => expect(unsupportedIn(answer)).toEqual([]))

  test.each([
    ['It is 24 miles away.', '24'],
    ['It is two dozen miles away.', '≈24'],
    ['It is 9 m away, as of 2026-09-24.', '9'],
    ['It is 431 m, as of September 25.', '25'],
  ])('is no number that supports another statement: %s', (answer, number) => {
    expect(unsupportedIn(answer)).toEqual([number])
  })
})

describe('a margin of error', () => {
  const estimate = (value: number, outcome: object) => ({ value, status: 'ok' as const, ...outcome })
  test.each([
    ['tract_population', estimate(4321, { moe_90: 312, reliability: 'high' }), ', ±312 people at 90% confidence [1].'],
    [
      'tract_unemployment_rate_pct',
      estimate(3.6, { moe_90: 2.9, reliability: 'low' }),
      ', ±2.9 percentage points at 90% confidence (low reliability) [1].',
    ],
    ['tract_median_household_income_usd', estimate(78_125, { moe_90: 9847 }), ', ±$9,847 at 90% confidence [1].'],
    ['tract_median_household_income_usd', estimate(250_001, { moe_90: null }), ', without a margin of error [1].'],
    ['tract_population', estimate(4321, {}), ' [1].'],
    ['coast_distance_m', estimate(3287, { uncertainty_m: 2630 }), ', give or take 1.63 mi (2.63 km) [1].'],
  ])('follows the value: %s', (name, outcome, end) => {
    const facts = [fact(name, outcome)]
    const text = written('what is it', ...facts).join('\n')
    expect(text).toEndWith(end)
    expect(unsupportedNumbers(text, { facts, point, question: '' })).toEqual([])
  })

  test('of one value supports no other number', () => {
    const facts = [fact('tract_population', estimate(4321, { moe_90: 312 }))]
    expect(unsupportedNumbers('4,321 people ± 313 at 90 % confidence', { facts, point, question: '' })).toEqual(['313'])
  })
})

describe('the built-in planner', () => {
  test('chooses exactly the requested fields', () => {
    expect(planFor('What county is this in, how far is the coast, and which airport is nearest?').toSorted()).toEqual([
      'coast_distance_m',
      'county',
      'nearest_airport_distance_m',
      'nearest_airport_name',
    ])
  })

  test.each([
    ['not flood, just the wildfire hazard', 'wildfire_hazard_potential_class', 'fema_flood_zone'],
    ['Ignore schools, how far is the nearest hospital?', 'nearest_hospital_distance_m', 'nearest_public_school_name'],
    ['do not tell me the county, just the state', 'state', 'county'],
    ["I don't care about hail, what about tornadoes?", 'tornadoes_within_40km_count', 'hail_reports_within_40km_count'],
  ])('leaves out excluded topics: %s', (question, there, gone) => {
    expect(planFor(question)).toContain(there)
    expect(planFor(question)).not.toContain(gone)
  })

  test('does not take "not" in a question for an exclusion', () => {
    expect(planFor('Is it not in a flood zone?')).toContain('fema_flood_zone')
  })

  test.each([
    ['hurricaine risk', 'hurricanes_within_100km_count'],
    ['elevaton', 'elevation'],
    ['nearst hosptal', 'nearest_hospital_name'],
  ])('corrects the spelling of %s', (question, field) => expect(planFor(question)).toContain(field))

  test.each([
    'What is the meaning of life?',
    'who won the world series',
    'write me a poem about love',
    'how do I cook rice',
  ])('finds no fields for questions outside the catalog: %s', (question) => {
    expect(planner.plan(question)).toMatchObject({ fields: [], relevance: 'low' })
  })

  test('answers "safe from X" with X only, and "safe" alone with all hazards', () => {
    expect(planner.plan('is it safe from storm surge?')).toMatchObject({ preset: null })
    expect(planFor('is it safe from storm surge?')).toContain('storm_surge_min_category')
    expect(planner.plan('is it safe here?')).toMatchObject({ preset: 'natural_hazard' })
  })

  test('does not search for the words of a place name', () => {
    expect(planFor('how far is the nearest hospital in Lake Charles, LA?').toSorted()).toEqual([
      'nearest_hospital_distance_m',
      'nearest_hospital_name',
    ])
    expect(planFor('any earthquakes near Cape Coral?')).not.toContain('within_coal_closure_energy_community')
    expect(planFor('How far is the nearest Superfund site?')).toContain('nearest_superfund_site_distance_m')
    expect(planFor('Is it in an Opportunity Zone?')).toContain('in_opportunity_zone')
  })

  test.each([
    ['what kind of rock is it and how old', 'bedrock_age'],
    ['nearest town and how big is it', 'nearest_place_population'],
    ['the last fire near here, when was that', 'nearest_recent_fire_year'],
    ['what is the biggest hail', 'max_hail_size_within_40km_cm'],
    ['how many levees and dams', 'dams_within_10km_count'],
    ['how high is the nearest airport', 'nearest_airport_elevation_ft'],
  ])('chooses the attribute that the question asks for: %s', (question, field) => {
    expect(planFor(question)).toContain(field)
  })

  test.each([
    ['what time zone is this', ['timezone']],
    ['which county', ['county']],
  ])('prefers the longer of two overlapping phrases: %s', (question, fields) => {
    expect(planFor(question)).toEqual(fields)
  })

  test('names the preset and uses at most fifteen of its fields', () => {
    const plan = planner.plan('Tell me about this place')
    expect([plan.preset, plan.fields.length]).toEqual(['place_context', 15])
  })

  test.each(['', ' ', '?!', '"', "'", 'AND OR NOT NEAR', '*', 'x'.repeat(2000), 'county '.repeat(280)])(
    'reads any text: %p',
    (question) => expect(planFor(question).length).toBeLessThanOrEqual(15),
  )
})

describe('the template', () => {
  test('states a value in US units, then in metric units, and its source', () => {
    expect(written('how far is the coast', fact('coast_distance_m', 431))[0]).toBe(
      'The distance to the nearest tidal shoreline is 1,414 ft (431 m; salt air) [1].',
    )
  })

  test('answers in the requested unit', () => {
    expect(written('how many miles to the coast', fact('coast_distance_m', 431))[0]).toContain('0.268 mi')
  })

  test('explains a code', () => {
    expect(written('flood zone', fact('fema_flood_zone', 'AE'))[0]).toBe(
      'The FEMA flood zone is AE (in the 100-year floodplain) [1].',
    )
  })

  test('states boolean values as sentences', () => {
    expect(written('wetland', fact('intersects_wetland', false))[0]).toStartWith(
      'This place is not inside a mapped wetland or deepwater polygon',
    )
    expect(written('wetland', fact('intersects_wetland', true))[0]).toStartWith(
      'This place is inside a mapped wetland or deepwater polygon',
    )
  })

  test('states an absent value as an answer and a failed value as not available', () => {
    const lines = written(
      'wetland',
      fact('wetland_type', { value: null, status: 'absent', absent_reason: 'no_data' }),
      fact('elevation', { value: null, status: 'failed', error: 'timeout: late', retryable: true }),
    )
    expect(lines).toEqual([
      'The type of the wetland has no value here. No mapped wetland within 500 m [1].',
      'Not available: the ground elevation. The source did not answer in time.',
    ])
  })

  test('gives the reason for several absent values once', () => {
    const none = { value: null, status: 'absent' as const, absent_reason: 'not_mapped' as const }
    expect(written('flood', fact('fema_flood_zone', none), fact('within_floodplain_polygon', none))).toEqual([
      "The FEMA flood zone and whether this place is in FEMA's Special Flood Hazard Area (1-percent-annual-chance floodplain) have no value here. FEMA publishes no digital flood map here (paper map only, or never studied) [1].",
    ])
    expect(written('hospital', fact('nearest_hospital_name', none), fact('nearest_hospital_distance_m', none))).toEqual(
      ['The nearest hospital or medical center has no value here. No hospital or medical center within 50 km [1].'],
    )
  })

  test('joins the name and the distance of a feature', () => {
    expect(
      written('airport', fact('nearest_airport_name', 'MIAMI INTL'), fact('nearest_airport_distance_m', 16_080))[0],
    ).toStartWith('The nearest public-use airport is MIAMI INTL, 9.99 mi (16.1 km) away')
  })

  test('states the vintage once per source', () => {
    const vintage = { status: 'ok' as const, dataset_vintage: '2026-09-03' }
    expect(
      written(
        'county',
        fact('county', { value: 'Denver County', ...vintage }),
        fact('county_fips', { value: '08031', ...vintage }),
      ),
    ).toEqual(['The county is Denver County, as of 2026-09-03 [1].', 'The FIPS code of the county is 08031 [1].'])
  })

  test('puts counts first when the question asks how many', () => {
    const facts = [fact('nearest_airport_name', 'MIAMI INTL'), fact('airports_within_25km_count', 2)]
    expect(written('how many airports are near', ...facts)[0]).toBe('There are 2 public-use airports within 25 km [2].')
    expect(written('how many airports are near', fact('airports_within_25km_count', 0))).toEqual([
      'There are no public-use airports within 25 km [1].',
    ])
    expect(written('which airport', ...facts)[0]).toStartWith('The nearest public-use airport is MIAMI INTL')
  })

  const coast = fact('coast_distance_m', 431)
  const airport = fact('nearest_airport_distance_m', 16_080)

  test.each<[question: string, facts: Fact[], first: string]>([
    [
      'Which is closer, the coast or the airport?',
      [airport, coast],
      'The nearest tidal shoreline is closer: 1,414 ft (431 m), compared with 9.99 mi (16.1 km) for the nearest public-use airport [1][2].',
    ],
    [
      'is the tract poorer than the county? compare',
      [fact('tract_median_household_income_usd', 41_000), fact('county_median_household_income_usd', 60_000)],
      'The median household income of the county is greater: $60,000, compared with $41,000 for the median household income of the tract over the last 12 months [1][2].',
    ],
    [
      'is the tract poorer than the county? compare',
      [
        fact('tract_median_household_income_usd', { value: 55_000, status: 'ok', moe_90: 4_000 }),
        fact('county_median_household_income_usd', { value: 60_000, status: 'ok', moe_90: 3_000 }),
      ],
      'The median household income of the county is greater: $60,000, compared with $55,000 for the median household income of the tract over the last 12 months; the difference is within the margins of error [1][2].',
    ],
    [
      'is the tract poorer than the county? compare',
      [
        fact('tract_median_household_income_usd', { value: 54_999, status: 'ok', moe_90: 4_000 }),
        fact('county_median_household_income_usd', { value: 60_000, status: 'ok', moe_90: 3_000 }),
      ],
      'The median household income of the county is greater: $60,000, compared with $54,999 for the median household income of the tract over the last 12 months [1][2].',
    ],
    [
      'which is farther: the coast, the airport or the hospital?',
      [airport, coast, fact('nearest_hospital_distance_m', 900)],
      'In order, closest first: the nearest tidal shoreline, 1,414 ft (431 m); the nearest hospital or medical center, 0.559 mi (900 m); the nearest public-use airport, 9.99 mi (16.1 km) [1][2][3].',
    ],
  ])('puts the requested comparison first: %s', (question, facts, first) => {
    expect(written(question, ...facts)[0]).toBe(first)
  })

  test('answers whether an estimate is greater in another place only if the margins of error allow it', () => {
    const rent = (value: number) => fact('tract_median_gross_rent_usd', { value, status: 'ok', moe_90: 100 })
    const first = (there: number) =>
      writeFromTemplates({
        question: 'Is rent higher here than in Santa Fe, NM?',
        facts: [rent(1_500)],
        otherPlaces: [{ name: 'Santa Fe, NM', where: 'in Santa Fe, NM', facts: [rent(there)] }],
      }).lines[0]
    expect(first(1_200)).toStartWith('Yes: ')
    expect(first(1_200)).not.toContain('margins of error')
    expect(first(1_400)).toMatch(/^The median gross rent .*; the difference is within the margins of error \[1\]\.$/)
  })

  test('compares only values of the same kind', () => {
    expect(
      written('compare the dams with the roads', fact('dams_within_10km_count', 2), fact('roads_within_500m_count', 7)),
    ).toEqual([
      'There are 2 listed dams within 10 km [1].',
      'There are 7 distinct road features for vehicles within 500 m [2].',
    ])
  })

  test.each<[question: string, fact: Fact, first: string]>([
    ['Is the elevation above 500 feet?', fact('elevation', 100), 'No: the ground elevation is less than 500 feet [1].'],
    [
      'Is the elevation above 500 feet?',
      fact('elevation', 200),
      'Yes: the ground elevation is more than 500 feet [1].',
    ],
    [
      'Is the poverty rate above 15 percent?',
      fact('tract_poverty_rate_pct', { value: 20, status: 'ok', moe_90: 4.4 }),
      'Yes: the share of tract residents below the poverty line is more than 15 percent [1].',
    ],
    [
      'Is the poverty rate above 15 percent?',
      fact('tract_poverty_rate_pct', { value: 16.5, status: 'ok', moe_90: 4.4 }),
      'The share of tract residents below the poverty line is more than 15 percent, by less than its margin of error [1].',
    ],
    ['Is the beach within 2 km?', coast, 'Yes: the nearest tidal shoreline is less than 2 km away [1].'],
    [
      'am I closer to the airport than 5 miles',
      airport,
      'No: the nearest public-use airport is more than 5 miles away [1].',
    ],
    [
      'what airport is more than 5 miles away',
      airport,
      'The nearest public-use airport is more than 5 miles away [1].',
    ],
    [
      "Isn't the airport more than 5 miles away?",
      airport,
      'The nearest public-use airport is more than 5 miles away [1].',
    ],
    ['Is it in a wetland?', fact('intersects_wetland', false), 'No: this place is not inside a mapped wetland'],
    ['is this a wetland', fact('intersects_wetland', true), 'Yes: this place is inside a mapped wetland'],
    ['Is it outside any wetland?', fact('intersects_wetland', false), 'This place is not inside'],
    ['What wetland is it in?', fact('intersects_wetland', false), 'This place is not inside'],
    ['Is it in Denver county?', fact('county', 'Denver County'), 'Yes: the county is Denver County [1].'],
    ['Is it in Denver?', fact('county', 'Denver County'), 'Yes: the county is Denver County [1].'],
    ['is this in Boulder County', fact('county', 'Denver County'), 'No: the county is Denver County [1].'],
    ['is it in a county', fact('county', 'Denver County'), 'The county is Denver County [1].'],
    [
      'is Chicago the closest major city?',
      fact('nearest_city_250k_name', 'Chicago'),
      'Yes: the nearest city of at least 250,000 inhabitants is Chicago [1].',
    ],
    [
      'is Milwaukee the closest major city?',
      fact('nearest_city_250k_name', 'Chicago'),
      'The nearest city of at least 250,000 inhabitants is Chicago [1].',
    ],
  ])('starts with yes or no when that is certain: %s', (question, fact, first) => {
    expect(written(question, fact)[0]).toStartWith(first)
  })

  test.each<[question: string, facts: Fact[], first: string]>([
    [
      'Could this house flood?',
      [fact('fema_flood_zone', 'X'), fact('within_floodplain_polygon', false)],
      "Unlikely: this place is not in FEMA's Special Flood Hazard Area",
    ],
    [
      'Could this house flood?',
      [fact('fema_flood_zone', 'AE'), fact('within_floodplain_polygon', true)],
      "Yes: this place is in FEMA's Special Flood Hazard Area",
    ],
    ['Are there any dams near?', [fact('dams_within_10km_count', 2)], 'Yes: there are 2 listed dams within 10 km'],
    ['Are there any dams near?', [fact('dams_within_10km_count', 0)], 'No: there are no listed dams within 10 km'],
    [
      'Is it in a wetland and in a floodplain?',
      [fact('intersects_wetland', true), fact('within_floodplain_polygon', false)],
      'This place is inside a mapped wetland',
    ],
  ])('begins with yes or no, and with "unlikely" where a map cannot rule it out: %s', (question, facts, first) => {
    expect(written(question, ...facts)[0]).toStartWith(first)
  })

  test('has no parentheses inside parentheses', () => {
    const texts = [...catalog.fields.values()].flatMap((field) =>
      [...Object.keys(field.class_labels ?? {}), ...(field.enum ?? [])].map((value) =>
        written('what is it', fact(field.name, value)).join(' '),
      ),
    )
    expect(texts.filter((text) => /\([^()]*\(/.test(text))).toEqual([])
    expect(written('zone', fact('fema_flood_zone', 'X'))[0]).toBe(
      'The FEMA flood zone is X (outside the 100-year floodplain) [1].',
    )
  })

  test('states a short distance in whole feet, and a UTM coordinate in meters only', () => {
    expect(written('stream', fact('nearest_stream_distance_m', 7.564))[0]).toContain('is 25 ft (7.56 m')
    expect(written('utm', fact('utm_easting_m', 476_958))[0]).toBe('The UTM easting is 476,958 m [1].')
  })

  test('says when the catalog has no field for the question', () => {
    expect(writeFromTemplates({ question: 'who won', facts: [] })).toMatchObject({
      lines: [expect.stringContaining('The catalog has no field')],
      used: [],
    })
  })

  test('writes plain text without unsupported numbers for every field of the catalog', () => {
    for (const field of catalog.fields.values()) {
      const value =
        field.type === 'boolean'
          ? true
          : field.type === 'integer'
            ? 1234
            : field.type === 'float'
              ? 12.3456
              : (field.enum?.[0] ?? 'Somewhere')
      const facts = [fact(field.name, value)]
      const text = written('what is it', ...facts).join('\n')
      expect(text).toContain('[1]')
      expect([field.name, unsupportedNumbers(text, { facts, point, question: '' })]).toEqual([field.name, []])
      const gone = written(
        'what is it',
        fact(field.name, { value: null, status: 'absent', absent_reason: 'no_data' }),
      ).join('\n')
      expect([field.name, unsupportedNumbers(gone, { facts, point, question: '' })]).toEqual([field.name, []])
    }
  })
})

describe('the meaning of a value in the hints', () => {
  test.each([
    ['fema_flood_zone', 'VE', 'in the coastal 100-year floodplain with waves'],
    ['air_quality_index_current', 75, 'moderate'],
    ['annual_precipitation_mm', 200, 'desert'],
    ['annual_precipitation_mm', 600, null],
    ['nearest_airport_longest_runway_ft', 2500, 'light aircraft only'],
    ['intersects_wetland', true, 'mapped from aerial images'],
    ['state', 'FL', null],
  ])('%s %p: %p', (name, value, meaning) => expect(meaningOf(value, catalog.fields.get(name)!)).toBe(meaning))
})

describe('a number in an answer', () => {
  const facts = [
    fact('coast_distance_m', 431.27),
    fact('county', 'Miami-Dade County'),
    fact('county_population', 2_686_867),
    fact('mean_annual_dry_bulb_temperature_degc', 25.1),
  ]
  test.each([
    '431 m',
    '431.3 m',
    '430 m',
    'about 430 m',
    '0.27 miles',
    '1,415 ft',
    '0.43 km',
    '2,686,867 people',
    'some 2,700,000',
    '77 °F',
    '77.2',
    'no number',
    '[3]',
    'it had a fault (upstream_5xx)',
  ])('is supported: %s', (text) => expect(unsupportedNumbers(text, { facts, point, question: '' })).toEqual([]))

  test.each(['999 m', '432 m', '450 m', '1.2 miles', '3,000,000 people', '26 °C', '12.5%'])(
    'is not supported: %s',
    (text) => expect(unsupportedNumbers(text, { facts, point, question: '' })).toHaveLength(1),
  )

  test('may come from the question only in a comparison', () => {
    const question = 'is it more than 500 feet away'
    expect(unsupportedNumbers('It is less than 500 feet.', { facts, point, question })).toEqual([])
    expect(unsupportedNumbers('It is 500 feet away.', { facts, point, question })).toEqual(['500'])
  })
})

describe('a number in words', () => {
  const facts = [
    fact('coast_distance_m', 805),
    fact('dams_within_10km_count', 3),
    fact('places_within_25km_count', 24),
    fact('tract_poverty_rate_pct', 33.1),
    fact('county_population', 2_000_000),
    fact('nearest_power_plant_name', 'Twelve Oaks'),
    fact('nearest_airport_distance_m', 4023),
    fact('endangered_species_names', 'Wood stork; Snail kite'),
    fact('tornadoes_within_40km_count', 0),
    fact('roads_within_500m_count', 125),
    fact('fair_market_rent_2br_usd', 1900),
  ]
  const few = [fact('dams_within_10km_count', 3), fact('places_within_25km_count', 24)]
  test.each([
    'There are three dams.',
    'Three dams lie near.',
    'some two dozen places',
    'half a mile to the coast',
    'a third of the residents',
    'two million people live there',
    'two and a half miles to the airport',
    'two endangered species',
    'zero tornadoes',
    'a hundred and twenty-five roads',
    'one hundred twenty-five roads',
    'rent of a two-bedroom home',
    'more than five miles',
    'one of the nearest',
    'the first and the second',
    'This one is nearer.',
    'The two are compared.',
    'two sources agree',
    'Both of these two',
    'near Seven Springs and Three Rivers',
    'Five Points is near.',
    'One can say so.',
    'one way or the other',
    'dozens of them',
    'it is a third option',
    'the latest quarter',
    'Twelve Oaks',
    'no one knows',
    'on the one hand',
    'a one-off',
  ])('is supported or states no quantity: %s', (text) => {
    expect([text, unsupportedNumbers(text, { facts, point, question: 'is it more than five miles' })]).toEqual([
      text,
      [],
    ])
  })

  test.each([
    ['There are four dams.', '4'],
    ['Seven dams lie near.', '7'],
    ['three dozen places', '≈36'],
    ['a quarter of a mile', '≈0.25'],
    ['two thirds of the residents', '≈0.667'],
    ['a mile and a half away', '≈1.5'],
    ['half a dozen dams', '≈6'],
    ['ninety-nine roads', '99'],
    ['five million people', '≈5000000'],
    ['There is one dam.', '1'],
    ['It is one mile away.', '1'],
    ['only one hospital', '1'],
    ['forty percent', '40'],
    ['the five miles to it', '5'],
    ['three and a half miles', '≈3.5'],
    ['five thousand two hundred feet', '≈5200'],
  ])('is not proven: %s', (text, number) => {
    expect([text, unsupportedNumbers(text, { facts: few, point, question: '' })]).toEqual([text, [number]])
  })
})

test('the answer is read from partial JSON, however it is split', () => {
  const answer = 'A "quoted" line\nwith \\ and é and 😀 at the end [1].'
  for (const json of [
    JSON.stringify({ answer, fields_used: ['county'] }),
    `{ "answer" : ${JSON.stringify(answer).replace('é', '\\u00e9').replace('😀', '\\ud83d\\ude00')}, "fields_used": [] }`,
  ]) {
    for (const size of [1, 2, 3, 7, 1000]) {
      const fresh = createAnswerTextReader()
      expect((json.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []).map(fresh).join('')).toBe(answer)
    }
  }
})
