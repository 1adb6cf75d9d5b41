import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { positionOf } from '../upstreams/layers/shapes.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'
import { fetchOnlineFields, fetchFieldsEverywhere, placeNames, onlineValueOf } from './fetch-fields.ts'
import { rowsAround, rowsContaining, type Cells } from './simulated-rows.ts'

type Holds = (cells: Cells) => boolean
type Count = [field: string, ends: string | string[], radius_m: number, holds: Holds, distinct: string | null]
type Within = [field: string, ends: string | string[], holds: Holds]
type Held = [field: string, ends: string | string[], value: (rows: Cells[]) => unknown]

const all: Holds = () => true
const nwi = 'fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer/0'
const roads = ['Transportation/MapServer/2', 'Transportation/MapServer/6', 'Transportation/MapServer/8']
const pm25 = ['NonattainmentAreas/MapServer/7', 'NonattainmentAreas/MapServer/5']
const habitat = ['USFWS_Critical_Habitat/FeatureServer/0', 'USFWS_Critical_Habitat/FeatureServer/2']
const fires = 'InterAgencyFirePerimeterHistory_All_Years_View/FeatureServer/0'
const padus = 'PADUS_Protection_Status_by_GAP_Status_Code/FeatureServer/0'
const nri = 'National_Risk_Index_Census_Tracts/FeatureServer/0'
const isOpenCharger: Holds = ({ fuel_type_code, status_code, access_code }) =>
  fuel_type_code === 'ELEC' && status_code === 'E' && access_code === 'public'
const dams = 'National_Inventory_of_Dams_Public_Service/FeatureServer/0'
const isKnownYearSince2000: Holds = ({ FIRE_YEAR_INT }) =>
  Number(FIRE_YEAR_INT ?? 0) >= 2_000 && FIRE_YEAR_INT !== 9_999
const isOpen: Holds = ({ Status }) => Status === 'Open'
const isNonattainment: Holds = ({ current_status }) => current_status === 'Nonattainment'
const isWildfire: Holds = ({ attr_IncidentTypeCategory }) => attr_IncidentTypeCategory === 'WF'

const counts: Count[] = [
  ['buildings_within_100m_count', 'USA_Structures_View/FeatureServer/0', 100, all, null],
  ['buildings_within_500m_count', 'USA_Structures_View/FeatureServer/0', 500, all, null],
  ['power_plants_within_25km_count', 'Power_Plants_in_the_US/FeatureServer/0', 25_000, all, null],
  ['ev_chargers_within_5km_count', 'Alternative_Fueling_Stations/FeatureServer/0', 5_000, isOpenCharger, null],
  ['brownfields_within_radius_count', 'FRS_INTERESTS_ACRES/FeatureServer/0', 8_000, all, null],
  ['ust_facilities_within_1km_count', 'UST_Finder_Feature_Layer_2/FeatureServer/0', 1_000, all, null],
  ['open_lust_sites_within_1km_count', 'UST_Finder_Feature_Layer_2/FeatureServer/1', 1_000, isOpen, null],
  ['landslides_within_1km_count', 'US_Landslide_point_v2/FeatureServer/11', 1_000, all, null],
  ['landslides_within_10km_count', 'US_Landslide_point_v2/FeatureServer/11', 10_000, all, null],
  ['lihtc_properties_within_1km_count', 'LIHTC/FeatureServer/0', 1_000, all, null],
  [
    'streams_within_500m_count',
    'nhd/MapServer/6',
    500,
    ({ ftype }) => [460, 558, 336, 334].includes(Number(ftype)),
    'permanent_identifier',
  ],
  ['roads_within_500m_count', roads, 500, all, 'OID'],
  ['transit_stops_within_800m_count', 'NTAD_National_Transit_Map_Stops/FeatureServer/0', 800, all, null],
  ['dams_within_10km_count', dams, 10_000, all, 'NIDID'],
  [
    'high_hazard_dams_within_10km',
    dams,
    10_000,
    ({ HAZARD_POTENTIAL }) => /^high$/i.test(String(HAZARD_POTENTIAL)),
    'NIDID',
  ],
  ['wetlands_within_100m_count', nwi, 100, all, null],
  ['wetlands_within_500m_count', nwi, 500, all, null],
  ['historic_fires_within_10km_count', fires, 10_000, isKnownYearSince2000, null],
  ['active_fires_within_50km_count', 'WFIGS_Interagency_Perimeters_Current/FeatureServer/0', 50_000, isWildfire, null],
]

const withins: Within[] = [
  ['within_ozone_nonattainment_area', 'NonattainmentAreas/MapServer/2', isNonattainment],
  ['within_pm25_nonattainment_area', pm25, isNonattainment],
  ['within_cbrs_unit', 'CoastalBarrierResourcesSystem/MapServer/3', all],
  ['in_opportunity_zone', 'Opportunity_Zones/FeatureServer/13', all],
  ['within_lihtc_qualified_census_tract', 'QUALIFIED_CENSUS_TRACTS_2026/FeatureServer/0', all],
  ['within_lihtc_difficult_development_area', 'Difficult_Development_Areas_2026/FeatureServer/0', all],
  [
    'within_coal_closure_energy_community',
    '2024_Coal_Closure_Energy_Communities/FeatureServer/0',
    ({ mine_closure, generator_closure, adjacent_to_closure }) =>
      [mine_closure, generator_closure, adjacent_to_closure].includes('Yes'),
  ],
  [
    'within_statistical_area_energy_community',
    '2024_MSAs_NonMSAs_that_are_Energy_Communities/FeatureServer/0',
    ({ ec_qual_status }) => ec_qual_status === 'Yes',
  ],
  ['is_flood_map_available', 'NFHL/MapServer/0', all],
  ['intersects_critical_habitat', habitat, all],
  ['intersects_nhd_area', 'nhd/MapServer/9', all],
  ['intersects_nhd_waterbody', 'nhd/MapServer/12', all],
  ['within_mapped_landslide', 'US_Landslide_poly_v2/FeatureServer/12', ({ Confidence }) => Number(Confidence) >= 3],
  ['within_protected_area', padus, ({ GAP_Sts }) => GAP_Sts !== '4'],
  [
    'within_wilderness_area',
    padus,
    ({ DesTp_Desc }) => DesTp_Desc === 'Wilderness Area' || DesTp_Desc === 'Wilderness Study Area',
  ],
  ['is_lidar_covered', '3DEPElevationIndex/MapServer/24', all],
  ['within_water_service_area', 'Water_System_Boundaries/FeatureServer/0', all],
  ['within_leveed_area', 'NLD/Public/FeatureServer/16', all],
  ['intersects_wetland', nwi, all],
  ['within_active_fire_perimeter', 'WFIGS_Interagency_Perimeters_Current/FeatureServer/0', isWildfire],
  ['within_mtbs_burned_area', 'EDW_MTBS_01/MapServer/63', all],
]

const first =
  (name: string) =>
  ([row]: Cells[]) =>
    row?.[name] ?? null
const rated =
  (name: string) =>
  ([row]: Cells[]) =>
    ['No Rating', 'Not Applicable', 'Insufficient Data'].includes(String(row?.[name])) ? null : (row?.[name] ?? null)
const most = (name: string) => (rows: Cells[]) =>
  rows.map((row) => Number(row[name])).toSorted((a, b) => b - a)[0] ?? null
/** Easements are fields of their own. */
const safest = (rows: Cells[]) =>
  rows
    .filter(({ Category }) => Category === 'Fee' || Category === 'Designation')
    .toSorted((a, b) => Number(a.GAP_Sts) - Number(b.GAP_Sts))[0]
const protectedArea = (name: string) => (rows: Cells[]) => safest(rows)?.[name] ?? null
const publicAccess: Record<string, string> = { OA: 'Open', RA: 'Restricted', XA: 'Closed', UK: 'Unknown' }
const newest = (rows: Cells[]) => Math.max(0, ...rows.map(({ collect_end }) => Number(collect_end ?? 0)))
const zones = ['VE', 'AE', 'AH', 'A', 'X', 'OPEN WATER', 'AREA NOT INCLUDED']

const held: Held[] = [
  [
    'ozone_nonattainment_classification',
    'NonattainmentAreas/MapServer/2',
    (rows) => first('classification')(rows.filter(isNonattainment)),
  ],
  ['cbrs_unit_type', 'CoastalBarrierResourcesSystem/MapServer/3', first('Unit_Type')],
  ['opportunity_zone_tract_geoid', 'Opportunity_Zones/FeatureServer/13', first('GEOID10')],
  [
    'fema_flood_zone',
    'NFHL/MapServer/28',
    (rows) => zones.find((zone) => rows.some(({ FLD_ZONE }) => FLD_ZONE === zone)) ?? null,
  ],
  ['flood_zone_subtype', 'NFHL/MapServer/28', ([row]) => String(row?.ZONE_SUBTY ?? '').trim() || null],
  [
    'lidar_quality_level',
    '3DEPElevationIndex/MapServer/24',
    (rows) =>
      rows
        .map(({ ql }) => String(ql).replace(' ', ''))
        .toSorted((a, b) => Number(a === 'Other') - Number(b === 'Other') || a.localeCompare(b))[0] ?? null,
  ],
  [
    'lidar_collection_year',
    '3DEPElevationIndex/MapServer/24',
    (rows) => (newest(rows) > 0 ? new Date(newest(rows)).getUTCFullYear() : null),
  ],
  ['nwi_code', nwi, ([row]) => row?.['Wetlands.ATTRIBUTE'] ?? null],
  ['firm_panel_number', 'NFHL/MapServer/3', first('FIRM_PAN')],
  [
    'firm_panel_effective_date',
    'NFHL/MapServer/3',
    ([row]) =>
      row && Number(row.EFF_DATE) < Date.UTC(9000) ? new Date(Number(row.EFF_DATE)).toISOString().slice(0, 10) : null,
  ],
  [
    'bedrock_age',
    'SB_5888bf4fe4b05ccb964bab9d_USGS_SGMC_feature/FeatureServer/3',
    ([row]) => (row ? [...new Set([row.AGE_MAX, row.AGE_MIN])].join(' - ') : null),
  ],
  [
    'critical_habitat_species',
    habitat,
    (rows) => rows.map(({ comname, sciname }) => `${comname} (${sciname})`).join('; ') || null,
  ],
  [
    'ecoregion_l3_name',
    'gispub.epa.gov/arcgis/rest/services/ORD/USEPA_Ecoregions_Level_III_and_IV/MapServer/11',
    first('US_L3NAME'),
  ],
  [
    'ecoregion_l4_name',
    'gispub.epa.gov/arcgis/rest/services/ORD/USEPA_Ecoregions_Level_III_and_IV/MapServer/7',
    first('US_L4NAME'),
  ],
  ['fair_market_rent_2br_usd', 'Fair_Market_Rents/FeatureServer/0', ([row]) => Number(row?.FMR_2BDR ?? 0) || null],
  ['nri_risk_score', nri, first('RISK_SCORE')],
  ['nri_risk_rating', nri, rated('RISK_RATNG')],
  ['nri_expected_annual_loss_usd', nri, first('EAL_VALT')],
  ['nri_social_vulnerability_score', nri, first('SOVI_SCORE')],
  ['nri_community_resilience_score', nri, first('RESL_SCORE')],
  ...Object.entries({
    wildfire: 'WFIR',
    hurricane: 'HRCN',
    tornado: 'TRND',
    hail: 'HAIL',
    strong_wind: 'SWND',
    earthquake: 'ERQK',
    landslide: 'LNDS',
    inland_flood: 'IFLD',
    drought: 'DRGT',
    heat_wave: 'HWAV',
  }).map(([peril, code]): Held => [`nri_${peril}_risk_rating`, nri, rated(`${code}_RISKR`)]),
  ['protected_area_name', padus, protectedArea('Unit_Nm')],
  ['protected_area_gap_status', padus, (rows) => Number(safest(rows)?.GAP_Sts ?? 0) || null],
  ['protected_area_public_access', padus, (rows) => publicAccess[String(safest(rows)?.Pub_Access)] ?? null],
  ['protected_area_manager', padus, protectedArea('MngNm_Desc')],
  ['protected_area_designation', padus, protectedArea('DesTp_Desc')],
  [
    'broadband_providers_count',
    'FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/3',
    first('UniqueProviders'),
  ],
  [
    'broadband_fiber_available_pct',
    'FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/3',
    ([row]) => (row?.TotalBSLs ? (100 * Number(row.ServedBSLsFiber)) / Number(row.TotalBSLs) : null),
  ],
  ['huc8_code', 'wbd/MapServer/6', ([row]) => (row ? String(row.huc12).slice(0, 8) : null)],
  ['huc8_name', 'wbd/MapServer/4', first('name')],
  ['huc12_code', 'wbd/MapServer/6', first('huc12')],
  ['huc_12_name', 'wbd/MapServer/6', first('name')],
  [
    'drought_category',
    'US_Drought_Intensity_v1/FeatureServer/3',
    (rows) => (rows.length > 0 ? `D${most('dm')(rows)}` : 'None'),
  ],
  ['principal_aquifer_name', 'Principal_Aquifers_of_the_United_States/FeatureServer/0', first('AQ_NAME')],
  [
    'water_system_name',
    'Water_System_Boundaries/FeatureServer/0',
    (rows) =>
      rows.toSorted((a, b) => Number(b.Population_Served_Count) - Number(a.Population_Served_Count))[0]?.PWS_Name ??
      null,
  ],
  ['most_recent_burn_year', fires, most('FIRE_YEAR_INT')],
]

let service: OnlineService
let answers: Record<PlaceName, Record<string, FieldResult>>
beforeAll(async () => {
  service = openOnlineService()
  answers = await fetchFieldsEverywhere(
    service,
    [...counts, ...withins, ...held].map(([field]) => field),
  )
})
afterAll(() => service.close())

test.each(counts)('%s is the exact count', (field, ends, radius_m, holds, distinct) => {
  expectEverywhere(field, (place) => {
    const rows = rowsAround(place, ends, radius_m, holds)
    return distinct === null ? rows.length : new Set(rows.map(({ cells }) => cells[distinct])).size
  })
})

test.each(withins)('%s is true if a matching row contains the point', (field, ends, holds) => {
  expectEverywhere(field, (place) => rowsContaining(place, ends, holds).length > 0)
})

test.each(held)('%s is the attribute of the row that contains the point', (field, ends, value) => {
  expectEverywhere(field, (place) => value(rowsContaining(place, ends)))
})

test('the floodway runs two hundred meters south of Boulder', async () => {
  const names = [
    'within_floodway',
    'within_floodplain_polygon',
    'fema_flood_zone',
    'within_moderate_flood_zone',
    'within_levee_reduced_risk_zone',
  ]
  const [lng, lat] = positionOf(testPlaces.boulder, [0, -200])
  expect(Object.values(await fetchOnlineFields(service, { lat, lng }, names)).map(onlineValueOf)).toEqual([
    true,
    true,
    'AE',
    false,
    false,
  ])
  expect(Object.values(await fetchOnlineFields(service, testPlaces.new_orleans, names)).map(onlineValueOf)).toEqual([
    false,
    false,
    'X',
    false,
    true,
  ])
  expect(Object.values(await fetchOnlineFields(service, testPlaces.manhattan, names)).map(onlineValueOf)).toEqual([
    false,
    false,
    'X',
    true,
    false,
  ])
})

function expectEverywhere(field: string, expectedAt: (place: PlaceName) => unknown): void {
  const { regions } = service.app.catalog.datasets.get(service.app.catalog.fields.get(field)!.read.dataset)!.coverage
  const wrong = placeNames.flatMap((place) => {
    const isCovered =
      regions === 'everywhere' || regions.includes(place === 'anchorage' ? 'ak' : place === 'san_juan' ? 'pr' : 'conus')
    const [value, expected] = [onlineValueOf(answers[place][field]), isCovered ? expectedAt(place) : null]
    return value === expected ? [] : [`${place}: ${String(value)} for ${String(expected)}`]
  })
  expect(wrong).toEqual([])
}
