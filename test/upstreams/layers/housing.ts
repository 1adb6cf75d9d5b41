import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { point, square, type SimulatedShape } from './shapes.ts'

const hud = 'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services'

/**
 * HUD's zones and rents, the schools of NCES and the broadband counts of the FCC: synthetic features with the geometry
 * types and terms of the real layers.
 */
/** The address and the name of the layer of public schools, and of the same layer on another server. */
const publicSchoolLayers = [
  [
    'https://nces.ed.gov/opengis/rest/services/K12_School_Locations/EDGE_GEOCODE_PUBLICSCH_2425/MapServer/0',
    'EDGE_GEOCODE_PUBLICSCH_2425',
  ],
  ['https://nces.ed.gov/arcgis/rest/services/Locale/LocaleViewer/MapServer/2', 'PublicSchools24_25'],
] as const

export const housingLayers: SimulatedLayer[] = [
  layer({
    at: `${hud}/Fair_Market_Rents/FeatureServer/0`,
    name: 'Fair Market Rents',
    kind: 'polygon',
    quirks: ['no_json_point'],
    columns:
      'OBJECTID FMR_CODE FMR_AREANAME FMR_0BDR:integer FMR_1BDR:integer FMR_2BDR:integer FMR_3BDR:integer FMR_4BDR:integer',
    rows: [
      [
        square('boulder', 30_000),
        {
          FMR_CODE: 'METRO14500M14500',
          FMR_AREANAME: 'Boulder, CO MSA',
          FMR_0BDR: 1_500,
          FMR_1BDR: 1_700,
          FMR_2BDR: 2_071,
          FMR_3BDR: 2_800,
          FMR_4BDR: 3_300,
        },
      ],
      [
        square('miami_beach', 30_000),
        {
          FMR_CODE: 'METRO33100MM5000',
          FMR_AREANAME: 'Miami-Miami Beach-Kendall, FL HUD Metro FMR Area',
          FMR_2BDR: 2_436,
        },
      ],
      [
        square('manhattan', 30_000),
        { FMR_CODE: 'METRO35620MM5600', FMR_AREANAME: 'New York, NY HUD Metro FMR Area', FMR_2BDR: 2_910 },
      ],
      [square('kansas', 20_000), { FMR_CODE: 'NCNTY20027N20027', FMR_AREANAME: 'Clay County, KS', FMR_2BDR: 912 }],
      [
        square('san_juan', 20_000),
        { FMR_CODE: 'METRO41980M41980', FMR_AREANAME: 'San Juan-Bayamón, PR HUD Metro FMR Area', FMR_2BDR: 0 },
      ],
    ],
  }),
  layer({
    at: `${hud}/Opportunity_Zones/FeatureServer/13`,
    name: 'Opportunity Zones',
    kind: 'polygon',
    quirks: ['no_json_point'],
    columns: 'OBJECTID GEOID10 STATE_NAME STATE COUNTY TRACT Rural',
    rows: [
      [
        square('new_orleans', 1_500),
        { GEOID10: '22071013300', STATE_NAME: 'Louisiana', STATE: '22', COUNTY: '071', TRACT: '013300', Rural: null },
      ], // of 2010: not the tract of today
      [
        square('boulder', 1_000),
        { GEOID10: '08013012204', STATE_NAME: 'Colorado', STATE: '08', COUNTY: '013', TRACT: '012204', Rural: null },
      ],
      [
        square('san_juan', 3_000),
        { GEOID10: '72127000800', STATE_NAME: 'Puerto Rico', STATE: '72', COUNTY: '127', TRACT: '000800', Rural: null },
      ],
    ],
  }),
  layer({
    at: `${hud}/QUALIFIED_CENSUS_TRACTS_2026/FeatureServer/0`,
    name: 'QCT 2026',
    kind: 'polygon',
    quirks: ['no_json_point'],
    columns: 'OBJECTID GEOID STATE COUNTY TRACT:double NAME',
    rows: [
      [
        square('manhattan', 600),
        { GEOID: '36061007600', STATE: '36', COUNTY: '061', TRACT: 76, NAME: 'Census Tract 76' },
      ],
      [
        square('new_orleans', 900),
        { GEOID: '22071013400', STATE: '22', COUNTY: '071', TRACT: 134, NAME: 'Census Tract 134' },
      ],
    ],
  }),
  layer({
    at: `${hud}/Difficult_Development_Areas_2026/FeatureServer/0`,
    name: 'DDA 2026',
    kind: 'polygon',
    quirks: ['no_json_point'],
    columns: 'OBJECTID ZCTA5 DDA_CODE DDA_TYPE DDA_NAME',
    rows: [
      [square('boulder', 3_000), { ZCTA5: '80302', DDA_CODE: null, DDA_TYPE: 'SDDA', DDA_NAME: 'Boulder, CO MSA' }],
      [square('manhattan', 3_000), { ZCTA5: '10001', DDA_CODE: null, DDA_TYPE: 'SDDA', DDA_NAME: 'New York, NY' }],
      [square('anchorage', 40_000), { ZCTA5: null, DDA_CODE: 'NCNTY02020', DDA_TYPE: 'NMDDA', DDA_NAME: 'Anchorage' }],
    ],
  }),
  layer({
    at: `${hud}/LIHTC/FeatureServer/0`,
    name: 'LIHTC',
    kind: 'point',
    quirks: ['no_json_point'],
    columns: 'OBJECTID HUD_ID PROJECT YR_PIS N_UNITS:integer',
    rows: [
      ...Array.from({ length: 9 }, (_, index): [SimulatedShape, Record<string, SimulatedCell>] => [
        point('manhattan', -800 + index * 200, 150),
        { HUD_ID: `NYA2000${index}`, PROJECT: `MADE-UP HOUSES ${index}`, YR_PIS: '2004', N_UNITS: 40 + index },
      ]),
      [point('boulder', 990, 0), { HUD_ID: 'COA20010', PROJECT: 'MADE-UP COMMONS', YR_PIS: '9999', N_UNITS: 60 }],
      [point('boulder', 1_010, 0), { HUD_ID: 'COA20011', PROJECT: 'MADE-UP FLATS', YR_PIS: '2016', N_UNITS: 12 }],
    ],
  }),
  ...publicSchoolLayers.map(([at, name]) =>
    layer({
      at,
      name,
      kind: 'point',
      quirks: ['no_distance'],
      columns: 'OBJECTID NCESSCH NAME STREET CITY LAT:double LON:double',
      rows: [
        [
          point('boulder', 600, 300),
          {
            NCESSCH: '080249000001',
            NAME: 'Made-up Whittier Elementary',
            STREET: '2008 Pine St',
            CITY: 'Boulder',
            LAT: 40.0177,
            LON: -105.263_5,
          },
        ],
        [
          point('boulder', 2_000, 0),
          {
            NCESSCH: '080249000002',
            NAME: 'Made-up High School',
            STREET: '1604 Arapahoe Ave',
            CITY: 'Boulder',
            LAT: 40.015,
            LON: -105.247,
          },
        ],
        [
          point('miami_beach', 0, 450),
          {
            NCESSCH: '120039000001',
            NAME: 'MADE-UP FIENBERG K-8',
            STREET: '1420 Washington Ave',
            CITY: 'Miami Beach',
            LAT: 25.794_8,
            LON: -80.13,
          },
        ],
        [
          point('kansas', -11_000, 9_000),
          {
            NCESSCH: '200507000001',
            NAME: 'Made-up Garfield Elementary',
            STREET: '815 4th St',
            CITY: 'Clay Center',
            LAT: 39.361,
            LON: -97.197,
          },
        ],
        [
          point('san_juan', 400, 0),
          {
            NCESSCH: '720003000001',
            NAME: 'ESCUELA INVENTADA',
            STREET: 'Calle Loíza',
            CITY: 'San Juan',
            LAT: 18.465,
            LON: -66.102,
          },
        ],
      ],
    }),
  ),
  layer({
    at: 'https://services8.arcgis.com/peDZJliSvYims39Q/arcgis/rest/services/FCC_Broadband_Data_Collection_December_2024_View/FeatureServer/3',
    name: 'Block Group',
    kind: 'polygon',
    columns:
      'OBJECTID GEOID TotalBSLs:integer ServedBSLs:integer UnderservedBSLs:integer UnservedBSLs:integer ServedBSLsFiber:integer UniqueProviders:integer UniqueProvidersFiber:integer',
    rows: [
      [
        square('boulder', 700),
        {
          GEOID: '080130122031',
          TotalBSLs: 400,
          ServedBSLs: 396,
          UnderservedBSLs: 3,
          UnservedBSLs: 1,
          ServedBSLsFiber: 250,
          UniqueProviders: 7,
          UniqueProvidersFiber: 2,
        },
      ],
      [
        square('miami_beach', 700),
        {
          GEOID: '120860044061',
          TotalBSLs: 320,
          ServedBSLs: 320,
          UnderservedBSLs: 0,
          UnservedBSLs: 0,
          ServedBSLsFiber: 0,
          UniqueProviders: 5,
          UniqueProvidersFiber: 0,
        },
      ],
      [
        square('anchorage', 700),
        {
          GEOID: '020200011001',
          TotalBSLs: 0,
          ServedBSLs: 0,
          UnderservedBSLs: 0,
          UnservedBSLs: 0,
          ServedBSLsFiber: 0,
          UniqueProviders: null,
          UniqueProvidersFiber: null,
        },
      ],
      [
        square('kansas', 9_000),
        {
          GEOID: '200274582001',
          TotalBSLs: 512,
          ServedBSLs: 300,
          UnderservedBSLs: 100,
          UnservedBSLs: 112,
          ServedBSLsFiber: 128,
          UniqueProviders: 4,
          UniqueProvidersFiber: 1,
        },
      ],
    ],
  }),
]
