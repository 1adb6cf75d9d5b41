import { layer, type SimulatedLayer } from './layer.ts'
import { point, square, surroundings } from './shapes.ts'

const ntad = 'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services'

/** Who manages the land, what restricts it, and what is near it: synthetic features with the terms of the real layers. */
export const landLayers: SimulatedLayer[] = [
  layer({
    at: 'https://gis.blm.gov/arcgis/rest/services/lands/BLM_Natl_SMA_LimitedScale/MapServer/1',
    name: 'Surface Management Agency',
    kind: 'polygon',
    columns: 'OBJECTID ADMIN_DEPT_CODE ADMIN_AGENCY_CODE ADMIN_UNIT_NAME',
    rows: [
      [
        surroundings('boulder'),
        { ADMIN_DEPT_CODE: 'USDA', ADMIN_AGENCY_CODE: 'USFS', ADMIN_UNIT_NAME: 'Made-up National Forest' },
      ],
      [surroundings('kansas'), { ADMIN_DEPT_CODE: 'UND', ADMIN_AGENCY_CODE: 'UND', ADMIN_UNIT_NAME: null }],
      [
        square('anchorage', 2_000),
        { ADMIN_DEPT_CODE: 'DOD', ADMIN_AGENCY_CODE: 'USAF', ADMIN_UNIT_NAME: 'Made-up Air Base' },
      ],
      [square('paradise', 2_000), { ADMIN_DEPT_CODE: 'DOI', ADMIN_AGENCY_CODE: 'BLM', ADMIN_UNIT_NAME: null }],
    ],
  }),
  layer({
    at: 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/Protection_Mechanism_Category_PADUS/FeatureServer/0',
    name: 'PADUS4_1ProtMechCat',
    kind: 'polygon',
    columns: 'OBJECTID Category Des_Tp GAP_Sts Date_Est',
    rows: [
      [square('kansas', 600), { Category: 'Easement', Des_Tp: 'CONE', GAP_Sts: '4', Date_Est: '2009' }],
      [square('boulder', 700), { Category: 'Fee', Des_Tp: 'LCA', GAP_Sts: '2', Date_Est: '1967' }],
    ],
  }),
  layer({
    at: 'https://services6.arcgis.com/ssFJjBXIUyZDrSYZ/arcgis/rest/services/Special_Use_Airspace/FeatureServer/0',
    name: 'Special Use Airspace',
    kind: 'polygon',
    columns: 'OBJECTID NAME TYPE_CODE LOWER_VAL UPPER_VAL',
    rows: [
      [square('kansas', 30_000), { NAME: 'MADE-UP MOA', TYPE_CODE: 'MOA', LOWER_VAL: '8000', UPPER_VAL: '18000' }],
      [square('kansas', 5_000), { NAME: 'R-0000', TYPE_CODE: 'R', LOWER_VAL: '0', UPPER_VAL: '24000' }],
      [square('anchorage', 9_000), { NAME: 'MADE-UP MOA 2', TYPE_CODE: 'MOA', LOWER_VAL: '500', UPPER_VAL: '5000' }],
    ],
  }),
  layer({
    at: `${ntad}/NTAD_National_Bridge_Inventory/FeatureServer/0`,
    name: 'National Bridge Inventory',
    kind: 'point',
    columns: 'OBJECTID STRUCTURE_NUMBER_008 FACILITY_CARRIED_007 FEATURES_DESC_006A',
    rows: [
      [
        point('boulder', 600, 0),
        { STRUCTURE_NUMBER_008: 'B-1', FACILITY_CARRIED_007: 'BROADWAY', FEATURES_DESC_006A: 'BOULDER CREEK' },
      ],
      [
        point('manhattan', 1_000, 2_000),
        { STRUCTURE_NUMBER_008: 'M-1', FACILITY_CARRIED_007: 'MADE-UP RAMP', FEATURES_DESC_006A: null },
      ],
    ],
  }),
  layer({
    at: 'https://services.arcgis.com/cJ9YHowT8TU7DUyn/ArcGIS/rest/services/RE_Powering_Mapper_Sites_2022/FeatureServer/0',
    name: 'RE_Powering_Mapper_Sites_2022',
    kind: 'point',
    columns: 'OBJECTID SiteID Program State Acreage:double',
    rows: [
      [point('boulder', 0, 4_000), { SiteID: 'CO-1', Program: 'Landfill', State: 'CO', Acreage: 12 }],
      [point('manhattan', 500, 0), { SiteID: 'NY-1', Program: 'Brownfields', State: 'NY', Acreage: 0 }],
    ],
  }),
  layer({
    at: 'https://nces.ed.gov/opengis/rest/services/K12_School_Locations/EDGE_GEOCODE_PRIVATESCH_2324/MapServer/0',
    name: 'Private School Locations',
    kind: 'point',
    quirks: ['no_distance'],
    columns: 'OBJECTID PPIN NAME CITY STATE',
    rows: [
      [point('boulder', -300, 200), { PPIN: 'A1', NAME: 'MADE-UP ACADEMY', CITY: 'BOULDER', STATE: 'CO' }],
      [point('san_juan', 500, 500), { PPIN: 'A2', NAME: 'COLEGIO INVENTADO', CITY: 'SAN JUAN', STATE: 'PR' }],
    ],
  }),
]
