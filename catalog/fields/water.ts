import { fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'water',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const water: Field[] = fieldsSharing(shared, [
  {
    name: 'huc8_code',
    description: 'Eight-digit hydrologic unit (subbasin) code.',
    interpretation_hints:
      'About 2,400 subbasins of some 1,800 km2 each. The first two digits are the region, the first four the subregion. Keep as text: leading zeros matter. Used for mitigation banking service areas.',
    pattern: '^[0-9]{8}$',
    null_meaning: 'Outside the Watershed Boundary Dataset (open ocean).',
    derivation: 'First 8 digits of the huc12 of the containing subwatershed.',
    read: { dataset: 'usgs_wbd_huc12', op: 'attribute', attribute: 'huc12', transform: 'slice(0,8)' },
  },
  {
    name: 'huc8_name',
    description: 'Name of the subbasin (HUC8).',
    interpretation_hints: 'Named after the main river or lake.',
    null_meaning: 'Outside the Watershed Boundary Dataset (open ocean).',
    derivation: 'name of the containing HUC8 polygon.',
    read: { dataset: 'usgs_wbd_huc8', op: 'attribute', attribute: 'name' },
  },
  {
    name: 'huc12_code',
    description: 'Twelve-digit hydrologic unit (subwatershed) code.',
    interpretation_hints:
      'The finest national watershed unit, 40-160 km2. Keep as text. Used in stormwater, nutrient and source-water programs.',
    pattern: '^[0-9]{12}$',
    null_meaning: 'Outside the Watershed Boundary Dataset (open ocean).',
    derivation: 'huc12 of the containing polygon.',
    read: { dataset: 'usgs_wbd_huc12', op: 'attribute', attribute: 'huc12' },
  },
  {
    name: 'huc_12_name',
    description: 'Name of the subwatershed (HUC12).',
    interpretation_hints:
      "Local stream or lake name; a unit with '-Frontal' in its name drains straight to the sea or a lake.",
    null_meaning: 'Outside the Watershed Boundary Dataset (open ocean).',
    derivation: 'name of the containing HUC12 polygon.',
    read: { dataset: 'usgs_wbd_huc12', op: 'attribute', attribute: 'name' },
  },
  {
    name: 'nearest_stream_gage_name',
    description: 'Name of the nearest active USGS streamgage that reports discharge.',
    interpretation_hints:
      "Nearest as the crow flies: it can sit on another river. 'Active' means a value within the last 7 days.",
    ttl_seconds: 86_400,
    null_meaning: 'No active discharge gage within 100 km.',
    derivation: 'Nearest location in latest-continuous with parameter 00060; name from monitoring-locations by id.',
    read: {
      dataset: 'usgs_waterdata_locations',
      op: 'path',
      key: 'monitoring_location_id',
      json_path: '$.properties.monitoring_location_name',
      from: {
        monitoring_location_id: {
          dataset: 'usgs_waterdata_discharge',
          op: 'nearest_attribute',
          attribute: 'monitoring_location_id',
          search_radii_m: [100_000],
        },
      },
    },
  },
  {
    name: 'nearest_stream_gage_distance_m',
    description: 'Distance to the nearest active USGS streamgage that reports discharge.',
    interpretation_hints: 'Straight line. Over 30 km the gage says little about local floods.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    ttl_seconds: 86_400,
    null_meaning: 'No active discharge gage within 100 km.',
    derivation: 'Geodesic distance to the nearest latest-continuous location with parameter 00060.',
    valid_range: [0, 100_000],
    read: { dataset: 'usgs_waterdata_discharge', op: 'nearest_distance', search_radii_m: [100_000] },
  },
  {
    name: 'nearest_stream_gage_discharge_cfs',
    description: 'Latest discharge at the nearest active USGS streamgage.',
    interpretation_hints:
      "Cubic feet per second, usually 15-60 minutes old and provisional. Without the gage's own history it says little: 500 is a flood on a creek and a drought on a big river. Ice can make it wrong in winter.",
    type: 'float',
    unit: 'ft3/s',
    decimals: 2,
    ttl_seconds: 900,
    null_meaning: 'No active discharge gage within 100 km, or the gage reports no number now (ice, equipment).',
    derivation: 'properties.value (a string) of the nearest latest-continuous feature, parameter 00060.',
    valid_range: [-500_000, 5_000_000],
    read: {
      dataset: 'usgs_waterdata_discharge',
      op: 'nearest_attribute',
      attribute: 'value',
      search_radii_m: [100_000],
      cast: 'float',
    },
  },
  {
    name: 'nearest_monitoring_well_distance_m',
    description: 'Distance to the nearest USGS well that reports its water level continuously.',
    interpretation_hints:
      'Straight line. Aquifers change within short distances; beyond 10 km treat the level as regional background.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    ttl_seconds: 86_400,
    null_meaning: 'No such well within 100 km.',
    derivation: 'Geodesic distance to the nearest latest-continuous location with parameter 72019.',
    valid_range: [0, 100_000],
    read: { dataset: 'usgs_waterdata_groundwater', op: 'nearest_distance', search_radii_m: [100_000] },
  },
  {
    name: 'nearest_monitoring_well_water_depth_ft',
    description: 'Latest depth to groundwater in the nearest continuously measured USGS well.',
    interpretation_hints:
      'Feet below land surface; negative means the well flows (artesian). The well may tap a deep confined aquifer, so this is not the depth of the local water table: see soil_water_table_depth_cm.',
    type: 'float',
    unit: 'ft',
    decimals: 2,
    ttl_seconds: 3_600,
    null_meaning: 'No such well within 100 km, or it reports no number now.',
    derivation: 'properties.value of the nearest latest-continuous feature, parameter 72019.',
    valid_range: [-300, 4_000],
    read: {
      dataset: 'usgs_waterdata_groundwater',
      op: 'nearest_attribute',
      attribute: 'value',
      search_radii_m: [100_000],
      cast: 'float',
    },
  },
  {
    name: 'nearest_river_forecast_gauge_name',
    description: 'Name of the nearest gauge in the National Water Prediction Service.',
    interpretation_hints:
      'Gauges with NWS flood stages or observations. Can be the same site as the USGS gage under another name.',
    ttl_seconds: 86_400,
    null_meaning:
      'No such gauge within 75 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'name of the nearest gauge.',
    read: { dataset: 'noaa_nwps', op: 'nearest_attribute', attribute: 'name', search_radii_m: [75_000] },
  },
  {
    name: 'nearest_river_forecast_gauge_distance_m',
    description: 'Distance to the nearest gauge in the National Water Prediction Service.',
    interpretation_hints: 'Straight line, possibly on another river.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    ttl_seconds: 86_400,
    null_meaning:
      'No such gauge within 75 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'Geodesic distance.',
    valid_range: [0, 75_000],
    read: { dataset: 'noaa_nwps', op: 'nearest_distance', search_radii_m: [75_000] },
  },
  {
    name: 'river_flood_category',
    description: 'Observed flood category at the nearest gauge of the National Water Prediction Service.',
    interpretation_hints:
      "no_flooding, action, minor, moderate, major, low_threshold. 'minor' and up: the river is above flood stage now. Holds at the gauge, not at the point.",
    pattern: '^[a-z_]{3,20}$',
    ttl_seconds: 900,
    null_meaning:
      'No gauge within 75 km, no flood stages defined there, or its observation is missing or out of date. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'status.observed.floodCategory; not_defined, obs_not_current and out_of_service become null.',
    read: {
      dataset: 'noaa_nwps',
      op: 'nearest_attribute',
      attribute: 'flood_category',
      search_radii_m: [75_000],
      sentinels: ['not_defined', 'obs_not_current', 'out_of_service', 'fcst_not_current', ''],
    },
  },
  {
    name: 'drought_category',
    description: 'US Drought Monitor category at the point this week.',
    interpretation_hints:
      'None, D0 abnormally dry, D1 moderate, D2 severe, D3 extreme, D4 exceptional. D2 and up can trigger federal farm relief and local watering limits. Regional judgment, published each Thursday for the Tuesday before; not precise enough for a single farm field.',
    ttl_seconds: 86_400,
    null_meaning:
      'Outside the monitored area. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: "Highest dm (0 to 4) among polygons that contain the point; 'None' when there is none.",
    enum: ['None', 'D0', 'D1', 'D2', 'D3', 'D4'],
    read: {
      dataset: 'ndmc_usdm',
      op: 'attribute',
      attribute: 'dm',
      none: 'None',
      pick: ['dm desc'],
      transform: "prefix('D')",
    },
  },
  {
    name: 'principal_aquifer_name',
    description: 'Principal aquifer that lies uppermost at the point.',
    interpretation_hints:
      "One of about 60 national aquifers, e.g. 'High Plains aquifer'. 'Other rocks' means no principal aquifer: wells give little water. Uppermost only; deeper aquifers are not shown. Scale 1:2,500,000.",
    lifecycle: 'beta',
    null_meaning: 'Outside the mapped area (ocean, some islands).',
    derivation: 'AQ_NAME; the service copy and the ScienceBase shapefile agree on names.',
    read: { dataset: 'usgs_principal_aquifers', op: 'attribute', attribute: 'AQ_NAME' },
  },
  {
    name: 'within_sole_source_aquifer',
    description: 'Whether the point is over an EPA designated sole source aquifer.',
    interpretation_hints:
      'true: federally funded projects need EPA review for groundwater contamination. Private projects are not directly affected.',
    lifecycle: 'beta',
    type: 'boolean',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Point in any of 84 designated areas.',
    read: { dataset: 'epa_sole_source_aquifers', op: 'within', none: false },
  },
  {
    name: 'nearest_dam_name',
    description: 'Name of the nearest dam in the National Inventory of Dams.',
    interpretation_hints:
      'Any dam large or hazardous enough to be listed (about 92,500). It can lie downstream or in another valley, where it is harmless.',
    null_meaning:
      'No listed dam within 10 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    derivation: 'NAME of the nearest point, one per NIDID.',
    read: { dataset: 'usace_nid', op: 'nearest_attribute', attribute: 'NAME', search_radii_m: [10_000] },
  },
  {
    name: 'nearest_dam_distance_m',
    description: 'Distance to the nearest listed dam.',
    interpretation_hints:
      'Straight line, without regard to upstream or downstream. Does not show the area that floods if the dam fails: ask the state for the inundation map.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    null_meaning:
      'No listed dam within 10 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    derivation: 'Geodesic distance to the nearest NID point.',
    valid_range: [0, 10_000],
    read: { dataset: 'usace_nid', op: 'nearest_distance', search_radii_m: [10_000] },
  },
  {
    name: 'nearest_dam_hazard_potential',
    description: 'Hazard potential of the nearest listed dam.',
    interpretation_hints:
      "High: failure would probably kill people. Significant: economic or environmental loss. Low. Undetermined. It rates the consequence of failure, not the dam's condition.",
    pattern: '^(High|Significant|Low|Undetermined|Not Available)$',
    null_meaning:
      'No listed dam within 10 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    derivation: 'HAZARD_POTENTIAL of the nearest dam.',
    read: {
      dataset: 'usace_nid',
      op: 'nearest_attribute',
      attribute: 'HAZARD_POTENTIAL',
      search_radii_m: [10_000],
      stand_ins: { HIGH: 'High', SIGNIFICANT: 'Significant', LOW: 'Low', UNDETERMINED: 'Undetermined' },
    },
  },
  {
    name: 'dams_within_10km_count',
    description: 'Number of listed dams within 10 km.',
    interpretation_hints:
      'Counts distinct inventory numbers, so saddle dams of one reservoir count once. Farm-pond regions easily show 20 or more.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    derivation: 'Distinct NIDID inside a 10 km geodesic circle.',
    valid_range: [0, 10_000],
    read: { dataset: 'usace_nid', op: 'count', radius_m: 10_000 },
  },
  {
    name: 'high_hazard_dams_within_10km',
    description: 'Number of listed dams with hazard potential High within 10 km.',
    interpretation_hints:
      'High: failure would probably kill people. It rates the consequence of failure, not the condition. Dams too small for the inventory are missing.',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico, Guam).',
    derivation: 'Distinct NIDID inside a 10 km geodesic circle.',
    valid_range: [0, 100_000],
    read: { dataset: 'usace_nid', op: 'count', where: "HAZARD_POTENTIAL IN ('High', 'HIGH')", radius_m: 10_000 },
  },
  {
    name: 'within_leveed_area',
    description: 'Whether the point is in an area that a levee in the National Levee Database protects.',
    interpretation_hints:
      'true: flooding is possible if the levee fails or is overtopped, whatever the flood zone says. false: none recorded; small private and agricultural levees are often missing.',
    type: 'boolean',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Point in any leveed area polygon (layer 16).',
    read: { dataset: 'usace_nld_leveed_areas', op: 'within', none: false },
  },
  {
    name: 'levee_system_name',
    description: 'Name of the levee system that protects the point.',
    interpretation_hints: 'Look it up in the National Levee Database for risk class, sponsor and FEMA accreditation.',
    null_meaning:
      'The point is not in a recorded leveed area. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'SYSTEM_NAME of the containing leveed area; smallest area when they overlap.',
    read: { dataset: 'usace_nld_leveed_areas', op: 'attribute', attribute: 'SYSTEM_NAME', pick: ['area asc'] },
  },
  {
    name: 'nearest_levee_distance_m',
    description: 'Distance to the nearest recorded levee line.',
    interpretation_hints:
      'Straight line to the levee centerline, on either side. Within some 100 m, building and digging need levee-district approval.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    null_meaning:
      'No recorded levee within 10 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Geodesic distance to the nearest system route line (layer 15).',
    valid_range: [0, 10_000],
    read: { dataset: 'usace_nld_routes', op: 'nearest_distance', search_radii_m: [10_000] },
  },
])
