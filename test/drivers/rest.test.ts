import { describe, expect, test } from 'bun:test'
import { rejectionMessage } from '../operators/fakes.ts'
import { isPartial } from '../../src/model/document-markers.ts'
import { driverErrorCode, evaluateField, startPublisher, invalidResponses } from './publisher.ts'

const text = (body: string, status = 200, type = 'text/plain') =>
  new Response(body, { status, headers: { 'content-type': type } })
const json = (body: unknown, status: number) => Response.json(body, { status })

/** Queries a dataset once and reads a field from it. */
async function read(
  says: unknown,
  dataset: string,
  field: string,
  { key = null, api = null }: { key?: string | null; api?: string | null } = {},
) {
  using world = startPublisher(() => says)
  return {
    value: await evaluateField(field, dataset, world.open(dataset, 'rest', { key: api }), key),
    request: world.requests[0]!,
  }
}

const geographies = (layers: Record<string, unknown>) => ({ result: { input: {}, geographies: layers } })
const broken = [{ status: 'Layer query encountered an error: java.lang.RuntimeException: Failed to return' }]

describe('a field reads', () => {
  const acs = [
    ['NAME', 'B19013_001E', 'B01003_001E', 'state', 'county', 'tract'],
    ['Census Tract 615; Saratoga County; New York', '80123', '4321', '36', '091', '061500'],
  ]
  test.each<[string, string, unknown, string, unknown, { key?: string; api?: string }?]>([
    [
      'the count of earthquakes',
      'usgs_fdsn_event',
      { count: 12, maxAllowed: 20000 },
      'earthquakes_within_100km_count',
      12,
    ],
    [
      'a climate normal',
      'nasa_power_climatology',
      { properties: { parameter: { ALLSKY_SFC_SW_DWN: { JAN: 2.1, ANN: 4.73 } } }, messages: [] },
      'ghi_annual_kwh_m2_day',
      4.73,
    ],
    [
      'a fill value',
      'nasa_power_climatology',
      { properties: { parameter: { ALLSKY_SFC_SW_DWN: { ANN: -999 } } } },
      'ghi_annual_kwh_m2_day',
      null,
    ],
    [
      'a unit of rock',
      'macrostrat_units_large',
      { success: { v: 2, data: [{ name: 'Pierre Shale', lith: 'shale' }] } },
      'bedrock_unit_name',
      'Pierre Shale',
    ],
    [
      'modeled air quality',
      'open_meteo_air_quality',
      { current: { us_aqi: 41, pm2_5: 7.1, ozone: 80 } },
      'pm25_current_ug_m3',
      7.1,
    ],
    [
      'air quality',
      'airnow_current',
      [{ parameterName: 'PM2.5', nowcastAQI: 42 }],
      'air_quality_index_current',
      42,
      { api: 'k' },
    ],
    [
      'no monitor',
      'airnow_current',
      { WebServiceError: [{ Message: 'No data available for this location.' }] },
      'air_quality_index_current',
      null,
      { api: 'k' },
    ],
    [
      'a seismic class',
      'usgs_designmaps_asce7_22',
      { request: {}, response: { data: { sdc: 'D', sds: 0.43 }, metadata: {} } },
      'seismic_design_category',
      'D',
    ],
    [
      'the name of a rock without a name',
      'macrostrat_units_large',
      { success: { v: 2, data: [{ name: '', lith: ' ' }] } },
      'bedrock_unit_name',
      null,
    ],
    [
      'a missing seismic class',
      'usgs_designmaps_asce7_22',
      { response: { data: { sdc: null } } },
      'seismic_design_category',
      null,
    ],
    [
      'sunshine',
      'nlr_solar_resource',
      { version: '1', warnings: [], errors: [], outputs: { avg_dni: { annual: 6.06 } } },
      'dni_annual_kwh_m2_day',
      6.06,
      { api: 'k' },
    ],
    [
      'unknown sunshine',
      'nlr_solar_resource',
      { errors: [], outputs: { avg_dni: 'no data' } },
      'dni_annual_kwh_m2_day',
      null,
      { api: 'k' },
    ],
    [
      'a catchment',
      'usgs_nldi',
      { type: 'FeatureCollection', features: [{ properties: { comid: '13294314' } }] },
      'nhdplus_comid',
      '13294314',
    ],
    ['no catchment', 'usgs_nldi', text('', 404), 'nhdplus_comid', null],
    [
      'a metric',
      'epa_streamcat',
      { items: [{ comid: 13294314, pctimp2019ws: 12.34 }] },
      'watershed_impervious_pct',
      12.34,
      { key: '13294314' },
    ],
    [
      'a metric in capitals',
      'epa_streamcat',
      { items: [{ COMID: 13294314, PCTIMP2019WS: 12.34 }] },
      'watershed_impervious_pct',
      12.34,
      { key: '13294314' },
    ],
    ['an unknown catchment', 'epa_streamcat', { items: [] }, 'watershed_impervious_pct', null, { key: '1' }],
    [
      'a rate',
      'bls_laus_county',
      { status: 'REQUEST_SUCCEEDED', message: [], Results: { series: [{ data: [{ value: '4.1' }] }] } },
      'county_unemployment_rate_pct',
      4.1,
      { key: '08013' },
    ],
    [
      'alerts',
      'nws_alerts',
      {
        type: 'FeatureCollection',
        features: [
          {
            geometry: null,
            properties: {
              status: 'Actual',
              messageType: 'Update',
              event: 'Flood Watch',
              severity: 'Severe',
              sent: '2026-07-16T10:00:00-06:00',
            },
          },
          {
            geometry: null,
            properties: {
              status: 'Test',
              messageType: 'Alert',
              event: 'Test Message',
              severity: 'Extreme',
              sent: '2026-07-16T10:00:00-06:00',
            },
          },
        ],
      },
      'most_severe_weather_alert',
      'Flood Watch',
    ],
    ['no alerts', 'nws_alerts', { type: 'FeatureCollection', features: [] }, 'active_weather_alerts_count', 0],
    [
      'disasters',
      'openfema_declarations',
      {
        metadata: {},
        DisasterDeclarationsSummaries: [{ disasterNumber: 1 }, { disasterNumber: 1 }, { disasterNumber: 2 }],
      },
      'disaster_declarations_10y_count',
      2,
      { key: '08013' },
    ],
    [
      'a community',
      'openfema_nfip_csb',
      { NfipCommunityStatusBook: [{ participatingInNFIP: true }] },
      'is_nfip_participating',
      true,
      { key: '080024' },
    ],
    ...[null, '', ' '].map((classRating): [string, string, unknown, string, unknown, { key: string }] => [
      `a community whose class is ${JSON.stringify(classRating)}`,
      'openfema_nfip_csb',
      { NfipCommunityStatusBook: [{ participatingInNFIP: true, classRating }] },
      'nfip_crs_class',
      null,
      { key: '080024' },
    ]),
    [
      'species',
      'usfws_ipac',
      { resources: { populationsBySid: { 1: { population: { listingStatusCode: 'E' } } } } },
      'listed_species_count',
      1,
    ],
    [
      'the population of a block group',
      'fcc_area_api',
      { results: [{ block_pop_2020: '41' }] },
      'census_block_population_2020',
      41,
    ],
    [
      'an unknown population',
      'fcc_area_api',
      { results: [{ block_pop_2020: 'data unavailable' }] },
      'census_block_population_2020',
      null,
    ],
    ['the open sea', 'fcc_area_api', { results: [] }, 'census_block_population_2020', null],
    [
      'an estimate',
      'census_acs5',
      acs,
      'tract_median_household_income_usd',
      expect.objectContaining({ value: 80123 }),
      { key: '36091061500', api: 'k' },
    ],
    [
      'an estimate for an unknown tract',
      'census_acs5',
      new Response(null, { status: 204 }),
      'tract_median_household_income_usd',
      null,
      { key: '36091061500', api: 'k' },
    ],
    [
      'an income',
      'census_saipe_county',
      [
        ['NAME', 'SAEMHI_PT', 'YEAR', 'state', 'county'],
        ['Boulder County', '99770', '2024', '08', '013'],
      ],
      'county_median_household_income_usd',
      expect.objectContaining({ value: 99770 }),
      { key: '08013', api: 'k' },
    ],
    [
      'a parcel',
      'regrid_parcels',
      { parcels: { features: [{ properties: { fields: { zoning: 'SD2', parval: 0 } } }] } },
      'parcel_zoning',
      'SD2',
      { api: 'k' },
    ],
    ['no parcel', 'regrid_parcels', { parcels: { features: [] } }, 'parcel_zoning', null, { api: 'k' }],
    [
      'a tract',
      'census_geocoder_geographies',
      geographies({ 'Census Tracts': [{ GEOID: '08013012202', AREALAND: 1 }] }),
      'tract_geoid',
      '08013012202',
    ],
    [
      'no place',
      'census_geocoder_geographies',
      geographies({ 'Incorporated Places': [], 'Census Designated Places': [] }),
      'political_locality',
      null,
    ],
    [
      'the resolution of the models',
      'usgs_3dep_identify',
      { value: '1655', catalogItems: { features: [{ attributes: { DEM_Type: 'x', LowPS: 1 } }] } },
      'elevation_source_resolution_m',
      1,
    ],
  ])('%s of %s', async (_what, dataset, says, field, value, ...[request]) => {
    expect((await read(says, dataset, field, request)).value).toEqual(value as never)
  })
})

describe('the geocoder of the Census Bureau', () => {
  const everywhere = {
    States: [{ GEOID: '11' }],
    Counties: [{ GEOID: '11001' }],
    'Census Tracts': [{ GEOID: '11001006202' }],
  }
  const readLayer = async (layers: Record<string, unknown>, field: string) =>
    (await read(geographies(layers), 'census_geocoder_geographies', field)).value
  const urban = [{ GEOID: '92242', NAME: 'Washington--Arlington, DC--VA--MD Urban Area' }]

  test.each(['2020 Urban Areas - Corrected', '2020 Urban Areas', 'Urban Areas'])(
    'names urban areas %s',
    async (key) => {
      expect(await readLayer({ ...everywhere, [key]: urban }, 'within_urban_area')).toBe(true)
      expect(await readLayer({ ...everywhere, [key]: urban }, 'urban_area_name')).toBe(urban[0]!.NAME)
      expect(await readLayer({ ...everywhere, [key]: [] }, 'within_urban_area')).toBe(false)
    },
  )

  test('without a layer of urban areas says nothing about them', async () => {
    for (const field of ['within_urban_area', 'urban_area_name'])
      expect(await rejectionMessage(readLayer({ ...everywhere, 'Built-up Areas 2030': urban }, field))).toStartWith(
        'schema_changed: ',
      )
  })

  test('lists a layer without records as an empty list, or leaves out all such layers', async () => {
    expect(await readLayer(everywhere, 'political_locality')).toBe(null)
    const listsAll = { ...everywhere, 'Elementary School Districts': [] }
    expect(await rejectionMessage(readLayer(listsAll, 'political_locality'))).toStartWith('schema_changed: ')
    expect(
      await readLayer({ ...listsAll, 'Incorporated Places': [], 'Census Designated Places': [] }, 'political_locality'),
    ).toBe(null)
  })

  test('has no subdivision and no district where its name is "not defined", as on large waters', async () => {
    const lakeMichigan = {
      ...everywhere,
      'County Subdivisions': [{ GEOID: '1703100000', NAME: 'County subdivisions not defined' }],
      'Unified School Districts': [{ GEOID: '1799997', NAME: 'School District Not Defined' }],
      '120th Congressional Districts': [{ GEOID: '17ZZ', NAME: 'Congressional Districts not defined' }],
      '2026 State Legislative Districts - Upper': [{ GEOID: '17ZZZ', NAME: 'State Senate Districts not defined' }],
      '2026 State Legislative Districts - Lower': [{ GEOID: '17ZZZ', NAME: 'State House Districts not defined' }],
    }
    for (const field of [
      'county_subdivision_name',
      'school_district_name',
      'congressional_district',
      'state_legislative_upper_district',
      'state_legislative_lower_district',
    ])
      expect([field, await readLayer(lakeMichigan, field)]).toEqual([field, null])
  })

  test('without a state, a county and a tract leaves out nothing that is known to be empty', async () => {
    expect(await rejectionMessage(readLayer({ States: [{ GEOID: '11' }] }, 'political_locality'))).toStartWith(
      'schema_changed: ',
    )
  })
})

describe('the request of a service', () => {
  test('the weather has four decimals', async () => {
    expect(
      (await read({ type: 'FeatureCollection', features: [] }, 'nws_alerts', 'active_weather_alerts_count')).request
        .query,
    ).toEqual({ point: '40.015,-105.2705' })
  })
  test('a block group, tract or county is selected by key length, with all variables in one request', async () => {
    using world = startPublisher(() => [['B01003_001E'], ['1']])
    const source = world.open('census_acs5', 'rest', { key: 'secret' })!
    for (const key of ['080130122021', '08013012202', '08013']) await source({ key })
    expect(world.requests.map(({ query }) => [query.for, query.in])).toEqual([
      ['block group:1', 'state:08 county:013 tract:012202'],
      ['tract:012202', 'state:08 county:013'],
      ['county:013', 'state:08'],
    ])
    expect(world.requests[0]!.query.get).toContain('NAME,B01002_001E,')
    expect(world.requests[0]!.query.key).toBe('secret')
    expect(await driverErrorCode(source({ key: '0801' }))).toBe('bad_value')
    expect(await driverErrorCode(source({}))).toBe('unsupported_request')
  })
  test('OData has quotes, the parts of a county and a date ten years ago', async () => {
    const { request } = await read(
      { DisasterDeclarationsSummaries: [] },
      'openfema_declarations',
      'disaster_declarations_10y_count',
      { key: '08013' },
    )
    expect(request.query.$filter).toBe(
      "fipsStateCode eq '08' and (fipsCountyCode eq '013' or fipsCountyCode eq '000') and declarationDate gt '2016-07-16T00:00:00.000z'",
    )
    expect(request.query.$top).toBe('1000')
  })
  test('a square of 100 m is text in a body', async () => {
    const { request } = await read({ resources: { populationsBySid: {} } }, 'usfws_ipac', 'listed_species_count')
    const body = JSON.parse(request.body) as Record<string, string>
    const {
      type,
      coordinates: [ring],
    } = JSON.parse(body['location.footprint']!) as { type: string; coordinates: number[][][] }
    expect([request.method, request.type, type, ring!.length, body.apiVersion]).toEqual([
      'POST',
      'application/json',
      'Polygon',
      5,
      '1.0.0',
    ])
    expect((ring![2]![1]! - ring![0]![1]!) * 111_000).toBeCloseTo(100, -1)
  })
  test('a geometry is JSON in a query', async () => {
    const { request } = await read(
      { fields: [], features: [{ attributes: { LowPS: 1 } }] },
      'usgs_3dep_catalog',
      'elevation_source_resolution_m',
    )
    expect(JSON.parse(request.query.geometry!)).toEqual({
      x: -105.2705456,
      y: 40.0150123,
      spatialReference: { wkid: 4326 },
    })
  })
  test('the key of a field is in the path', async () => {
    expect(
      (
        await read(
          { status: 'REQUEST_SUCCEEDED', Results: { series: [] } },
          'bls_laus_county',
          'county_unemployment_rate_pct',
          { key: '08013' },
        )
      ).request.path,
    ).toBe('publicAPI/v2/timeseries/data/LAUCN080130000000003')
  })
  test("a point has the publisher's format", async () => {
    expect((await read(text('', 404), 'usgs_nldi', 'nhdplus_comid')).request.query.coords).toBe(
      'POINT(-105.2705456 40.0150123)',
    )
  })
  test('a service that needs a key does not open without it', () => {
    using world = startPublisher(() => null)
    expect(
      ['census_acs5', 'airnow_current', 'regrid_parcels', 'nlr_pvwatts_v8'].map((id) => world.open(id, 'rest')),
    ).toEqual([null, null, null, null])
  })
})

describe('an error is never an answer', () => {
  test.each(invalidResponses)('%s', async (_what, response, code) => {
    using world = startPublisher(response)
    expect(await driverErrorCode(world.open('nws_alerts', 'rest')!({}))).toBe(code)
  })
  test.each<[string, string, unknown, string, string?]>([
    ['a missing layer', 'census_geocoder_geographies', { result: {} }, 'bad_response'],
    [
      'a geocoder error about a missing address',
      'census_geocoder_geographies',
      { errors: ['Specify House number'], status: '400' },
      'upstream_rejected',
    ],
    [
      'a page instead of an estimate',
      'census_acs5',
      text('<html>\n    <head>\n        <title>Missing Key</title></head></html>', 200, 'text/html'),
      'entitlement_missing',
      '08013',
    ],
    [
      'a used-up daily quota',
      'bls_laus_county',
      { status: 'REQUEST_NOT_PROCESSED', message: ['threshold'], Results: {} },
      'quota_exhausted',
      '08013',
    ],
    [
      'wrong parameters',
      'bls_laus_county',
      { status: 'REQUEST_FAILED_INVALID_PARAMETERS', Results: {} },
      'upstream_rejected',
      '08013',
    ],
    [
      'a seismic rejection inside a 500',
      'usgs_designmaps_asce7_22',
      json({ request: {}, response: 'Latitude out of range' }, 500),
      'upstream_rejected',
    ],
    ['a seismic 500 without a message', 'usgs_designmaps_asce7_22', text('', 500), 'upstream_5xx'],
    ['a seismic 500 with a page', 'usgs_designmaps_asce7_22', text('<html>', 500, 'text/html'), 'upstream_5xx'],
    [
      'an unknown key',
      'nlr_pvwatts_v8',
      json(
        {
          error: {
            code: 'API_KEY_INVALID',
            message: 'An invalid api_key was supplied. Get one at https://developer.nlr.gov:443',
          },
        },
        403,
      ),
      'entitlement_missing',
    ],
    ['another 403', 'nlr_pvwatts_v8', text('no', 403), 'upstream_rejected'],
    ['a used-up hourly quota', 'nlr_pvwatts_v8', json({ error: { code: 'OVER_RATE_LIMIT' } }, 429), 'rate_limited'],
    ['a wrong parameter', 'nlr_pvwatts_v8', json({ errors: ['lat is out of range'] }, 422), 'upstream_rejected'],
    ['errors inside a 200', 'nlr_pvwatts_v8', { errors: ['no climate data'], outputs: {} }, 'upstream_rejected'],
    [
      'a rejected hour',
      'open_meteo_air_quality',
      { error: true, reason: 'Daily API request limit exceeded' },
      'upstream_rejected',
    ],
    [
      'air quality without a list',
      'airnow_current',
      { WebServiceError: [{ Message: 'Invalid API key' }] },
      'entitlement_missing',
    ],
    [
      'another error of the air quality service',
      'airnow_current',
      { WebServiceError: [{ Message: 'Busy' }] },
      'upstream_rejected',
    ],
    ['the empty list of a retired address', 'airnow_current', [], 'bad_response'],
    ['air quality without a key', 'airnow_current', text('', 401), 'entitlement_missing'],
    [
      'the text of an outage of the elevation service',
      'usgs_3dep',
      text('Call failed.  [Failed cloud operation: Open, Path: /vsis3/prd-tnm/dem.tif]'),
      'bad_response',
    ],
    [
      'an area outside the trial',
      'regrid_parcels',
      json({ status: 'error', message: 'This area is not included in API trials.' }, 403),
      'entitlement_missing',
    ],
    ['a used-up quota', 'regrid_parcels', text('', 402), 'quota_exhausted'],
    ['an XML fault', 'usgs_nldi', text('<?xml version="1.0"?><Error/>', 200, 'application/xml'), 'bad_response'],
    ['a truncated place', 'usgs_nldi', text('{"type":"FeatureColl'), 'bad_response'],
    ['a retryable ArcGIS error', 'usgs_3dep_identify', { error: { code: 504, message: 'busy' } }, 'upstream_5xx'],
    ['a missing token', 'usgs_3dep_identify', { error: { code: 499, message: 'Token Required' } }, 'upstream_rejected'],
  ])('%s (%s)', async (_what, dataset, says, code, ...[key]) => {
    using world = startPublisher(() => says)
    const source = world.open(dataset, 'rest', { key: 'verysecret' })!
    const failure = source({ ...(key !== undefined && { key }) })
    expect(await driverErrorCode(failure)).toBe(code)
    expect(await failure.catch(String)).not.toMatch(/verysecret|https?:/)
  })
  test('a metered request is sent once', async () => {
    using world = startPublisher(() => text('', 500))
    expect(await driverErrorCode(world.open('regrid_parcels', 'rest', { key: 'k' })!({}))).toBe('upstream_5xx')
    expect(world.requests.length).toBe(1)
  })
})

describe('a layer that failed inside a 200', () => {
  const half = geographies({
    Counties: [{ GEOID: '08013', NAME: 'Boulder County' }],
    'Census Tracts': broken,
    '2020 Census Urban Areas': broken,
    'Incorporated Places': broken,
    'Census Designated Places': [{ NAME: 'X' }],
  })
  test.each([
    ['county_fips', { gave: '08013' }],
    ['tract_geoid', 'bad_response'],
    ['within_urban_area', 'bad_response'],
    ['political_locality', 'bad_response'],
    ['county_subdivision_name', 'schema_changed'],
  ])('%s', async (field, outcome) => {
    using world = startPublisher(() => half)
    expect(
      await driverErrorCode(
        evaluateField(field, 'census_geocoder_geographies', world.open('census_geocoder_geographies', 'rest')),
      ),
    ).toEqual(outcome)
  })
  test('prevents caching of the document', async () => {
    using world = startPublisher(() => half)
    expect(isPartial(JSON.parse(JSON.stringify(await world.open('census_geocoder_geographies', 'rest')!({}))))).toBe(
      true,
    )
    expect(isPartial(geographies({ Counties: [{ GEOID: '08013' }] }))).toBe(false)
  })
})

describe('a raster of one cell', () => {
  const cells = async (says: unknown) => {
    using world = startPublisher(() => says)
    return await driverErrorCode(
      world.open('usgs_3dep', 'rest')!({ radius_cells: 0 }).then((grid) => (grid as { cells: unknown[] }).cells),
    )
  }
  test.each([
    ['a number', { value: 1655.4 }, { gave: [1655.4] }],
    ['a number as text', { value: '1655.4' }, { gave: [1655.4] }],
    ['the nodata number', { value: -1000000 }, { gave: [null] }],
    ['outside of coverage', text('Call failed.'), { gave: [null] }],
    ['a rejected request', text('Invalid or missing input parameters.'), 'bad_response'],
    ['null', { value: null }, 'bad_response'],
    ['a word', { value: 'deep' }, 'bad_value'],
    ['no value at all', { location: {} }, 'bad_response'],
    ['another text', text('Out of memory'), 'bad_response'],
  ])('%s', async (_what, says, outcome) => expect(await cells(says)).toEqual(outcome as never))
  test('rejects a window', async () => {
    using world = startPublisher(() => ({ value: 1 }))
    const source = world.open('usgs_3dep', 'rest')!
    expect(await driverErrorCode(source({ radius_cells: 1 }))).toBe('unsupported_request')
    expect(await driverErrorCode(source({ radius_cells: 0, radius_m: 500 }))).toBe('unsupported_request')
    expect(world.requests).toEqual([])
  })
})
