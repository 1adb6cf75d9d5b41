import { describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import { openAnswerText } from '../../src/ask/answer-text.ts'
import { openBuiltInPlanner } from '../../src/ask/built-in-planner.ts'
import type { Fact } from '../../src/ask/fact.ts'
import { meaningOf } from '../../src/ask/meaning.ts'
import { unproven } from '../../src/ask/proof.ts'
import { writtenFrom } from '../../src/ask/template-writer.ts'
import { openCatalog } from '../../src/catalog/catalog.ts'
import type { FieldResult } from '../../src/fetch/answer.ts'

const catalog = openCatalog(contents)
const planner = openBuiltInPlanner(catalog)
const planned = (question: string) => planner.plan(question).fields.map(({ name }) => name)
const at = { lat: 25.79, lng: -80.13 }

function fact(name: string, outcome: Partial<FieldResult> | number | string | boolean): Fact {
  const field = catalog.fields.get(name)!
  const given = typeof outcome === 'object' ? outcome : { value: outcome, status: 'ok' as const }
  return { field, result: { source: catalog.datasets.get(field.read.dataset)!.service, unit: field.unit, source_url: 'https://example.org/', ttl_seconds: 1, vintage: null, driver: 'rest', ...given } as FieldResult }
}
const written = (question: string, ...facts: Fact[]) => writtenFrom(question, facts).lines

describe('the built-in planner', () => {
  test('takes exactly what is asked for', () => {
    expect(planned('What county is this in, how far is the coast, and which airport is nearest?').toSorted()).toEqual(['coast_distance_m', 'county', 'nearest_airport_distance_m', 'nearest_airport_name'])
  })

  test.each([
    ['not flood, just the wildfire hazard', 'wildfire_hazard_potential_class', 'fema_flood_zone'],
    ['Ignore schools, how far is the nearest hospital?', 'nearest_hospital_distance_m', 'nearest_public_school_name'],
    ["I don't care about hail, what about tornadoes?", 'tornadoes_within_40km_count', 'hail_reports_within_40km_count'],
  ])('leaves out what is set aside: %s', (question, there, gone) => {
    expect(planned(question)).toContain(there)
    expect(planned(question)).not.toContain(gone)
  })

  test('hears a question that says "not" as a question', () => {
    expect(planned('Is it not in a flood zone?')).toContain('fema_flood_zone')
  })

  test.each([['hurricaine risk', 'hurricanes_within_100km_count'], ['elevaton', 'elevation'], ['nearst hosptal', 'nearest_hospital_name']])('reads %s as it was meant', (question, field) => {
    expect(planned(question)).toContain(field)
  })

  test('knows that nothing in the catalog answers some questions', () => {
    expect(planner.plan('What is the meaning of life?')).toMatchObject({ fields: [], isSure: false })
  })

  test('names the preset, and takes fifteen of its fields at most', () => {
    const plan = planner.plan('Tell me about this place')
    expect([plan.preset, plan.fields.length]).toEqual(['place_context', 15])
  })

  test.each(['', ' ', '?!', '"', "'", 'AND OR NOT NEAR', '*', 'x'.repeat(2000), 'county '.repeat(280)])('reads any text: %p', (question) => {
    expect(planned(question).length).toBeLessThanOrEqual(15)
  })
})

describe('the template', () => {
  test('says a value with its unit, in the customary one too, and its source', () => {
    expect(written('how far is the coast', fact('coast_distance_m', 431))[0]).toMatch(/^The distance to the nearest ocean shoreline is 431 m \(1,41[34] ft\).* \[1\]\.$/)
  })

  test('answers in the unit that was asked for', () => {
    expect(written('how many miles to the coast', fact('coast_distance_m', 431))[0]).toContain('0.268 mi')
  })

  test('says what a code means', () => {
    expect(written('flood zone', fact('fema_flood_zone', 'AE'))[0]).toBe('The FEMA flood zone of the effective digital flood map at the point is AE (1-percent-annual-chance (100-year) flood area) [1].')
  })

  test('says yes and no as sentences', () => {
    expect(written('wetland', fact('intersects_wetland', false))[0]).toStartWith('The point is not inside a mapped wetland or deepwater polygon')
    expect(written('wetland', fact('intersects_wetland', true))[0]).toStartWith('The point is inside a mapped wetland or deepwater polygon')
  })

  test('says that an absent value is an answer, and that a failed one could not be had', () => {
    const lines = written('wetland', fact('wetland_type', { value: null, status: 'absent', absent_reason: 'no_data' }), fact('elevation', { value: null, status: 'failed', error: 'timeout: late', retryable: true }))
    expect(lines).toEqual(['The NWI wetland type of the polygon at the point: no value here. The point is not inside a mapped wetland. [1]', 'Could not be had: elevation (timeout).'])
  })

  test('joins the name and the distance of one thing', () => {
    expect(written('airport', fact('nearest_airport_name', 'MIAMI INTL'), fact('nearest_airport_distance_m', 16_080))[0]).toStartWith('The nearest public-use airport is MIAMI INTL, 16.1 km (9.99 mi) away')
  })

  test('compares what the question compares', () => {
    expect(written('Which is closer, the coast or the airport?', fact('nearest_airport_distance_m', 16_080), fact('coast_distance_m', 431)).at(-1)).toBe('Compared, the shortest first: the distance to the nearest ocean shoreline, 431 m (1,414 ft); the distance to the nearest public-use airport, 16.1 km (9.99 mi).')
    expect(written('Is the elevation above 500 feet?', fact('elevation', 100)).at(-1)).toEndWith('is less than 500 feet.')
    expect(written('Is the elevation above 500 feet?', fact('elevation', 200)).at(-1)).toEndWith('is more than 500 feet.')
  })

  test('says when nothing in the catalog answers', () => {
    expect(writtenFrom('who won', [])).toMatchObject({ lines: [expect.stringContaining('Nothing in the catalog')], used: [] })
  })

  test('writes for every field of the catalog nothing but text, and no number that is not proven', () => {
    for (const field of catalog.fields.values()) {
      const value = field.type === 'boolean' ? true : field.type === 'integer' ? 1234 : field.type === 'float' ? 12.3456 : (field.enum?.[0] ?? 'Somewhere')
      const facts = [fact(field.name, value)]
      const text = written('what is it', ...facts).join('\n')
      expect(text).toContain('[1]')
      expect([field.name, unproven(text, { facts, at, question: '' })]).toEqual([field.name, []])
      const gone = written('what is it', fact(field.name, { value: null, status: 'absent', absent_reason: 'no_data' })).join('\n')
      expect([field.name, unproven(gone, { facts, at, question: '' })]).toEqual([field.name, []])
    }
  })
})

describe('the hints say of a value', () => {
  test.each([
    ['fema_flood_zone', 'VE', 'the same with wave action on the coast'], ['air_quality_index_current', 75, 'moderate'], ['annual_precipitation_mm', 200, 'desert'], ['annual_precipitation_mm', 600, null], ['nearest_airport_longest_runway_ft', 2500, 'light aircraft only'],
    ['intersects_wetland', true, 'mapped from aerial images'], ['state', 'FL', null],
  ])('%s %p: %p', (name, value, meaning) => {
    expect(meaningOf(value, catalog.fields.get(name)!)).toBe(meaning)
  })
})

describe('a number of an answer', () => {
  const facts = [fact('coast_distance_m', 431.27), fact('county', 'Miami-Dade County'), fact('county_population', 2_686_867), fact('annual_mean_temperature_c', 25.1)]
  test.each(['431 m', '431.3 m', '430 m', 'about 430 m', '0.27 miles', '1,415 ft', '0.43 km', '2,686,867 people', 'some 2,700,000', '77 °F', '77.2', 'no number', '[3]'])('is proven: %s', (text) => {
    expect(unproven(text, { facts, at, question: '' })).toEqual([])
  })

  test.each(['999 m', '432 m', '450 m', '1.2 miles', '3,000,000 people', '26 °C', '12.5%'])('is not proven: %s', (text) => {
    expect(unproven(text, { facts, at, question: '' })).toHaveLength(1)
  })

  test('may be one of the question only where it is compared with', () => {
    const question = 'is it more than 500 feet away'
    expect(unproven('It is less than 500 feet.', { facts, at, question })).toEqual([])
    expect(unproven('It is 500 feet away.', { facts, at, question })).toEqual(['500'])
  })
})

test('the answer is read out of JSON while that is being written, whatever the pieces', () => {
  const answer = 'A "quoted" line\nwith \\ and é and 😀 at the end [1].'
  for (const json of [JSON.stringify({ answer, fields_used: ['county'] }), `{ "answer" : ${JSON.stringify(answer).replace('é', '\\u00e9').replace('😀', '\\ud83d\\ude00')}, "fields_used": [] }`]) {
    for (const size of [1, 2, 3, 7, 1000]) {
      const fresh = openAnswerText()
      expect((json.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []).map(fresh).join('')).toBe(answer)
    }
  }
})
