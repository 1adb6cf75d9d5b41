import { beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFieldstone } from './fieldstone.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()
const request = (...words: string[]) => startFieldstone([...words, '--data', 'data'], {}, folder).end()
const answerOf = async (...words: string[]) => {
  const { code, out, err } = await request(...words, '--json')
  return { code, answer: JSON.parse(out || err) as Record<string, unknown> }
}

const squareRing = [
  [-105, 39.7],
  [-104.9, 39.7],
  [-104.9, 39.8],
  [-105, 39.8],
  [-105, 39.7],
]

describe('without a server and without a network', () => {
  test('fetch answers named fields', async () => {
    const { code, answer } = await answerOf('fetch', '--at', '39.7392,-104.9903', '--fields', 'county,timezone')
    expect([code, answer.fields]).toMatchObject([
      0,
      { county: { value: 'Denver County', driver: 'embedded' }, timezone: { value: 'America/Denver' } },
    ])
  })

  test('--at accepts spaces, signs and exponents, and --fields accepts extra commas', async () => {
    const { code, answer } = await answerOf('fetch', '--at', ' +3.97392e1 , -104.9903', '--fields', 'county,')
    expect(answer).toMatchObject({ lat: 39.7392, lng: -104.9903, fields: { county: { value: 'Denver County' } } })
    expect(code).toBe(0)
  })

  test('fetch ends with the command that gets the local data that is missing, for this place', async () => {
    const { code, out, err } = await request(
      'fetch',
      '--at',
      '40.015,-105.27',
      '--fields',
      'county,nwi_wetland_type,elevation',
    )
    expect([code, (JSON.parse(out) as { partial_failures: unknown[] }).partial_failures]).toMatchObject([0, [{}, {}]])
    const command = /To get it, run `fieldstone (pack fetch .*?)`/.exec(err)![1]!
    expect(command).toBe('pack fetch --fields nwi_wetland_type,elevation --area "Boulder County, CO"')
    const [words, area] = command.replace('fetch', 'plan').split(/ "|"$/) as [string, string]
    const plan = await request(...words.split(' '), area)
    expect([plan.code, plan.out]).toEqual([1, expect.stringMatching(/\nusfws_nwi .*\n(?:.*\n)*usgs_3dep /)])
  })

  test.each([
    ['Boulder, CO', 'Location: Boulder, CO', 'Boulder County'],
    ['boulder county, colorado', 'Location: Boulder County, CO, a point inside it', 'Boulder County'],
    ['80302', 'Location: 80302 Boulder, CO', 'Boulder County'],
    ['JFK', 'Location: John F Kennedy International, NY', 'Queens County'],
    ['N39.7392 W104.9903', '', 'Denver County'],
  ])('--at %s finds what the search box of the page finds, and reports it', async (at, reported, county) => {
    const { code, out, err } = await request('fetch', '--at', at, '--fields', 'county')
    expect([code, err.trim(), JSON.parse(out)]).toMatchObject([0, reported, { fields: { county: { value: county } } }])
  })

  test('area answers for the polygon of a file, also of KML, and rejects a file without one shape', async () => {
    const ring = [
      [-105, 39.7],
      [-104.9, 39.7],
      [-104.9, 39.8],
      [-105, 39.7],
    ]
    const feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }
    writeFileSync(join(folder, 'parcel.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [feature] }))
    const { code, answer } = await answerOf('area', 'parcel.geojson', '--fields', 'county,geohash')
    expect([code, answer.fields]).toMatchObject([0, { county: { status: 'ok', covered_share: 1, driver: 'embedded' } }])
    const coordinatesText = ring.map((position) => position.join(',')).join(' ')
    const outline = `<outerBoundaryIs><LinearRing><coordinates>${coordinatesText}</coordinates></LinearRing></outerBoundaryIs>`
    const kml = `<kml><Placemark><Polygon>${outline}</Polygon></Placemark></kml>`
    writeFileSync(join(folder, 'parcel.kml'), kml)
    expect((await answerOf('area', 'parcel.kml', '--fields', 'county')).answer.area_m2).toBe(answer.area_m2)
    writeFileSync(
      join(folder, 'two.geojson'),
      JSON.stringify({ ...feature, type: 'FeatureCollection', features: [feature, feature] }),
    )
    writeFileSync(join(folder, 'empty.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [] }))
    for (const [file, exit] of [
      ['empty.geojson', 1],
      ['two.geojson', 1],
      ['missing.geojson', 64],
    ] as const) {
      const { code: failed, err } = await request('area', file, '--fields', 'county')
      expect([failed, err]).toMatchObject([exit, expect.stringContaining(file)])
    }
  })

  test('area answers for a circle, a county and a corridor, and rejects flags that do not name one area', async () => {
    const coordinates = [
      [-105, 39.7],
      [-104.99, 39.7],
    ]
    writeFileSync(join(folder, 'line.geojson'), JSON.stringify({ type: 'LineString', coordinates }))
    const areas = [
      ['--at', '39.7392,-104.9903', '--radius', '500m'],
      ['--county', '08031'],
      ['line.geojson', '--width', '0.06km'],
    ]
    const sizes: number[] = []
    for (const flags of areas)
      sizes.push((await answerOf('area', ...flags, '--fields', 'county')).answer.area_m2 as number)
    expect(sizes.map((size) => Number(size.toPrecision(2)))).toEqual([790_000, 400_000_000, 54_000])
    const rejected: string[][] = [
      [],
      ['line.geojson', '--county', '08031'],
      ['--at', '39.7,-105'],
      ['--county', '08031', '--radius', '5km'],
      ['--at', '39.7,-105', '--radius', '5'],
      ['--county', '08031', '--width', '5m'],
    ]
    writeFileSync(join(folder, 'square.geojson'), JSON.stringify({ type: 'Polygon', coordinates: [squareRing] }))
    rejected.push(['square.geojson', '--width', '5m'])
    for (const flags of rejected) expect((await request('area', ...flags, '--fields', 'county')).code).toBe(64)
  })

  test('an error response is the same as that of a server, and ends with 1', async () => {
    const { code, answer } = await answerOf('fetch', '--at', '39.7392,-104.9903', '--fields', 'slope')
    expect([code, answer.detail]).toMatchObject([
      1,
      { error: 'fields_unknown', suggestions: { slope: expect.arrayContaining(['slope_degrees']) } },
    ])
    expect(
      await answerOf('fetch', '--address', '1 Main St, Denver, CO 80202', '--preset', 'place_context'),
    ).toMatchObject({ code: 1, answer: { detail: { error: 'geocoder_not_configured' } } })
  })

  test.each([
    [['fetch', '--fields', 'county'], '--at 39.7392,-104.9903'],
    [['fetch', '--at', '39.7392'], '--at 39.7392,-104.9903'],
    [['fetch', '--at', '39,7,-104.9'], '--at "39,7,-104.9" is not a coordinate'],
    [['fetch', '--at', 'Springfield'], '--at "Springfield" can be Springfield, MO; Springfield, MA; '],
    [['fetch', '--at', 'qqqxyz'], '--at "qqqxyz" is not a coordinate or a known place'],
    [['lookup'], 'fieldstone lookup'],
    [['geocode'], 'fieldstone geocode'],
    [['fetch', '--at', ','], '--at "," is not a coordinate'],
    [['fetch', '--at', '0x27,-104'], 'is not a coordinate'],
    [['fetch', '--at', '1e2e3,-104'], 'is not a coordinate'],
    [['fetch', '--address', ' '], 'No location given'],
    [['fetch', '--at', '39.7,-104.9', '--address', '1 Main St'], '--at and --address cannot be combined'],
    [['geocode', ' '], 'No location given'],
    [['ask', '', '--at', '39.7,-104.9'], 'No question given'],
  ])('%p reports what is missing, and ends with 64', async (words, said) => {
    const { code, err } = await request(...words)
    expect([code, err]).toEqual([64, expect.stringContaining(said)])
  })
})

describe('with a pack of addresses', () => {
  beforeAll(async () => {
    writeFileSync(
      join(folder, 'co.csv'),
      'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH\n-105.2797,40.0182,1777,Broadway,,Boulder,,CO,80302,,a1\n-105.2790,40.0190,1801,Broadway,,Boulder,,CO,80302,,a2\n',
    )
    const { code, err } = await request('pack', 'build', 'addresses', 'co.csv')
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

  test('fetch accepts an address and reports how it was geocoded', async () => {
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
        state: 'Colorado',
        state_code: 'CO',
        timezone: 'America/Denver',
        elevation_m: null,
        context_failures: expect.arrayContaining([expect.objectContaining({ member: 'elevation_m' })]),
      },
    ])
  })

  test('another town does not match and is never chosen silently', async () => {
    expect(await answerOf('lookup', '1777 Broadway, Denver, CO 80202')).toMatchObject({
      code: 1,
      answer: { disposition: 'no_match' },
    })
  })
})

test('a one-shot command logs nothing about packs, unless FIELDSTONE_LOG asks for it', async () => {
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
  expect((await request('pack', 'build', 'epa_ecoregions_l3', 'regions.geojson')).code).toBe(0)
  const words = ['fetch', '--at', '39.5,-104.5', '--fields', 'ecoregion_l3_name', '--data', 'data']
  const { out, err } = await startFieldstone(words, {}, folder).end()
  expect([JSON.parse(out).fields.ecoregion_l3_name.value, err]).toEqual(['Made-up Plains', ''])
  expect((await startFieldstone(words, { FIELDSTONE_LOG: 'info' }, folder).end()).err).toContain('pack_loaded')
})
