import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { multipartShape, point, ring, square, type SimulatedShape } from './shapes.ts'

const nifc = 'https://services3.arcgis.com/T4QMspbfLg3qTGWY/arcgis/rest/services'
const mtbs = 'https://apps.fs.usda.gov/arcx/rest/services/EDW/EDW_MTBS_01/MapServer'

const calFire = 'https://services1.arcgis.com/jUJYIo9tSA7EHvfZ/arcgis/rest/services'

/** Fires and drought: synthetic features with the geometry types and terms of the real layers. */
export const fireLayers: SimulatedLayer[] = [
  layer({
    at: `${calFire}/FHSZSRA_23_3/FeatureServer/0`,
    name: 'FHSZSRA_23_3',
    kind: 'polygon',
    columns: 'OBJECTID SRA FHSZ:integer FHSZ_Description',
    rows: [[ring('paradise', 9_000, 3_000), { SRA: 'SRA', FHSZ: 2, FHSZ_Description: 'High' }]],
  }),
  layer({
    at: `${calFire}/FHSALRA25_v1_All/FeatureServer/0`,
    name: 'FHSALRA25_v1_All',
    kind: 'polygon',
    columns: 'OBJECTID SRA FHSZ:integer FHSZ_Description',
    rows: [
      [square('paradise', 3_000), { SRA: 'LRA', FHSZ: 3, FHSZ_Description: 'Very High' }],
      [square('paradise', 1_000, -8_000, 0), { SRA: 'LRA', FHSZ: -3, FHSZ_Description: 'NonWildland' }],
    ],
  }),
  layer({
    at: `${nifc}/InterAgencyFirePerimeterHistory_All_Years_View/FeatureServer/0`,
    name: 'InterAgencyFirePerimeterHistory',
    kind: 'polygon',
    columns:
      'OBJECTID IRWINID INCIDENT FIRE_YEAR FIRE_YEAR_INT:integer AGENCY SOURCE DATE_CUR MAP_METHOD GIS_ACRES:double',
    rows: [
      burned(square('paradise', 9_000), 'CAMP', 2018, 153_336),
      burned(square('paradise', 8_990), 'Camp', 2018, 153_000), // the same fire from a second agency
      burned(square('paradise', 2_000, 0, 6_000), 'HUMBOLDT', 2008, 23_344),
      burned(square('paradise', 500, -3_000, 0), 'OLD RIDGE', 1999, 240),
      burned(ring('boulder', 1_500, 400, -7_500, 0), 'FOURMILE CANYON', 2010, 6_181),
      burned(
        multipartShape(square('boulder', 300, -3_500, -3_000), square('boulder', 100, -2_900, -3_000)),
        'NCAR',
        2022,
        190,
      ),
      burned(square('boulder', 2_000, 0, 16_000), 'CALWOOD', 2020, 10_106),
      burned(square('kansas', 3_000, 9_000, 0), 'MADE-UP PASTURE BURN', 2024, 8_000),
      burned(square('kansas', 1_000, 3_000, 0), 'UNKNOWN YEAR', 9_999, 400), // as 268 rows of the real layer
      burned(square('anchorage', 1_000, 0, -15_000), 'MCHUGH', 2016, 842),
      [
        square('new_orleans', 300, 3_000, 0),
        {
          IRWINID: null,
          INCIDENT: null,
          FIRE_YEAR: ' ',
          FIRE_YEAR_INT: null,
          AGENCY: null,
          SOURCE: null,
          DATE_CUR: null,
          MAP_METHOD: null,
          GIS_ACRES: null,
        },
      ],
    ],
  }),
  layer({
    at: `${nifc}/WFIGS_Interagency_Perimeters_Current/FeatureServer/0`,
    name: 'Perimeters',
    kind: 'polygon',
    columns:
      'OBJECTID poly_IncidentName poly_GISAcres:double poly_DateCurrent:date attr_IrwinID attr_FireDiscoveryDateTime:date attr_PercentContained:double attr_IncidentTypeCategory attr_IncidentSize:double attr_POOState',
    rows: [
      burning(square('paradise', 600), 'Made-up Skyway', 'WF', 'US-CA'),
      burning(square('boulder', 300), 'Made-up Broadcast Burn', 'RX', 'US-CO'),
      burning(square('boulder', 2_000, 30_000, 0), 'Made-up Ridge', 'WF', 'US-CO'),
      burning(square('boulder', 2_000, 0, 70_000), 'Made-up Pass', 'WF', 'US-CO'),
    ],
  }),
  layer({
    at: `${mtbs}/63`,
    name: 'Burned Area Boundaries (All Years)',
    kind: 'polygon',
    columns: 'OBJECTID FIRE_ID FIRE_NAME YEAR:integer ACRES:double STARTMONTH:integer',
    rows: [
      [
        square('paradise', 9_000),
        { FIRE_ID: 'CA3982012144020181108', FIRE_NAME: 'CAMP', YEAR: 2018, ACRES: 154_000, STARTMONTH: 11 },
      ],
      [
        square('paradise', 3_000),
        { FIRE_ID: 'CA3970012160019900911', FIRE_NAME: 'MADE-UP RIDGE', YEAR: 1990, ACRES: 3_500, STARTMONTH: 9 },
      ],
      [
        ring('boulder', 2_500, 500),
        { FIRE_ID: 'CO4004010539520100906', FIRE_NAME: 'FOURMILE CANYON', YEAR: 2010, ACRES: 6_181, STARTMONTH: 9 },
      ],
    ],
  }),
  layer({
    at: `${mtbs}/62`,
    name: 'Fire Occurrence Locations (All Years)',
    kind: 'point',
    columns: 'OBJECTID FIRE_ID FIRE_NAME YEAR:integer ACRES:double',
    rows: [
      [point('paradise', 0, 0), { FIRE_ID: 'CA3982012144020181108', FIRE_NAME: 'CAMP', YEAR: 2018, ACRES: 154_000 }],
    ],
  }),
  layer({
    at: 'https://services9.arcgis.com/RHVPKKiFTONKtxq3/arcgis/rest/services/US_Drought_Intensity_v1/FeatureServer/3',
    name: 'US_Drought_Current',
    kind: 'polygon',
    columns: 'OBJECTID dm:integer period',
    rows: [
      dry(['boulder', 'kansas', 'paradise'], 80_000, 0), // one class over another: who is in D2 is in D0 and D1 too
      dry(['boulder', 'paradise'], 50_000, 1),
      dry(['boulder'], 20_000, 2),
    ],
  }),
]

function burned(
  shape: SimulatedShape,
  name: string,
  year: number,
  acres: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      IRWINID: null,
      INCIDENT: name,
      FIRE_YEAR: String(year),
      FIRE_YEAR_INT: year,
      AGENCY: 'C&L',
      SOURCE: null,
      DATE_CUR: `${year}1231`,
      MAP_METHOD: 'Mixed Methods',
      GIS_ACRES: acres,
    },
  ]
}

function burning(
  shape: SimulatedShape,
  name: string,
  category: string,
  state: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      poly_IncidentName: name,
      poly_GISAcres: 320.5,
      poly_DateCurrent: Date.UTC(2026, 9, 4),
      attr_IrwinID: '{00000000-0000-4000-8000-000000000000}',
      attr_FireDiscoveryDateTime: Date.UTC(2026, 9, 3),
      attr_PercentContained: null,
      attr_IncidentTypeCategory: category,
      attr_IncidentSize: 320.5,
      attr_POOState: state,
    },
  ]
}

function dry(where: PlaceName[], half_m: number, dm: number): [SimulatedShape, Record<string, SimulatedCell>] {
  return [multipartShape(...where.map((place) => square(place, half_m))), { dm, period: '20261006' }]
}
