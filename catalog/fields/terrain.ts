import { computed, fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'terrain',
  lifecycle: 'stable',
  type: 'float',
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const terrain: Field[] = fieldsSharing(shared, [
  {
    name: 'elevation',
    description: 'Ground elevation of the bare-earth surface at the point.',
    spoken: 'the ground elevation',
    interpretation_hints:
      'Meters above the local vertical datum (NAVD88 in the lower 48; local mean sea level datums in Hawaii, Puerto Rico and other islands). Bare earth: buildings and trees are removed. Typical vertical error is under 1 m where lidar exists, several meters elsewhere. Below 0 is real in Death Valley, the Salton trough and behind some levees; 0 over the sea is hydro-flattened water, not land.',
    unit: 'm',
    decimals: 2,
    null_meaning:
      'No 3DEP 1/3 arc-second cell here: open ocean beyond the coast, or a part of Alaska or the territories without a tile.',
    derivation: 'Bilinear sample of the 1/3 arc-second (about 10 m) seamless DEM.',
    valid_range: [-500, 6_500],
    read: {
      dataset: 'usgs_3dep',
      op: 'sample',
      resampling: 'bilinear',
      fallback: [{ dataset: 'usgs_3dep', op: 'sample', resampling: 'nearest' }],
    },
  },
  {
    name: 'slope_degrees',
    description: 'Steepness of the ground at the point, in degrees from horizontal.',
    spoken: 'the slope',
    interpretation_hints:
      '0 is level, 90 vertical. Under 2 nearly level; 2-5 gentle; 5-15 moderate (grading cost rises); 15-25 steep; over 25 hard to build on and prone to slides and fast fire spread. It is a slope over about 30 m of ground: terraces, walls and cut banks smaller than that are smoothed away.',
    unit: 'degrees',
    decimals: 2,
    null_meaning:
      'No 3DEP 1/3 arc-second cell here: open ocean beyond the coast, or a part of Alaska or the territories without a tile.',
    derivation: 'Horn 3x3 gradient on the 1/3 arc-second DEM with cell sizes in true ground meters at this latitude.',
    valid_range: [0, 90],
    read: { dataset: 'usgs_3dep', op: 'window', cells: 3, method: 'horn_slope_degrees' },
  },
  {
    name: 'slope_pct',
    description: 'Steepness of the ground at the point as rise over run, in percent.',
    interpretation_hints:
      '100 x tan(slope_degrees): 1 degree is 1.7%, 5 degrees 8.7%, 45 degrees 100%. Engineering and soil-survey limits (for example 8% driveways, 15% septic fields) are written in percent.',
    unit: '%',
    decimals: 1,
    null_meaning: 'Same as slope_degrees: no elevation data at the point.',
    derivation: '100 * tan(slope_degrees)',
    valid_range: [0, 1_000_000],
    read: {
      dataset: 'usgs_3dep',
      op: 'computed',
      expression: '100*tan(radians(slope_degrees))',
      from: { slope_degrees: 'slope_degrees' },
    },
    evidence: 'pure computation',
  },
  {
    name: 'aspect_degrees',
    description: 'Compass direction the slope faces (downhill), in degrees clockwise from north.',
    interpretation_hints:
      '0/360 north, 90 east, 180 south, 270 west. South-facing (135-225) is warmer and drier, north-facing cooler and wetter. Read together with slope_degrees: below about 2 degrees the direction is mostly noise.',
    unit: 'degrees',
    decimals: 2,
    null_meaning: 'Ground is flat (slope below 0.5 degrees), so no direction exists; or no elevation data.',
    derivation: 'Horn 3x3 gradient; null below 0.5 degrees of slope.',
    valid_range: [0, 360],
    read: { dataset: 'usgs_3dep', op: 'window', cells: 3, method: 'horn_aspect_degrees', flat_below_degrees: 0.5 },
  },
  {
    name: 'aspect_cardinal',
    description: 'Compass direction the slope faces, as one of eight names.',
    spoken: 'the direction that the slope faces',
    interpretation_hints:
      "N, NE, E, SE, S, SW, W, NW, or 'flat' where slope is below 0.5 degrees. Each name covers 45 degrees centered on the direction (N is 337.5 to 22.5).",
    type: 'string',
    unit: null,
    null_meaning: 'No elevation data at the point.',
    derivation: "Direction of the Horn 3x3 gradient binned into 8 sectors; 'flat' when slope_degrees < 0.5.",
    enum: ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW', 'flat'],
    read: {
      dataset: 'usgs_3dep',
      op: 'computed',
      expression:
        "slope_degrees < 0.5 ? 'flat' : ['N','NE','E','SE','S','SW','W','NW'][floor(((aspect + 22.5) % 360) / 45)]",
      from: {
        slope_degrees: 'slope_degrees',
        aspect: { dataset: 'usgs_3dep', op: 'window', cells: 3, method: 'horn_aspect_degrees', flat_below_degrees: 0 },
      },
    },
    evidence: 'pure computation',
  },
  {
    name: 'local_relief_500m_m',
    description: 'Difference between the highest and lowest ground within 500 m.',
    interpretation_hints:
      'Under 10 m flat; 10-50 m rolling; 50-150 m hilly; over 150 m mountainous. High relief with a low position (see topographic_position_index_500m_m) means slopes drain toward the site.',
    unit: 'm',
    decimals: 2,
    null_meaning:
      'No 3DEP 1/3 arc-second cell here: open ocean beyond the coast, or a part of Alaska or the territories without a tile.',
    derivation: 'Maximum minus minimum of DEM cells inside a 500 m circle (overview level of about 20 m is enough).',
    valid_range: [0, 7_000],
    read: { dataset: 'usgs_3dep', op: 'window', radius_m: 500, method: 'range' },
  },
  {
    name: 'topographic_position_index_500m_m',
    description: 'Height of the point relative to the mean ground height within 500 m.',
    interpretation_hints:
      'Positive: ridge, hilltop or upper slope. Near zero: flat land or mid-slope (use slope_degrees to tell which). Negative: valley, hollow or drainage, where cold air and water collect.',
    unit: 'm',
    decimals: 2,
    null_meaning:
      'No 3DEP 1/3 arc-second cell here: open ocean beyond the coast, or a part of Alaska or the territories without a tile.',
    derivation: 'elevation minus mean of DEM cells inside a 500 m circle.',
    valid_range: [-7_000, 7_000],
    read: { dataset: 'usgs_3dep', op: 'window', radius_m: 500, method: 'centre_minus_mean' },
  },
  {
    name: 'slope_position_class',
    description: 'Landscape position of the point: valley, lower_slope, flat, middle_slope, upper_slope or ridge.',
    interpretation_hints:
      "A readable form of the topographic position index. 'valley' and 'lower_slope' collect water and cold air; 'ridge' and 'upper_slope' are exposed to wind and fire runs. Depends on the 500 m scale: a knoll in a wide valley reads as ridge.",
    lifecycle: 'beta',
    type: 'string',
    unit: null,
    null_meaning: 'No elevation data at the point.',
    derivation:
      'Position index divided by the standard deviation in the 500 m circle: < -1 valley; < -0.5 lower_slope; |z| <= 0.5 flat (slope <= 5 degrees) or middle_slope; <= 1 upper_slope; > 1 ridge.',
    enum: ['valley', 'lower_slope', 'flat', 'middle_slope', 'upper_slope', 'ridge'],
    read: {
      dataset: 'usgs_3dep',
      op: 'computed',
      expression: 'weiss6(sd > 0 ? tpi / sd : 0, slope)',
      from: {
        tpi: 'topographic_position_index_500m_m',
        slope: 'slope_degrees',
        sd: { dataset: 'usgs_3dep', op: 'window', radius_m: 500, method: 'standard_deviation' },
      },
    },
    evidence: 'open point: class limits at the 500 m scale',
  },
  {
    name: 'terrain_ruggedness_index_m',
    description: 'Roughness of the ground: how much the eight neighboring cells differ in height from the center cell.',
    interpretation_hints:
      "Square root of the sum of the squared height differences to the neighboring 10 m cells. Below 1 m smooth; 1-5 m uneven; above 10 m very rugged. Riley's published class limits were made for coarser cells and do not apply here.",
    lifecycle: 'beta',
    unit: 'm',
    decimals: 2,
    null_meaning:
      'No 3DEP 1/3 arc-second cell here: open ocean beyond the coast, or a part of Alaska or the territories without a tile.',
    derivation: 'sqrt(sum((z_i - z_0)^2)) over the 3x3 window.',
    valid_range: [0, 20_000],
    read: { dataset: 'usgs_3dep', op: 'window', cells: 3, method: 'riley_tri' },
  },
  {
    name: 'elevation_source_resolution_m',
    description: 'Cell size of the finest 3DEP elevation model that covers the point.',
    interpretation_hints:
      '1 means a lidar-based 1 m model exists; 3, 5 (Alaska radar), 10, 30 or 60 mean coarser sources. It describes what USGS holds, not the 10 m grid that the other terrain fields use.',
    lifecycle: 'beta',
    unit: 'm',
    decimals: 2,
    null_meaning: 'The elevation service listed no dataset for the point.',
    derivation:
      'Smallest LowPS among the primary rasters (Category 1) in the catalog of the elevation service. If that query fails: among the catalog items with a DEM_Type in the answer of the identify operation.',
    valid_range: [0, 100],
    read: {
      dataset: 'usgs_3dep_catalog',
      op: 'path',
      json_path: '$.features[*].attributes.LowPS',
      absent_when: ['empty'],
      reducer: 'min',
      fallback: [
        {
          dataset: 'usgs_3dep_identify',
          op: 'path',
          json_path: '$.catalogItems.features[?(@.attributes.DEM_Type)].attributes.LowPS',
          reducer: 'min',
        },
      ],
    },
    evidence: 'open point: unit of LowPS in territories',
  },
  {
    name: 'is_lidar_covered',
    description: 'Whether a published 3DEP lidar project covers the point.',
    interpretation_hints:
      'true: elevation, slope and relief rest on airborne lidar. false: they rest on older contour, photogrammetric or radar data and should be read with wider error.',
    type: 'boolean',
    unit: null,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Point inside any polygon of the 3DEP work unit index (WESM).',
    read: { dataset: 'usgs_3dep_index', op: 'within', none: false },
    evidence:
      'confirmed by public documentation, code or recorded answers; exact coverage outside the 48 states is not stated',
  },
  {
    name: 'lidar_quality_level',
    description: '3DEP quality level of the best lidar collection at the point.',
    interpretation_hints:
      "QL0 and QL1: at least 8 points per square meter; QL2: at least 2 (1 m elevation model); QL3 and 'Other': coarser, older data. Vertical accuracy target for QL0-QL2 is 10 cm or better.",
    lifecycle: 'beta',
    type: 'string',
    unit: null,
    null_meaning:
      'No 3DEP lidar project covers the point. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Best (lowest) `ql` among overlapping work units, newest first on ties; written without a space.',
    enum: ['QL0', 'QL1', 'QL2', 'QL3', 'Other'],
    read: {
      dataset: 'usgs_3dep_index',
      op: 'attribute',
      attribute: 'ql',
      pick: ['ql rank QL 0,QL0,QL 1,QL1,QL 2,QL2,QL 3,QL3,Other', 'collect_end desc'],
      classes: {
        'QL 0': 'QL0',
        'QL 1': 'QL1',
        'QL 2': 'QL2',
        'QL 3': 'QL3',
        QL0: 'QL0',
        QL1: 'QL1',
        QL2: 'QL2',
        QL3: 'QL3',
        Other: 'Other',
      },
    },
  },
  {
    name: 'lidar_collection_year',
    description: 'Year in which the newest lidar at the point was flown.',
    interpretation_hints:
      'Changes of the ground after this year (grading, new levees, landslides, mining) are not in the elevation data.',
    type: 'integer',
    unit: 'year',
    null_meaning:
      'No 3DEP lidar project covers the point, or its collection date is blank. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Year of the latest `collect_end` among overlapping work units.',
    valid_range: [1990, 2100],
    read: {
      dataset: 'usgs_3dep_index',
      op: 'attribute',
      attribute: 'collect_end',
      pick: ['collect_end desc'],
      transform: 'year',
    },
    evidence:
      'confirmed by public documentation, code or recorded answers; exact coverage outside the 48 states is not stated',
  },
  ...computed(
    { layer: 'terrain', ttl_seconds: 2_592_000 },
    {
      grading_difficulty_class: {
        description: 'Class of the earthwork that the slope at the point needs.',
        hints: 'From the slope alone: rock, soil and access are not considered.',
        derivation: 'flat below 2 degrees of slope_degrees, moderate from 2 to 8, difficult above 8.',
        null_meaning: 'No elevation data at the point.',
        enum: ['flat', 'moderate', 'difficult'],
        from: { slope: 'slope_degrees' },
        expression: "slope == null ? null : slope < 2 ? 'flat' : slope <= 8 ? 'moderate' : 'difficult'",
      },
    },
  ),
])
