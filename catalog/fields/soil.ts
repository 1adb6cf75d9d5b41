import { documented, float, tableRow, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const soilFamily = { layer: 'soil', ttl_seconds: 2_592_000, evidence: documented }
const noSoil =
  'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.'

const shared = {
  layer: 'soil',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const soil: Field[] = fieldsSharing(shared, [
  {
    name: 'soil_map_unit_name',
    description: 'Name of the soil survey map unit at the point.',
    interpretation_hints:
      "Names the dominant soil, texture and slope range, e.g. 'Pentz sandy loam, 2 to 15 percent slopes'. 'Urban land', 'Water', 'Pits' or 'Made land' mean natural soil data do not apply.",
    null_meaning: 'No SSURGO soil survey is published at the point.',
    derivation: null,
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'mapunit', column: 'muname' },
  },
  {
    name: 'soil_map_unit_key',
    description: 'National key (mukey) of the soil map unit at the point.',
    interpretation_hints:
      'Join key to SSURGO, gSSURGO, gNATSGO and Web Soil Survey reports. Keys can change with the yearly refresh on 1 October, so do not store it as a permanent identifier.',
    pattern: '^[0-9]{1,10}$',
    null_meaning: 'No SSURGO soil survey is published at the point.',
    derivation: 'Spatial intersection in Soil Data Access.',
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'mapunit', column: 'mukey' },
  },
  {
    name: 'soil_series_name',
    description: 'Name of the dominant soil component (usually a soil series) of the map unit.',
    interpretation_hints:
      'The component with the largest share of the map unit, not necessarily the soil under this exact point: a complex can hold two or three soils. Official descriptions are filed under the series name.',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'component.compname with the largest comppct_r.',
    read: { dataset: 'usda_ssurgo_component', op: 'row', table: 'component', column: 'compname' },
  },
  {
    name: 'soil_drainage_class',
    description: 'Natural drainage class of the dominant condition in the map unit.',
    interpretation_hints:
      'From dry to wet: Excessively drained, Somewhat excessively drained, Well drained, Moderately well drained, Somewhat poorly drained, Poorly drained, Very poorly drained (also Subaqueous). The last three mean seasonally wet ground: basements, septic systems and early-season traffic suffer. Describes the soil in its natural state; tile drains and fill are not considered.',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.drclassdcd (dominant condition).',
    enum: [
      'Excessively drained',
      'Somewhat excessively drained',
      'Well drained',
      'Moderately well drained',
      'Somewhat poorly drained',
      'Poorly drained',
      'Very poorly drained',
      'Subaqueous',
    ],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'drclassdcd' },
  },

  {
    name: 'soil_hydrologic_group',
    description: 'Hydrologic soil group (runoff potential) of the dominant condition.',
    interpretation_hints:
      'From A (low runoff, high infiltration) through B and C to D (high runoff). In A/D, B/D and C/D the second letter (D) holds when undrained. Main input to curve-number runoff and infiltration-basin design.',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.hydgrpdcd.',
    enum: ['A', 'B', 'C', 'D', 'A/D', 'B/D', 'C/D'],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'hydgrpdcd' },
  },
  {
    name: 'soil_water_table_depth_cm',
    description: 'Shallowest depth to a seasonal water table at any time of year.',
    interpretation_hints:
      '0-30 cm: water at or near the surface in the wet season. Over 100 cm: usually no problem for slabs. If the other soil fields have values and this one is null, no water table was recorded within about 200 cm.',
    type: 'float',
    unit: 'cm',
    decimals: 0,
    null_meaning: 'No seasonal water table recorded within about 200 cm, or no soil survey at the point.',
    derivation: 'muaggatt.wtdepannmin.',
    valid_range: [0, 1_500],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'wtdepannmin', cast: 'float' },
  },
  {
    name: 'soil_flooding_frequency',
    description: 'How often the soil is flooded by overflowing streams, from the soil survey.',
    interpretation_hints:
      'None, Very rare, Rare (1-5 times in 100 years), Occasional (5-50), Frequent (more than 50), Very frequent. A soil-evidence view, independent of FEMA maps; useful where no flood map exists, but not regulatory.',
    pattern: '^(None|Very rare|Rare|Occasional|Frequent|Very frequent)$',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.flodfreqdcd (dominant condition).',
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'flodfreqdcd' },
  },
  {
    name: 'soil_hydric_pct',
    description: 'Share of the map unit that is hydric (wetland) soil.',
    interpretation_hints:
      '0 no hydric soils; 1-32 minor inclusions; 33-65 partly; 66-99 mostly; 100 all hydric. High values flag likely wetlands even where the wetland inventory shows none.',
    type: 'integer',
    unit: '%',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.hydclprs.',
    valid_range: [0, 100],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'hydclprs', cast: 'integer' },
  },
  {
    name: 'soil_available_water_storage_cm',
    description: 'Water that the top 150 cm of soil can hold for plants, as a depth of water.',
    interpretation_hints: 'Below 8 cm droughty; 8-15 moderate; above 20 high. Shallow or sandy soils score low.',
    type: 'float',
    unit: 'cm',
    decimals: 2,
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.aws0150wta (component-weighted average).',
    valid_range: [0, 300],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'aws0150wta', cast: 'float' },
  },

  {
    name: 'soil_land_capability_class',
    description: 'Land capability class for non-irrigated farming, 1 (best) to 8.',
    interpretation_hints:
      '1-4 suited to crops with growing limits, 5-7 pasture, range or forest, 8 no commercial plant production. Kept as text because it is a class, not a quantity.',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.niccdcd (dominant condition).',
    enum: ['1', '2', '3', '4', '5', '6', '7', '8'],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'niccdcd' },
  },
  {
    name: 'soil_septic_suitability',
    description: 'Soil rating for septic tank absorption fields.',
    interpretation_hints:
      "Not limited, Somewhat limited, Very limited, Not rated. 'Very limited' calls for a special design (mound, aerobic) or sewer. A planning rating: only an on-site percolation test or soil evaluation decides.",
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.engstafdcd (dominant condition).',
    enum: ['Not limited', 'Somewhat limited', 'Very limited', 'Not rated'],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'engstafdcd' },
  },
  {
    name: 'soil_basement_suitability',
    description: 'Soil rating for dwellings with basements.',
    interpretation_hints:
      'Not limited, Somewhat limited, Very limited, Not rated. Limits come from wetness, flooding, shallow rock, slope or shrink-swell clay. A planning rating, not a geotechnical report.',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'muaggatt.engdwbdcd (dominant condition).',
    enum: ['Not limited', 'Somewhat limited', 'Very limited', 'Not rated'],
    read: { dataset: 'usda_ssurgo_mapunit', op: 'row', table: 'muaggatt', column: 'engdwbdcd' },
  },
  {
    name: 'soil_surface_texture',
    description: 'Texture of the surface horizon of the dominant soil.',
    interpretation_hints:
      "For example 'Sandy loam', 'Silty clay', 'Very gravelly loam', 'Muck'. Sands drain fast and hold little water; clays drain slowly and may swell.",
    pattern: '[a-z]',
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'chtexturegrp.texdesc (representative) of the horizon that starts at 0 cm.',
    read: {
      dataset: 'usda_ssurgo_component',
      op: 'row',
      table: 'chtexturegrp',
      column: 'texdesc',
      pick: ['hzdept_r asc'],
    },
  },
  {
    name: 'soil_ph',
    description: 'Soil reaction (pH in water) of the top 30 cm of the dominant soil.',
    interpretation_hints:
      'Below 5.5 strongly acid; 6.0-7.3 suits most plants; above 7.8 alkaline, often with carbonates. Strong acidity raises corrosion of concrete and steel.',
    type: 'float',
    unit: 'pH',
    decimals: 1,
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'Thickness-weighted mean of chorizon.ph1to1h2o_r over 0-30 cm.',
    valid_range: [0, 14],
    read: {
      dataset: 'usda_ssurgo_component',
      op: 'row',
      table: 'chorizon',
      column: 'ph1to1h2o_r',
      reducer: 'weighted_mean',
      depth_cm: [0, 30],
      cast: 'float',
    },
  },
  {
    name: 'soil_clay_pct',
    description: 'Clay content of the top 30 cm of the dominant soil, by mass.',
    interpretation_hints:
      'Below 15% light soil; 15-35% loamy; above 40% heavy clay: slow drainage, sticky when wet, possible shrink-swell.',
    type: 'float',
    unit: '%',
    decimals: 1,
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'Thickness-weighted mean of chorizon.claytotal_r over 0-30 cm.',
    valid_range: [0, 100],
    read: {
      dataset: 'usda_ssurgo_component',
      op: 'row',
      table: 'chorizon',
      column: 'claytotal_r',
      reducer: 'weighted_mean',
      depth_cm: [0, 30],
      cast: 'float',
    },
  },
  {
    name: 'soil_restrictive_layer_depth_cm',
    description: 'Depth to the first restrictive layer in the dominant soil.',
    interpretation_hints:
      'A restrictive layer (bedrock, fragipan, duripan, dense till, clay pan) stops roots and water. Below 50 cm limits drainage fields and rooting. Covers more kinds of layers than bedrock_depth_cm, which counts rock only.',
    type: 'float',
    unit: 'cm',
    decimals: 0,
    null_meaning: 'No restrictive layer recorded within about 200 cm, or no soil survey at the point.',
    derivation: 'Minimum corestrictions.resdept_r of the dominant component.',
    valid_range: [0, 1_500],
    read: {
      dataset: 'usda_ssurgo_component',
      op: 'row',
      table: 'corestrictions',
      column: 'resdept_r',
      reducer: 'min',
      cast: 'float',
    },
  },
  {
    name: 'soil_shrink_swell_lep_pct',
    description: 'Linear extensibility (shrink-swell) of the top 100 cm of the dominant soil.',
    interpretation_hints:
      'Below 3 low; 3-6 moderate; 6-9 high; over 9 very high. From 6 up, expansive-clay foundation design is usual.',
    lifecycle: 'beta',
    type: 'float',
    unit: '%',
    decimals: 1,
    null_meaning:
      'No SSURGO survey is published here (parts of Alaska, some federal land), or the map unit is water, pits or urban land without soil properties.',
    derivation: 'Thickness-weighted mean of chorizon.lep_r over 0-100 cm.',
    valid_range: [0, 100],
    read: {
      dataset: 'usda_ssurgo_component',
      op: 'row',
      table: 'chorizon',
      column: 'lep_r',
      reducer: 'weighted_mean',
      depth_cm: [0, 100],
      cast: 'float',
    },
  },
  {
    name: 'modeled_bedrock_depth_cm',
    description: 'Modeled depth to rock (any lithic contact) on a 100 m grid.',
    interpretation_hints:
      "A statistical prediction that fills gaps between surveys, with an error of tens of centimeters or more. Use when bedrock_depth_cm is null. It ends at 201 cm: 200 and more mean 'deep', not a depth.",
    lifecycle: 'beta',
    type: 'float',
    unit: 'cm',
    decimals: 0,
    null_meaning: 'Outside the lower 48 states, or open water.',
    derivation: "Sample of SOLUS100 anylithicdpt prediction (EPSG:5070), divided by the layer's published scalar.",
    valid_range: [0, 50_000],
    read: { dataset: 'usda_solus100', op: 'sample', resampling: 'nearest' },
    evidence:
      'scalar 1 and cap of 201 cm: taken from programs that read the layer; open point: the nodata value of the layer',
  },
  ...tableRow(
    { ...soilFamily, dataset: 'usda_ssurgo_mapunit', none: noSoil },
    {
      prime_farmland_classification: {
        description: 'Farmland classification of the map unit.',
        hints:
          'prime_if_conditions_met: prime if drained, irrigated or protected from floods. Used in federal (FPPA) and state reviews of land conversion; already urbanized land is exempt even if so classed.',
        derivation: 'mapunit.farmlndcl, reduced to six values.',
        lifecycle: 'stable',
        enum: ['prime', 'prime_if_conditions_met', 'statewide_importance', 'unique', 'local_importance', 'not_prime'],
        read: {
          table: 'mapunit',
          column: 'farmlndcl',
          classes: {
            'All areas are prime farmland': 'prime',
            'Prime farmland*': 'prime_if_conditions_met',
            'Farmland of statewide importance*': 'statewide_importance',
            'Farmland of unique importance*': 'unique',
            'Farmland of local importance*': 'local_importance',
            'Not prime farmland': 'not_prime',
          },
        },
      },
      bedrock_depth_cm: {
        description: 'Shallowest depth from the soil surface to bedrock in the map unit; 200 where it is deeper.',
        hints:
          'Below 50 cm shallow: excavation, basements and septic fields need rock work. 200 says that no bedrock was recorded within the depth that surveyors examine, not that there is rock at 200 cm. The value is that of the shallowest major soil of the map unit, so the exact spot can be deeper.',
        derivation:
          'muaggatt.brockdepmin: minimum over components that make up at least 15% of the map unit. 200 where the map unit has soil properties and no such depth.',
        lifecycle: 'stable',
        ...float('cm', 0, [0, 1_500]),
        read: {
          table: 'muaggatt',
          expression: 'brockdepmin == null ? (hydgrpdcd == null ? null : 200) : brockdepmin',
        },
      },
    },
  ),
  ...tableRow(
    { ...soilFamily, dataset: 'usda_ssurgo_component', none: noSoil },
    {
      soil_available_water_capacity: {
        description: 'Water that plants can use per depth of soil, in the top 150 cm of the dominant soil.',
        hints:
          'A share of the volume, about 0.01 (sand) to 0.30 (silt), not a depth: soil_available_water_storage_cm is the depth.',
        derivation: 'Thickness-weighted mean of chorizon.awc_r over 0-150 cm.',
        ...float('cm/cm', 3, [0, 1]),
        read: { table: 'chorizon', column: 'awc_r', reducer: 'weighted_mean', depth_cm: [0, 150], cast: 'float' },
      },
      soil_erodibility_k_factor: {
        description: 'Erodibility factor Kw of the surface horizon of the dominant soil.',
        hints: 'Of the Universal Soil Loss Equation, whole soil: about 0.02 (resists erosion) to 0.69 (erodes easily).',
        derivation: 'chorizon.kwfact of the horizon that starts at 0 cm.',
        ...float('factor', 2, [0, 1]),
        read: { table: 'chorizon', column: 'kwfact', pick: ['hzdept_r asc'], cast: 'float' },
      },
      soil_shrink_swell_class: {
        description: 'Swelling class of the surface horizon of the dominant soil.',
        hints:
          'High and Very High: foundations and pavements need a design for swelling clay. soil_shrink_swell_lep_pct has the number of the top meter.',
        derivation:
          'Linear extensibility (chorizon.lep_r) of the top horizon, with the limits of the NRCS: Low below 3%, Moderate below 6%, High below 9%, Very High from 9%.',
        enum: ['Low', 'Moderate', 'High', 'Very High'],
        read: {
          table: 'chorizon',
          pick: ['hzdept_r asc'],
          expression:
            "lep_r == null ? null : lep_r < 3 ? 'Low' : lep_r < 6 ? 'Moderate' : lep_r < 9 ? 'High' : 'Very High'",
        },
      },
      soil_restrictive_layer_kind: {
        pattern: '[a-z]',
        description: 'Kind of the shallowest layer of the dominant soil that stops roots or water.',
        hints: 'Examples: Lithic bedrock, Paralithic bedrock, Densic material, Duripan, Fragipan.',
        derivation: 'corestrictions.reskind of the restriction with the least resdept_r.',
        null_meaning: `No such layer within about 200 cm. ${noSoil}`,
        read: { table: 'corestrictions', column: 'reskind', pick: ['resdept_r asc'] },
      },
      soil_ponding_frequency_class: {
        description: 'How often water stands on the dominant soil, in the worst month of the year.',
        hints: 'None is a value: the soil does not pond. Frequent: more than 50 times in 100 years.',
        derivation: 'The worst comonth.pondfreqcl of the 12 months of the component.',
        enum: ['None', 'Rare', 'Occasional', 'Frequent', 'Very frequent'],
        read: {
          table: 'comonth',
          column: 'pondfreqcl',
          pick: ['pondfreqcl rank Very frequent,Frequent,Occasional,Rare,None'],
        },
      },
    },
  ),
])
