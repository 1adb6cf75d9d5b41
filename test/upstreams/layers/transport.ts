import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, point, type Offset, type SimulatedShape } from './shapes.ts'

const ntad = 'https://services.arcgis.com/xOi1kZaI0eWDREZv/arcgis/rest/services'

/**
 * Roads with counts, rail, stops, airports, chargers and ports: synthetic features with the geometry types and terms of
 * the real layers.
 */
export const transportLayers: SimulatedLayer[] = [
  layer({
    at: `${ntad}/HPMS_National_Current/FeatureServer/0`,
    name: 'HPMS_National_2024_FullJoin',
    kind: 'line',
    columns:
      'OBJECTID AADT:integer F_SYSTEM:integer RouteName THROUGH_LANES:integer SPEED_LIMIT:integer STATE_ID:integer COUNTY_ID:integer',
    rows: [
      counted(line('boulder', [-2_000, 80], [2_000, 80]), 0, 7),
      counted(line('boulder', [-2_000, 120], [2_000, 120]), null, 7),
      counted(line('boulder', [-200, -5_000], [-200, 5_000]), 21_500, 3),
      counted(line('miami_beach', [120, -4_000], [120, 4_000]), 34_000, 4),
      counted(line('kansas', [-9_000, 2_900], [9_000, 2_900]), 2_310, 3),
      counted(line('manhattan', [-600, 40], [600, 40]), 15_220, 4),
    ],
  }),
  layer({
    at: `${ntad}/NTAD_North_American_Rail_Network_Lines/FeatureServer/0`,
    name: 'NTAD_North_American_Rail_Network_Lines',
    kind: 'line',
    columns: 'OBJECTID FRAARCID:integer NET RROWNER1 STRACNET MILES:double',
    rows: [
      track(line('boulder', [300, -4_000], [300, 4_000]), 'X'),
      track(line('boulder', [2_400, -4_000], [2_400, 4_000]), 'M'),
      track(line('miami_beach', [-7_200, -9_000], [-7_200, 12_000]), 'M'),
      track(line('new_orleans', [-4_000, -450], [4_000, -450]), 'Y'),
      track(line('kansas', [-9_000, 7_000], [9_000, 7_000]), 'A'),
      track(line('kansas', [-9_000, 19_000], [9_000, 19_000]), 'M'),
      track(line('manhattan', [-350, -2_000], [-350, 2_000]), 'I'),
    ],
  }),
  layer({
    at: `${ntad}/NTAD_National_Transit_Map_Stops/FeatureServer/0`,
    name: 'NTAD_National_Transit_Map_Stops',
    kind: 'point',
    columns: 'OBJECTID stop_id stop_name stop_lat:double stop_lon:double stop_type_text location_type:integer',
    rows: [
      ...stops(
        'boulder',
        [
          [150, 0],
          [-250, 100],
          [0, 790],
          [0, 810],
        ],
        0,
      ),
      ...stops(
        'miami_beach',
        [
          [110, 20],
          [110, -380],
        ],
        0,
      ),
      ...stops('manhattan', [[-90, 0]], 1),
      ...stops(
        'manhattan',
        [
          [-88, 5],
          [-92, -5],
          [300, 0],
          [-300, 200],
        ],
        0,
      ),
    ],
  }),
  layer({
    at: `${ntad}/NTAD_Aviation_Facilities/FeatureServer/0`,
    name: 'NTAD_Aviation_Facilities',
    kind: 'point',
    columns:
      'OBJECTID ARPT_ID ICAO_ID ARPT_NAME SITE_TYPE_CODE FACILITY_USE_CODE LAT_DECIMAL:double LONG_DECIMAL:double EFF_DATE:date',
    rows: [
      airport('boulder', [600, 0], 'CO99', 'MADE-UP COMMUNITY HOSPITAL', 'H', 'PR'),
      airport('boulder', [2_500, 1_000], 'CO88', 'MADE-UP RANCH', 'A', 'PR'),
      airport('boulder', [4_000, 2_700], 'BDU', 'BOULDER MUNI', 'A', 'PU'),
      airport('miami_beach', [-14_000, 500], 'MIA', 'MIAMI INTL', 'A', 'PU'),
      airport('kansas', [-11_000, 11_000], 'CYW', 'CLAY CENTER MUNI', 'A', 'PU'),
      airport('anchorage', [-5_000, -5_000], 'ANC', 'TED STEVENS ANCHORAGE INTL', 'A', 'PU'),
      airport('anchorage', [-3_000, -3_000], 'LHD', 'LAKE HOOD', 'C', 'PU'),
    ],
  }),
  layer({
    at: `${ntad}/Alternative_Fueling_Stations/FeatureServer/0`,
    name: 'Alternative_Fueling_Stations',
    kind: 'point',
    columns:
      'OBJECTID station_name fuel_type_code access_code status_code ev_level2_evse_num:integer ev_dc_fast_num:integer',
    rows: [
      ...chargers('boulder', [
        [200, 0],
        [1_200, 300],
        [0, 4_900],
        [0, 5_100],
      ]),
      ...chargers('miami_beach', [[0, -700]]),
      ...chargers('manhattan', [
        [100, 100],
        [200, 0],
        [-300, 0],
        [900, 0],
      ]),
      ...chargers('kansas', [[0, 30_000]]),
      // As the real mirror: other fuels, and private, planned and closed stations, all of them nearer.
      ...chargers('boulder', [[85, 0]], { fuel_type_code: 'LPG' }),
      ...chargers('boulder', [[60, 0]], { access_code: 'private' }),
      ...chargers('boulder', [[70, 0]], { status_code: 'P' }),
      ...chargers('boulder', [[80, 0]], { status_code: 'T' }),
    ],
  }),
  layer({
    at: 'https://services7.arcgis.com/n1YM8pTrFmm7L4hs/arcgis/rest/services/Principal_Ports/FeatureServer/0',
    name: 'Principal_Ports',
    kind: 'point',
    columns: 'FID PORT PORTNAME TOTAL:double',
    rows: [
      [point('miami_beach', -3_500, -1_500), { PORT: '2164', PORTNAME: 'Miami, FL', TOTAL: 9_100_000 }],
      [point('new_orleans', 1_000, -900), { PORT: '2251', PORTNAME: 'New Orleans, LA', TOTAL: 80_000_000 }],
      [point('manhattan', -5_000, -7_000), { PORT: '0398', PORTNAME: 'New York, NY & NJ', TOTAL: 120_000_000 }],
      [point('san_juan', -1_000, -700), { PORT: '2136', PORTNAME: 'San Juan, PR', TOTAL: 10_000_000 }],
    ],
  }),
]

function counted(
  shape: SimulatedShape,
  vehicles: number | null,
  system: number,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    shape,
    {
      AADT: vehicles,
      F_SYSTEM: system,
      RouteName: null,
      THROUGH_LANES: 2,
      SPEED_LIMIT: null,
      STATE_ID: 8,
      COUNTY_ID: 13,
    },
  ]
}

function track(shape: SimulatedShape, net: string): [SimulatedShape, Record<string, SimulatedCell>] {
  return [shape, { FRAARCID: 300_000, NET: net, RROWNER1: 'BNSF', STRACNET: null, MILES: 3.1 }]
}

function stops(place: PlaceName, offsets: Offset[], kind: number): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [
    point(place, ...offset),
    {
      stop_id: `${place}-${kind}-${index}`,
      stop_name: `Made-up St & ${index} Ave`,
      stop_lat: null,
      stop_lon: null,
      stop_type_text: 'Bus',
      location_type: kind,
    },
  ])
}

function airport(
  place: PlaceName,
  offset: Offset,
  id: string,
  name: string,
  type: string,
  use: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    point(place, ...offset),
    {
      ARPT_ID: id,
      ICAO_ID: id.length === 3 ? `K${id}` : null,
      ARPT_NAME: name,
      SITE_TYPE_CODE: type,
      FACILITY_USE_CODE: use,
      LAT_DECIMAL: null,
      LONG_DECIMAL: null,
      EFF_DATE: Date.UTC(2026, 0, 22),
    },
  ]
}

function chargers(
  place: PlaceName,
  offsets: Offset[],
  kind: Record<string, SimulatedCell> = {},
): [SimulatedShape, Record<string, SimulatedCell>][] {
  return offsets.map((offset, index) => [
    point(place, ...offset),
    {
      station_name: `Made-up Garage ${index}`,
      fuel_type_code: 'ELEC',
      access_code: 'public',
      status_code: 'E',
      ev_level2_evse_num: 2,
      ev_dc_fast_num: null,
      ...kind,
    },
  ])
}
