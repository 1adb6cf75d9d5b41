import { documented, nearest, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'hydrology',
  lifecycle: 'stable',
  type: 'float',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const hydrology: Field[] = fieldsSharing(shared, [
  {
    name: 'intersects_nhd_area',
    description:
      'Whether the point falls in a hydrographic area feature: a wide river, sea or bay, wash, canal, flood or inundation area.',
    interpretation_hints:
      'true usually means the point is in or over water or a mapped wash. NHD areas cover wide rivers and the sea; lakes and ponds are in intersects_nhd_waterbody. false does not mean dry: narrow streams are lines only.',
    type: 'boolean',
    null_meaning: null,
    derivation: 'Point intersects NHDArea (large scale, layer 9).',
    read: { dataset: 'usgs_nhd_area', op: 'within', none: false },
  },
  {
    name: 'intersects_nhd_waterbody',
    description: 'Whether the point falls in a mapped lake, pond, reservoir, swamp, estuary, playa or ice mass.',
    interpretation_hints:
      'true: mapped as standing water, although playas and intermittent lakes can be dry for years. Geometry dates from topographic mapping and may be older than recent ponds or drained reservoirs. When the value comes from 3DHP instead of NHD (see source), waterbodies of every type count.',
    type: 'boolean',
    null_meaning: null,
    derivation: 'Point intersects NHDWaterbody (large scale, layer 12).',
    read: {
      dataset: 'usgs_nhd_waterbody',
      op: 'within',
      none: false,
      fallback: [
        {
          dataset: 'usgs_3dhp_waterbody',
          op: 'within',
          where: "featuretype IS NULL OR featuretype <> 4 OR gnisidlabel LIKE 'Lake %'",
          attribute: 'featuretype',
          true_values: [3, 4],
          false_values: [1, 2],
          none: false,
        },
      ],
    },
  },
  {
    name: 'nearest_named_waterbody_name',
    description: 'Official name of the nearest named lake, reservoir, estuary or other waterbody.',
    spoken: 'the nearest named lake or other waterbody',
    interpretation_hints:
      'Searches up to 10 km and skips unnamed ponds, so a nearer unnamed pond can exist: compare with nearest_waterbody_distance_m, which counts every waterbody. Names come from GNIS. When the value comes from 3DHP instead of NHD (see source), waterbodies of every type count.',
    type: 'string',
    null_meaning: 'No named waterbody within 10 km.',
    derivation: 'Nearest NHDWaterbody with a non-empty GNIS_NAME, searched within 5 km, then 10 km.',
    read: {
      dataset: 'usgs_nhd_waterbody',
      op: 'nearest_attribute',
      attribute: 'GNIS_NAME',
      where: "GNIS_NAME IS NOT NULL AND GNIS_NAME <> '' AND GNIS_NAME <> ' '",
      search_radii_m: [5_000, 10_000],
      fallback: [
        {
          dataset: 'usgs_3dhp_waterbody',
          op: 'nearest_attribute',
          attribute: 'gnisidlabel',
          where:
            "gnisidlabel IS NOT NULL AND gnisidlabel <> '' AND gnisidlabel <> ' ' AND (featuretype = 3 OR (featuretype = 4 AND gnisidlabel LIKE 'Lake %'))",
          search_radii_m: [5_000, 10_000],
        },
      ],
    },
  },
  {
    name: 'nearest_waterbody_distance_m',
    description: 'Distance to the shore of the nearest mapped waterbody of any size, named or not.',
    spoken: 'the distance to the nearest lake, pond or other waterbody',
    interpretation_hints:
      '0 when the point is inside one. Ponds down to a fraction of an acre count. Rivers are not included: see nearest_stream_distance_m. When the value comes from 3DHP instead of NHD (see source), lakes, reservoirs and the Great Lakes count, not rivers, canals or the ocean.',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No mapped waterbody within 10 km.',
    derivation:
      'Geodesic distance to the nearest NHDWaterbody polygon edge; 0 inside. Outlines from a network source are simplified to about 6 m, so the value can be off by that much.',
    valid_range: [0, 10_000],
    read: {
      dataset: 'usgs_nhd_waterbody',
      op: 'nearest_distance',
      search_radii_m: [1_000, 5_000, 10_000],
      fallback: [
        {
          dataset: 'usgs_3dhp_waterbody',
          op: 'nearest_distance',
          where: "featuretype = 3 OR (featuretype = 4 AND gnisidlabel LIKE 'Lake %')",
          search_radii_m: [1_000, 5_000, 10_000],
        },
      ],
    },
  },
  {
    name: 'nearest_waterbody_type',
    description: 'Kind of the nearest mapped waterbody.',
    interpretation_hints:
      'One of lake_pond, reservoir, swamp_marsh, playa, ice_mass, estuary. Belongs to the feature measured by nearest_waterbody_distance_m.',
    type: 'string',
    null_meaning: 'No mapped waterbody within 10 km.',
    derivation: 'FTYPE decoded: 390 lake_pond, 436 reservoir, 466 swamp_marsh, 361 playa, 378 ice_mass, 493 estuary.',
    enum: ['lake_pond', 'reservoir', 'swamp_marsh', 'playa', 'ice_mass', 'estuary'],
    read: {
      dataset: 'usgs_nhd_waterbody',
      op: 'nearest_attribute',
      attribute: 'FTYPE',
      search_radii_m: [1_000, 5_000, 10_000],
      classes: {
        390: 'lake_pond',
        436: 'reservoir',
        466: 'swamp_marsh',
        361: 'playa',
        378: 'ice_mass',
        493: 'estuary',
      },
    },
  },
  {
    name: 'nearest_stream_name',
    description: 'Official name of the nearest named stream, river or canal.',
    spoken: 'the nearest named stream',
    interpretation_hints:
      'Skips unnamed headwaters and ditches; compare with nearest_stream_distance_m, which counts them.',
    type: 'string',
    null_meaning: 'No named stream within 10 km.',
    derivation: 'Nearest NHDFlowline with gnis_name; ftype 460, 558, 336, 334.',
    read: {
      dataset: 'usgs_nhd_flowline',
      op: 'nearest_attribute',
      attribute: 'gnis_name',
      where: "gnis_name IS NOT NULL AND gnis_name <> '' AND gnis_name <> ' ' AND ftype IN (460,558,336,334)",
      search_radii_m: [1_000, 5_000, 10_000],
      fallback: [
        {
          dataset: 'usgs_3dhp_flowline',
          op: 'nearest_attribute',
          attribute: 'gnisidlabel',
          where: "gnisidlabel IS NOT NULL AND gnisidlabel <> '' AND gnisidlabel <> ' ' AND featuretype IN (1,2,3)",
          search_radii_m: [1_000, 5_000, 10_000],
        },
      ],
    },
  },
  {
    name: 'nearest_stream_distance_m',
    description: 'Distance to the nearest mapped stream, river or canal centerline.',
    spoken: 'the distance to the nearest stream',
    interpretation_hints:
      'Centerline, not bank: in a wide river the distance can be large although the point is wet (see intersects_nhd_area). Includes intermittent and ephemeral channels and ditches; pipelines and coastlines are left out. Many buffer rules use 15, 30 or 90 m from the bank. When the value comes from 3DHP instead of NHD (see source), streams and canals count, not the connectors of the network.',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No mapped stream within 5 km.',
    derivation: 'Geodesic distance to the nearest NHDFlowline with ftype 460, 558, 336 or 334.',
    valid_range: [0, 5_000],
    read: {
      dataset: 'usgs_nhd_flowline',
      op: 'nearest_distance',
      where: 'ftype IN (460,558,336,334)',
      search_radii_m: [1_000, 5_000],
      fallback: [
        {
          dataset: 'usgs_3dhp_flowline',
          op: 'nearest_distance',
          where: 'featuretype IN (1,2,3)',
          search_radii_m: [1_000, 5_000],
        },
      ],
    },
  },
  {
    name: 'nearest_stream_permanence',
    description: 'Whether the nearest mapped stream flows all year.',
    spoken: 'the flow of the nearest stream through the year',
    interpretation_hints:
      'perennial, intermittent, ephemeral, artificial (canal, ditch or path through a lake) or unknown. Intermittent and ephemeral classes are poorly maintained in the arid West.',
    type: 'string',
    null_meaning: 'No mapped stream within 5 km.',
    derivation:
      'fcode decoded: 46006 perennial, 46003 intermittent, 46007 ephemeral, 46000 and other stream codes unknown; 336xx and 558xx artificial.',
    enum: ['perennial', 'intermittent', 'ephemeral', 'artificial', 'unknown'],
    read: {
      dataset: 'usgs_nhd_flowline',
      op: 'nearest_attribute',
      attribute: 'fcode',
      where: 'ftype IN (460,558,336,334)',
      search_radii_m: [1_000, 5_000],
      classes: {
        46006: 'perennial',
        46003: 'intermittent',
        46007: 'ephemeral',
        46000: 'unknown',
        '336*': 'artificial',
        '558*': 'artificial',
        '334*': 'artificial',
        '46*': 'unknown',
      },
    },
  },
  {
    name: 'streams_within_500m_count',
    description: 'Number of mapped stream reaches within 500 m.',
    interpretation_hints:
      'Counts NHD reaches (a reach ends at each confluence), so one river with two tributaries gives about five. Use as a density signal, not as a count of named rivers. When the value comes from 3DHP instead of NHD (see source), lines of every type count.',
    type: 'integer',
    unit: 'count',
    null_meaning: null,
    derivation: 'Count of distinct NHDFlowline features with ftype 460, 558, 336 or 334 inside 500 m.',
    valid_range: [0, 10_000],
    read: {
      dataset: 'usgs_nhd_flowline',
      op: 'count',
      where: 'ftype IN (460,558,336,334)',
      radius_m: 500,
      distinct: 'permanent_identifier',
      fallback: [
        {
          dataset: 'usgs_3dhp_flowline',
          op: 'count',
          where: 'featuretype IN (1,2,3)',
          radius_m: 500,
          distinct: 'id3dhp',
        },
      ],
    },
  },
  {
    name: 'nearest_stream_order',
    description: 'Strahler order of the nearest network stream.',
    interpretation_hints:
      '1 headwater; 2-3 creek; 4-6 river; 7 and up large river; the lower Mississippi is 10 or more. Higher order: longer floods, more warning time, more discharge. -9 in the source (not in network) is returned as null.',
    type: 'integer',
    unit: 'class',
    null_meaning:
      'No network stream within 5 km, or the nearest one has no order. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'streamorde of the nearest NHDPlus HR flowline.',
    valid_range: [1, 12],
    read: {
      dataset: 'usgs_nhdplus_hr',
      op: 'nearest_attribute',
      attribute: 'streamorde',
      search_radii_m: [2_000, 5_000],
      sentinels: [-9, -9999],
      fallback: [
        {
          dataset: 'usgs_3dhp_flowline',
          op: 'nearest_attribute',
          attribute: 'streamorder',
          where: 'featuretype IN (1,2,3)',
          search_radii_m: [1_000, 5_000],
          sentinels: [-9, -9999],
        },
      ],
    },
  },
  {
    name: 'nearest_stream_drainage_area_km2',
    description: 'Upstream drainage area at the nearest network stream.',
    interpretation_hints:
      'Below 1 km2 a gully or ditch; 1-100 creek, floods in hours; 100-10,000 river, floods in days. Includes the whole upstream basin, also abroad where mapped.',
    unit: 'km2',
    decimals: 4,
    null_meaning:
      'No network stream within 5 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation: 'totdasqkm of the nearest NHDPlus HR flowline.',
    valid_range: [0, 3_300_000],
    read: {
      dataset: 'usgs_nhdplus_hr',
      op: 'nearest_attribute',
      attribute: 'totdasqkm',
      search_radii_m: [2_000, 5_000],
      sentinels: [-9, -9999, -9998],
    },
  },
  {
    name: 'elevation_above_nearest_stream_m',
    description: 'Height of the ground above the nearest network stream.',
    interpretation_hints:
      'A quick exposure signal: under 2 m likely in the active flood reach of a river; over 10 m above a creek seldom floods from it. Uses the nearest stream only; a higher-order river a bit farther can matter more.',
    lifecycle: 'beta',
    unit: 'm',
    decimals: 2,
    null_meaning:
      'No network stream within 5 km, no smoothed elevation on it, or no ground elevation. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    derivation:
      'elevation minus the stream elevation interpolated along the reach between maxelevsmo and minelevsmo (both in cm).',
    valid_range: [-500, 3_500],
    read: {
      dataset: 'usgs_nhdplus_hr',
      op: 'computed',
      expression: 'elevation - lerp(maxelevsmo, minelevsmo, fraction)/100',
      from: {
        elevation: 'elevation',
        maxelevsmo: {
          dataset: 'usgs_nhdplus_hr',
          op: 'nearest_attribute',
          attribute: 'maxelevsmo',
          search_radii_m: [2_000, 5_000],
          sentinels: [-9998, -9999],
        },
        minelevsmo: {
          dataset: 'usgs_nhdplus_hr',
          op: 'nearest_attribute',
          attribute: 'minelevsmo',
          search_radii_m: [2_000, 5_000],
          sentinels: [-9998, -9999],
        },
        fraction: { dataset: 'usgs_nhdplus_hr', op: 'nearest_fraction', search_radii_m: [2_000, 5_000] },
      },
    },
  },
  {
    name: 'surface_water_permanence_pct',
    description: 'Share of satellite observations from 1984 to 2021 in which the 30 m cell was open water.',
    interpretation_hints:
      '0 never seen as water (the normal value on land); 1-25 occasional water or floods; 25-75 seasonal; over 75 permanent. Small ponds, water under trees and streams narrower than about 30 m are missed. Static product: events after 2021 are not in it.',
    unit: '%',
    decimals: 0,
    null_meaning: 'Cell was never validly observed (nodata 255) or lies outside the product.',
    derivation: 'Sample of the Global Surface Water occurrence raster.',
    valid_range: [0, 100],
    read: { dataset: 'jrc_gsw', op: 'sample', resampling: 'nearest', nodata: [255] },
  },
  {
    name: 'nhdplus_comid',
    description: 'Identifier of the NHDPlus v2 catchment (stream segment) that the point drains to.',
    interpretation_hints:
      'Join key to StreamCat, National Water Model and NLDI. Medium-resolution (1:100,000) network: not the same as NHDPlus HR ids.',
    type: 'string',
    pattern: '^[0-9]{1,10}$',
    null_meaning:
      'Point outside the NHDPlus v2 catchments (Alaska, ocean, closed basins not in network). Also null outside the coverage of the source (48 states and DC).',
    derivation: 'NLDI position lookup.',
    read: { dataset: 'usgs_nldi', op: 'path', json_path: '$.features[0].properties.comid', absent_when: ['empty'] },
  },
  {
    name: 'watershed_impervious_pct',
    description: "Mean impervious cover of the whole upstream watershed of the point's stream segment (2019).",
    interpretation_hints:
      'Below 5% near natural; 5-10% first stream damage; over 25% urban stream with flashy floods. It describes the watershed upstream, not the parcel.',
    unit: '%',
    decimals: 2,
    null_meaning:
      'No NHDPlus v2 catchment at the point, or the metric is not computed (-9999). Also null outside the coverage of the source (48 states and DC).',
    derivation: 'StreamCat pctimp2019ws for nhdplus_comid.',
    valid_range: [0, 100],
    read: {
      dataset: 'epa_streamcat',
      op: 'path',
      key: 'nhdplus_comid',
      json_path: '$.items[0]',
      absent_when: ['empty'],
      attribute: 'pctimp2019ws',
    },
  },
  {
    name: 'nearest_impaired_water_name',
    description: 'Name of the nearest stream or lake on the state list of impaired waters (category 5).',
    interpretation_hints:
      'From the latest state report under Clean Water Act section 303(d). Impaired may mean bacteria, nutrients, metals or temperature. Assessment units differ widely by state.',
    lifecycle: 'beta',
    type: 'string',
    ttl_seconds: 604_800,
    null_meaning:
      'No category 5 water within 5 km, or the state has not reported geometry. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Nearest ATTAINS line or polygon with ircategory 5.',
    read: {
      dataset: 'epa_attains_gis',
      op: 'nearest_attribute',
      attribute: 'assessmentunitname',
      where: "ircategory LIKE '5%'",
      search_radii_m: [5_000],
    },
  },
  {
    name: 'nearest_impaired_water_distance_m',
    description: 'Distance to the nearest impaired (category 5) stream or lake.',
    interpretation_hints:
      '0 inside an impaired lake. Construction stormwater permits ask for extra controls when runoff reaches such waters.',
    lifecycle: 'beta',
    unit: 'm',
    decimals: 0,
    ttl_seconds: 604_800,
    null_meaning:
      'No category 5 water within 5 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation:
      'Geodesic distance to the nearest ATTAINS category 5 line or polygon. Outlines from a network source are simplified to about 6 m, so the value can be off by that much.',
    valid_range: [0, 5_000],
    read: {
      dataset: 'epa_attains_gis',
      op: 'nearest_distance',
      where: "ircategory LIKE '5%'",
      search_radii_m: [5_000],
    },
  },
  ...nearest(
    {
      layer: 'hydrology',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'usgs_nhd_waterbody',
      thing: 'lake, pond, reservoir or other waterbody',
      radii_m: [1_000, 5_000, 10_000],
    },
    {
      nearest_waterbody_name: {
        attribute: 'GNIS_NAME',
        of: 'Name of',
        hints: 'Most ponds have no name, and then this is null: nearest_named_waterbody_name skips them.',
        read: {
          sentinels: [' '],
          fallback: [
            {
              dataset: 'usgs_3dhp_waterbody',
              op: 'nearest_attribute',
              attribute: 'gnisidlabel',
              search_radii_m: [1_000, 5_000, 10_000],
            },
          ],
        },
      },
    },
  ),
  ...nearest(
    {
      layer: 'hydrology',
      ttl_seconds: 2_592_000,
      evidence: documented,
      dataset: 'usgs_nhd_flowline',
      thing: 'flowline (stream, river, canal or connector)',
      radii_m: [1_000, 5_000, 10_000],
    },
    {
      nearest_flowline_name: {
        attribute: 'gnis_name',
        of: 'Name of',
        hints: 'Most headwaters have no name, and then this is null: nearest_stream_name skips them.',
        read: {
          fallback: [
            {
              dataset: 'usgs_3dhp_flowline',
              op: 'nearest_attribute',
              attribute: 'gnisidlabel',
              search_radii_m: [1_000, 5_000, 10_000],
            },
          ],
        },
      },
    },
  ),
])
