import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { box, line, multipartShape, ring, square, type SimulatedShape } from './shapes.ts'

const nhd = 'https://hydro.nationalmap.gov/arcgis/rest/services/nhd/MapServer'
const threeD = 'https://3dhp.nationalmap.gov/arcgis/rest/services/usgs_3dhp_all/MapServer'
const wbd = 'https://hydro.nationalmap.gov/arcgis/rest/services/wbd/MapServer'

const creek = line('boulder', [-3_000, -150], [3_000, -150])
const ditch = line('boulder', [-2_000, 60], [2_000, 60])
const river = line('new_orleans', [-6_000, -700], [0, -700], [6_000, -1_500])
/** It crosses the border of Colorado and Wyoming, which is at 41 degrees. */
const borderCreek: SimulatedShape = {
  kind: 'line',
  paths: [
    [
      [-105.3, 40.9],
      [-105.3, 41.1],
    ],
  ],
}
const pond = square('boulder', 50, 450, 0)
const reservoir = multipartShape(ring('boulder', 400, 100, 3_400, 0), square('boulder', 50, 4_000, 0))

/** One watershed about each place but San Juan. */
const basins: { place: PlaceName; huc12: string; name: string; huc8Name: string; states: string }[] = [
  { place: 'boulder', huc12: '101900050504', name: 'Lower Boulder Creek', huc8Name: 'St. Vrain', states: 'CO' },
  {
    place: 'miami_beach',
    huc12: '030902061403',
    name: 'Biscayne Bay',
    huc8Name: 'Florida Southeast Coast',
    states: 'FL',
  },
  {
    place: 'new_orleans',
    huc12: '080902030101',
    name: 'Lake Pontchartrain Canals',
    huc8Name: 'Eastern Louisiana Coastal',
    states: 'LA',
  },
  {
    place: 'kansas',
    huc12: '102500170405',
    name: 'Outlet Milford Lake',
    huc8Name: 'Lower Republican',
    states: 'KS,NE',
  },
  { place: 'manhattan', huc12: '020301010502', name: 'Upper Bay', huc8Name: 'Lower Hudson', states: 'NJ,NY' },
  { place: 'paradise', huc12: '180201580302', name: 'Little Butte Creek', huc8Name: 'Butte Creek', states: 'CA' },
  { place: 'anchorage', huc12: '190204010805', name: 'Ship Creek', huc8Name: 'Anchorage', states: 'AK' },
]

/** Streams, lakes, watersheds and aquifers: synthetic features with the geometry types and terms of the real layers. */
export const usgsWaterLayers: SimulatedLayer[] = [
  layer({
    at: `${nhd}/6`,
    name: 'Flowline - Large Scale',
    kind: 'line',
    columns: 'objectid permanent_identifier gnis_id gnis_name lengthkm:double reachcode ftype:integer fcode:integer',
    rows: [
      flow(creek, 'b1', 'Boulder Creek', 460, 46_006),
      flow(ditch, 'b2', null, 336, 33_600),
      flow(line('boulder', [-2_000, 20], [2_000, 20]), 'b3', ' ', 428, 42_800),
      flow(line('boulder', [-100, 200], [100, 300]), 'b1', 'Boulder Creek', 460, 46_006), // the same identifier twice, as at the edge of two deliveries
      flow(borderCreek, 'w1', 'Dale Creek', 460, 46_006),
      flow(line('miami_beach', [900, -5_000], [900, 5_000]), 'm1', 'Atlantic Ocean', 566, 56_600),
      flow(line('miami_beach', [-700, -500], [-700, 500]), 'm2', 'Collins Canal', 336, 33_601),
      flow(river, 'n1', 'Mississippi River', 558, 55_800),
      flow(line('kansas', [-500, 90], [500, 90]), 'k1', 'Fancy Creek', 460, 46_003),
      flow(line('manhattan', [-2_300, -4_000], [-2_300, 4_000]), 'h1', 'Hudson River', 558, 55_800),
      flow(line('paradise', [-300, -250], [300, -250]), 'p1', ' ', 460, 46_007),
      flow(line('san_juan', [-100, 350], [100, 350]), 's1', null, 334, 33_400),
    ],
  }),
  layer({
    at: `${nhd}/9`,
    name: 'Area - Large Scale',
    kind: 'polygon',
    columns: 'OBJECTID PERMANENT_IDENTIFIER GNIS_NAME AREASQKM:double ELEVATION:double FTYPE:integer FCODE:integer',
    rows: [
      [
        box('miami_beach', 900, -6_000, 6_000, 6_000),
        { PERMANENT_IDENTIFIER: 'ma', GNIS_NAME: 'Atlantic Ocean', AREASQKM: 61.2, FTYPE: 445, FCODE: 44_500 },
      ],
      [
        box('new_orleans', -6_000, -1_100, 6_000, -500),
        { PERMANENT_IDENTIFIER: 'na', GNIS_NAME: 'Mississippi River', AREASQKM: 7.2, FTYPE: 460, FCODE: 46_006 },
      ],
      [
        square('anchorage', 1_000),
        { PERMANENT_IDENTIFIER: 'aa', GNIS_NAME: ' ', AREASQKM: 4, FTYPE: 312, FCODE: 31_200 },
      ],
    ],
  }),
  layer({
    at: `${nhd}/12`,
    name: 'Waterbody - Large Scale',
    kind: 'polygon',
    columns:
      'OBJECTID PERMANENT_IDENTIFIER GNIS_NAME AREASQKM:double ELEVATION:double REACHCODE FTYPE:integer FCODE:integer',
    rows: [
      water(pond, 'bp', ' ', 390, 39_004),
      water(reservoir, 'br', 'Valmont Reservoir', 436, 43_613),
      water(box('miami_beach', -4_000, -3_000, -600, 3_000), 'mb', 'Biscayne Bay', 493, 49_300),
      water(square('new_orleans', 250, 0, 800), 'ns', null, 466, 46_600),
      water(square('kansas', 800), 'km', 'Milford Lake', 436, 43_600),
      water(square('manhattan', 150, 400, 2_700), 'hl', 'The Lake', 390, 39_004),
      water(square('anchorage', 600, 9_000, 0), 'ai', 'Made-up Glacier', 378, 37_800),
      water(square('san_juan', 200, 1_200, 0), 'sc', 'Laguna del Condado', 390, 39_009),
    ],
  }),
  layer({
    at: `${threeD}/50`,
    name: 'Flowline',
    kind: 'line',
    columns:
      'objectid id3dhp mainstemid gnisid:integer gnisidlabel featuretype:integer featuretypelabel lengthkm:double streamorder:integer',
    rows: [
      flow3d(creek, 'B0001', 'Boulder Creek', 5),
      flow3d(ditch, 'B0002', null, -9),
      flow3d(river, 'N0001', 'Mississippi River', 10),
      flow3d(line('paradise', [-300, -250], [300, -250]), 'P0001', ' ', 1),
      connector(line('boulder', [-100, 5], [100, 5]), 'B0003'),
      connector(line('kansas', [-100, 40], [100, 40]), 'K0003'),
    ],
  }),
  layer({
    at: `${threeD}/60`,
    name: 'Waterbody',
    kind: 'polygon',
    columns: 'objectid id3dhp gnisid:integer gnisidlabel featuretype:integer featuretypelabel areasqkm:double',
    rows: [
      [pond, { id3dhp: 'BW001', gnisidlabel: ' ', featuretype: 3, featuretypelabel: 'Lake', areasqkm: 0.01 }],
      [
        reservoir,
        {
          id3dhp: 'BW002',
          gnisid: 204_521,
          gnisidlabel: 'Valmont Reservoir',
          featuretype: 3,
          featuretypelabel: 'Lake',
          areasqkm: 0.61,
        },
      ],
      [
        square('kansas', 800),
        {
          id3dhp: 'KW001',
          gnisid: 477_000,
          gnisidlabel: 'Milford Lake',
          featuretype: 3,
          featuretypelabel: 'Lake',
          areasqkm: 2.56,
        },
      ],
      [
        square('manhattan', 600),
        {
          id3dhp: 'MR001',
          gnisid: 970_226,
          gnisidlabel: 'Hudson River',
          featuretype: 1,
          featuretypelabel: 'River',
          areasqkm: 1.44,
        },
      ],
      [
        square('miami_beach', 900),
        {
          id3dhp: 'MO001',
          gnisid: null,
          gnisidlabel: 'Atlantic Ocean',
          featuretype: 4,
          featuretypelabel: 'Sea Ocean',
          areasqkm: 3.24,
        },
      ],
    ],
  }),
  layer({
    at: 'https://hydro.nationalmap.gov/arcgis/rest/services/NHDPlus_HR/MapServer/3',
    name: 'NetworkNHDFlowline',
    kind: 'line',
    max_record_count: 2_000,
    quirks: ['where_times_out'],
    columns:
      'OBJECTID gnis_name fcode:integer streamorde:integer totdasqkm:double qama:double hydroseq:double levelpathi:double nhdplusid:double minelevsmo:double maxelevsmo:double slope:double',
    rows: [
      plus(creek, 'Boulder Creek', 5, 792.44, [162_400, 161_800]),
      plus(line('boulder', [-2_000, 260], [2_000, 260]), null, 1, 0.7, [164_000, 163_500]),
      plus(river, 'Mississippi River', 10, 2_926_686.5, [120, 110]),
      plus(line('kansas', [-500, 90], [500, 90]), 'Fancy Creek', -9, -9_999, [-9_998, -9_998]),
      plus(line('paradise', [-300, -250], [300, -250]), null, 1, 1.23, [52_900, 51_200]),
      plus(line('san_juan', [-100, 350], [100, 350]), null, 2, 4.5, [300, -9_999]),
    ],
  }),
  layer({
    at: `${wbd}/4`,
    name: 'HU8',
    kind: 'polygon',
    quirks: ['geometry_times_out'],
    columns: 'objectid huc8 name areasqkm:double areaacres:double states',
    rows: basins.map(({ place, huc12, huc8Name, states }) => [
      square(place, 40_000),
      { huc8: huc12.slice(0, 8), name: huc8Name, areasqkm: 6_400, areaacres: 1_581_474.4, states },
    ]),
  }),
  layer({
    at: `${wbd}/6`,
    name: 'HU12',
    kind: 'polygon',
    quirks: ['geometry_times_out'],
    columns: 'objectid huc12 name areasqkm:double areaacres:double states hutype tohuc',
    rows: basins.map(({ place, huc12, name, states }) => [
      square(place, 5_000),
      {
        huc12,
        name,
        areasqkm: 100,
        areaacres: 24_710.5,
        states,
        hutype: 'S',
        tohuc: String(Number(huc12) + 1).padStart(12, '0'),
      },
    ]),
  }),
  layer({
    at: 'https://services1.arcgis.com/RQG3sksSXcoDoIfj/arcgis/rest/services/Principal_Aquifers_of_the_United_States/FeatureServer/0',
    name: 'Principal Aquifers',
    kind: 'polygon',
    columns: 'FID AQ_NAME AQ_CODE:integer ROCK_NAME ROCK_TYPE:integer',
    rows: [
      [
        square('boulder', 20_000),
        { AQ_NAME: 'Denver Basin aquifer system', AQ_CODE: 311, ROCK_NAME: 'Sandstone aquifers', ROCK_TYPE: 300 },
      ],
      [
        square('miami_beach', 20_000),
        { AQ_NAME: 'Biscayne aquifer', AQ_CODE: 401, ROCK_NAME: 'Carbonate-rock aquifers', ROCK_TYPE: 400 },
      ],
      [
        ring('kansas', 50_000, 20_000),
        {
          AQ_NAME: 'High Plains aquifer',
          AQ_CODE: 109,
          ROCK_NAME: 'Unconsolidated sand and gravel aquifers',
          ROCK_TYPE: 100,
        },
      ],
      [square('paradise', 20_000), { AQ_NAME: 'Other rocks', AQ_CODE: 999, ROCK_NAME: 'N/A', ROCK_TYPE: 999 }],
      [
        square('san_juan', 20_000),
        {
          AQ_NAME: 'North Coast Limestone aquifer system',
          AQ_CODE: 404,
          ROCK_NAME: 'Carbonate-rock aquifers',
          ROCK_TYPE: 400,
        },
      ],
    ],
  }),
]

function flow(
  shape: SimulatedShape,
  id: string,
  name: string | null,
  ftype: number,
  fcode: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      permanent_identifier: id,
      gnis_id: name?.trim() ? '00180000' : null,
      gnis_name: name,
      lengthkm: 4.2,
      reachcode: '10190005000123',
      ftype,
      fcode,
    },
  ]
}

function water(
  shape: SimulatedShape,
  id: string,
  name: string | null,
  ftype: number,
  fcode: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      PERMANENT_IDENTIFIER: id,
      GNIS_NAME: name,
      AREASQKM: 1.1,
      ELEVATION: null,
      REACHCODE: '10190005000999',
      FTYPE: ftype,
      FCODE: fcode,
    },
  ]
}

function flow3d(
  shape: SimulatedShape,
  id: string,
  name: string | null,
  order: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      id3dhp: id,
      mainstemid: null,
      gnisidlabel: name,
      featuretype: 1,
      featuretypelabel: 'River',
      lengthkm: 4.2,
      streamorder: order,
    },
  ]
}

/** A line that only connects others of the network; no water flows there. */
function connector(shape: SimulatedShape, id: string): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      id3dhp: id,
      mainstemid: null,
      gnisidlabel: null,
      featuretype: 5,
      featuretypelabel: 'Elevation Breach Connector',
      lengthkm: 0.2,
      streamorder: -9,
    },
  ]
}

function plus(
  shape: SimulatedShape,
  name: string | null,
  order: number,
  drained_km2: number,
  [top_cm, bottom_cm]: [number, number],
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      gnis_name: name,
      fcode: 46_006,
      streamorde: order,
      totdasqkm: drained_km2,
      qama: 88.25,
      hydroseq: 23_000_500_000_001,
      levelpathi: 23_000_500_000_001,
      nhdplusid: 23_002_600_012_345,
      maxelevsmo: top_cm,
      minelevsmo: bottom_cm,
      slope: 0.001_5,
    },
  ]
}
