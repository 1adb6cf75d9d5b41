import type { Field, FallbackSpec } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { documented, integer, nearest, polygonAtPoint, fieldsSharing } from '../families.ts'

const history = {
  dataset: 'nifc_fire_history',
  layer: 'wildfire',
  ttl_seconds: 604_800,
  evidence: documented,
  covers: ['conus', 'ak', 'hi'] as Region[],
}

/** The zones of land that the state protects, else of land that its cities and counties protect. */
const hazardZone = {
  dataset: 'calfire_fhsz_sra',
  layer: 'wildfire',
  ttl_seconds: 7_776_000,
  evidence: documented,
  thing: 'mapped zone of California',
}
const outsideCalifornia = {
  skip_when: "state && state != 'CA'",
  skip_reason: 'outside_coverage',
  from: { state: 'state' },
} as const
const severity = { 1: 'Moderate', 2: 'High', 3: 'Very High', '-3': 'Non-Wildland' }
const localZone = { when: ['absent'], dataset: 'calfire_fhsz_lra', op: 'attribute' } satisfies Partial<FallbackSpec>

const hazardPotential = {
  1: 'Very Low',
  2: 'Low',
  3: 'Moderate',
  4: 'High',
  5: 'Very High',
  6: 'Non-burnable',
  7: 'Water',
}

const nonburnableModels = {
  91: 'NB1 Urban or developed (nonburnable)',
  92: 'NB2 Snow or ice (nonburnable)',
  93: 'NB3 Agricultural (nonburnable)',
  98: 'NB8 Open water (nonburnable)',
  99: 'NB9 Bare ground (nonburnable)',
}

const burnableModels = {
  101: 'GR1 Short, sparse dry climate grass',
  102: 'GR2 Low load dry climate grass',
  103: 'GR3 Low load very coarse humid climate grass',
  104: 'GR4 Moderate load dry climate grass',
  105: 'GR5 Low load humid climate grass',
  106: 'GR6 Moderate load humid climate grass',
  107: 'GR7 High load dry climate grass',
  108: 'GR8 High load very coarse humid climate grass',
  109: 'GR9 Very high load humid climate grass',
  121: 'GS1 Low load dry climate grass-shrub',
  122: 'GS2 Moderate load dry climate grass-shrub',
  123: 'GS3 Moderate load humid climate grass-shrub',
  124: 'GS4 High load humid climate grass-shrub',
  141: 'SH1 Low load dry climate shrub',
  142: 'SH2 Moderate load dry climate shrub',
  143: 'SH3 Moderate load humid climate shrub',
  144: 'SH4 Low load humid climate timber-shrub',
  145: 'SH5 High load dry climate shrub',
  146: 'SH6 Low load humid climate shrub',
  147: 'SH7 Very high load dry climate shrub',
  148: 'SH8 High load humid climate shrub',
  149: 'SH9 Very high load humid climate shrub',
  161: 'TU1 Low load dry climate timber-grass-shrub',
  162: 'TU2 Moderate load humid climate timber-shrub',
  163: 'TU3 Moderate load humid climate timber-grass-shrub',
  164: 'TU4 Dwarf conifer with understory',
  165: 'TU5 Very high load dry climate timber-shrub',
  181: 'TL1 Low load compact conifer litter',
  182: 'TL2 Low load broadleaf litter',
  183: 'TL3 Moderate load conifer litter',
  184: 'TL4 Small downed logs',
  185: 'TL5 High load conifer litter',
  186: 'TL6 Moderate load broadleaf litter',
  187: 'TL7 Large downed logs',
  188: 'TL8 Long-needle litter',
  189: 'TL9 Very high load broadleaf litter',
  201: 'SB1 Low load activity fuel',
  202: 'SB2 Moderate load activity fuel or low load blowdown',
  203: 'SB3 High load activity fuel or moderate load blowdown',
  204: 'SB4 High load blowdown',
}

const fuelModels = { ...nonburnableModels, ...burnableModels }

const shared = {
  layer: 'wildfire',
  lifecycle: 'stable',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const wildfire: Field[] = fieldsSharing(shared, [
  {
    name: 'burn_probability',
    description: 'Modeled annual probability that the location burns (Wildfire Risk to Communities 2024).',
    interpretation_hints:
      'Public readings of the service differ tenfold, so use it to compare places. 1/value is the return period in years: 0.01 means once in 100 years. Values reach about 0.14 in the US. Zero means not expected to burn, which is different from null. Landscape conditions of about 2021; no current weather.',
    lifecycle: 'beta',
    type: 'float',
    unit: 'probability/year',
    decimals: 5,
    null_meaning: 'Outside the mapped area.',
    derivation: 'Service integer x 0.0001; packs hold the probability itself.',
    valid_range: [0, 1],
    read: { dataset: 'usfs_wrc_burn_probability', op: 'sample', resampling: 'nearest' },
    evidence:
      'open point: public readings of the service differ tenfold (x 0.0001 and x 0.00001); 0.0001 fits the greatest value. The service says that its values are changed for display',
  },
  {
    name: 'wildfire_hazard_potential_class',
    description: 'Wildfire Hazard Potential 2023, classified, at the 270 m pixel.',
    interpretation_hints:
      'Relative potential for fires that are hard to contain, Very Low to Very High. Non-burnable covers towns, fields and bare rock: embers can still reach them, so check the neighborhood.',
    type: 'string',
    unit: null,
    null_meaning: 'Outside CONUS, Alaska and Hawaii.',
    enum: Object.values(hazardPotential),
    read: { dataset: 'usfs_whp_2023', op: 'sample', resampling: 'nearest', nodata: [255], classes: hazardPotential },
  },
  {
    name: 'wildfire_hazard_potential_index',
    description: 'Continuous Wildfire Hazard Potential index at the 30 m pixel (Wildfire Risk to Communities 2024).',
    interpretation_hints:
      'Unitless and relative, 0 to about 99,850 with most land below 2,000. Use it to rank places, not as a probability.',
    lifecycle: 'beta',
    type: 'integer',
    unit: 'index',
    null_meaning: 'Outside the mapped area.',
    valid_range: [0, 100_000],
    read: { dataset: 'usfs_wrc_whp', op: 'sample', resampling: 'nearest' },
    evidence:
      'open point: the service holds U16 values, the file int32, so the service probably clips or scales values above 65,535',
  },
  {
    name: 'conditional_flame_length_m',
    description: 'Mean flame length expected at the head of a fire if the location burns.',
    interpretation_hints:
      'Below 1.2 m hand crews can work; 1.2 to 2.4 m needs machines; above 3.4 m suppression at the head is ineffective.',
    lifecycle: 'beta',
    type: 'float',
    unit: 'm',
    decimals: 2,
    null_meaning: 'Outside the mapped area.',
    derivation: 'Feet x 0.3048.',
    valid_range: [0, 270],
    read: { dataset: 'usfs_wrc_cfl', op: 'sample', resampling: 'nearest', scale: 0.3048 },
    evidence:
      'open point: service maximum 475 does not match the documented 861.7 ft, so the scale is not settled; prefer the GeoTIFF pack',
  },
  {
    name: 'risk_to_potential_structures_index',
    description:
      'Risk to Potential Structures: expected damage to a typical house at the location times the annual burn probability.',
    interpretation_hints:
      '0 to 13.2 in the source; relative. It assumes a structure exists there whether or not it does.',
    lifecycle: 'beta',
    type: 'float',
    unit: 'index',
    decimals: 2,
    null_meaning: 'Outside the mapped area.',
    valid_range: [0, 20],
    read: { dataset: 'usfs_wrc_rps', op: 'sample', resampling: 'nearest' },
    evidence: 'open point: scale 1/100 is an inference',
  },
  {
    name: 'fuel_model_fbfm40',
    description: 'Scott and Burgan 40 fire behavior fuel model of the LANDFIRE 2024 pixel.',
    interpretation_hints:
      'Letters give the carrier: GR grass, GS grass-shrub, SH shrub, TU timber understory, TL timber litter, SB slash, NB nonburnable. Higher numbers within a group mean more fuel.',
    type: 'string',
    unit: null,
    null_meaning: 'Outside CONUS, Alaska and Hawaii.',
    enum: Object.values(fuelModels),
    read: {
      dataset: 'landfire_fbfm40',
      op: 'sample',
      resampling: 'nearest',
      nodata: [-9999, -1111, 32767],
      classes: fuelModels,
    },
  },
  {
    name: 'is_burnable_fuel',
    description: 'True when the LANDFIRE fuel model at the point is burnable (code 101 or higher).',
    interpretation_hints: 'False for towns, fields, water, ice and bare ground; nearby fuels still matter.',
    type: 'boolean',
    unit: null,
    null_meaning: 'Outside CONUS, Alaska and Hawaii.',
    read: {
      dataset: 'landfire_fbfm40',
      op: 'sample',
      resampling: 'nearest',
      nodata: [-9999, -1111, 32767],
      true_values: Object.keys(burnableModels),
      false_values: Object.keys(nonburnableModels),
    },
  },
  {
    name: 'canopy_base_height_m',
    description: 'LANDFIRE canopy base height of the 30 m pixel.',
    interpretation_hints: 'Low bases (below 2 m) let surface fire climb into crowns. 0 means no forest canopy.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    null_meaning: 'Outside coverage.',
    valid_range: [0, 15],
    read: { dataset: 'landfire_cbh', op: 'sample', resampling: 'nearest', nodata: [-9999, -1111, 32767], scale: 0.1 },
  },
  {
    name: 'canopy_bulk_density_kg_m3',
    description: 'LANDFIRE canopy bulk density of the 30 m pixel.',
    interpretation_hints: 'Above about 0.1 kg/m3 crown fire can spread actively in wind.',
    type: 'float',
    unit: 'kg/m3',
    decimals: 2,
    null_meaning: 'Outside coverage.',
    valid_range: [0, 1],
    read: { dataset: 'landfire_cbd', op: 'sample', resampling: 'nearest', nodata: [-9999, -1111, 32767], scale: 0.01 },
  },
  {
    name: 'nearest_recent_fire_name',
    description: 'Name of the nearest fire perimeter of the last ten calendar years, searched within 50 km.',
    interpretation_hints:
      'Perimeters are incomplete before 2000 and small fires are often missing. Names repeat between years; read it with nearest_recent_fire_year. The layer ends with the 2024 season; fires of an unknown year (9999 in the source) are left out.',
    type: 'string',
    unit: null,
    ttl_seconds: 604_800,
    null_meaning:
      'No mapped perimeter of the last ten years within 50 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'nifc_fire_history',
      op: 'nearest_attribute',
      attribute: 'INCIDENT',
      where: 'FIRE_YEAR_INT >= {year-10} AND FIRE_YEAR_INT < 9000',
      search_radii_m: [2_000, 10_000, 50_000],
    },
  },
  {
    name: 'nearest_recent_fire_distance_m',
    description: 'Distance to the nearest mapped fire perimeter of the last ten calendar years, searched within 50 km.',
    interpretation_hints:
      '0 means the point itself burned. Nearby recent burns lower short-term fuel but show that fire reaches the area. The layer ends with the 2024 season; fires of an unknown year (9999 in the source) are left out.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    ttl_seconds: 604_800,
    null_meaning:
      'No mapped perimeter of the last ten years within 50 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation:
      'Geodesic distance to the edge of the nearest perimeter; 0 inside. Outlines from a network source are simplified to about 11 m, so the distance can be off by that much.',
    valid_range: [0, 50_000],
    read: {
      dataset: 'nifc_fire_history',
      op: 'nearest_distance',
      where: 'FIRE_YEAR_INT >= {year-10} AND FIRE_YEAR_INT < 9000',
      search_radii_m: [2_000, 10_000, 50_000],
    },
  },
  {
    name: 'nearest_recent_fire_year',
    description: 'Year of the nearest mapped fire perimeter of the last ten calendar years.',
    interpretation_hints:
      'Together with the distance it shows how recently fire came close. The layer ends with the 2024 season; fires of an unknown year (9999 in the source) are left out.',
    type: 'integer',
    unit: 'year',
    ttl_seconds: 604_800,
    null_meaning:
      'No mapped perimeter of the last ten years within 50 km. Also null outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    valid_range: [1800, 2100],
    read: {
      dataset: 'nifc_fire_history',
      op: 'nearest_attribute',
      attribute: 'FIRE_YEAR_INT',
      where: 'FIRE_YEAR_INT >= {year-10} AND FIRE_YEAR_INT < 9000',
      search_radii_m: [2_000, 10_000, 50_000],
    },
  },
  {
    name: 'historic_fires_within_10km_count',
    description: 'Number of mapped fire perimeters since 2000 that come within 10 km of the point.',
    interpretation_hints:
      'Counts include prescribed burns from some agencies and duplicate perimeters from different sources, so treat it as an order of magnitude. The layer ends with the 2024 season; fires of an unknown year (9999 in the source) are left out.',
    type: 'integer',
    unit: 'count',
    ttl_seconds: 604_800,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Outlines from a network source are simplified to about 11 m.',
    valid_range: [0, 100_000],
    read: {
      dataset: 'nifc_fire_history',
      op: 'count',
      where: 'FIRE_YEAR_INT >= 2000 AND FIRE_YEAR_INT < 9000',
      radius_m: 10_000,
    },
  },
  {
    name: 'within_active_fire_perimeter',
    description: 'True when the point lies inside a current WFIGS interagency fire perimeter.',
    interpretation_hints:
      'Perimeters lag the fire by hours to days. False is not a safety statement; use official alerts.',
    type: 'boolean',
    unit: null,
    ttl_seconds: 900,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'nifc_wfigs_current',
      op: 'within',
      attribute: 'attr_IncidentTypeCategory',
      true_values: ['WF'],
      false_values: ['RX', 'CX'],
      none: false,
    },
  },
  {
    name: 'active_fires_within_50km_count',
    description: 'Number of current WFIGS wildfire perimeters within 50 km.',
    interpretation_hints: 'Only incidents with a published perimeter are counted.',
    type: 'integer',
    unit: 'count',
    ttl_seconds: 900,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Outlines from a network source are simplified to about 11 m.',
    valid_range: [0, 10_000],
    read: { dataset: 'nifc_wfigs_current', op: 'count', where: "attr_IncidentTypeCategory = 'WF'", radius_m: 50_000 },
  },
  {
    name: 'within_mtbs_burned_area',
    description: 'True when the point lies inside an MTBS burned area boundary (large fires since 1984).',
    interpretation_hints:
      'MTBS maps fires above 1,000 acres in the West and 500 acres in the East, with a lag of one to two years. Large prescribed fires count too.',
    type: 'boolean',
    unit: null,
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii, Puerto Rico).',
    read: { dataset: 'mtbs_boundaries', op: 'within', none: false },
  },
  ...nearest(
    { ...history, thing: 'mapped fire perimeter of any year', radii_m: [2_000, 10_000, 50_000] },
    {
      nearest_fire_perimeter_distance_m: {
        distance: true,
        hints:
          '0 means the point itself burned. All years of the interagency history; perimeters are incomplete before 2000 and small fires are often missing. The layer ends with the 2024 season.',
        derivation:
          'Geodesic distance to the edge of the nearest perimeter; 0 inside. Outlines from a network source are simplified to about 11 m, so the distance can be off by that much.',
      },
    },
  ),
  ...polygonAtPoint(
    { ...history, thing: 'mapped fire perimeter', where: 'FIRE_YEAR_INT < 9000' },
    {
      most_recent_burn_year: {
        attribute: 'FIRE_YEAR_INT',
        description: 'Year of the most recent mapped fire whose perimeter contains the point.',
        hints:
          'Recent burns change fuels, runoff and debris-flow hazard for two to five years. The layer ends with the 2024 season; fires of an unknown year (9999 in the source) are left out.',
        lifecycle: 'stable',
        ...integer('year', [1800, 2100]),
        read: { pick: ['FIRE_YEAR_INT desc'] },
      },
    },
  ),
  ...polygonAtPoint(hazardZone, {
    fire_hazard_severity_zone_class: {
      attribute: 'FHSZ',
      description: 'CAL FIRE fire hazard severity zone at the point, of the state and local responsibility areas.',
      hints:
        'Moderate, High or Very High; Non-Wildland: mapped and not a zone. In local areas (see fire_hazard_responsibility_area) only Very High binds everywhere, and the map is a recommendation to cities and counties.',
      null_meaning: 'Outside California, or in no zone: mostly federal land.',
      enum: Object.values(severity),
      read: {
        classes: severity,
        ...outsideCalifornia,
        fallback: [{ ...localZone, attribute: 'FHSZ', classes: severity }],
      },
    },
    fire_hazard_responsibility_area: {
      attribute: 'SRA',
      description: 'Who is responsible for wildfire protection at the point in California, by the same zone.',
      hints: 'SRA: the state. LRA: a city or county.',
      null_meaning: 'Outside California, or in no zone: mostly federal land.',
      enum: ['SRA', 'LRA'],
      read: { ...outsideCalifornia, fallback: [{ ...localZone, attribute: 'SRA' }] },
    },
  }),
])
