import { fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const lcmsCover = {
  1: 'Trees',
  2: 'Tall Shrubs & Trees Mix (AK Only)',
  3: 'Shrubs & Trees Mix',
  4: 'Grass/Forb/Herb & Trees Mix',
  5: 'Barren & Trees Mix',
  6: 'Tall Shrubs (AK Only)',
  7: 'Shrubs',
  8: 'Grass/Forb/Herb & Shrubs Mix',
  9: 'Barren & Shrubs Mix',
  10: 'Grass/Forb/Herb',
  11: 'Barren & Grass/Forb/Herb Mix',
  12: 'Barren or Impervious',
  13: 'Snow or Ice',
  14: 'Water',
}

const lcmsUse = { 1: 'Agriculture', 2: 'Developed', 3: 'Forest', 4: 'Other', 5: 'Rangeland or Pasture' }

const lcmsChange = {
  1: 'Wind',
  2: 'Hurricane',
  3: 'Snow or Ice Transition',
  4: 'Desiccation',
  5: 'Inundation',
  6: 'Prescribed Fire',
  7: 'Wildfire',
  8: 'Mechanical Land Transformation',
  9: 'Tree Removal',
  10: 'Defoliation',
  11: 'Southern Pine Beetle',
  12: 'Insect, Disease, or Drought Stress',
  13: 'Other Loss',
  14: 'Vegetation Successional Growth',
  15: 'Stable',
}

const nlcd = {
  11: 'Open Water',
  12: 'Perennial Ice/Snow',
  21: 'Developed, Open Space',
  22: 'Developed, Low Intensity',
  23: 'Developed, Medium Intensity',
  24: 'Developed, High Intensity',
  31: 'Barren Land',
  41: 'Deciduous Forest',
  42: 'Evergreen Forest',
  43: 'Mixed Forest',
  52: 'Shrub/Scrub',
  71: 'Grassland/Herbaceous',
  81: 'Pasture/Hay',
  82: 'Cultivated Crops',
  90: 'Woody Wetlands',
  95: 'Emergent Herbaceous Wetlands',
}

const shared = {
  layer: 'land_cover',
  lifecycle: 'beta',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const land_cover: Field[] = fieldsSharing(shared, [
  {
    name: 'lcms_class',
    description: 'Land cover class of the 30 m pixel in the newest USFS LCMS annual map.',
    interpretation_hints:
      'Describes what physically covers the ground (life form), not how it is used; pair it with land_use_class. Mixed classes mean a second cover fills at least 10% of the pixel. Houses under trees can read as Trees.',
    lifecycle: 'stable',
    null_meaning: 'Outside the mapped study area or masked (non-processing area).',
    derivation: 'Class label of the pixel that contains the point.',
    enum: Object.values(lcmsCover),
    read: {
      dataset: 'usfs_lcms_landcover',
      op: 'sample',
      resampling: 'nearest',
      edition: 0,
      nodata: [0, 15, 255],
      classes: lcmsCover,
    },
  },
  {
    name: 'land_use_class',
    description: 'Land use class of the 30 m pixel in the newest USFS LCMS annual map.',
    interpretation_hints:
      'Use, not cover: a freshly cut stand stays Forest, a mowed park is Developed. Versions before v2024-10 numbered the classes differently, so never compare raw codes across versions.',
    null_meaning: 'Outside the mapped study area or masked (non-processing area).',
    derivation: 'Class label of the pixel that contains the point.',
    enum: Object.values(lcmsUse),
    read: {
      dataset: 'usfs_lcms_landuse',
      op: 'sample',
      resampling: 'nearest',
      edition: 0,
      nodata: [0, 6, 255],
      classes: lcmsUse,
    },
    evidence:
      'open point: whether the service name USFS_EDW_LCMS_AnnualLanduse_CONUS is right (it is formed by analogy with AnnualLandcover and AnnualChange; check it against the folder listing), and whether the service holds v2024-10 or later, whose codes are used here',
  },
  {
    name: 'lcms_change_class',
    description: 'Cause of vegetation change assigned to the pixel for the newest LCMS year.',
    interpretation_hints:
      'Stable means no change above the model threshold that year; it is not a statement about earlier years. Causes are rule-based and come from ancillary fire, insect and canopy data.',
    null_meaning: 'Outside the mapped study area or masked.',
    derivation: 'Class label of the pixel that contains the point.',
    enum: Object.values(lcmsChange),
    read: {
      dataset: 'usfs_lcms_change',
      op: 'sample',
      resampling: 'nearest',
      edition: 0,
      nodata: [0, 16, 255],
      classes: lcmsChange,
    },
    evidence:
      'open point: whether the service holds v2024-10 or later, whose codes are used here (the newest is v2025-11)',
  },
  {
    name: 'lcms_recent_fast_loss_year',
    description: 'Most recent year in which LCMS detected abrupt vegetation loss at the pixel.',
    interpretation_hints:
      'Abrupt loss is fire, harvest, clearing, blowdown or flooding. A recent year on forest land is a strong sign of disturbance; check lcms_change_class for the cause.',
    type: 'integer',
    unit: 'year',
    null_meaning: 'No abrupt loss detected since 1985, or outside coverage.',
    derivation: null,
    valid_range: [1985, 2100],
    read: {
      dataset: 'usfs_lcms_recent_fast_loss',
      op: 'sample',
      resampling: 'nearest',
      nodata: [0, 255, 65535],
    },
  },
  {
    name: 'nlcd_class',
    description: 'Annual NLCD land cover class of the 30 m pixel for the newest year the service holds.',
    interpretation_hints:
      'The standard US land cover legend. The four Developed classes rise with the share of impervious surface (below 20, 20-49, 50-79, 80 percent and more).',
    lifecycle: 'stable',
    null_meaning:
      'Outside the conterminous US (Alaska, Hawaii and Puerto Rico have only older NLCD editions) or fill pixel.',
    derivation: 'Class label of the pixel that contains the point.',
    enum: Object.values(nlcd),
    read: {
      dataset: 'annual_nlcd_landcover',
      op: 'sample',
      resampling: 'nearest',
      edition: 0,
      nodata: [0, 250, 255],
      classes: nlcd,
    },
  },
  {
    name: 'impervious_surface_pct',
    description: 'Fractional impervious surface of the 30 m pixel from Annual NLCD.',
    interpretation_hints:
      '0 is fully pervious, 100 fully sealed. Values above 50 usually mean buildings, roads or parking lots and fast runoff.',
    type: 'float',
    unit: '%',
    decimals: 0,
    null_meaning: 'Outside the conterminous US, or a fill pixel.',
    derivation: null,
    valid_range: [0, 100],
    read: {
      dataset: 'annual_nlcd_impervious',
      op: 'sample',
      resampling: 'nearest',
      nodata: [250, 255],
    },
    evidence:
      'open point: the service is asked so by public code of 2026, but none of its answers was seen, nor the name of the value in them',
  },
  {
    name: 'developed_land_within_1km_pct',
    description: 'Share of land pixels within 1 km that carry one of the four NLCD Developed classes.',
    interpretation_hints:
      'Above 50 is urban, 10 to 50 suburban or village edge, below 10 rural. Water pixels are left out of the denominator.',
    lifecycle: 'stable',
    type: 'float',
    unit: '%',
    decimals: 1,
    null_meaning: 'Outside the conterminous US, or only water within 1 km.',
    derivation: '100 x developed pixels / (all pixels - water - fill) in a 1 km circle.',
    valid_range: [0, 100],
    read: {
      dataset: 'annual_nlcd_landcover',
      op: 'zonal',
      edition: 0,
      radius_m: 1_000,
      reducer: 'class_share',
      numerator: [21, 22, 23, 24],
      exclude: [0, 11, 250, 255],
    },
  },
])
