import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, startFieldstone } from './fieldstone.ts'

const { folder, remove } = newFolder()
afterAll(remove)
const asked = (...words: string[]) => startFieldstone([...words, '--data', 'data'], {}, folder).end()
const answerOf = async (...words: string[]) => {
  const { code, out } = await asked(...words)
  return { code, answer: JSON.parse(out) as Record<string, unknown> }
}

describe('without a server and without a network', () => {
  test('fetch answers named fields', async () => {
    const { code, answer } = await answerOf('fetch', '--at', '39.7392,-104.9903', '--fields', 'county,timezone')
    expect([code, answer.fields]).toMatchObject([
      0,
      { county: { value: 'Denver County', driver: 'embedded' }, timezone: { value: 'America/Denver' } },
    ])
  })

  test('a place is read with spaces, signs and powers, and fields with a comma too many', async () => {
    const { code, answer } = await answerOf('fetch', '--at', ' +3.97392e1 , -104.9903', '--fields', 'county,')
    expect([code, answer]).toMatchObject([
      0,
      { lat: 39.7392, lng: -104.9903, fields: { county: { value: 'Denver County' } } },
    ])
  })

  test('a refusal is the one that the server would give, and ends with 1', async () => {
    const { code, answer } = await answerOf('fetch', '--at', '39.7392,-104.9903', '--fields', 'slope')
    expect([code, answer.detail]).toMatchObject([
      1,
      { error: 'fields_unknown', suggestions: { slope: expect.arrayContaining(['slope_degrees']) } },
    ])
    expect(
      await answerOf('fetch', '--address', '1 Main St, Denver, CO 80202', '--preset', 'place_context'),
    ).toMatchObject({ code: 1, answer: { detail: { error: 'geocode_unavailable' } } })
  })

  test.each([
    [['fetch', '--fields', 'county'], '--at 39.7392,-104.9903'],
    [['fetch', '--at', '39.7392'], '--at 39.7392,-104.9903'],
    [['fetch', '--at', '39,7,-104.9'], '--at "39,7,-104.9" is not a coordinate'],
    [['lookup'], 'fieldstone lookup'],
    [['geocode'], 'fieldstone geocode'],
    [['fetch', '--at', ','], '--at "," is not a coordinate'],
    [['fetch', '--at', '0x27,-104'], 'is not a coordinate'],
    [['fetch', '--at', '1e2e3,-104'], 'is not a coordinate'],
    [['fetch', '--address', ' '], 'No location given'],
    [['fetch', '--at', '39.7,-104.9', '--address', '1 Main St'], '--at and --address cannot be combined'],
    [['geocode', ' '], 'No location given'],
    [['ask', '', '--at', '39.7,-104.9'], 'No question given'],
  ])('%p says what is missing, and ends with 64', async (words, said) => {
    const { code, err } = await asked(...words)
    expect([code, err]).toEqual([64, expect.stringContaining(said)])
  })
})

describe('with a pack of addresses', () => {
  beforeAll(async () => {
    writeFileSync(
      join(folder, 'co.csv'),
      'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-105.2797,40.0182,1777,Broadway,,Boulder,,CO,80302,,a1\n-105.2790,40.0190,1801,Broadway,,Boulder,,CO,80302,,a2\n',
    )
    const { code, err } = await asked('pack', 'build', 'addresses', 'co.csv')
    expect([code, err.includes('error')]).toEqual([0, false])
  })

  test('geocode finds the rooftop', async () => {
    expect(await answerOf('geocode', '1777 broadway boulder co 80302')).toMatchObject({
      code: 0,
      answer: { lat: 40.0182, lng: -105.2797, accuracy_type: 'rooftop', cached: false },
    })
    expect(await answerOf('geocode', '1777 Broadway, Boulder, CO 80302')).toMatchObject({
      code: 0,
      answer: { accuracy_type: 'rooftop' },
    })
  })

  test('fetch takes the address as the location, and says how it was found', async () => {
    const { code, answer } = await answerOf(
      'fetch',
      '--address',
      '1777 Broadway, Boulder, CO 80302',
      '--fields',
      'county',
    )
    expect([code, answer]).toMatchObject([
      0,
      {
        fields: { county: { value: 'Boulder County' } },
        resolved_location: { source: 'address' },
        geocode: { accuracy_type: 'rooftop' },
      },
    ])
  })

  test('lookup resolves it with its context', async () => {
    const { code, answer } = await answerOf('lookup', '1777 Broadway, Boulder, CO 80302')
    expect([code, answer]).toMatchObject([
      0,
      {
        disposition: 'resolved',
        match_method: 'geocode_rooftop',
        county_fips: '08013',
        state: 'CO',
        timezone: 'America/Denver',
        elevation_m: null,
        context_failures: expect.arrayContaining(['elevation_m']),
      },
    ])
  })

  test('another town is no match, and never a silent pick', async () => {
    expect(await answerOf('lookup', '1777 Broadway, Denver, CO 80202')).toMatchObject({
      code: 1,
      answer: { disposition: 'no_match' },
    })
  })
})

test('a question says nothing of the packs that are there, unless it is wanted', async () => {
  const ring = [
    [-105, 39],
    [-104, 39],
    [-104, 40],
    [-105, 40],
    [-105, 39],
  ]
  writeFileSync(
    join(folder, 'regions.geojson'),
    JSON.stringify({
      type: 'FeatureCollection',
      features: [
        {
          type: 'Feature',
          properties: { US_L3NAME: 'Made-up Plains' },
          geometry: { type: 'Polygon', coordinates: [ring] },
        },
      ],
    }),
  )
  expect((await asked('pack', 'build', 'epa_ecoregions_l3', 'regions.geojson')).code).toBe(0)
  const words = ['fetch', '--at', '39.5,-104.5', '--fields', 'ecoregion_l3_name', '--data', 'data']
  const { out, err } = await startFieldstone(words, {}, folder).end()
  expect([JSON.parse(out).fields.ecoregion_l3_name.value, err]).toEqual(['Made-up Plains', ''])
  expect((await startFieldstone(words, { FIELDSTONE_LOG: 'info' }, folder).end()).err).toContain('pack_loaded')
})
