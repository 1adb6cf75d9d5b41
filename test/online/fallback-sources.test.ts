import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { greenness } from '../upstreams/documents/scenes.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { jsonAnswer } from '../upstreams/service.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'
import { openUpstreams } from '../upstreams/upstreams.ts'
import { fetchOnlineFields, onlineValueOf } from './fetch-fields.ts'

let service: OnlineService
beforeEach(() => {
  service = openOnlineService()
})
afterEach(() => service.close())

/** Hosts that are down, a place, and the expected values; numbers must agree within 0.5 %. */
type Second = [what: string, down: string[], place: PlaceName, expected: Record<string, unknown>, driver: string]

const second: Second[] = [
  [
    'elevation from the image server',
    ['prd-tnm.s3.amazonaws.com'],
    'kansas',
    { elevation: 398.5, slope_degrees: 0.7967 },
    'imageserver',
  ],
  [
    'elevation from the point service',
    ['prd-tnm.s3.amazonaws.com', 'elevation.nationalmap.gov'],
    'paradise',
    { elevation: 530 },
    'rest',
  ],
  [
    'crops from CropScape',
    ['pdi.scinet.usda.gov'],
    'kansas',
    { cdl_class: 'Winter Wheat', is_cultivated: true },
    'cropscape',
  ],
  [
    'land cover from the map service',
    ['imagery.geoplatform.gov'],
    'manhattan',
    { nlcd_class: 'Developed, High Intensity' },
    'wms_feature_info',
  ],
  [
    'wetlands from the other host',
    ['fwspublicservices.wim.usgs.gov'],
    'new_orleans',
    { nwi_wetland_type: 'Freshwater Forested/Shrub Wetland', intersects_wetland: true, wetlands_within_500m_count: 13 },
    'arcgis',
  ],
  [
    'turbines from the hosted copy',
    ['energy.usgs.gov'],
    'kansas',
    { nearest_wind_turbine_distance_m: 2_500, wind_turbines_within_10km_count: 25 },
    'arcgis',
  ],
  [
    'ecoregions from the other host',
    ['gispub.epa.gov'],
    'boulder',
    { ecoregion_l3_name: 'High Plains', ecoregion_l4_name: 'Front Range Fans' },
    'arcgis',
  ],
  [
    'assessed waters from the hosted copy',
    ['gispub.epa.gov'],
    'boulder',
    { nearest_impaired_water_name: 'Mainstem of Boulder Creek' },
    'arcgis',
  ],
  ['drought from the weekly file', ['services9.arcgis.com'], 'paradise', { drought_category: 'D3' }, 'geojson_file'],
  [
    'waters from the 3D hydrography',
    ['hydro.nationalmap.gov'],
    'boulder',
    {
      nearest_waterbody_distance_m: 400,
      nearest_named_waterbody_name: 'Valmont Reservoir',
      intersects_nhd_waterbody: false,
    },
    'arcgis',
  ],
  [
    'streams from the 3D hydrography',
    ['hydro.nationalmap.gov'],
    'boulder',
    { nearest_stream_distance_m: 60, nearest_stream_name: 'Boulder Creek', streams_within_500m_count: 2 },
    'arcgis',
  ],
  [
    'a river is no waterbody of the 3D hydrography',
    ['hydro.nationalmap.gov'],
    'manhattan',
    { intersects_nhd_waterbody: false },
    'arcgis',
  ],
  [
    'the ocean is no waterbody of the 3D hydrography',
    ['hydro.nationalmap.gov'],
    'miami_beach',
    { intersects_nhd_waterbody: false },
    'arcgis',
  ],
  [
    'roads from OpenStreetMap',
    ['tigerweb.geo.census.gov'],
    'boulder',
    { nearest_major_road_distance_m: 427, roads_within_500m_count: 2 },
    'overpass',
  ],
  [
    'power lines from OpenStreetMap',
    ['services2.arcgis.com'],
    'boulder',
    { nearest_transmission_line_distance_m: 2_561 },
    'overpass',
  ],
  [
    'chargers from the laboratory',
    ['services.arcgis.com'],
    'boulder',
    { nearest_ev_charger_distance_m: 1_110 },
    'rest_features',
  ],
  [
    'brownfields from the agency itself',
    ['services.arcgis.com'],
    'boulder',
    { nearest_brownfield_distance_m: 350, brownfields_within_radius_count: 3 },
    'arcgis',
  ],
  [
    'rocks from Macrostrat',
    ['services.arcgis.com'],
    'boulder',
    { bedrock_unit_name: 'Made-up Formation, undivided' },
    'rest',
  ],
  [
    'the block from the FCC',
    ['geocoding.geo.census.gov'],
    'boulder',
    { block_geoid: '080130122032014', tract_geoid: '08013012203' },
    'rest',
  ],
  [
    'the tract from TIGERweb',
    ['geocoding.geo.census.gov', 'geo.fcc.gov'],
    'kansas',
    { tract_geoid: '20027458200' },
    'arcgis',
  ],
  [
    'the metropolitan area from the list of 2010',
    ['geocoding.geo.census.gov'],
    'boulder',
    { cbsa_code: '14500' },
    'embedded',
  ],
  [
    'greenness from the scenes of Earth Search',
    ['planetarycomputer.microsoft.com'],
    'kansas',
    { ndvi_current: greenness.kansas[1], ndvi_change_5y: greenness.kansas[1] - greenness.kansas[0] },
    'stac',
  ],
]

test('when the first layer of schools is down, another server of its publisher has the same schools', async () => {
  service.upstreams.fault({ path: /EDGE_GEOCODE_PUBLICSCH_2425/ }, { status: 500 })
  const { nearest_public_school_name } = await fetchOnlineFields(service, testPlaces.boulder, [
    'nearest_public_school_name',
  ])
  expect(onlineValueOf(nearest_public_school_name)).toBe('Made-up Whittier Elementary')
})

test('a congressional district says of which Congress it is', async () => {
  const { congressional_district } = await fetchOnlineFields(service, testPlaces.boulder, ['congressional_district'])
  expect(congressional_district).toMatchObject({ status: 'ok', dataset_vintage: '120th Congress' })
})

test.each(second)(
  'when the first source is down, %s gives the same value',
  async (_what, down, place, expected, driver) => {
    for (const host of down) service.upstreams.fault({ host }, { status: 503 })
    const answers = await fetchOnlineFields(service, testPlaces[place], Object.keys(expected))
    for (const [name, requested] of Object.entries(expected)) {
      const value = onlineValueOf(answers[name])
      if (typeof requested === 'number' && typeof value === 'number')
        expect(Math.abs(value - requested), name).toBeLessThanOrEqual(Math.abs(requested) / 200)
      else expect(value, name).toBe(requested as never)
      expect(answers[name]!.driver, name).toBe(driver)
    }
    expect(service.upstreams.unknown).toEqual([])
  },
)

/** Paths of one host that are down; the fields that are then answered, and by what; and those that fail. */
const partlyDown: [
  what: string,
  path: RegExp,
  place: PlaceName,
  expected: Record<string, unknown>,
  failed: string[],
][] = [
  [
    'the name of a gage',
    /\/monitoring-locations\//,
    'boulder',
    { nearest_stream_gage_discharge_cfs: 118 },
    ['nearest_stream_gage_name'],
  ],
  [
    'version 0 of the water data',
    /\/ogcapi\/v0\//,
    'boulder',
    { nearest_stream_gage_discharge_cfs: 118, nearest_stream_gage_name: 'BOULDER CREEK MADE UP' },
    [],
  ],
  [
    'the catalog of the elevation service',
    /3DEPElevation\/ImageServer\/query/,
    'boulder',
    { elevation_source_resolution_m: 1 },
    [],
  ],
]

test.each(partlyDown)(
  'when %s is down, the other fields are answered',
  async (_what, path, place, expected, failed) => {
    service.upstreams.fault({ path }, { status: 503 })
    const answers = await fetchOnlineFields(service, testPlaces[place], [...Object.keys(expected), ...failed])
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, onlineValueOf(answers[name])]))).toEqual(
      expected,
    )
    expect(failed.map((name) => answers[name]!.status)).toEqual(failed.map(() => 'failed'))
  },
)

test('a rock without a name at the large scale has the name of the medium scale', async () => {
  const answers = await fetchOnlineFields(service, testPlaces.anchorage, ['bedrock_unit_name'])
  expect(answers.bedrock_unit_name).toMatchObject({ status: 'ok', value: 'Made-up Formation, undivided' })
})

test.each([
  ['listingStatusName', { listingStatusName: 'Endangered' }, 1],
  ['neither member', {}, 'schema_changed'],
])('the status of a species is read from %s', async (_what, status, expected) => {
  const population = { sid: 1, optionalCommonName: 'Gray Wolf', ...status }
  const answer = () => jsonAnswer({ resources: { populationsBySid: { 1: { population } } } })
  const upstreams = openUpstreams({ services: [{ host: 'ipac.ecosphere.fws.gov', answer }] })
  const other = openTestService({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: upstreams.url })
  const answers = await fetchOnlineFields(other, testPlaces.boulder, ['listed_species_count'])
  await other.close()
  upstreams.close()
  if (typeof expected === 'number') expect(answers.listed_species_count!.value).toBe(expected)
  else expect(onlineValueOf(answers.listed_species_count)).toStartWith(`${expected}: `)
})
