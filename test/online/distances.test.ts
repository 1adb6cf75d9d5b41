import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import type { PlaceName } from '../upstreams/test-places.ts'
import { fetchFieldsEverywhere, placeNames, onlineValueOf } from './fetch-fields.ts'
import { rowsAround, type Cells, type NearbyRow } from './simulated-rows.ts'

type Holds = (cells: Cells) => boolean
/** A field, the layers it reads, its search radius, and the rows it includes. */
type Distance = [field: string, ends: string | string[], radius_m: number, holds: Holds]
type Nearest = [
  field: string,
  ends: string | string[],
  radius_m: number,
  holds: Holds,
  value: (cells: Cells) => unknown,
]

const all: Holds = () => true
const isNamed =
  (name: string): Holds =>
  (cells) =>
    String(cells[name] ?? '').trim() !== ''
const isStream: Holds = ({ ftype }) => [460, 558, 336, 334].includes(Number(ftype))
const isUsed: Holds = ({ STATUS }) => STATUS !== 'INACTIVE'
const isRecent: Holds = ({ FIRE_YEAR_INT }) =>
  Number(FIRE_YEAR_INT ?? 0) >= new Date().getUTCFullYear() - 10 && FIRE_YEAR_INT !== 9_999
const isOpenCharger: Holds = ({ fuel_type_code, status_code, access_code }) =>
  fuel_type_code === 'ELEC' && status_code === 'E' && access_code === 'public'
const isImpaired: Holds = ({ ircategory }) => String(ircategory).startsWith('5')
const isProtected: Holds = ({ GAP_Sts }) => GAP_Sts === '1' || GAP_Sts === '2'

const nwi = 'fwspublicservices.wim.usgs.gov/wetlandsmapservice/rest/services/Wetlands/MapServer/0'
const majorRoads = ['Transportation/MapServer/2', 'Transportation/MapServer/6']
const petroleumPipelines = ['Petroleum_Products', 'Crude_Oil_Trunk', 'Hydrocarbon_Gas_Liquids'].map(
  (name) => `${name}_Pipelines_1/FeatureServer/0`,
)
const attains = ['ATTAINS_Assessment/MapServer/1', 'ATTAINS_Assessment/MapServer/2']
const superfund = 'Superfund_National_Priorities_List_(NPL)_Sites_with_Status_Information/FeatureServer/0'
const fires = 'InterAgencyFirePerimeterHistory_All_Years_View/FeatureServer/0'
const dams = 'National_Inventory_of_Dams_Public_Service/FeatureServer/0'
const padus = 'PADUS_Protection_Status_by_GAP_Status_Code/FeatureServer/0'

const permanence: Record<string, string> = { 46006: 'perennial', 46003: 'intermittent', 46007: 'ephemeral' }
const waterbodies: Record<string, string> = {
  390: 'lake_pond',
  436: 'reservoir',
  466: 'swamp_marsh',
  378: 'ice_mass',
  493: 'estuary',
}

const distances: Distance[] = [
  ['nearest_building_distance_m', 'USA_Structures_View/FeatureServer/0', 5_000, all],
  ['nearest_transmission_line_distance_m', 'US_Electric_Power_Transmission_Lines/FeatureServer/0', 100_000, all],
  ['nearest_power_plant_distance_m', 'Power_Plants_in_the_US/FeatureServer/0', 200_000, all],
  [
    'nearest_gas_pipeline_distance_m',
    'Natural_Gas_Interstate_and_Intrastate_Pipelines_1/FeatureServer/0',
    100_000,
    all,
  ],
  ['nearest_petroleum_pipeline_distance_m', petroleumPipelines, 10_000, all],
  ['nearest_ev_charger_distance_m', 'Alternative_Fueling_Stations/FeatureServer/0', 300_000, isOpenCharger],
  ['nearest_superfund_site_distance_m', superfund, 400_000, all],
  ['nearest_brownfield_distance_m', 'FRS_INTERESTS_ACRES/FeatureServer/0', 100_000, all],
  ['nearest_toxic_release_facility_distance_m', 'EMEF/efpoints/MapServer/1', 100_000, all],
  ['nearest_floodplain_distance_m', 'NFHL/MapServer/28', 5_000, ({ SFHA_TF }) => SFHA_TF === 'T'],
  [
    'nearest_critical_habitat_distance_m',
    ['USFWS_Critical_Habitat/FeatureServer/0', 'USFWS_Critical_Habitat/FeatureServer/1'],
    25_000,
    all,
  ],
  ['nearest_waterbody_distance_m', 'nhd/MapServer/12', 10_000, all],
  ['nearest_stream_distance_m', 'nhd/MapServer/6', 5_000, isStream],
  ['nearest_impaired_water_distance_m', attains, 5_000, isImpaired],
  ['nearest_fault_distance_m', 'haz/Qfaults/MapServer/21', 100_000, all],
  ['nearest_landslide_distance_m', 'US_Landslide_point_v2/FeatureServer/11', 25_000, all],
  ['nearest_protected_area_distance_m', padus, 25_000, isProtected],
  ['nearest_hospital_distance_m', 'structures/MapServer/14', 50_000, all],
  ['nearest_fire_station_distance_m', 'structures/MapServer/16', 50_000, all],
  ['nearest_police_station_distance_m', 'structures/MapServer/18', 100_000, all],
  ['nearest_public_school_distance_m', 'EDGE_GEOCODE_PUBLICSCH_2425/MapServer/0', 80_000, all],
  ['nearest_major_road_distance_m', majorRoads, 50_000, all],
  [
    'nearest_rail_line_distance_m',
    'NTAD_North_American_Rail_Network_Lines/FeatureServer/0',
    100_000,
    ({ NET }) => ['M', 'I', 'O', 'S', 'Y', 'Z'].includes(String(NET)),
  ],
  ['nearest_transit_stop_distance_m', 'NTAD_National_Transit_Map_Stops/FeatureServer/0', 100_000, all],
  ['nearest_dam_distance_m', dams, 10_000, all],
  ['nearest_levee_distance_m', 'NLD/Public/FeatureServer/15', 10_000, all],
  ['nearest_wetland_distance_m', nwi, 500, all],
  ['nearest_recent_fire_distance_m', fires, 50_000, isRecent],
]

const nearest: Nearest[] = [
  ['nearest_building_occupancy_class', 'USA_Structures_View/FeatureServer/0', 5_000, all, ({ OCC_CLS }) => OCC_CLS],
  [
    'nearest_transmission_line_voltage_kv',
    'US_Electric_Power_Transmission_Lines/FeatureServer/0',
    100_000,
    isUsed,
    ({ VOLTAGE }) => (Number(VOLTAGE) > 0 ? VOLTAGE : null),
  ],
  ['nearest_power_plant_name', 'Power_Plants_in_the_US/FeatureServer/0', 200_000, all, ({ Plant_Name }) => Plant_Name],
  [
    'nearest_power_plant_primary_fuel',
    'Power_Plants_in_the_US/FeatureServer/0',
    200_000,
    all,
    ({ PrimSource }) => PrimSource,
  ],
  [
    'nearest_power_plant_capacity_mw',
    'Power_Plants_in_the_US/FeatureServer/0',
    200_000,
    all,
    ({ Install_MW }) => Install_MW,
  ],
  ['nearest_superfund_site_name', superfund, 400_000, all, ({ Site_Name }) => Site_Name],
  ['nearest_superfund_site_status', superfund, 400_000, all, ({ Status }) => Status],
  ['nearest_named_waterbody_name', 'nhd/MapServer/12', 10_000, isNamed('GNIS_NAME'), ({ GNIS_NAME }) => GNIS_NAME],
  [
    'nearest_stream_name',
    'nhd/MapServer/6',
    10_000,
    (cells) => isStream(cells) && isNamed('gnis_name')(cells),
    ({ gnis_name }) => gnis_name,
  ],
  [
    'nearest_stream_order',
    'NHDPlus_HR/MapServer/3',
    5_000,
    all,
    ({ streamorde }) => (Number(streamorde) > 0 ? streamorde : null),
  ],
  [
    'nearest_stream_drainage_area_km2',
    'NHDPlus_HR/MapServer/3',
    5_000,
    all,
    ({ totdasqkm }) => (Number(totdasqkm) > 0 ? totdasqkm : null),
  ],
  [
    'nearest_stream_permanence',
    'nhd/MapServer/6',
    5_000,
    isStream,
    ({ fcode }) => permanence[String(fcode)] ?? 'artificial',
  ],
  ['nearest_waterbody_type', 'nhd/MapServer/12', 10_000, all, ({ FTYPE }) => waterbodies[String(FTYPE)]],
  ['nearest_impaired_water_name', attains, 5_000, isImpaired, ({ assessmentunitname }) => assessmentunitname],
  ['nearest_fault_name', 'haz/Qfaults/MapServer/21', 100_000, all, ({ fault_name }) => fault_name],
  ['nearest_fault_age', 'haz/Qfaults/MapServer/21', 100_000, all, ({ age }) => age],
  ['nearest_protected_area_name', padus, 25_000, isProtected, ({ Unit_Nm }) => Unit_Nm],
  ['nearest_hospital_name', 'structures/MapServer/14', 50_000, all, ({ NAME }) => NAME],
  ['nearest_public_school_name', 'EDGE_GEOCODE_PUBLICSCH_2425/MapServer/0', 80_000, all, ({ NAME }) => NAME],
  ['nearest_major_road_name', majorRoads, 50_000, all, ({ NAME }) => NAME],
  ['nearest_major_road_class', majorRoads, 50_000, all, ({ MTFCC }) => (MTFCC === 'S1100' ? 'motorway' : 'secondary')],
  [
    'nearest_road_annual_average_daily_traffic',
    'HPMS_National_Current/FeatureServer/0',
    3_000,
    ({ AADT }) => Number(AADT) > 0,
    ({ AADT }) => AADT,
  ],
  ['nearest_dam_name', dams, 10_000, all, ({ NAME }) => NAME],
  [
    'nearest_dam_hazard_potential',
    dams,
    10_000,
    all,
    ({ HAZARD_POTENTIAL }) => (HAZARD_POTENTIAL === 'HIGH' ? 'High' : HAZARD_POTENTIAL),
  ],
  [
    'nearest_wetland_type',
    nwi,
    5_000,
    all,
    (cells) => Object.entries(cells).find(([name]) => name.endsWith('.WETLAND_TYPE'))?.[1],
  ],
  ['nearest_recent_fire_name', fires, 50_000, isRecent, ({ INCIDENT }) => INCIDENT],
  ['nearest_recent_fire_year', fires, 50_000, isRecent, ({ FIRE_YEAR_INT }) => FIRE_YEAR_INT],
]

let service: OnlineService
let answers: Record<PlaceName, Record<string, FieldResult>>
beforeAll(async () => {
  service = openOnlineService()
  answers = await fetchFieldsEverywhere(
    service,
    [...distances, ...nearest].map(([field]) => field),
  )
})
afterAll(() => service.close())

test.each(distances)(
  '%s is the distance to the nearest row of the layer, within 0.5 % and 1 m',
  (field, ends, radius_m, holds) => {
    const wrong = placeNames.flatMap((place) => {
      const expected = found(field, place, ends, radius_m, holds)[0]?.distance_m ?? null
      const value = onlineValueOf(answers[place][field])
      const isRight =
        typeof value === 'number' && expected !== null
          ? Math.abs(value - expected) <= expected / 200 + 1
          : value === expected
      return isRight ? [] : [`${place}: ${String(value)} for ${expected}`]
    })
    expect(wrong).toEqual([])
  },
)

test.each(nearest)('%s is the attribute of the nearest row', (field, ends, radius_m, holds, value) => {
  const wrong = placeNames.flatMap((place) => {
    const response = asNearAs(found(field, place, ends, radius_m, holds)).map(({ cells }) => value(cells) ?? null)
    const answered = onlineValueOf(answers[place][field])
    return (response.length === 0 ? [null] : response).some((it) => it === answered)
      ? []
      : [`${place}: ${String(answered)} for ${response.map(String).join(' or ')}`]
  })
  expect(wrong).toEqual([])
})

test('the principal ports are found from far away, at the right distance', async () => {
  const ports = await fetchFieldsEverywhere(service, ['nearest_port_distance_m', 'nearest_port_name'])
  for (const place of placeNames) {
    const [near] = rowsAround(place, 'Principal_Ports/FeatureServer/0', 300_000)
    const [distance_m, name] = ['nearest_port_distance_m', 'nearest_port_name'].map((field) =>
      onlineValueOf(ports[place][field]),
    )
    if (near)
      expect([name, Math.abs(Number(distance_m) - near.distance_m) <= near.distance_m / 200 + 1], place).toEqual([
        near.cells.PORTNAME,
        true,
      ])
    else expect(distance_m === null || Number(distance_m) > 300_000, place).toBe(true)
  }
  expect(onlineValueOf(ports.boulder.nearest_port_name)).toBe('New Orleans, LA')
})

function found(field: string, place: PlaceName, ends: string | string[], radius_m: number, holds: Holds): NearbyRow[] {
  return covered(field, place) ? rowsAround(place, ends, radius_m, holds) : []
}

/** Rows at the same distance as the nearest. If there are two, either is right. */
function asNearAs(rows: NearbyRow[]): NearbyRow[] {
  return rows.filter(({ distance_m }) => distance_m <= rows[0]!.distance_m + 0.5)
}

function covered(field: string, place: PlaceName): boolean {
  const { regions } = service.app.catalog.datasets.get(service.app.catalog.fields.get(field)!.read.dataset)!.coverage
  return (
    regions === 'everywhere' || regions.includes(place === 'anchorage' ? 'ak' : place === 'san_juan' ? 'pr' : 'conus')
  )
}
