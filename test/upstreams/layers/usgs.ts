import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, multipartShape, point, ring, square, type Offset, type SimulatedShape } from './shapes.ts'
import type { PlaceName } from '../test-places.ts'

const landslide = 'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services'
const landslideColumns = 'OBJECTID USGS_ID Confidence:integer'

/**
 * Lidar, rocks, faults, landslides, protected areas, structures and turbines: synthetic features with the geometry
 * types and terms of the real layers.
 */
export const usgsLayers: SimulatedLayer[] = [
  layer({
    at: 'https://index.nationalmap.gov/arcgis/rest/services/3DEPElevationIndex/MapServer/24',
    name: 'Work Units',
    kind: 'polygon',
    columns:
      'objectid workunit project ql collect_start:date collect_end:date horiz_crs vert_crs onemeter_category dem_gsd_meters:double lpc_link',
    rows: [
      unit('boulder', 'CO_Boulder_2013', 'QL 2', Date.UTC(2013, 9, 1), Date.UTC(2014, 1, 28)),
      unit('boulder', 'CO_DRCOG_2020', 'QL 1', Date.UTC(2020, 4, 10), Date.UTC(2020, 8, 24)),
      unit('miami_beach', 'FL_Southeast_2018', 'QL 1', Date.UTC(2018, 3, 9), Date.UTC(2018, 6, 22)),
      unit('new_orleans', 'LA_GreaterNewOrleans_2021', 'QL 1', Date.UTC(2021, 0, 5), Date.UTC(2021, 1, 11)),
      unit('kansas', 'KS_Clay_2010', 'QL 3', Date.UTC(2010, 2, 1), Date.UTC(2010, 2, 30)),
      unit('manhattan', 'NY_NewYorkCity_2017', 'Other', Date.UTC(2017, 4, 3), null),
      unit('paradise', 'CA_NoCAL_Wildfires_2018', 'QL 1', Date.UTC(2018, 10, 20), Date.UTC(2019, 0, 3)),
    ],
  }),
  layer({
    at: 'https://services2.arcgis.com/C8EMgrsFcRFL6LrL/arcgis/rest/services/ASCE_Wind_Vectors/FeatureServer/0',
    name: 'ASCE 7-22 Wind Speeds, MRI 700 years',
    kind: 'polygon',
    columns: 'OBJECTID gridcode:integer',
    rows: [
      [square('boulder', 9_000), { gridcode: 115 }],
      [square('miami_beach', 9_000), { gridcode: 170 }],
    ],
  }),
  layer({
    at: `${landslide}/SB_5888bf4fe4b05ccb964bab9d_USGS_SGMC_feature/FeatureServer/3`,
    name: 'SGMC_Geology',
    kind: 'polygon',
    columns: 'OBJECTID STATE ORIG_LABEL SGMC_LABEL UNIT_LINK UNIT_NAME AGE_MIN AGE_MAX MAJOR1 GENERALIZED_LITH',
    rows: [
      rock('boulder', 'CO', 'Pierre Shale', ['Late Cretaceous', 'Late Cretaceous'], 'Sedimentary, clastic'),
      rock('miami_beach', 'FL', 'Miami Limestone', ['Pleistocene', 'Pleistocene'], 'Sedimentary, carbonate'),
      rock('kansas', 'KS', 'Chase Group', ['Wolfcampian', 'Leonardian'], 'Sedimentary, undifferentiated'),
      rock('manhattan', 'NY', 'Manhattan Formation', ['Ordovician', 'Cambrian'], 'Metamorphic, schist'),
      rock('paradise', 'CA', 'Tuscan Formation', ['Pliocene', 'Pliocene'], 'Igneous, volcanic'),
    ],
  }),
  layer({
    at: 'https://earthquake.usgs.gov/arcgis/rest/services/haz/Qfaults/MapServer/21',
    name: 'National Database',
    kind: 'line',
    columns: 'objectid fault_name section_name age slip_rate slip_sense dip_direction fault_id length:double',
    quirks: ['no_quotes'],
    rows: [
      fault(line('boulder', [8_000, -3_000], [8_000, 3_000]), null, null, 'undifferentiated Quaternary'),
      fault(line('boulder', [-20_000, 0], [-30_000, 4_000]), 'Valmont fault', null, 'middle and late Quaternary'),
      fault(
        multipartShape(
          line('paradise', [-25_000, -20_000], [-25_000, 0]),
          line('paradise', [-25_000, 2_000], [-25_000, 9_000]),
        ),
        'Cleveland Hills fault',
        'northern section',
        'historic',
      ),
      fault(
        line('paradise', [-25_000, -30_000], [-25_000, -20_500]),
        'Cleveland Hills fault',
        'southern section',
        'latest Quaternary',
      ),
      fault(line('anchorage', [-40_000, 42_000], [40_000, 42_000]), 'Castle Mountain fault', null, 'latest Quaternary'),
    ],
  }),
  layer({
    at: `${landslide}/US_Landslide_point_v2/FeatureServer/11`,
    name: 'US_Landslide_point',
    kind: 'point',
    columns: landslideColumns,
    rows: [
      ...slides('paradise', [
        [300, 0],
        [0, -700],
        [950, 0],
        [1_050, 0],
        [-6_000, 0],
      ]),
      ...slides('boulder', [
        [-4_000, 0],
        [-5_000, 2_000],
      ]),
    ],
  }),
  layer({
    at: `${landslide}/US_Landslide_poly_v2/FeatureServer/12`,
    name: 'US_Landslide_poly',
    kind: 'polygon',
    columns: landslideColumns,
    rows: [
      [square('paradise', 120), { USGS_ID: 'P-1', Confidence: 8 }],
      [square('boulder', 120), { USGS_ID: 'P-2', Confidence: 2 }],
      [ring('anchorage', 500, 100), { USGS_ID: 'P-3', Confidence: 5 }],
    ],
  }),
  layer({
    at: `${landslide}/PADUS_Protection_Status_by_GAP_Status_Code/FeatureServer/0`,
    name: 'PADUS',
    kind: 'polygon',
    columns: 'OBJECTID Category FeatClass Unit_Nm Pub_Access GAP_Sts MngTp_Desc MngNm_Desc DesTp_Desc GIS_Acres:double',
    rows: [
      held(square('boulder', 9_000), 'Arapaho and Roosevelt National Forests', '4', [
        'UK',
        'US Forest Service',
        'Approved or Proclamation Boundary',
      ]),
      held(square('boulder', 700), 'City of Boulder Open Space', '2', ['OA', 'City Land', 'Local Conservation Area']),
      held(square('boulder', 4_000, -20_000, 0), 'Indian Peaks Wilderness', '1', [
        'OA',
        'US Forest Service',
        'Wilderness Area',
      ]),
      held(square('miami_beach', 150), 'Unnamed', '4', [
        'XA',
        'Non-Governmental Organization',
        'Recreation or Education',
      ]),
      held(
        multipartShape(square('miami_beach', 500, -1_500, 0), square('miami_beach', 100, 0, 4_000)),
        'Biscayne Bay Aquatic Preserve',
        '2',
        ['RA', 'State Department of Natural Resources', 'Marine Protected Area'],
      ),
      easement(square('kansas', 600)),
      held(square('kansas', 1_000, 0, 10_000), 'Milford Wildlife Area', '3', [
        'OA',
        'State Fish and Wildlife',
        'State Conservation Area',
      ]),
      held(square('anchorage', 8_000), 'Chugach State Park', '1', [
        'OA',
        'State Park and Recreation',
        'Wilderness Area',
      ]),
      held(square('manhattan', 300, 0, 2_500), 'Central Park', '4', ['OA', 'City Land', 'Local Park']),
    ],
  }),
  structure(14, 'Hospitals/Medical Centers', [
    ['boulder', 'Made-up Foothills Hospital', [4_000, 0]],
    ['miami_beach', 'Made-up Bay Medical Center', [-3_500, 1_000]],
    ['manhattan', 'Made-up East Side Hospital', [900, -500]],
    ['kansas', 'Made-up County Medical Center', [-12_000, 9_000]],
    ['anchorage', 'Made-up Alaska Hospital', [3_000, -2_000]],
  ]),
  structure(15, 'Ambulance Services', [['boulder', 'Made-up Ambulance', [500, 0]]]),
  structure(16, 'Fire Stations/EMS Stations', [
    ['boulder', 'Made-up Fire Station 1', [700, -400]],
    ['miami_beach', 'Made-up Fire Station 2', [0, 1_200]],
    ['paradise', 'Made-up Fire Station 81', [2_000, 0]],
    ['kansas', 'Made-up Fire District 4', [8_000, 0]],
  ]),
  structure(18, 'Law Enforcement', [
    ['boulder', 'Made-up Police', [2_500, 0]],
    ['miami_beach', 'Made-up Beach Police', [-300, -1_100]],
    ['new_orleans', 'Made-up Police District 8', [0, -400]],
    ['kansas', 'Made-up County Sheriff', [-14_000, 9_000]],
    ['manhattan', 'Made-up Midtown Precinct', [-700, 300]],
    ['paradise', 'Made-up Police', [-900, 0]],
  ]),
  layer({
    at: 'https://services.arcgis.com/P3ePLMYs2RVChkJx/ArcGIS/rest/services/US_Wind_Turbine_Database/FeatureServer/0',
    name: 'uswtdb',
    kind: 'point',
    columns:
      'FID case_id:integer p_name p_year:integer t_hh:double t_ttlh:double p_cap:double t_rd:double t_cap:double t_model t_state xlong:double ylat:double',
    rows: [
      turbine('kansas', [2_500, 0], 'unknown Clay County', -9_999, 1),
      ...Array.from({ length: 24 }, (_, index) =>
        turbine(
          'kansas',
          [3_000 + (index % 6) * 500, (Math.floor(index / 6) - 1) * 600],
          'Made-up Prairie Wind',
          80,
          100 + index,
        ),
      ),
      ...Array.from({ length: 4 }, (_, index) =>
        turbine('kansas', [0, 12_000 + index * 500], 'Made-up Ridge', 90, 200 + index),
      ),
      turbine('boulder', [0, -12_000], 'Made-up Test Site', null, 300),
    ],
  }),
]

function unit(
  place: PlaceName,
  workunit: string,
  ql: string,
  collect_start: number,
  collect_end: number | null,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    square(place, 15_000),
    {
      workunit,
      project: workunit,
      ql,
      collect_start,
      collect_end,
      horiz_crs: '6430',
      vert_crs: '5703',
      onemeter_category: 'Meets',
      dem_gsd_meters: 1,
      lpc_link: null,
    },
  ]
}

function rock(
  place: PlaceName,
  state: string,
  name: string,
  [youngest, oldest]: [string, string],
  lithology: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    square(place, 4_000),
    {
      STATE: state,
      ORIG_LABEL: 'Kp',
      SGMC_LABEL: `${state}Kp`,
      UNIT_LINK: `${state}Kp;0`,
      UNIT_NAME: name,
      AGE_MIN: youngest,
      AGE_MAX: oldest,
      MAJOR1: null,
      GENERALIZED_LITH: lithology,
    },
  ]
}

function fault(
  shape: SimulatedShape,
  name: string | null,
  section: string | null,
  age: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      fault_name: name,
      section_name: section,
      age,
      slip_rate: 'Less than 0.2 mm/yr',
      slip_sense: 'Normal',
      dip_direction: 'W',
      fault_id: '2334',
      length: 12.5,
    },
  ]
}

function slides(place: PlaceName, offsets: Offset[]): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [point(place, ...offset), { USGS_ID: `${place}-${index}`, Confidence: 5 }])
}

function held(
  shape: SimulatedShape,
  name: string,
  gap: string,
  [access, manager, designation]: [string, string, string],
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      Category: 'Fee',
      FeatClass: 'Fee',
      Unit_Nm: name,
      Pub_Access: access,
      GAP_Sts: gap,
      MngTp_Desc: 'Made-up kind of manager',
      MngNm_Desc: manager,
      DesTp_Desc: designation,
      GIS_Acres: 480,
    },
  ]
}

function easement(shape: SimulatedShape): [SimulatedShape, Record<string, SimulatedCell>] {
  const [, cells] = held(shape, 'Unnamed', '4', ['XA', 'Non-Governmental Organization', 'Conservation Easement'])
  return [shape, { ...cells, Category: 'Easement', FeatClass: 'Easement' }]
}

function structure(id: number, name: string, rows: [PlaceName, string, Offset][]): SimulatedLayer {
  return layer({
    at: `https://carto.nationalmap.gov/arcgis/rest/services/structures/MapServer/${id}`,
    name,
    kind: 'point',
    quirks: ['no_distance', 'answers_lower_case'],
    columns: 'OBJECTID PERMANENT_IDENTIFIER NAME ADDRESS CITY STATE ZIPCODE LOADDATE:date',
    rows: rows.map(([place, called, offset]) => [
      point(place, ...offset),
      {
        PERMANENT_IDENTIFIER: `${id}-${place}`,
        NAME: called,
        ADDRESS: '1 Made-up Way',
        CITY: null,
        STATE: null,
        ZIPCODE: null,
        LOADDATE: Date.UTC(2024, 2, 1),
      },
    ]),
  })
}

function turbine(
  place: PlaceName,
  offset: Offset,
  project: string,
  hub_m: number | null,
  id: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    point(place, ...offset),
    {
      case_id: 3_000_000 + id,
      p_name: project,
      p_year: 2012,
      t_hh: hub_m,
      t_ttlh: hub_m === null || hub_m < 0 ? hub_m : hub_m + 50,
      p_cap: 149.5,
      t_rd: 100,
      t_cap: 2_000,
      t_model: 'missing',
      t_state: place === 'kansas' ? 'KS' : 'CO',
      xlong: null,
      ylat: null,
    },
  ]
}
