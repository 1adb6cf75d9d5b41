import { afterAll, describe, expect, test } from 'bun:test'
import * as contents from '../../catalog/contents.ts'
import type { AskAnswer } from '../../src/ask/answer/ask-answer.ts'
import { BuiltInPlanner } from '../../src/ask/planner/built-in-planner.ts'
import { createCatalog } from '../../src/catalog/catalog.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createTownFinder } from '../../src/place/town-finder.ts'
import { embeddedFile, openTestService } from '../support/test-service.ts'
import { testDictionary } from '../support/test-dictionary.ts'

const service = openTestService({ FIELDSTONE_OFFLINE: '1' })
const embedded = openEmbeddedData(embeddedFile)
const findTown = createTownFinder(embedded)
const catalog = createCatalog(contents)
const planner = new BuiltInPlanner(catalog, testDictionary)
afterAll(async () => {
  await service.close()
  planner.close()
})
const boulder = { lat: 40.015, lng: -105.27 }

async function ask(question: string, more: object = {}): Promise<AskAnswer> {
  const response = await service.post('/v1/ask', { question, ...boulder, include_trace: true, ...more })
  expect(response.status).toBe(200)
  return (await response.json()) as AskAnswer
}
const plan = (question: string) => planner.plan(question, findTown)
const fieldsOf = (question: string) => plan(question).fields.map(({ name }) => name)

describe('relevance', () => {
  test.each([
    ['What is the crime rate?', 'crime'],
    ['Who is the mayor?', 'mayor'],
    ['Will Elon buy this?', 'elon'],
    ['Is there a Walmart nearby?', 'walmart'],
    ['How many murders happened in this county?', 'murders'],
    ['When is the next concert?', 'concert'],
  ])('a question whose main words match nothing is refused, and nothing is fetched: %s', async (question, word) => {
    const { answer, confidence, fields, citations } = await ask(question)
    expect(answer).toStartWith('Fieldstone has no field for')
    expect(answer).toContain(word)
    expect({ confidence, fields, citations }).toEqual({ confidence: 'low', fields: {}, citations: [] })
  })

  test.each([
    ['Was much tree cover lost in ten years?', 'tree_canopy_change_10y_pct'],
    ['When did the nearest fault move?', 'nearest_fault_age'],
    ['Who do I pay the light bill to?', 'electric_utility_service_territory'],
    ['Is there a CRS discount on premiums?', 'nfip_crs_class'],
  ])('a past change, an age, a recipient and a discount are not refused for their form: %s', (question, name) => {
    expect(fieldsOf(question)).toContain(name)
  })

  test.each(['What is the price per acre of pasture?', 'How much tree cover will be lost in ten years?'])(
    'a price of land and the future are refused: %s',
    (question) => expect(plan(question).relevance).toBe('low'),
  )

  test('a refusal names related fields', async () => {
    expect((await ask('What is the crime rate?')).answer).toBe(
      'Fieldstone has no field for crime. Related: the distance to the nearest police station.',
    )
  })

  test.each([
    'What is the price of this house?',
    'How noisy is it here?',
    'Who designed the airport?',
    'Is the airport haunted?',
  ])('words that only suggest a field, or ask for something else, give low confidence: %s', (question) => {
    expect(plan(question).relevance).toBe('low')
  })

  test('an answer that covers only a part of the question says so', async () => {
    const { answer, confidence } = await ask('Is the nearest airport haunted?')
    expect(answer).toStartWith('Fieldstone has no field for haunted. Related values:\n')
    expect(confidence).toBe('low')
  })

  test.each(['What county is this?', 'How far is the coast, for my insurer?', 'nearest airport', 'Where am I?'])(
    'a question whose main words are all covered has high confidence: %s',
    async (question) => expect((await ask(question)).confidence).toBe('high'),
  )

  test('a question about floods asks for flood fields only', () => {
    expect(fieldsOf('Could this house flood?')).toEqual(['fema_flood_zone', 'within_floodplain_polygon'])
  })

  test('a question that names nothing is asked back', async () => {
    expect((await ask('Is it good?')).answer).toStartWith('The catalog has no field that this question asks for.')
  })
})

describe('spelling', () => {
  test('a correction is shown', async () => {
    const { answer } = await ask('how far is the neerest airport')
    expect(answer).toStartWith('Read "neerest" as "nearest".\nThe nearest public-use airport is BOULDER MUNI')
  })

  test.each(['mayor', 'crime', 'weather', 'haunted', 'quarry'])('the dictionary word %s is never corrected', (word) => {
    expect(plan(`Is there a ${word} and an elevaton?`).corrections).toEqual([{ from: 'elevaton', to: 'elevation' }])
  })

  test('a misspelled plural is corrected like its singular', () => {
    expect(plan('radio towrs nearby').corrections).toEqual([{ from: 'towrs', to: 'towers' }])
  })

  test('names inside a sentence are not corrected', () => {
    expect(plan('Is there a Slopee near the coast?').corrections).toEqual([])
  })
})

describe('other places in a question', () => {
  test('a coordinate is answered beside the location of the request', async () => {
    const { answer, named_places } = await ask('What county is 39.7392,-104.9903 in?')
    expect(answer).toContain('At 39.7392,-104.9903:\nThe county is Denver County')
    expect(named_places).toMatchObject([{ lat: 39.7392, lng: -104.9903 }])
    expect((await ask('What county is 40.015, -105.27 in?')).named_places).toBeUndefined()
    expect((await ask('What county is -104.9903,39.7392 in?')).confidence).toBe('low')
  })

  test('a town that can be located is answered beside the location of the request', async () => {
    const { answer, named_places, resolved_location, fields } = await ask('What county is Denver, Colorado in?')
    expect(answer).toStartWith(
      'You asked about Denver, CO. This answer also covers 40.015, -105.27, the location of the request.\nIn Denver, CO:\nThe county is Denver County',
    )
    expect(answer).toContain('\nAt 40.015, -105.27:\nThe county is Boulder County')
    expect(named_places).toMatchObject([{ name: 'Denver, CO', fields: { county: { value: 'Denver County' } } }])
    expect(resolved_location).toMatchObject(boulder)
    expect(fields.county).toMatchObject({ value: 'Boulder County' })
  })

  test.each([
    ['is denver in a flood zone', ['Denver']],
    ['how hot does it get in santa fe', ['Santa Fe']],
    ['what county is denver colorado in?', ['Denver, CO']],
    ['is marfa, tx dry?', ['Marfa, TX']],
    ['which county is mobile, al', ['Mobile, AL']],
    ['compare the distance to the coast of houston and san antonio', ['Houston', 'San Antonio']],
  ])('a town in lowercase is noticed: %s', (question, towns) => {
    expect(plan(question).places.map(({ text }) => text)).toEqual(towns)
  })

  test.each([
    'is there a lake, or a river near here',
    'what is the elevation, in feet',
    'how far is the airport, in miles',
    'is the soil here sandy, or clay',
    'which fema flood zone is this in',
    'is this surprise flooding normal, me thinks not',
    'distance to the nearest usgs gage',
  ])('other words in lowercase are no places: %s', (question) => expect(plan(question).places).toEqual([]))

  test('a town in lowercase is answered beside the location of the request', async () => {
    const { answer, named_places } = await ask('what county is denver in')
    expect(answer).toStartWith(
      'You asked about Denver, CO. This answer also covers 40.015, -105.27, the location of the request.',
    )
    expect(named_places).toMatchObject([{ name: 'Denver, CO', fields: { county: { value: 'Denver County' } } }])
  })

  test('a place that cannot be located is named, and the confidence is low', async () => {
    const { answer, confidence, named_places } = await ask('What county is Springfeld Heights, OH in?')
    expect(answer).toStartWith(
      'You asked about Springfeld Heights, OH, which could not be located. This answer is for 40.015, -105.27.\nThe county is Boulder County',
    )
    expect({ confidence, named_places }).toEqual({ confidence: 'low', named_places: undefined })
  })

  test('the town of the location itself is not another place', async () => {
    expect((await ask('What county is Boulder, Colorado in?')).answer).toStartWith('The county is Boulder County')
  })

  test('a comparison of two places answers both', async () => {
    const { answer, named_places } = await ask('Compare the distance to the coast of Denver and Santa Fe.')
    expect(named_places?.map(({ name }) => name)).toEqual(['Denver, CO', 'Santa Fe, NM'])
    expect(answer).toMatch(
      /^The distance to the nearest tidal shoreline is greater in Denver, CO: [\d,]+ mi \([\d,]+ km\), compared with [\d,]+ mi \([\d,]+ km\) in Santa Fe, NM \[1\]\./,
    )
  })

  test.each([
    ['Is the coast farther in Denver than in Santa Fe?', 'Yes'],
    ['Is the coast closer in Denver than in Santa Fe?', 'No'],
    ['Is the coast closer here than in Seattle?', 'No'],
  ])('a yes-or-no comparison of places begins with yes or no: %s %s', async (question, yesNo) => {
    expect((await ask(question)).answer).toStartWith(`${yesNo}: the distance to the nearest tidal shoreline is greater`)
  })

  test.each([
    ['Is Elon rich?', []],
    ['How hot is it in July?', []],
    ['Is this in Boulder County, Colorado?', [null, null]],
    ['Is Miami Beach flat?', ['Miami Beach']],
    ['flood zone at 1600 Pennsylvania Ave NW, Washington, DC', [null]],
    ['Is Portland, Oregon wetter than Portland, Maine?', ['Portland', 'Portland']],
    ['How Far Is The Nearest Hospital In This County?', []],
  ])('reads the towns of a question: %s %p', (question, towns) => {
    const mentions = plan(question).places.filter(({ text }) => text !== 'July')
    expect(mentions.map(({ town }) => town)).toEqual(towns)
  })

  test('reads at most eight places, because each is looked up', () => {
    expect(plan('Compare Aaaa Bbbb, '.repeat(100)).places.length).toBeLessThanOrEqual(8)
    expect(plan('near Denver '.repeat(100)).places).toHaveLength(8)
  })
})

describe('presets', () => {
  test.each([
    ['Is this a good place for a data center?', 'data_center_siting'],
    ['Could we put a server farm here?', 'data_center_siting'],
    ['Tell me everything', 'place_context'],
    ['Give me everything you know about this place', 'place_context'],
    ['Do I need flood insurance?', 'flood_insurance'],
    ['What is the wildfire hazard?', 'wildfire_hazard'],
  ])('%s uses %s', (question, preset) => {
    const members = catalog.presets.get(preset)!.fields
    expect(plan(question).preset).toBe(preset)
    expect(fieldsOf(question).slice(0, members.length)).toEqual(members.slice(0, 15))
  })

  test('a preset of more than fifteen fields is cut to its first fifteen, in order, and the trace says so', async () => {
    const { trace } = await ask('Tell me everything about this place')
    expect(trace!.preset_expanded).toBe('place_context')
    expect(trace!.fields_requested).toEqual(catalog.presets.get('place_context')!.fields.slice(0, 15))
    expect(trace!.planner_reasoning).toBe('Planned without a model, from the preset place_context.')
  })
})

describe('billed fields', () => {
  const parcelFields = (question: string) => fieldsOf(question).filter((name) => name.startsWith('parcel_'))

  test.each(['How old is the house?', 'When was the house built?', 'What is this place worth?', 'land use here'])(
    'are not read on a guess: %s',
    (question) => expect(parcelFields(question)).toEqual([]),
  )

  test.each([
    'What is the parcel number?',
    'How is it zoned?',
    'What does the assessor say it is worth?',
    'How big is my lot?',
  ])('are read when the question names the parcel, its zoning or its assessment: %s', (question) => {
    expect(parcelFields(question).length).toBeGreaterThan(0)
  })
})

describe('units', () => {
  test('US units come first, or metric units on request, and the values do not change', async () => {
    const us = await ask('How far is the coast?')
    const metric = await ask('How far is the coast?', { units: 'metric' })
    expect(us.answer).toMatch(/is 750 mi \(1,207 km\)/)
    expect(metric.answer).toMatch(/is 1,207 km \(750 mi\)/)
    expect(us.fields.coast_distance_m!.value).toBe(metric.fields.coast_distance_m!.value)
  })

  test('a UTM coordinate stays in meters', async () => {
    expect((await ask('What is the UTM easting?')).answer).toContain('The UTM easting is 476,958 m [')
  })

  test('an unknown system of units is rejected', async () => {
    const response = await service.post('/v1/ask', { question: 'county?', ...boulder, units: 'imperial' })
    expect(response.status).toBe(422)
  })
})
