import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { facts } from '../upstreams/documents/census-geographies.ts'
import { rain_100yr_24h_mm } from '../upstreams/documents/noaa-water.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'
import { peopleOf } from '../upstreams/tables/census-files.ts'
import { fetchFieldsEverywhere, placeNames, onlineValueOf, roundedAs } from './fetch-fields.ts'

/** A field and its value at each place; a single value applies to all places. */
type Said = [field: string, expected: Partial<Record<PlaceName, unknown>> | ((place: PlaceName) => unknown)]

const geoid = ({ state, county }: (typeof facts)[PlaceName]) => state[0] + county[0]
/** By the code N, and by the dash that is in use since the end of 2025. */
const isWithheld = (place: PlaceName) => place === 'kansas' || place === 'new_orleans'
const inKansas = (there: unknown, elsewhere: unknown) => (place: PlaceName) => (place === 'kansas' ? there : elsewhere)
const inStates = (value: (place: PlaceName) => unknown) => (place: PlaceName) =>
  place === 'san_juan' ? null : value(place)
const county = (place: PlaceName) => ({ state: facts[place].state[0], county: facts[place].county[0] })
const people = (place: PlaceName, year: number) => peopleOf(county(place), year)
const metro = (place: PlaceName) =>
  place === 'paradise' ? /^bad_response: / : 'metro' in facts[place] ? (facts[place].metro?.[1] ?? null) : null

const isShaken = (place: PlaceName) => place === 'paradise' || place === 'anchorage'
/** The newest year of building permits, which is published in the following June. */
const permitYear = new Date().getUTCFullYear() - (new Date().getUTCMonth() >= 5 ? 1 : 2)

/** The values of the synthetic documents, tables and soils, computed by hand. */
const response: Said[] = [
  ['tract_geoid', (place) => geoid(facts[place]) + facts[place].tract],
  ['block_group_geoid', (place) => geoid(facts[place]) + facts[place].tract + facts[place].block[0]],
  ['block_geoid', (place) => geoid(facts[place]) + facts[place].tract + facts[place].block],
  ['political_locality', (place) => facts[place].place?.[1] ?? null],
  ['place_geoid', (place) => (facts[place].place ? facts[place].state[0] + facts[place].place[0] : null)],
  ['county_subdivision_name', (place) => facts[place].subdivision[1]],
  ['school_district_name', (place) => facts[place].school[1]],
  ['congressional_district', (place) => `${facts[place].state[1]}-${facts[place].congress}`],
  ['state_legislative_upper_district', (place) => facts[place].upper],
  ['state_legislative_lower_district', (place) => facts[place].lower],
  ['cbsa_name', metro],
  ['zcta5', (place) => facts[place].zcta],
  ['urban_area_name', (place) => facts[place].urban?.[1] ?? null],
  ['within_urban_area', (place) => facts[place].urban !== null],
  ['tribal_area_name', (place) => (place === 'anchorage' ? 'Knik ANVSA' : null)],
  ['census_block_population_2020', inStates(() => 118)],
  ['tract_population_acs5', () => 4_321],
  ['block_group_population', () => 1_187],
  ['tract_population_density_per_km2', (place) => 4_321 / (facts[place].land / 1e6)],
  ['tract_poverty_rate_pct', () => (100 * 676) / 4_102],
  ['tract_unemployment_rate_pct', () => (100 * 99) / 2_750],
  ['tract_bachelors_degree_or_higher_pct', () => (100 * (990 + 540 + 120 + 133)) / 2_890],
  ['tract_owner_occupied_pct', () => (100 * 901) / 2_056],
  ['tract_vacancy_rate_pct', () => (100 * 154) / 2_210],
  ['tract_median_home_value_usd', inKansas(null, 812_500)],
  ['tract_median_gross_rent_usd', inKansas(null, 1_890)],
  ['tract_median_structure_year_built', inKansas(null, 1_974)],
  ['county_population', inStates((place) => people(place, 2025))],
  ['county_population_growth_1yr_pct', inStates((place) => (100 * 500) / people(place, 2024))],
  ['county_net_domestic_migration', inStates((place) => 2_020 - 2_025 - Number(county(place).state))],
  [
    'county_hpi_yoy_pct',
    {
      boulder: 2.5,
      miami_beach: 2.6,
      new_orleans: 2.7,
      kansas: null,
      manhattan: 2.9,
      paradise: 3,
      anchorage: null,
      san_juan: null,
    },
  ],
  ['county_employment_total', (place) => (isWithheld(place) ? null : 10_000 + 1_000 * Number(county(place).state))],
  ['county_employment_yoy_pct', (place) => (isWithheld(place) ? null : 1.7)],
  ['county_unemployment_rate_pct', inKansas(null, 4.1)],
  ['county_median_household_income_usd', inStates((place) => 60_000 + 500 * Number(county(place).state))],
  [
    'county_rural_urban_continuum_code',
    (place) => (({ boulder: 2, kansas: 7, paradise: 2 }) as Partial<Record<PlaceName, number>>)[place] ?? 1,
  ],
  [
    'radon_zone',
    { boulder: 1, miami_beach: 3, new_orleans: 3, kansas: 1, manhattan: 2, paradise: 2, anchorage: 1, san_juan: null },
  ],
  ['rainfall_100yr_24h_mm', (place) => rain_100yr_24h_mm[place]],
  [
    'active_weather_alerts_count',
    { boulder: 0, miami_beach: 0, new_orleans: 3, kansas: 1, manhattan: 0, paradise: 1, anchorage: 0, san_juan: 0 },
  ],
  [
    'most_severe_weather_alert',
    { new_orleans: 'Hurricane Warning', kansas: 'Special Weather Statement', paradise: 'Red Flag Warning' },
  ],
  ['air_quality_index_current', { boulder: 44, miami_beach: 42, manhattan: 52, san_juan: 18 }],
  ['frost_days_per_year', (place) => (place === 'anchorage' ? null : 144)],
  ['wind_shear_exponent', () => Math.log(4.9 / 3.2) / Math.log(5)],
  [
    'seismic_design_category',
    { boulder: 'B', miami_beach: 'B', new_orleans: 'B', kansas: 'B', manhattan: 'B', paradise: 'D', anchorage: 'D' },
  ],
  ['earthquakes_within_100km_count', (place) => 3 * placeNames.indexOf(place)],
  ['is_nfip_participating', { boulder: true, miami_beach: true, new_orleans: true, kansas: false, manhattan: true }],
  ['nfip_crs_class', { boulder: 5, miami_beach: 5, new_orleans: 7 }],
  ['disaster_declarations_10y_count', inKansas(0, 2)],
  [
    'listed_species_count',
    { boulder: 2, miami_beach: 3, new_orleans: 0, kansas: 0, manhattan: 0, paradise: 0, anchorage: 0, san_juan: 0 },
  ],
  ['endangered_species_names', { boulder: 'Gray Wolf', miami_beach: 'Everglade Snail Kite; Florida Bonneted Bat' }],
  ['nhdplus_comid', { boulder: '2888866', new_orleans: '22811611', kansas: '13294314', paradise: '7999999' }],
  ['watershed_impervious_pct', { boulder: 8.7, kansas: 12.34 }],
  ['dni_annual_kwh_m2_day', (place) => (place === 'anchorage' ? null : place === 'san_juan' ? 4.86 : 6.06)],
  ['nearest_stream_gage_discharge_cfs', { boulder: 118, new_orleans: 412_000, kansas: 535 }],
  ['nearest_monitoring_well_water_depth_ft', { boulder: 8.1, kansas: 17.42 }],
  ['river_flood_category', { boulder: 'no_flooding', new_orleans: 'minor' }],
  [
    'soil_map_unit_key',
    {
      boulder: '94751',
      miami_beach: '1420222',
      new_orleans: '665991',
      kansas: '1382001',
      manhattan: '2455441',
      paradise: '2924879',
      san_juan: '2503155',
    },
  ],
  ['soil_ph', { boulder: 7.5, kansas: (18 * 6.2 + 12 * 7) / 30, paradise: (20 * 6 + 10 * 6.3) / 30 }],
  ['soil_clay_pct', { boulder: 22, kansas: (18 * 25 + 12 * 45) / 30, paradise: (20 * 15 + 10 * 18) / 30 }],
  ['soil_shrink_swell_lep_pct', { boulder: 2, kansas: (18 * 3 + 82 * 8) / 100, paradise: 1.5 }],
  ['soil_surface_texture', { boulder: 'Loam', kansas: 'Silt loam', paradise: 'Sandy loam' }],
  ['bedrock_depth_cm', { boulder: 200, kansas: 200, paradise: 38 }],
  ['parcel_year_built', { boulder: 1926, manhattan: 1931 }],
  ['parcel_assessed_value_usd', { manhattan: 123_456_789, kansas: 21_340 }],
  ['nearest_volcano_name', { paradise: 'Lassen Volcanic Center', anchorage: 'Spurr' }],
  // The height of the nearest turbine in Kansas is not known.
  ['nearest_wind_turbine_hub_height_m', { boulder: 79.5 }],
  ['wind_turbines_within_10km_count', (place) => (place === 'kansas' ? 3 : 0)],
  [
    'electric_utility_service_territory',
    {
      boulder: 'MADE-UP MUNICIPAL LIGHT',
      miami_beach: 'FLORIDA POWER & LIGHT CO',
      kansas: 'EVERGY KANSAS CENTRAL',
      paradise: 'PACIFIC GAS & ELECTRIC CO.',
    },
  ],
  [
    'nfip_community_id',
    {
      boulder: '080024',
      miami_beach: '120651',
      new_orleans: '225203',
      kansas: '200546',
      manhattan: '360497',
      san_juan: '720000',
    },
  ],
  ['levee_system_name', { new_orleans: 'Made-up East Bank' }],
  ['wetland_water_regime', { new_orleans: 'Seasonally Flooded', anchorage: 'Seasonally Saturated' }],
  [
    'bedrock_unit_name',
    {
      boulder: 'Pierre Shale',
      miami_beach: 'Miami Limestone',
      kansas: 'Chase Group',
      manhattan: 'Manhattan Formation',
      paradise: 'Tuscan Formation',
      anchorage: 'Made-up Formation, undivided',
      san_juan: 'Made-up Formation, undivided',
    },
  ],
  [
    'bedrock_lithology_class',
    {
      boulder: 'Sedimentary, clastic',
      miami_beach: 'Sedimentary, carbonate',
      kansas: 'Sedimentary, undifferentiated',
      manhattan: 'Metamorphic, schist',
      paradise: 'Igneous, volcanic',
      anchorage: 'Major:{sandstone}, Minor:{siltstone}',
      san_juan: 'Major:{sandstone}, Minor:{siltstone}',
    },
  ],
  [
    'cbsa_code',
    (place) => (place === 'paradise' ? '17020' : 'metro' in facts[place] ? (facts[place].metro?.[0] ?? null) : null),
  ],
  [
    'elevation_above_nearest_stream_m',
    { boulder: 1_655 - (1_624 + 1_618) / 2, new_orleans: /^-1\.7[45]/, paradise: 530 - (529 + 512) / 2 },
  ],
  [
    'mean_annual_dry_bulb_temperature_degc',
    { boulder: 10.8, miami_beach: 25, new_orleans: 21.1, kansas: 12.7, manhattan: 12.9, paradise: 15.8 },
  ],
  [
    'annual_precipitation_mm',
    {
      boulder: 524.2,
      miami_beach: 1_539.86,
      new_orleans: 1_601.3,
      kansas: 812.9,
      manhattan: 1_258.4,
      paradise: 1_377.6,
    },
  ],
  [
    'january_min_temperature_c',
    { boulder: -6.4, miami_beach: 16.4, new_orleans: 8.1, kansas: -7.9, manhattan: -2.4, paradise: 3.2 },
  ],
  [
    'july_max_temperature_c',
    { boulder: 31.2, miami_beach: 31.9, new_orleans: 33.1, kansas: 33.4, manhattan: 29.4, paradise: 33.6 },
  ],
  [
    'heating_degree_days_c',
    {
      boulder: 3_572.54,
      miami_beach: 620.54,
      new_orleans: 1_163.54,
      san_juan: 476.54,
      anchorage: 5_820,
      manhattan: 2_801.54,
      paradise: 2_339.54,
      kansas: 2_738.54,
    },
  ],
  [
    'cooling_degree_days_c',
    {
      boulder: 440.54,
      miami_beach: 3_032.54,
      new_orleans: 2_171.54,
      san_juan: 3_464.54,
      anchorage: 240,
      manhattan: 713.54,
      paradise: 1_043.54,
      kansas: 758.54,
    },
  ],
  [
    'koppen_climate_class',
    {
      boulder: 'Dfb',
      miami_beach: 'BSh',
      new_orleans: 'BSh',
      kansas: 'Cfa',
      manhattan: 'Cfa',
      paradise: 'Cfa',
      anchorage: 'Dfc',
      san_juan: 'BSh',
    },
  ],
  ['ghi_annual_kwh_m2_day', (place) => (place === 'anchorage' || place === 'san_juan' ? 4.7 : 4.81)],
  ['wind_speed_50m_m_s', () => 4.9],
  ['pv_specific_yield_kwh_per_kw', inStates(() => 1_475.483)],
  ['pm25_current_ug_m3', () => 7.1],
  ['ozone_current_ug_m3', () => 88],
  ['tract_median_age_years', () => 33.4],
  ['tract_median_household_income_usd', inKansas(250_001, 78_125)],
  ['tract_housing_units_count', () => 2_210],
  [
    'county_building_permits_sf_annual',
    inStates((place) => (place === 'kansas' ? (permitYear % 2) * 7 : 890 + permitYear - 2_024)),
  ],
  [
    'county_building_permits_total_annual',
    inStates((place) => (place === 'kansas' ? (permitYear % 2) * 7 : 890 + permitYear - 2_024 + 8 + 240)),
  ],
  [
    'county_building_permits_yoy_pct',
    inStates((place) => (place === 'kansas' ? (permitYear % 2 ? null : -100) : 100 / (1_137 + permitYear - 2_024))),
  ],
  ['peak_ground_acceleration_g', (place) => (isShaken(place) ? 0.61 : 0.09)],
  ['design_spectral_acceleration_short_g', (place) => (isShaken(place) ? 0.98 : 0.43)],
  ['design_spectral_acceleration_1s_g', (place) => (isShaken(place) ? 0.71 : 0.25)],
  ['elevation_source_resolution_m', (place) => (place === 'anchorage' ? 5 : 1)],
  ['parcel_apn', { boulder: '02001069-71', manhattan: '1-00000-0001', kansas: '014-000' }],
  ['parcel_zoning', { boulder: 'SD2', manhattan: 'C5-3' }],
  [
    'parcel_zoning_description',
    { boulder: 'Special Development District Mixed Use', manhattan: 'Restricted Central Commercial' },
  ],
  ['parcel_area_m2', { boulder: 2822.32, manhattan: 7689.03, kansas: 640212.69 }],
  [
    'parcel_land_use_description',
    { boulder: 'OFFICE BLDG-3 STORIES OR MORE', manhattan: 'OFFICE', kansas: 'AGRICULTURAL' },
  ],
  [
    'soil_map_unit_name',
    {
      boulder: 'Niwot soils',
      miami_beach: 'Urban land',
      new_orleans: 'Water',
      kansas: 'Crete silt loam, 1 to 3 percent slopes',
      manhattan: 'Urban land, till substratum, 3 to 8 percent slopes',
      paradise: 'Pentz sandy loam, 2 to 15 percent slopes',
      san_juan: 'Urban land',
    },
  ],
  ['soil_series_name', { boulder: 'Niwot', miami_beach: 'Urban land', kansas: 'Crete', paradise: 'Pentz' }],
  [
    'soil_drainage_class',
    { boulder: 'Somewhat poorly drained', kansas: 'Moderately well drained', paradise: 'Well drained' },
  ],
  ['soil_hydrologic_group', { boulder: 'B/D', kansas: 'C', paradise: 'D' }],
  ['soil_water_table_depth_cm', { boulder: 30, kansas: 92 }],
  ['soil_flooding_frequency', { boulder: 'Occasional', kansas: 'None', paradise: 'None' }],
  ['soil_hydric_pct', { boulder: 10, kansas: 2, paradise: 0 }],
  ['soil_available_water_storage_cm', { boulder: 11.2, kansas: 28.9, paradise: 5.24 }],
  [
    'prime_farmland_classification',
    (place) => (place === 'anchorage' ? null : place === 'kansas' ? 'prime' : 'not_prime'),
  ],
  ['soil_land_capability_class', { boulder: '5', kansas: '2', paradise: '6' }],
  ['soil_septic_suitability', { boulder: 'Very limited', kansas: 'Very limited', paradise: 'Very limited' }],
  ['soil_basement_suitability', { boulder: 'Very limited', kansas: 'Somewhat limited', paradise: 'Somewhat limited' }],
  ['soil_restrictive_layer_depth_cm', { paradise: 38 }],
  [
    'nearest_tide_station_name',
    {
      miami_beach: 'Miami Beach Made Up',
      new_orleans: 'New Canal Made Up',
      manhattan: 'The Battery Made Up',
      anchorage: 'Anchorage Made Up',
      san_juan: 'San Juan Made Up',
    },
  ],
  [
    'nearest_stream_gage_name',
    {
      boulder: 'BOULDER CREEK MADE UP',
      new_orleans: 'MISSISSIPPI RIVER MADE UP',
      kansas: 'REPUBLICAN RIVER MADE UP',
      anchorage: 'SHIP CREEK MADE UP',
    },
  ],
  [
    'nearest_river_forecast_gauge_name',
    {
      boulder: 'Made-up River at boulder',
      new_orleans: 'Made-up River at new_orleans',
      kansas: 'Made-up River at kansas',
      anchorage: 'Made-up River at anchorage',
    },
  ],
  ['nearest_wind_project_name', { boulder: 'Flatirons Made-Up Test Site', kansas: 'Meadowlark Made-Up Wind' }],
]

/** A field, and the offset of its nearest feature in degrees east or north. */
const offsets: [field: string, at: Partial<Record<PlaceName, { east?: number; north?: number }>>][] = [
  [
    'nearest_tide_station_distance_m',
    {
      miami_beach: { east: 0.05 },
      new_orleans: { east: 0.08 },
      manhattan: { east: -0.03 },
      anchorage: { east: 0.02 },
      san_juan: { east: 0.01 },
    },
  ],
  [
    'nearest_river_forecast_gauge_distance_m',
    { boulder: { north: 0.04 }, new_orleans: { north: 0.02 }, kansas: { north: 0.15 }, anchorage: { north: 0.3 } },
  ],
  [
    'nearest_stream_gage_distance_m',
    { boulder: { east: 0.03 }, new_orleans: { east: 0.02 }, kansas: { east: 0.1 }, anchorage: { east: 0.02 } },
  ],
  [
    'nearest_volcano_distance_m',
    { paradise: { east: 0.1139, north: 0.7324 }, anchorage: { east: -2.3507, north: 0.0809 } },
  ],
  ['nearest_monitoring_well_distance_m', { boulder: { east: 0.12 }, kansas: { east: 0.05 } }],
  ['nearest_wind_turbine_distance_m', { boulder: { east: 0.12 }, kansas: { east: 0.02 } }],
  [
    'nearest_osm_substation_distance_m',
    Object.fromEntries(placeNames.filter((place) => place !== 'kansas').map((place) => [place, { east: 0.02 }])),
  ],
]

let service: OnlineService
let answers: Record<PlaceName, Record<string, FieldResult>>
beforeAll(async () => {
  service = openOnlineService()
  answers = await fetchFieldsEverywhere(
    service,
    [...response, ...offsets].map(([field]) => field),
  )
})
afterAll(() => service.close())

test.each(response)("%s is the publisher's value", (field, expected) => {
  for (const place of placeNames) {
    const exact = typeof expected === 'function' ? expected(place) : (expected[place] ?? null)
    const requested = roundedAs(service, field, exact)
    const value = onlineValueOf(answers[place][field])
    if (requested instanceof RegExp) expect(String(value), place).toMatch(requested)
    else if (typeof requested === 'number' && typeof value === 'number')
      expect(Math.abs(value - requested), place).toBeLessThanOrEqual(Math.abs(requested) * 1e-5)
    else expect(value, place).toEqual(requested)
  }
})

test.each(offsets)('%s is measured on the ellipsoid', (field, at) => {
  for (const place of placeNames) {
    const offset = at[place]
    const value = onlineValueOf(answers[place][field])
    if (!offset) expect(value, place).toBeNull()
    else expect(Math.abs(Number(value) / metres(place, offset) - 1), place).toBeLessThan(0.005)
  }
})

function metres(place: PlaceName, { east = 0, north = 0 }: { east?: number; north?: number }): number {
  const { lat } = testPlaces[place]
  return Math.hypot(
    111_320 * Math.cos((lat * Math.PI) / 180) * east,
    (111_133 - 560 * Math.cos((2 * lat * Math.PI) / 180)) * north,
  )
}
