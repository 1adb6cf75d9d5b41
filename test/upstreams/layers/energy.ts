import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, multipartShape, point, square, type Offset, type SimulatedShape } from './shapes.ts'

const geoplatform = 'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services'
const netl = 'https://arcgis.netl.doe.gov/server/rest/services/Hosted'

/**
 * Power lines, plants, pipelines, service territories and energy communities: synthetic features with the geometry
 * types and terms of the real layers.
 */
export const energyLayers: SimulatedLayer[] = [
  layer({
    at: `${geoplatform}/US_Electric_Power_Transmission_Lines/FeatureServer/0`,
    name: 'Electric_Power_Transmission_Lines',
    kind: 'line',
    columns: 'OBJECTID_1 ID TYPE STATUS OWNER VOLTAGE:double VOLT_CLASS SUB_1 SUB_2',
    rows: [
      power(line('boulder', [-5_000, 400], [5_000, 400]), 115, 'INACTIVE'),
      power(line('boulder', [-5_000, 1_400], [5_000, 1_400]), 115, 'IN SERVICE'),
      power(line('miami_beach', [-2_600, -4_000], [-2_600, 4_000]), 138, 'IN SERVICE'),
      power(
        multipartShape(line('kansas', [650, -20_000], [650, -1_000]), line('kansas', [650, -900], [650, 20_000])),
        345,
        'IN SERVICE',
      ),
      power(line('manhattan', [-1_900, -3_000], [-1_900, 3_000]), -999_999, 'NOT AVAILABLE'),
      power(line('paradise', [-4_000, 3_000], [4_000, 3_000]), 60, 'UNDER CONSTRUCTION'),
    ],
  }),
  layer({
    at: `${geoplatform}/Power_Plants_in_the_US/FeatureServer/0`,
    name: 'Power_Plants',
    kind: 'point',
    columns:
      'OBJECTID Plant_Code:integer Plant_Name Utility_Na sector_nam City County State PrimSource Install_MW:double Total_MW:double Bat_MW tech_desc Period:integer',
    rows: [
      plant('boulder', [3_600, 200], 'Made-up Valmont', 'natural gas', 191.5),
      plant('boulder', [-24_000, 0], 'Made-up Canyon Hydro', 'hydroelectric', 5),
      plant('miami_beach', [-9_000, 0], 'Made-up Bay Solar', 'solar', 2.2),
      plant('new_orleans', [11_000, 4_000], 'Made-up Michoud', 'natural gas', 959.5),
      plant('kansas', [5_000, 0], 'Made-up Prairie Wind', 'wind', 48),
      plant('manhattan', [1_900, -600], 'Made-up East River', 'natural gas', null),
    ],
  }),
  layer({
    at: `${geoplatform}/Natural_Gas_Interstate_and_Intrastate_Pipelines_1/FeatureServer/0`,
    name: 'Natural_Gas_Pipelines',
    kind: 'line',
    columns: 'FID TYPEPIPE Operator Status',
    rows: [
      [
        line('boulder', [6_000, -9_000], [6_000, 9_000]),
        { TYPEPIPE: 'Interstate', Operator: 'Made-up Interstate Gas', Status: 'Operating' },
      ],
      [
        line('kansas', [-20_000, -800], [20_000, -800]),
        { TYPEPIPE: 'Interstate', Operator: 'Made-up Plains Gas', Status: 'Operating' },
      ],
    ],
  }),
  layer({
    at: `${geoplatform}/Petroleum_Products_Pipelines_1/FeatureServer/0`,
    name: 'Petroleum_Products_Pipelines',
    kind: 'line',
    columns: 'FID Opername Pipename',
    rows: [
      [
        line('kansas', [-20_000, 15_000], [20_000, 15_000]),
        { Opername: 'MADE-UP PRODUCTS', Pipename: 'Made-up Line 3' },
      ],
    ],
  }),
  layer({
    at: 'https://services3.arcgis.com/OYP7N6mAJJCyH6hd/arcgis/rest/services/Electric_Retail_Service_Territories_HIFLD/FeatureServer/0',
    name: 'Electric_Retail_Service_Territories',
    kind: 'polygon',
    columns: 'OBJECTID ID NAME TYPE STATE HOLDING_CO CNTRL_AREA WEBSITE',
    rows: [
      territory('boulder', 60_000, 'PUBLIC SERVICE CO OF COLORADO', 'INVESTOR OWNED'),
      territory('boulder', 3_000, 'MADE-UP MUNICIPAL LIGHT', 'MUNICIPAL'),
      territory('miami_beach', 60_000, 'FLORIDA POWER & LIGHT CO', 'INVESTOR OWNED'),
      territory('kansas', 40_000, 'EVERGY KANSAS CENTRAL', 'NOT AVAILABLE'),
      territory('paradise', 40_000, 'PACIFIC GAS & ELECTRIC CO.', 'INVESTOR OWNED'),
    ],
  }),
  layer({
    at: `${netl}/2024_Coal_Closure_Energy_Communities/FeatureServer/0`,
    name: '2024_Coal_Closure_Energy_Communities',
    kind: 'polygon',
    columns:
      'objectid geoid_county_2020 geoid_tract_2020 mine_closure generator_closure adjacent_to_closure dataset_version',
    rows: [
      [
        square('boulder', 2_000),
        {
          geoid_county_2020: '08013',
          geoid_tract_2020: '08013012203',
          mine_closure: 'No',
          generator_closure: 'No',
          adjacent_to_closure: 'Yes',
          dataset_version: '2024.1',
        },
      ],
      [
        square('kansas', 2_000),
        {
          geoid_county_2020: '20027',
          geoid_tract_2020: '20027458200',
          mine_closure: 'No',
          generator_closure: 'No',
          adjacent_to_closure: 'No',
          dataset_version: '2024.1',
        },
      ],
    ],
  }),
  layer({
    at: `${netl}/2024_MSAs_NonMSAs_that_are_Energy_Communities/FeatureServer/0`,
    name: '2024_MSAs_NonMSAs',
    kind: 'polygon',
    columns:
      'objectid geoid_cty_2020 msa_area_name ffe_ind_qual:integer ec_ind_qual:integer fee_qual_status ec_qual_status',
    rows: [
      [
        square('new_orleans', 20_000),
        {
          geoid_cty_2020: '22071',
          msa_area_name: 'New Orleans-Metairie, LA',
          ffe_ind_qual: 1,
          ec_ind_qual: 1,
          fee_qual_status: 'Yes',
          ec_qual_status: 'Yes',
        },
      ],
      [
        square('boulder', 20_000),
        {
          geoid_cty_2020: '08013',
          msa_area_name: 'Boulder, CO',
          ffe_ind_qual: 1,
          ec_ind_qual: 0,
          fee_qual_status: 'Yes',
          ec_qual_status: 'No',
        },
      ],
    ],
  }),
]

function power(shape: SimulatedShape, kv: number, status: string): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      ID: '140001',
      TYPE: 'AC; OVERHEAD',
      STATUS: status,
      OWNER: status === 'IN SERVICE' ? 'MADE-UP POWER CO' : 'NOT AVAILABLE',
      VOLTAGE: kv,
      VOLT_CLASS: kv < 0 ? 'NOT AVAILABLE' : '100-161',
      SUB_1: 'UNKNOWN100001',
      SUB_2: 'TAP100002',
    },
  ]
}

function plant(
  place: PlaceName,
  offset: Offset,
  name: string,
  fuel: string,
  mw: number | null,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    point(place, ...offset),
    {
      Plant_Code: 460 + name.length,
      Plant_Name: name,
      Utility_Na: 'Made-up Power',
      sector_nam: 'Electric Utility',
      City: null,
      County: null,
      State: null,
      PrimSource: fuel,
      Install_MW: mw,
      Total_MW: mw,
      Bat_MW: '0',
      tech_desc: fuel === 'natural gas' ? 'Natural Gas Fired Combined Cycle' : null,
      Period: 202_502,
    },
  ]
}

function territory(
  place: PlaceName,
  half_m: number,
  name: string,
  type: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    square(place, half_m),
    {
      ID: '15466',
      NAME: name,
      TYPE: type,
      STATE: null,
      HOLDING_CO: 'NOT AVAILABLE',
      CNTRL_AREA: 'NOT AVAILABLE',
      WEBSITE: 'NOT AVAILABLE',
    },
  ]
}
