import type { PlaceName } from '../test-places.ts'
import { layer, type SimulatedCell, type SimulatedLayer } from './layer.ts'
import { line, point, square, type Offset, type SimulatedShape } from './shapes.ts'

const nld = 'https://geospatial.sec.usace.army.mil/dls/rest/services/NLD/Public/FeatureServer'

/**
 * Dams and levees of the Corps, and NOAA's sea level rise: synthetic features with the geometry types and terms of the
 * real layers.
 */
export const waterWorksLayers: SimulatedLayer[] = [
  layer({
    at: 'https://geospatial.sec.usace.army.mil/dls/rest/services/NID/National_Inventory_of_Dams_Public_Service/FeatureServer/0',
    name: 'National Inventory of Dams',
    kind: 'point',
    max_record_count: 2_000,
    columns:
      'OBJECTID NIDID NAME STATE RIVER_OR_STREAM PRIMARY_PURPOSE PRIMARY_DAM_TYPE YEAR_COMPLETED:integer NID_HEIGHT:double NID_STORAGE:double HAZARD_POTENTIAL CONDITION_ASSESSMENT EAP_PREPARED LATITUDE:double LONGITUDE:double',
    rows: [
      dam('boulder', [3_400, 300], 'CO00222', 'Made-up Valmont A', 'High'),
      dam('boulder', [3_700, -200], 'CO00222', 'Made-up Valmont A', 'High'), // an associated structure under the number of its dam
      dam('boulder', [-8_000, 0], 'CO00333', 'Made-up Gross', 'HIGH'),
      dam('boulder', [-30_000, 0], 'CO00444', 'Made-up Barker', 'Significant'),
      dam('kansas', [9_500, 0], 'KS00012', 'Made-up Milford', 'Low'),
      dam('paradise', [1_000, 4_000], 'CA00280', 'Made-up Magalia', 'Undetermined'),
      dam('san_juan', [0, -18_000], 'PR00005', 'Made-up Loíza', 'High'),
    ],
  }),
  layer({
    at: `${nld}/15`,
    name: 'System Routes',
    kind: 'line',
    max_record_count: 2_000,
    columns: 'OBJECTID SYSTEM_ID:integer SYSTEM_NAME',
    rows: [
      [
        line('new_orleans', [-8_000, -550], [0, -550], [8_000, -1_300]),
        { SYSTEM_ID: 4405000525, SYSTEM_NAME: 'Made-up East Bank' },
      ],
      [
        line('kansas', [-2_000, 6_000], [2_000, 6_000]),
        { SYSTEM_ID: 1705000010, SYSTEM_NAME: 'Made-up Republican Left Bank' },
      ],
    ],
  }),
  layer({
    at: `${nld}/16`,
    name: 'Leveed Areas',
    kind: 'polygon',
    max_record_count: 2_000,
    columns: 'OBJECTID SYSTEM_ID:integer LEVEED_ID:integer SYSTEM_NAME',
    rows: [
      [
        square('new_orleans', 20_000),
        { SYSTEM_ID: 4405000600, LEVEED_ID: 9_001, SYSTEM_NAME: 'Made-up Greater New Orleans' },
      ],
      [square('new_orleans', 3_000), { SYSTEM_ID: 4405000525, LEVEED_ID: 9_002, SYSTEM_NAME: 'Made-up East Bank' }],
      [
        square('kansas', 1_500, 0, 4_500),
        { SYSTEM_ID: 1705000010, LEVEED_ID: 9_003, SYSTEM_NAME: 'Made-up Republican Left Bank' },
      ],
    ],
  }),
]

function dam(
  place: PlaceName,
  offset: Offset,
  id: string,
  name: string,
  hazard: string,
): [SimulatedShape, Record<string, SimulatedCell>] {
  return [
    point(place, ...offset),
    {
      NIDID: id,
      NAME: name,
      STATE: null,
      RIVER_OR_STREAM: null,
      PRIMARY_PURPOSE: 'Water Supply',
      PRIMARY_DAM_TYPE: 'Earth',
      YEAR_COMPLETED: 1954,
      NID_HEIGHT: 110,
      NID_STORAGE: 42_000,
      HAZARD_POTENTIAL: hazard,
      CONDITION_ASSESSMENT: 'Not Available',
      EAP_PREPARED: 'Yes',
      LATITUDE: null,
      LONGITUDE: null,
    },
  ]
}
