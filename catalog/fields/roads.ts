import { documented, float, nearest } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const roadsFamily = { layer: 'roads', ttl_seconds: 2_592_000, evidence: documented }
const stable = { lifecycle: 'stable' } as const

/** TIGER classes of roads for vehicles, in the words of Overture. Walkways, stairs, bicycle and bridle paths are none. */
const vehicleClasses = {
  S1100: 'motorway',
  S1200: 'secondary',
  S1400: 'residential',
  S1500: 'track',
  S1630: 'motorway',
  S1640: 'service',
  S1730: 'service',
  S1740: 'service',
  S1780: 'service',
}
const forVehicles = "MTFCC IN ('S1100','S1200','S1400','S1500','S1630','S1640','S1730','S1740','S1780')"
const majorClasses = ['motorway', 'trunk', 'primary', 'secondary']
const classes = [
  ...majorClasses,
  'tertiary',
  'unclassified',
  'residential',
  'living_street',
  'service',
  'track',
  'road',
]
/** A ramp has the class of its road. */
const osmClasses = {
  'motorway*': 'motorway',
  'trunk*': 'trunk',
  'primary*': 'primary',
  'secondary*': 'secondary',
  'tertiary*': 'tertiary',
  unclassified: 'unclassified',
  residential: 'residential',
  living_street: 'living_street',
  service: 'service',
  track: 'track',
  road: 'road',
}

const osmVehicles = "highway NOT IN ('footway','path','steps','cycleway','pedestrian','bridleway')"

export const roads: Field[] = [
  ...nearest(
    {
      ...roadsFamily,
      ...stable,
      dataset: 'census_tigerweb_major_roads',
      thing: 'major road',
      radii_m: [5_000, 20_000, 50_000],
      where: "MTFCC IN ('S1100','S1200')",
    },
    {
      nearest_major_road_distance_m: {
        distance: true,
        hints:
          'Straight line to the centerline of a limited-access highway or main artery: the primary and secondary roads of TIGER.',
        read: {
          fallback: [
            { dataset: 'osm_major_roads', op: 'nearest_distance', search_radii_m: [1_000, 5_000, 20_000, 50_000] },
          ],
        },
      },
      nearest_major_road_class: {
        attribute: 'MTFCC',
        of: 'Class of',
        hints:
          'motorway: limited access (S1100). secondary: every other main artery (S1200), which TIGER does not divide. trunk and primary come only from OpenStreetMap.',
        enum: majorClasses,
        read: { classes: { S1100: 'motorway', S1200: 'secondary' } },
      },
      nearest_major_road_name: {
        attribute: 'NAME',
        of: 'Name of',
        hints: 'May be a route shield such as I- 35 or a street name.',
      },
    },
  ),
  ...nearest(
    {
      ...roadsFamily,
      dataset: 'census_tigerweb_roads',
      thing: 'road for vehicles',
      radii_m: [500],
      where: forVehicles,
    },
    {
      nearest_road_distance_m: {
        distance: true,
        hints: 'Straight line to the centerline of a road of any class. Walkways and bicycle paths do not count.',
        read: { fallback: [{ dataset: 'osm_road_surfaces', op: 'nearest_distance', search_radii_m: [500] }] },
      },
      nearest_road_class: {
        attribute: 'MTFCC',
        of: 'Class of',
        hints:
          'The class of TIGER in the words of Overture: motorway (limited access, ramps), secondary (main artery), residential (local street), service, track. The other classes come only from OpenStreetMap.',
        enum: classes,
        read: {
          classes: vehicleClasses,
          fallback: [
            {
              dataset: 'osm_road_surfaces',
              op: 'nearest_attribute',
              attribute: 'highway',
              classes: osmClasses,
              search_radii_m: [500],
            },
          ],
        },
      },
      nearest_road_name: {
        attribute: 'NAME',
        of: 'Name of',
        hints: 'Of the road that nearest_road_distance_m measures to; driveways and alleys often have none.',
        read: {
          fallback: [
            { dataset: 'osm_road_surfaces', op: 'nearest_attribute', attribute: 'name', search_radii_m: [500] },
          ],
        },
      },
      roads_within_500m_count: {
        within_m: 500,
        description: 'Number of distinct road features for vehicles within 500 m.',
        hints: 'Counts TIGER road features, not kilometers; a long road split into segments counts more than once.',
        ...stable,
        read: { distinct: 'OID', fallback: [{ dataset: 'osm_roads', op: 'count', radius_m: 500, where: osmVehicles }] },
      },
    },
  ),
  {
    name: 'total_road_length_within_500m_m',
    description: 'Length of the centerlines of roads for vehicles inside a circle of 500 m.',
    interpretation_hints:
      'Roads are cut at the circle. A divided highway counts for each of its two lines. 0 is a real answer.',
    ...roadsFamily,
    lifecycle: 'beta',
    ...float('m', 0, [0, 1_000_000]),
    null_meaning: null,
    derivation:
      'Sum of the parts of the lines within 500 m of the point, each TIGER road once. Outlines from a network source are simplified.',
    read: {
      dataset: 'census_tigerweb_roads',
      op: 'length_within',
      where: forVehicles,
      radius_m: 500,
      distinct: 'OID',
      fallback: [{ dataset: 'osm_road_surfaces', op: 'length_within', radius_m: 500 }],
    },
  },
  ...nearest(
    { ...roadsFamily, dataset: 'osm_road_surfaces', thing: 'road for vehicles in OpenStreetMap', radii_m: [500] },
    {
      nearest_road_surface: {
        pattern: '[a-z]',
        attribute: 'surface',
        of: 'Surface of',
        hints:
          'As OpenStreetMap writes it: asphalt, concrete, paved, unpaved, gravel, dirt and others. Most streets without a value are paved, but null does not say so.',
      },
    },
  ),
  {
    name: 'nearest_road_annual_average_daily_traffic',
    description: 'Annual average daily traffic on the nearest counted road.',
    interpretation_hints:
      'Federal HPMS figure for the latest submission year; local roads are mostly estimated or missing.',
    layer: 'roads',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'vehicles/day',
    ttl_seconds: 7_776_000,
    null_meaning:
      'No counted road within 3 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: null,
    valid_range: [0, 1_000_000],
    read: {
      dataset: 'bts_hpms',
      op: 'nearest_attribute',
      attribute: 'AADT',
      where: 'AADT > 0',
      search_radii_m: [500, 3_000],
    },
    evidence: 'confirmed by public documentation, code or recorded answers',
  },
]
