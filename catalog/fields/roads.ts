import type { Field } from '../../src/catalog/records.ts'

export const roads: Field[] = [
  {
    name: 'nearest_major_road_distance_m',
    description: 'Distance to the nearest primary or secondary road.',
    interpretation_hints: 'Straight line to the centreline. Primary means limited-access highway, secondary means main artery.',
    layer: 'roads', lifecycle: 'stable', type: 'float', unit: 'm', ttl_seconds: 2_592_000,
    null_meaning: 'No primary or secondary road within 50 km.',
    derivation: null,
    valid_range: [0, 50_000],
    read: {
      dataset: 'census_tigerweb_major_roads', op: 'nearest_distance', where: "MTFCC IN ('S1100','S1200')",
      search_radii_m: [5_000, 20_000, 50_000],
      fallback: [
        { dataset: 'osm_major_roads', op: 'nearest_distance', search_radii_m: [1_000, 5_000, 20_000, 50_000] },
      ],
    },
    evidence: 'seen in public material',
  },
  {
    name: 'nearest_major_road_class',
    description: 'Class of the nearest major road.',
    interpretation_hints: 'primary (S1100, limited access) or secondary (S1200, main artery).',
    layer: 'roads', lifecycle: 'stable', type: 'string', unit: null, ttl_seconds: 2_592_000,
    null_meaning: 'No primary or secondary road within 50 km.',
    derivation: null,
    enum: ['primary', 'secondary'],
    read: {
      dataset: 'census_tigerweb_major_roads', op: 'nearest_attribute', attribute: 'MTFCC', where: "MTFCC IN ('S1100','S1200')",
      search_radii_m: [5_000, 20_000, 50_000], classes: { S1100: 'primary', S1200: 'secondary' },
    },
    evidence: 'seen in public material',
  },
  {
    name: 'nearest_major_road_name',
    description: 'Name of the nearest major road.',
    interpretation_hints: 'May be a route shield such as I- 35 or a street name.',
    layer: 'roads', lifecycle: 'stable', type: 'string', unit: null, ttl_seconds: 2_592_000,
    null_meaning: 'No major road within 50 km, or the road has no name.',
    derivation: null,
    read: {
      dataset: 'census_tigerweb_major_roads', op: 'nearest_attribute', attribute: 'NAME', where: "MTFCC IN ('S1100','S1200')",
      search_radii_m: [5_000, 20_000, 50_000],
    },
    evidence: 'seen in public material',
  },
  {
    name: 'roads_within_500m_count',
    description: 'Number of distinct road features within 500 m.',
    interpretation_hints: 'Counts TIGER road features, not kilometres; a long road split into segments counts more than once.',
    layer: 'roads', lifecycle: 'stable', type: 'integer', unit: 'count', ttl_seconds: 2_592_000,
    null_meaning: null,
    derivation: null,
    valid_range: [0, null],
    read: {
      dataset: 'census_tigerweb_roads', op: 'count', radius_m: 500, distinct: 'OID',
      fallback: [
        { dataset: 'osm_roads', op: 'count', radius_m: 500 },
      ],
    },
    evidence: 'seen in public material',
  },
  {
    name: 'nearest_road_annual_average_daily_traffic',
    description: 'Annual average daily traffic on the nearest counted road.',
    interpretation_hints: 'Federal HPMS figure for the latest submission year; local roads are mostly estimated or missing.',
    layer: 'roads', lifecycle: 'beta', type: 'integer', unit: 'vehicles/day', ttl_seconds: 7_776_000,
    null_meaning: 'No counted road within 3 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: null,
    valid_range: [0, null],
    read: { dataset: 'bts_hpms', op: 'nearest_attribute', attribute: 'AADT', where: 'AADT > 0', search_radii_m: [500, 3_000] },
    evidence: 'seen in public material',
  },
]
