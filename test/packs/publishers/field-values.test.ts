import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import geodesic from 'geographiclib-geodesic'
import { fields as catalogFields } from '../../../catalog/contents.ts'
import { isPublishedByPlace } from '../../../src/catalog/copy-rules.ts'
import { coldestAt, powerAt, sunAt, windAt } from '../../upstreams/bulk/grids.ts'
import { near_degrees, windSupply } from '../../upstreams/bulk/point-files.ts'
import { masts, monitors } from '../../upstreams/bulk/stations.ts'
import { openOnlineService, type OnlineService } from '../../upstreams/online-service.ts'
import { testPlaces } from '../../upstreams/test-places.ts'
import { openPackFetchFixture, type PackFetchFixture } from './pack-fetch-fixture.ts'
import { words } from '../../support/words.ts'

type At = { lat: number; lng: number }
type Answer = { status: string; value: unknown; driver: string | null; absent_reason?: string; error?: string }

const soon_ms = 300_000
const { boulder, miami_beach, new_orleans, kansas, manhattan, paradise, anchorage, san_juan } = testPlaces
/** The westernmost Aleutians, across the 180th meridian. */
const aleutians = { lat: 51.9, lng: 179.6 }

let fetching: PackFetchFixture
let service: OnlineService
let bare: OnlineService
const fetchResults = new Map<string, { code: number; out: string; err: string }>()

const datasets = words`
  usda_phzm_2023 usda_phzm_2023_grid epa_aqs_annual census_tiger_coastline epa_sole_source_aquifers usgs_karst
  noaa_spc_tornado noaa_spc_hail noaa_spc_wind noaa_ibtracs nhc_slosh_mom nrel_wtk_mean_80m nrel_wtk_mean_100m
  nrel_wtk_mean_120m nrel_wtk_mean_160m nrel_rev_onshore_wind nlr_psm3_ghi nlr_psm3_dni usgs_orphaned_wells
  global_wind_atlas annual_nlcd_landcover annual_nlcd_impervious fcc_asr openfema_nfip_csb usgs_wbd_huc8
  usgs_wbd_huc12 eia_gas_storage eia_lng_terminals eia_shale_plays epa_egrid_subregions
`

beforeAll(async () => {
  fetching = openPackFetchFixture()
  for (const id of datasets) fetchResults.set(id, await fetching.pack(['fetch', id]))
  service = openOnlineService({ FIELDSTONE_PACKS: fetching.packs })
  bare = openOnlineService()
  // A new file goes live at the second scan.
  await service.app.packs.poll()
  await service.app.packs.poll()
}, soon_ms)
afterAll(async () => {
  await service.close()
  await bare.close()
  fetching.close()
})

const metres = (a: At, b: At) => geodesic.Geodesic.WGS84.Inverse(a.lat, a.lng, b.lat, b.lng).s12!
/** Whether a value is near another. `decimals`: the value is rounded to this many decimals. */
const near =
  (value: number, tolerance: number) =>
  (found: unknown, decimals = Infinity) =>
    typeof found === 'number' && Math.abs(found - value) <= tolerance + 0.5 * 10 ** -decimals
const north = ({ lat, lng }: At) => ({ lat: lat + near_degrees, lng })
const celsius = (fahrenheit: number) => ((fahrenheit - 32) * 5) / 9
/** The grid has a cell every quarter of a degree. */
const inGrid = ({ lat, lng }: At) => ({ lat: Math.round(lat * 4) / 4, lng: Math.round(lng * 4) / 4 })
const knots = (value: number) => near(value * 0.514444, 1e-6)

async function fieldAt(at: At, name: string, { post }: Pick<OnlineService, 'post'> = service): Promise<Answer> {
  const { fields } = (await (await post('/v1/fetch', { ...at, fields: [name] })).json()) as {
    fields: Record<string, Answer>
  }
  return fields[name]!
}

test.each(datasets)('one command builds the pack of %s', (id) => {
  const { code, err } = fetchResults.get(id)!
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
})

test('these are all the datasets with a recipe in the catalog that need no area', () => {
  const built = [...service.app.catalog.datasets].filter(([, it]) => it.recipe && !isPublishedByPlace(it))
  expect(built.map(([id]) => id).toSorted()).toEqual(datasets.toSorted())
})

test('every built pack is live and without notes', () => {
  const packs = service.app.packs.list()
  expect(packs.length).toBe(41)
  expect(packs.filter(({ state, notes }) => state !== 'live' || notes.length > 0)).toEqual([])
})

const values: [field: string, at: At, value: unknown][] = [
  ['plant_hardiness_zone', boulder, '6a'],
  ['plant_hardiness_zone', anchorage, '5a'],
  ['plant_hardiness_zone', san_juan, '13a'],
  ['extreme_min_temperature_c', boulder, near(celsius(coldestAt(inGrid(boulder))), 1e-4)],
  ['extreme_min_temperature_c', anchorage, near(celsius(coldestAt(inGrid(anchorage))), 1e-4)],
  ['extreme_min_temperature_c', san_juan, near(celsius(coldestAt(inGrid(san_juan))), 1e-4)],
  ['pm25_annual_mean_ug_m3', boulder, 7.13],
  ['pm25_annual_mean_ug_m3', anchorage, 5.25],
  ['nearest_air_monitor_distance_m', boulder, near(metres(boulder, monitors.boulder_incomplete), 0.1)],
  ['nearest_air_monitor_distance_m', miami_beach, near(metres(miami_beach, monitors.miami_far), 0.2)],
  ['coast_body_name', miami_beach, 'Atlantic'],
  ['coast_body_name', new_orleans, 'Gulf'],
  ['coast_body_name', paradise, 'Pacific'],
  ['storm_surge_min_category', miami_beach, 2],
  ['storm_surge_min_category', new_orleans, 1],
  ['storm_surge_min_category', manhattan, 4],
  ['storm_surge_min_category', san_juan, 5],
  ['wind_speed_80m_m_s', kansas, near(windAt(kansas, 80), 1e-3)],
  ['mean_wind_speed_100m_ms', kansas, near(windAt(kansas, 100), 1e-3)],
  ['mean_wind_speed_100m_ms', paradise, near(windAt(paradise, 100), 1e-3)],
  ['mean_wind_speed_120m_ms', kansas, near(windAt(kansas, 120), 1e-3)],
  ['mean_wind_speed_160m_ms', kansas, near(windAt(kansas, 160), 1e-3)],
  ['wind_capacity_factor_pct', kansas, near(windSupply.capacity_factor_ac * 100, 1e-9)],
  ['wind_least_cost_interconnect_distance_m', kansas, windSupply.dist_spur_km * 1_000],
  ['ghi_annual_kwh_m2_day', kansas, near(sunAt(kansas, 'ghi'), 0.02)],
  ['dni_annual_kwh_m2_day', san_juan, near(sunAt(san_juan, 'dni'), 0.02)],
  ['nearest_documented_orphaned_well_distance_m', kansas, near(metres(kansas, north(kansas)), 0.5)],
  ['documented_orphaned_wells_within_1km_count', anchorage, 1],
  ['wind_power_density_100m_wm2', manhattan, near(powerAt(manhattan), 0.01)],
  ['wind_power_density_100m_wm2', san_juan, near(powerAt(san_juan), 0.01)],
  ['in_karst_area', kansas, true],
  ['in_karst_area', paradise, true],
  ['in_karst_area', new_orleans, false],
  ['karst_type', miami_beach, 'carbonate'],
  ['karst_type', kansas, 'evaporite'],
  ['karst_type', boulder, 'sandstone_solution'],
  ['karst_type', paradise, 'volcanic_pseudokarst'],
  ['impervious_surface_pct', manhattan, 97],
  ['nlcd_class', manhattan, 'Developed, High Intensity'],
  ['impervious_surface_pct', boulder, 42],
  ['tornadoes_within_40km_count', kansas, 2],
  ['tornadoes_within_40km_count', boulder, 0],
  ['tornadoes_within_40km_count', anchorage, 0],
  ['max_tornado_ef_within_40km', kansas, 3],
  ['max_tornado_ef_within_40km', miami_beach, 1],
  ['nearest_tornado_track_distance_m', kansas, near(metres(kansas, { lat: 39.2, lng: -97.2 }), 0.5)],
  ['hail_reports_within_40km_count', kansas, 2],
  ['hail_reports_within_40km_count', manhattan, 0],
  ['max_hail_size_within_40km_cm', kansas, near(2.75 * 2.54, 1e-6)],
  ['severe_wind_reports_within_40km_count', kansas, 2],
  ['severe_wind_reports_within_40km_count', miami_beach, 0],
  ['hurricanes_within_100km_count', miami_beach, 3],
  ['hurricanes_within_100km_count', san_juan, 0],
  ['hurricanes_within_100km_count', aleutians, 1],
  ['hurricanes_within_100km_count', manhattan, 0],
  ['max_hurricane_wind_within_100km_m_s', miami_beach, knots(145)],
  ['max_hurricane_wind_within_100km_m_s', san_juan, knots(50)],
  ['max_hurricane_wind_within_100km_m_s', aleutians, knots(75)],
  ['nearest_antenna_structure_distance_m', boulder, near(metres(boulder, masts.nearer), 3)],
  ['nearest_antenna_structure_distance_m', manhattan, near(metres(manhattan, masts.manhattan), 3)],
  ['nearest_antenna_structure_height_m', boulder, 106.3],
  ['nearest_antenna_structure_type', boulder, 'GTOWER'],
  ['nearest_antenna_structure_owner', boulder, 'TOWERS "INC'],
  ['antenna_structures_within_500m_count', boulder, 0],
  ['antenna_structures_within_2km_count', boulder, 1],
  ['nearest_gas_storage_distance_m', kansas, near(metres(kansas, { lat: kansas.lat, lng: kansas.lng + 0.5 }), 1)],
  ['in_shale_play', boulder, true],
  ['in_shale_play', kansas, false],
  ['nearest_shale_play_name', boulder, 'Made-up Niobrara'],
  ['egrid_subregion', miami_beach, 'FRCC'],
  ['egrid_co2_output_rate_kg_per_mwh', miami_beach, 354.83],
  ['antenna_structures_within_5km_count', boulder, 2],
  ['antenna_structures_within_5km_count', san_juan, 1],
  ['antenna_structures_within_5km_count', anchorage, 0],
  ['huc8_name', kansas, 'Lower Republican'],
  ['huc12_code', boulder, '101900050504'],
  ['huc8_code', anchorage, '19020401'],
  ['is_nfip_participating', boulder, true],
  ['is_nfip_participating', kansas, false],
  ['nfip_crs_class', boulder, 5],
  ['within_sole_source_aquifer', miami_beach, true],
  ['within_sole_source_aquifer', anchorage, false],
]
test.each(values)('%s has its value at %j', async (field, at, value) => {
  const found = await fieldAt(at, field)
  expect(found).toMatchObject({ status: 'ok', driver: expect.stringMatching(/^(pack|computed)$/) })
  const { decimals } = service.app.catalog.fields.get(field)!
  if (typeof value === 'function')
    expect([found.value, (value as ReturnType<typeof near>)(found.value, decimals)]).toEqual([found.value, true])
  else expect(found.value).toBe(value)
})

const absences: [field: string, at: At, reason: string][] = [
  ['plant_hardiness_zone', paradise, 'no_data'],
  ['extreme_min_temperature_c', paradise, 'no_data'],
  ['pm25_annual_mean_ug_m3', miami_beach, 'none_within_radius'],
  ['nearest_air_monitor_distance_m', kansas, 'none_within_radius'],
  ['pm25_annual_mean_ug_m3', san_juan, 'outside_coverage'],
  ['storm_surge_min_category', boulder, 'no_data'],
  ['storm_surge_min_category', paradise, 'no_data'],
  ['storm_surge_min_category', anchorage, 'outside_coverage'],
  ['wind_speed_80m_m_s', anchorage, 'outside_coverage'],
  ['mean_wind_speed_100m_ms', san_juan, 'outside_coverage'],
  ['wind_power_density_100m_wm2', kansas, 'no_data'],
  ['in_karst_area', anchorage, 'outside_coverage'],
  ['karst_type', new_orleans, 'no_data'],
  ['impervious_surface_pct', paradise, 'no_data'],
  ['tornadoes_within_40km_count', san_juan, 'outside_coverage'],
  ['max_tornado_ef_within_40km', boulder, 'none_within_radius'],
  ['nearest_tornado_track_distance_m', manhattan, 'none_within_radius'],
  ['hail_reports_within_40km_count', san_juan, 'outside_coverage'],
  ['max_hail_size_within_40km_cm', manhattan, 'none_within_radius'],
  ['severe_wind_reports_within_40km_count', san_juan, 'outside_coverage'],
  ['hurricanes_within_100km_count', { lat: 13.45, lng: 144.78 }, 'outside_coverage'],
  ['max_hurricane_wind_within_100km_m_s', kansas, 'none_within_radius'],
  ['nearest_antenna_structure_distance_m', kansas, 'none_within_radius'],
  ['huc_12_name', san_juan, 'no_data'],
  ['nfip_crs_class', kansas, 'no_data'],
  ['within_sole_source_aquifer', san_juan, 'outside_coverage'],
]
test.each(absences)('%s is absent at %j: %s', async (field, at, reason) => {
  expect(await fieldAt(at, field)).toMatchObject({ status: 'absent', absent_reason: reason, value: null })
})

describe('without the pack', () => {
  const made: [field: string, dataset: string][] = [
    ['plant_hardiness_zone', 'usda_phzm_2023'],
    ['extreme_min_temperature_c', 'usda_phzm_2023_grid'],
    ['pm25_annual_mean_ug_m3', 'epa_aqs_annual'],
    ['nearest_air_monitor_distance_m', 'epa_aqs_annual'],
    ['coast_body_name', 'census_tiger_coastline'],
    ['storm_surge_min_category', 'nhc_slosh_mom'],
    ['wind_speed_80m_m_s', 'nrel_wtk_mean_80m'],
    ['mean_wind_speed_100m_ms', 'nrel_wtk_mean_100m'],
    ['wind_power_density_100m_wm2', 'global_wind_atlas'],
    ['in_karst_area', 'usgs_karst'],
    ['karst_type', 'usgs_karst'],
    ['tornadoes_within_40km_count', 'noaa_spc_tornado'],
    ['max_tornado_ef_within_40km', 'noaa_spc_tornado'],
    ['nearest_tornado_track_distance_m', 'noaa_spc_tornado'],
    ['hail_reports_within_40km_count', 'noaa_spc_hail'],
    ['max_hail_size_within_40km_cm', 'noaa_spc_hail'],
    ['severe_wind_reports_within_40km_count', 'noaa_spc_wind'],
    ['hurricanes_within_100km_count', 'noaa_ibtracs'],
    ['max_hurricane_wind_within_100km_m_s', 'noaa_ibtracs'],
    ['nearest_antenna_structure_distance_m', 'fcc_asr'],
    ['antenna_structures_within_5km_count', 'fcc_asr'],
    ['within_sole_source_aquifer', 'epa_sole_source_aquifers'],
  ]
  test.each(made)('%s fails with the command `pack fetch %s`', async (field, dataset) => {
    const found = await fieldAt(miami_beach, field, bare)
    expect(found).toMatchObject({ status: 'failed', value: null })
    expect(found.error).toContain('no_local_data')
    expect(found.error).toContain(`run \`fieldstone pack fetch ${dataset}`)
  })
})

test(
  'with the packs no field of the catalog fails at four places',
  async () => {
    const { fields: all, datasets: records } = service.app.catalog
    const isOfOperators = (id: string) => {
      const { serve, recipe } = records.get(id)!
      return recipe === undefined && serve.every(({ driver }) => driver === 'pack')
    }
    const names = [...all.keys()].filter((name) => !isOfOperators(all.get(name)!.read.dataset))
    const failed: string[] = []
    for (const at of [boulder, miami_beach, anchorage, san_juan]) {
      for (let i = 0; i < names.length; i += 50) {
        const { fields } = (await (
          await service.post('/v1/fetch', { ...at, fields: names.slice(i, i + 50) })
        ).json()) as { fields: Record<string, Answer> }
        failed.push(
          ...Object.entries(fields)
            .filter(([, { status }]) => status === 'failed')
            .map(([name, { error }]) => `${name} at ${at.lat}: ${error}`),
        )
      }
    }
    expect(failed).toEqual([])
    expect(names.length).toBe(catalogFields.filter(({ read }) => !isOfOperators(read.dataset)).length)
  },
  soon_ms,
)

test('no request went to an unknown upstream', () => {
  expect([...fetching.upstreams.unknown, ...service.upstreams.unknown]).toEqual([])
})
