import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, point, square, type Offset, type SimulatedShape } from './shapes.ts'

const geoplatform = 'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services'
const hifld = 'https://services5.arcgis.com/HDRa0B57OVrv2E1q/arcgis/rest/services'
const epa = 'https://services.arcgis.com/cJ9YHowT8TU7DUyn/ArcGIS/rest/services'
const sewersheds = `${epa}/National_Sewershed_Web_Map_Internal_WFL1/FeatureServer`

type Row = [SimulatedShape, Record<string, SimulatedCell>]

/** Grids, pipelines, sewers, cables and urban areas: synthetic features in the form of the real layers. */
export const utilityLayers: SimulatedLayer[] = [
  layer({
    at: `${geoplatform}/Crude_Oil_Trunk_Pipelines_1/FeatureServer/0`,
    name: 'Crude_Oil_Trunk_Pipelines',
    kind: 'line',
    columns: 'FID Opername Pipename',
    rows: [
      [line('kansas', [-20_000, 4_000], [20_000, 4_000]), { Opername: 'MADE-UP CRUDE', Pipename: 'Made-up Line 1' }],
    ],
  }),
  layer({
    at: `${geoplatform}/Hydrocarbon_Gas_Liquids_Pipelines_1/FeatureServer/0`,
    name: 'Hydrocarbon_Gas_Liquids_Pipelines',
    kind: 'line',
    columns: 'FID Opername Pipename',
    rows: [
      [
        line('miami_beach', [2_000, -9_000], [2_000, 9_000]),
        { Opername: 'MADE-UP LIQUIDS', Pipename: 'Made-up Line 2' },
      ],
    ],
  }),
  layer({
    at: `${hifld}/Electric_Substations/FeatureServer/0`,
    name: 'Electric_Substations',
    kind: 'point',
    columns: 'OBJECTID_1 ID NAME CITY STATE COUNTY STATUS MAX_VOLT:double MIN_VOLT:double SOURCEDATE',
    rows: [
      substation('boulder', [900, 400], 230, 'IN SERVICE'),
      substation('boulder', [300, 0], 12.5, 'IN SERVICE'),
      substation('boulder', [4_000, 0], 115, 'PROPOSED'),
      substation('boulder', [0, -7_000], 69, 'UNDER CONST'),
      substation('kansas', [8_000, 0], -999_999, 'NOT AVAILABLE'),
      substation('miami_beach', [-3_000, 500], 138, 'IN SERVICE'),
    ],
  }),
  layer({
    at: `${hifld}/Natural_Gas_Compressor_Stations/FeatureServer/0`,
    name: 'Natural_Gas_Compressor_Stations',
    kind: 'point',
    columns: 'OBJECTID NAME OPERATOR STATE STATUS',
    rows: [[point('kansas', 30_000, 0), { NAME: 'MADE-UP STATION', OPERATOR: 'MADE-UP GAS', STATUS: 'OPERATIONAL' }]],
  }),
  layer({
    at: 'https://services2.arcgis.com/ZOdjAzAQ2B0f85zi/arcgis/rest/services/NaturalGas_UndergroundStorage_US_EIA/FeatureServer/0',
    name: 'NaturalGas_UndergroundStorage_US_EIA',
    kind: 'point',
    columns: 'FID Field Company Status',
    rows: [[point('kansas', 60_000, 10_000), { Field: 'Made-up Field', Company: 'Made-up Gas', Status: 'Active' }]],
  }),
  layer({
    at: 'https://services2.arcgis.com/wdQEqhSQSuYA89VW/arcgis/rest/services/Lng_ImportExportTerminals_US_EIA/FeatureServer/0',
    name: 'Lng_ImportExportTerminals_US_EIA',
    kind: 'point',
    columns: 'FID Facility Functions Operator State',
    rows: [[point('new_orleans', 80_000, -20_000), { Facility: 'Made-up Pass', Functions: 'Export' }]],
  }),
  layer({
    at: 'https://services7.arcgis.com/FGr1D95XCGALKXqM/ArcGIS/rest/services/TightOil_ShaleGas_Plays_Lower48_EIA/FeatureServer/0',
    name: 'TightOil_ShaleGas_Plays_Lower48_EIA',
    kind: 'polygon',
    columns: 'FID Shale_play Lithology Area_sq_mi:double',
    rows: [
      [square('boulder', 20_000), { Shale_play: 'Made-up Codell', Area_sq_mi: 500 }],
      [square('boulder', 60_000), { Shale_play: 'Made-up Niobrara', Area_sq_mi: 5_560 }],
    ],
  }),
  layer({
    at: 'https://energy.usgs.gov/arcgis/rest/services/BaseMaps/Sedimentary_Basin/MapServer/0',
    name: 'Sedimentary Basins',
    kind: 'polygon',
    columns: 'OBJECTID name basin_num:integer basintype source',
    rows: [
      [square('boulder', 90_000), { name: 'Made-up Denver Basin', basin_num: 39, basintype: 'foreland' }],
      [square('boulder', 9_000), { name: 'Made-up Front Range Trough', basin_num: 390, basintype: 'foreland' }],
      [square('anchorage', 30_000), { name: 'Made-up Cook Inlet Basin', basin_num: 3, basintype: 'forearc' }],
    ],
  }),
  layer({
    at: 'https://services2.arcgis.com/OmhjjQKPQ4s7vrAK/arcgis/rest/services/Independent_System_Operators/FeatureServer/0',
    name: 'Independent_System_Operators',
    kind: 'polygon',
    columns: 'FID NAME LABEL',
    rows: [
      [square('kansas', 90_000), { NAME: 'MIDCONTINENT INDEPENDENT TRANSMISSION SYSTEM OPERATOR, INC..' }],
      [square('kansas', 60_000), { NAME: 'SOUTHWEST POWER POOL' }],
      [square('manhattan', 60_000), { NAME: 'NEW YORK INDEPENDENT SYSTEM OPERATOR' }],
      [square('paradise', 60_000), { NAME: 'CALIFORNIA INDEPENDENT SYSTEM OPERATOR' }],
    ],
  }),
  layer({
    at: `${epa}/eGRID2023_Subregions/FeatureServer/0`,
    name: 'eGRID2023_Subregions',
    kind: 'polygon',
    columns: 'FID Subregion',
    rows: Object.entries({
      boulder: 'RMPA',
      miami_beach: 'FRCC',
      kansas: 'SPNO',
      anchorage: 'AKGD',
      san_juan: 'PRMS',
    }).map(([place, code]): Row => [square(place as PlaceName, 60_000), { Subregion: code }]),
  }),
  layer({
    at: `${sewersheds}/8`,
    name: 'Sewersheds',
    kind: 'polygon',
    columns: 'OBJECTID CWNS_ID FACILITY_NAME Method Mean_Prob:double NPDES_ID',
    rows: [
      [square('boulder', 4_000), { CWNS_ID: '08000113001', FACILITY_NAME: 'MADE-UP WRRF', Method: 'Sourced' }],
      [square('kansas', 1_000, 3_000, 0), { CWNS_ID: '20000113001', FACILITY_NAME: 'MADE-UP STP', Method: 'Modeled' }],
      [square('miami_beach', 2_000), { CWNS_ID: '12000113001', FACILITY_NAME: null, Method: 'Modeled' }],
    ],
  }),
  layer({
    at: `${sewersheds}/0`,
    name: 'Treatment Plants',
    kind: 'point',
    columns: 'OBJECTID CWNS_ID FACILITY_NAME POPULATION_TYPE TOTAL_RES_POPULATION_2022:integer STATE_CODE',
    rows: [
      wastewater('boulder', [6_000, 0], 'MADE-UP WRRF', 'Total Receiving Treatment', 105_000),
      wastewater('boulder', [1_000, 0], 'MADE-UP COLLECTION', 'Receiving Collection', 2_000),
      wastewater('kansas', [3_000, 9_000], 'MADE-UP STP', 'Total Receiving Treatment', 0),
    ],
  }),
  layer({
    at: 'https://services8.arcgis.com/peDZJliSvYims39Q/arcgis/rest/services/FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/5',
    name: 'H3 Hexagons (Resolution 8)',
    kind: 'polygon',
    columns: 'OBJECTID GEOID TotalBSLs:integer UniqueProvidersFiber:integer',
    rows: [
      [square('boulder', 450), { GEOID: '88268cd9e9fffff', TotalBSLs: 410, UniqueProvidersFiber: 3 }],
      [square('kansas', 450), { GEOID: '8826f3a6c9fffff', TotalBSLs: 4, UniqueProvidersFiber: 0 }],
      [square('new_orleans', 450), { GEOID: '88444a8d2bfffff', TotalBSLs: 0, UniqueProvidersFiber: null }],
    ],
  }),
  layer({
    at: 'https://coast.noaa.gov/arcgis/rest/services/Hosted/SubmarineCables/FeatureServer/0',
    name: 'SubmarineCables',
    kind: 'polygon',
    columns: 'objectid shortname cablesystem owner status region',
    rows: [
      [
        square('miami_beach', 500, 9_000, 0),
        { shortname: 'MU-1', cablesystem: 'Made-up Americas', status: 'In Service' },
      ],
      [square('san_juan', 300, 0, 12_000), { shortname: 'MU-2', cablesystem: '', status: 'In Service' }],
      [square('paradise', 300, -250_000, 0), { shortname: null, cablesystem: null, status: 'In Service' }],
    ],
  }),
  layer({
    at: 'https://tigerweb.geo.census.gov/arcgis/rest/services/TIGERweb/Urban/MapServer/6',
    name: '2020 Urban Areas - Corrected',
    kind: 'polygon',
    columns: 'OBJECTID GEOID NAME',
    rows: [
      [square('boulder', 5_000), { GEOID: '08785', NAME: 'Made-up Boulder, CO Urban Area' }],
      [square('kansas', 3_000, 40_000, 0), { GEOID: '14401', NAME: 'Made-up Clay Center, KS Urban Area' }],
      [square('manhattan', 20_000), { GEOID: '63217', NAME: 'Made-up New York Urban Area' }],
    ],
  }),
]

function substation(place: PlaceName, offset: Offset, kv: number, status: string): Row {
  return [point(place, ...offset), { ID: '140001', NAME: 'MADE-UP', STATUS: status, MAX_VOLT: kv, MIN_VOLT: kv }]
}

function wastewater(place: PlaceName, offset: Offset, name: string, kind: string, people: number): Row {
  return [
    point(place, ...offset),
    { CWNS_ID: '08000113001', FACILITY_NAME: name, POPULATION_TYPE: kind, TOTAL_RES_POPULATION_2022: people },
  ]
}
