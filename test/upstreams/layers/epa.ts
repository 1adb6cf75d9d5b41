import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, point, square, type Offset, type SimulatedShape } from './shapes.ts'

const hosted = 'https://services.arcgis.com/cJ9YHowT8TU7DUyn/arcgis/rest/services'
const attainsServices = [
  'https://gispub.epa.gov/arcgis/rest/services/OW/ATTAINS_Assessment/MapServer',
  `${hosted}/ATTAINS_Assessment/FeatureServer`,
]
const air = 'https://gispub.epa.gov/arcgis/rest/services/OAR_OAQPS/NonattainmentAreas/MapServer'
const ecoregionHosts = ['gispub', 'geodata'].map(
  (name) => `https://${name}.epa.gov/arcgis/rest/services/ORD/USEPA_Ecoregions_Level_III_and_IV/MapServer`,
)
const facilities = 'https://geopub.epa.gov/arcgis/rest/services/EMEF/efpoints/MapServer'

const assessedColumns =
  'objectid assessmentunitidentifier assessmentunitname ircategory overallstatus on303dlist reportingcycle:integer waterbodyreportlink'
const airColumns = 'objectid area_name pollutant_name current_status classification design_value:double dv_units'
const facilityColumns = 'objectid registry_id primary_name pgm_sys_id latitude:double longitude:double'

type Designation = [place: PlaceName, area: string, status: string, classification: string | null]

/** The standards in force, with the names that the Green Book has for them. */
const standards: { id: number; name: string; pollutant: string; areas: Designation[] }[] = [
  {
    id: 1,
    name: 'Ozone 8-hr (2008 standard)',
    pollutant: '8-Hour Ozone (2008 Standard)',
    areas: [
      ['boulder', 'Denver-Boulder-Greeley, CO', 'Nonattainment', 'Severe 15'],
      ['paradise', 'Chico (Butte County), CA', 'Maintenance', 'Marginal'],
    ],
  },
  {
    id: 2,
    name: 'Ozone 8-hr (2015 standard)',
    pollutant: '8-Hour Ozone (2015 Standard)',
    areas: [
      ['boulder', 'Denver Metro/North Front Range, CO', 'Nonattainment', 'Serious'],
      ['manhattan', 'New York-Northern New Jersey-Long Island, NY-NJ-CT', 'Nonattainment', 'Serious'],
      ['paradise', 'Butte County, CA', 'Maintenance', 'Marginal'],
    ],
  },
  {
    id: 3,
    name: 'Lead (2008 standard)',
    pollutant: 'Lead (2008 Standard)',
    areas: [['new_orleans', 'Made-up Parish, LA', 'Nonattainment', 'Made-up class']],
  },
  {
    id: 4,
    name: 'SO2 1-hr (2010 standard)',
    pollutant: 'Sulfur Dioxide (2010 Standard)',
    areas: [['new_orleans', 'St. Bernard Parish, LA', 'Nonattainment', 'Made-up class']],
  },
  {
    id: 5,
    name: 'PM2.5 24-hr (2006 standard)',
    pollutant: 'PM-2.5 (2006 Standard)',
    areas: [['paradise', 'Chico, CA', 'Nonattainment', 'Moderate']],
  },
  { id: 6, name: 'PM2.5 Annual (1997 standard)', pollutant: 'PM-2.5 (1997 Standard)', areas: [] },
  {
    id: 7,
    name: 'PM2.5 Annual (2012 standard)',
    pollutant: 'PM-2.5 (2012 Standard)',
    areas: [['manhattan', 'Made-up Valley, NY', 'Maintenance', 'Moderate']],
  },
  {
    id: 8,
    name: 'PM10 (1987 standard)',
    pollutant: 'PM-10 (1987 Standard)',
    areas: [['anchorage', 'Made-up Eagle River, AK', 'Nonattainment', 'Moderate']],
  },
  {
    id: 9,
    name: 'CO (1971 standard)',
    pollutant: 'Carbon Monoxide (1971 Standard)',
    areas: [['manhattan', 'Made-up Borough, NY', 'Nonattainment', 'Moderate']],
  },
  {
    id: 11,
    name: 'NO2 (1971 standard)',
    pollutant: 'Nitrogen Dioxide (1971 Standard)',
    areas: [['paradise', 'Made-up Basin, CA', 'Nonattainment', 'Made-up class']],
  },
]

const lastYear = new Date().getUTCFullYear() - 1
type DesignValueRow = [place: PlaceName, offset: Offset, site: string, year: number, value: number | null]

/** Design values of several years; those of the monitors without a valid value are empty. */
const designValueLayers: { id: number; name: string; value: string; rows: DesignValueRow[] }[] = [
  { id: 3, name: 'PM2.5 24-hr', value: 'daily_design_value', rows: designValueRows(24, 31) },
  { id: 4, name: 'PM2.5 Annual', value: 'design_value', rows: designValueRows(8.1, 9.4) },
  { id: 9, name: 'NO2 Annual', value: 'design_value', rows: designValueRows(11, 17) },
  { id: 10, name: 'NO2 1-hour', value: 'design_value', rows: designValueRows(48, 62) },
]

function designValueRows(boulder: number, manhattan: number): DesignValueRow[] {
  return [
    ['boulder', [4_000, 0], '080130003', lastYear, boulder],
    ['boulder', [4_000, 0], '080130003', lastYear - 1, boulder + 1],
    ['boulder', [900, 0], '080130009', lastYear, null],
    ['manhattan', [0, 60_000], '360610135', lastYear - 1, manhattan],
  ]
}

const regions: { place: PlaceName; l3: [string, string]; l4: [string, string] }[] = [
  { place: 'boulder', l3: ['25', 'High Plains'], l4: ['25l', 'Front Range Fans'] },
  { place: 'miami_beach', l3: ['76', 'Southern Florida Coastal Plain'], l4: ['76d', 'Southern Coast and Islands'] },
  { place: 'new_orleans', l3: ['73', 'Mississippi Alluvial Plain'], l4: ['73n', 'Southern Holocene Meander Belts'] },
  { place: 'kansas', l3: ['28', 'Flint Hills'], l4: ['28a', 'Flint Hills'] },
]

/**
 * Waters, air, sites and ecoregions of the EPA: synthetic features with the geometry types and terms of the real
 * layers.
 */
export const epaLayers: SimulatedLayer[] = [
  ...attainsServices.flatMap((attains) => [
    layer({
      at: `${attains}/1`,
      name: 'Assessed Lines',
      kind: 'line',
      columns: assessedColumns,
      rows: [
        assessed(line('boulder', [-3_000, -800], [3_000, -800]), 'COSPBO02b', 'Mainstem of Boulder Creek', '5'),
        assessed(line('boulder', [-3_000, -200], [3_000, -200]), 'COSPBO03', 'Made-up Slough', '4A'),
        assessed(line('kansas', [-500, 2_500], [500, 2_500]), 'KS-LR-01', 'Made-up Branch', '5A'),
        assessed(line('paradise', [0, 300], [300, 300]), 'CAR5204000', 'Little Butte Creek', '3'),
      ],
    }),
    layer({
      at: `${attains}/2`,
      name: 'Assessed Polygons',
      kind: 'polygon',
      columns: assessedColumns,
      rows: [
        assessed(square('miami_beach', 1_500), 'FL3226H3', 'Made-up Biscayne Bay', '5'),
        assessed(square('boulder', 300, 2_600, 0), 'COSPBO13', 'Valmont Reservoir', '2'),
      ],
    }),
  ]),
  layer({
    at: `${hosted}/Water_System_Boundaries/FeatureServer/0`,
    name: 'Water_System_Boundaries',
    kind: 'polygon',
    columns:
      'OBJECTID PWSID PWS_Name Primacy_Agency Population_Served_Count:integer Service_Connections_Count:integer Model_Method Service_Area_Type',
    rows: [
      supply('boulder', 5_000, 'CO0107152', 'BOULDER CITY OF', 124_000, 'State'),
      supply('boulder', 800, 'CO0107999', 'MADE-UP MOBILE HOME PARK', 90),
      supply('miami_beach', 3_000, 'FL4130901', 'MIAMI BEACH, CITY OF', 92_307, 'Random Forest'),
      supply('new_orleans', 9_000, 'LA1071009', 'NEW ORLEANS CARROLLTON WW', 291_044),
      supply('manhattan', 9_000, 'NY7003493', 'NEW YORK CITY SYSTEM', 8_271_000),
      supply('paradise', 2_000, 'CA0410007', 'PARADISE IRRIGATION DISTRICT', null),
    ],
  }),
  ...[air, `${hosted}/Nonattainment_Areas_and_Designations/FeatureServer`].flatMap((service) =>
    standards.map(({ id, name, pollutant, areas }) =>
      layer({
        at: `${service}/${id}`,
        name,
        kind: 'polygon',
        columns: airColumns,
        rows: areas.map(([place, area, status, classification]) =>
          designated(place, area, status, classification, pollutant),
        ),
      }),
    ),
  ),
  layer({
    at: `${hosted}/Mandatory_Class1_Federal_Areas/FeatureServer/0`,
    name: 'Class_I_areas_under_the_Clean_Air_Act',
    kind: 'polygon',
    columns: 'OBJECTID NAME STATE AGENCY',
    rows: [
      [square('boulder', 12_000, -40_000, 20_000), { NAME: 'Made-up Mountain NP', STATE: 'CO', AGENCY: 'USDI-NPS' }],
      [square('paradise', 9_000, 70_000, 90_000), { NAME: 'Made-up Lassen NP', STATE: 'CA', AGENCY: 'USDI-NPS' }],
      [square('new_orleans', 3_000, 110_000, -20_000), { NAME: 'Made-up Breton', STATE: 'LA', AGENCY: 'USDI-FWS' }],
    ],
  }),
  layer({
    at: `${hosted}/R9_Air_Districts/FeatureServer/0`,
    name: 'Air Districts, California, 2004, CARB',
    kind: 'polygon',
    columns: 'OBJECTID ADISA_:double ADISA_ID:double NAME DIST_TYPE',
    rows: [[square('paradise', 40_000), { ADISA_: 2, ADISA_ID: 2, NAME: 'Butte', DIST_TYPE: 'AQMD' }]],
  }),
  ...designValueLayers.map(({ id, name, value, rows }) =>
    layer({
      at: `${hosted}/Air_Quality_Design_Values_for_Criteria_Pollutants/FeatureServer/${id}`,
      name,
      kind: 'point',
      columns: `OBJECTID AQSID local_site_name DVYearText dv_validity_ind ${value}:double`,
      rows: rows.map(([place, offset, site, year, found]) => [
        point(place, ...offset),
        { AQSID: site, DVYearText: String(year), dv_validity_ind: found === null ? 'N' : 'Y', [value]: found },
      ]),
    }),
  ),
  ...ecoregionHosts.flatMap((ecoregions) => [
    layer({
      at: `${ecoregions}/11`,
      name: 'Level III Ecoregions',
      kind: 'polygon',
      columns: 'OBJECTID US_L3CODE US_L3NAME NA_L3NAME STATE_NAME',
      rows: regions.map(({ place, l3 }) => [
        square(place, 50_000),
        { US_L3CODE: l3[0], US_L3NAME: l3[1], NA_L3NAME: l3[1], STATE_NAME: null },
      ]),
    }),
    layer({
      at: `${ecoregions}/7`,
      name: 'Level IV Ecoregions',
      kind: 'polygon',
      columns: 'OBJECTID US_L3CODE US_L3NAME US_L4CODE US_L4NAME STATE_NAME',
      rows: regions.map(({ place, l3, l4 }) => [
        square(place, 9_000),
        { US_L3CODE: l3[0], US_L3NAME: l3[1], US_L4CODE: l4[0], US_L4NAME: l4[1], STATE_NAME: null },
      ]),
    }),
  ]),
  layer({
    at: `${hosted}/Superfund_National_Priorities_List_(NPL)_Sites_with_Status_Information/FeatureServer/0`,
    name: 'NPL Sites',
    kind: 'point',
    columns: 'OBJECTID Site_Name Site_EPA_ID Status Site_Score:double Listing_Date:date',
    rows: [
      superfund('boulder', [9_000, 0], 'MADE-UP MARSHALL LANDFILL', 'NPL Site'),
      superfund('boulder', [-6_000, 0], 'MADE-UP CAPTAIN MILL', 'Deleted NPL Site'),
      superfund('miami_beach', [-12_000, 3_000], 'MADE-UP MIAMI DRUM', 'Deleted NPL Site'),
      superfund('manhattan', [4_000, -3_000], 'MADE-UP CANAL', 'NPL Site'),
      superfund('new_orleans', [0, 4_500], 'MADE-UP AGRICULTURE STREET', 'Proposed NPL Site'),
    ],
  }),
  layer({
    at: `${hosted}/FRS_INTERESTS_ACRES/FeatureServer/0`,
    name: 'FRS_INTERESTS_ACRES',
    kind: 'point',
    columns: facilityColumns,
    rows: [
      ...sites('boulder', [
        [350, 0],
        [0, 900],
        [0, 1_100],
      ]),
      ...sites('new_orleans', [[0, -120]]),
      ...sites('manhattan', [
        [200, 200],
        [-400, 100],
        [0, -600],
        [700, 0],
      ]),
    ],
  }),
  ...(
    [
      [
        'FRS_INTERESTS_SEMS',
        'boulder',
        [
          [2_000, 0],
          [0, 7_900],
          [0, 8_100],
        ],
      ],
      ['FRS_INTERESTS_RCRA_TSD', 'new_orleans', [[5_000, 0]]],
      [
        'FRS_INTERESTS_RMP',
        'kansas',
        [
          [0, 3_000],
          [9_500, 0],
        ],
      ],
    ] as [string, PlaceName, Offset[]][]
  ).map(([name, place, offsets]) =>
    layer({
      at: `${hosted}/${name}/FeatureServer/0`,
      name,
      kind: 'point',
      columns: 'OBJECTID REGISTRY_ID PRIMARY_NAME PGM_SYS_ID INTEREST_TYPE ACTIVE_STATUS',
      rows: offsets.map((offset, index) => [
        point(place, ...offset),
        {
          REGISTRY_ID: `11000000010${index}`,
          PRIMARY_NAME: `MADE-UP PLANT ${index}`,
          PGM_SYS_ID: `XXD00000000${index}`,
          INTEREST_TYPE: name,
          ACTIVE_STATUS: 'ACTIVE',
        },
      ]),
    }),
  ),
  layer({
    at: `${facilities}/5`,
    name: 'Brownfields',
    kind: 'point',
    columns: facilityColumns,
    rows: sites('boulder', [
      [350, 0],
      [0, 900],
      [0, 1_100],
    ]),
  }),
  layer({
    at: `${facilities}/1`,
    name: 'Toxic Release Inventory',
    kind: 'point',
    columns: facilityColumns,
    rows: [
      ...sites('boulder', [[1_500, 0]]),
      ...sites('new_orleans', [
        [3_000, 0],
        [0, 9_000],
      ]),
    ],
  }),
  layer({
    at: `${hosted}/UST_Finder_Feature_Layer_2/FeatureServer/0`,
    name: 'Facilities',
    kind: 'point',
    columns: 'OBJECTID Facility_ID Name Address',
    rows: [
      ...tanks('boulder', [
        [100, 0],
        [0, 300],
        [490, 0],
        [510, 0],
      ]),
      ...tanks('miami_beach', [[200, 0]]),
    ],
  }),
  layer({
    at: `${hosted}/UST_Finder_Feature_Layer_2/FeatureServer/1`,
    name: 'Releases',
    kind: 'point',
    columns: 'OBJECTID Facility_ID LUST_ID Name Address Status',
    rows: [
      ...releases('boulder', 'Open', [
        [0, 300],
        [0, 900],
      ]),
      ...releases('boulder', 'No Further Action', [[0, 310]]),
      ...releases('kansas', 'Open', [[450, 0]]),
    ],
  }),
]

function assessed(
  shape: SimulatedShape,
  id: string,
  name: string,
  category: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      assessmentunitidentifier: id,
      assessmentunitname: name,
      ircategory: category,
      overallstatus: category.startsWith('5') ? 'Not Supporting' : 'Not Assessed',
      on303dlist: category.startsWith('5') ? 'Y' : 'N',
      reportingcycle: 2024,
      waterbodyreportlink: null,
    },
  ]
}

function supply(
  place: PlaceName,
  half_m: number,
  id: string,
  name: string,
  people: number | null,
  method: string | null = null,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    square(place, half_m),
    {
      PWSID: id,
      PWS_Name: name,
      Primacy_Agency: id.slice(0, 2),
      Population_Served_Count: people,
      Service_Connections_Count: null,
      Model_Method: method,
      Service_Area_Type: 'Municipality',
    },
  ]
}

function designated(
  place: PlaceName,
  name: string,
  status: string,
  classification: string | null,
  pollutant_name: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  const cells = { area_name: name, pollutant_name, current_status: status, classification, dv_units: 'ppm' }
  return [square(place, 30_000), { ...cells, design_value: 0.079 }]
}

function superfund(
  place: PlaceName,
  offset: Offset,
  name: string,
  status: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    point(place, ...offset),
    {
      Site_Name: name,
      Site_EPA_ID: 'COD000000000',
      Status: status,
      Site_Score: 46.52,
      Listing_Date: Date.UTC(1983, 8, 8),
    },
  ]
}

function sites(place: PlaceName, offsets: Offset[]): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [
    point(place, ...offset),
    {
      registry_id: `1100000000${index}`,
      primary_name: `MADE-UP WORKS ${index}`,
      pgm_sys_id: `${1000 + index}`,
      latitude: null,
      longitude: null,
    },
  ])
}

function releases(
  place: PlaceName,
  status: string,
  offsets: Offset[],
): [SimulatedShape, Record<string, SimulatedCell>][] {
  return tanks(place, offsets).map(([shape, cells], index) => [
    shape,
    { ...cells, LUST_ID: `L${index}`, Status: status },
  ])
}

function tanks(place: PlaceName, offsets: Offset[]): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [
    point(place, ...offset),
    { Facility_ID: `XX${index}`, Name: `MADE-UP STATION ${index}`, Address: null },
  ])
}
