import { documented, float, nearest, polygonAtPoint, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const wetlandFamily = {
  layer: 'wetlands',
  lifecycle: 'stable' as const,
  ttl_seconds: 2_592_000,
  evidence: documented,
  dataset: 'usfws_nwi',
  derivation:
    'The polygon at the point, or else the nearest one within 500 m. Outlines from a network source are simplified to about 11 m.',
}
const nearestWetland = { dataset: 'usfws_nwi', op: 'nearest_attribute' as const, search_radii_m: [500] }

const shared = {
  layer: 'wetlands',
  lifecycle: 'stable',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const wetlands: Field[] = fieldsSharing(shared, [
  {
    name: 'intersects_wetland',
    description: 'Whether the point is inside a mapped wetland or deepwater polygon.',
    interpretation_hints:
      'true: mapped from aerial images; work here probably needs a federal or state permit. false: none mapped, which is not proof of dry land: small, forested and farmed wetlands are often missed. Lakes and rivers count too; use wetland_type to tell. Not a legal delineation.',
    type: 'boolean',
    null_meaning: 'The area is not mapped by the National Wetlands Inventory.',
    derivation: 'Point in any NWI polygon.',
    read: { dataset: 'usfws_nwi', op: 'within', none: false },
  },

  ...nearest(
    { ...wetlandFamily, thing: 'mapped wetland', radii_m: [500] },
    {
      nearest_wetland_distance_m: {
        distance: true,
        decimals: 0,
        hints:
          '0 inside. Many states regulate a 15-30 m (50-100 ft) buffer, so under 30 m expect questions. NWI lines are accurate to some 5-12 m. Also null where the inventory has no map.',
      },
    },
  ),
  ...polygonAtPoint(
    { ...wetlandFamily, thing: 'mapped wetland' },
    {
      wetland_type: {
        attribute: 'ATTRIBUTE',
        description: 'Type of the mapped wetland at the point, or else of the nearest one within 500 m.',
        spoken: 'the type of the wetland',
        hints:
          'The Cowardin code in words, such as Palustrine Emergent Persistent Temporarily Flooded: system, class, subclass and water regime. nearest_wetland_distance_m says how far it is; nwi_wetland_type is that at the point only.',
        null_meaning: 'No mapped wetland within 500 m.',
        read: {
          decode: 'nwi_words',
          fallback: [{ ...nearestWetland, attribute: 'ATTRIBUTE', decode: 'nwi_words', when: ['absent'] }],
        },
      },
      wetland_subtype: {
        pattern: '^[MERLP][A-Za-z0-9/]{0,20}$',
        attribute: 'ATTRIBUTE',
        description: 'Cowardin code of the mapped wetland at the point, or else of the nearest one within 500 m.',
        hints: 'As the inventory has it, such as PFO1A. nwi_code is that at the point only.',
        null_meaning: 'No mapped wetland within 500 m.',
        read: { fallback: [{ ...nearestWetland, attribute: 'ATTRIBUTE', when: ['absent'] }] },
      },
      wetland_acres: {
        attribute: 'ACRES',
        description: 'Area of the mapped wetland polygon at the point, or else of the nearest one within 500 m.',
        hints:
          'Of the whole polygon, not of its part on the parcel. Under 0.1 acre is below the usual threshold of nationwide permits; 0.5 acre is their common upper limit.',
        null_meaning: 'No mapped wetland within 500 m.',
        ...float('acres', 2, [0, 10_000_000]),
        read: { fallback: [{ ...nearestWetland, attribute: 'ACRES', when: ['absent'] }] },
      },
      nwi_wetland_type: {
        pattern: '[a-z]',
        attribute: 'WETLAND_TYPE',
        description: 'NWI wetland type of the polygon at the point.',
        spoken: 'the inventory type of the wetland',
        hints:
          "Freshwater Emergent Wetland, Freshwater Forested/Shrub Wetland, Freshwater Pond, Lake, Riverine, Estuarine and Marine Wetland, Estuarine and Marine Deepwater, Other. 'Riverine' is often a buffered stream line.",
        null_meaning: 'The point is not inside a mapped wetland.',
        derivation: 'WETLAND_TYPE.',
      },
    },
  ),
  {
    name: 'nwi_code',
    description: 'Full NWI classification code of the wetland at the point.',
    interpretation_hints:
      'For example PFO1A, PEM1Ch, L1UBH, E2EM1P: system, class, water regime, modifiers. Give it to a wetland specialist.',
    pattern: '^[MERLP][A-Za-z0-9/]{1,20}$',
    null_meaning: 'The point is not inside a mapped wetland.',
    derivation: 'ATTRIBUTE.',
    read: { dataset: 'usfws_nwi', op: 'attribute', attribute: 'ATTRIBUTE' },
  },
  {
    name: 'wetland_water_regime',
    description: 'How long water stands in the wetland at the point.',
    interpretation_hints:
      'From driest to wettest: Temporarily Flooded (A), Seasonally Saturated (B), Seasonally Flooded (C), Seasonally Flooded/Saturated (E), Semipermanently Flooded (F), Intermittently Exposed (G), Permanently Flooded (H); tidal regimes L to V; J intermittently, K artificially flooded.',
    lifecycle: 'beta',
    null_meaning: 'Not inside a mapped wetland, or the code carries no regime letter.',
    derivation: 'Regime letter of ATTRIBUTE decoded.',
    read: { dataset: 'usfws_nwi', op: 'attribute', attribute: 'ATTRIBUTE', decode: 'nwi_water_regime' },
  },

  {
    name: 'nearest_wetland_type',
    description: 'NWI type of the nearest mapped wetland.',
    interpretation_hints:
      'Freshwater Emergent Wetland, Freshwater Forested/Shrub Wetland, Freshwater Pond, Lake, Riverine, Estuarine and Marine Wetland, Estuarine and Marine Deepwater, Other.',
    pattern: '[a-z]',
    null_meaning: 'No mapped wetland within 5 km, or the area is not mapped by NWI.',
    derivation: 'WETLAND_TYPE of the nearest polygon.',
    read: {
      dataset: 'usfws_nwi',
      op: 'nearest_attribute',
      attribute: 'WETLAND_TYPE',
      search_radii_m: [500, 2_000, 5_000],
    },
  },
  {
    name: 'wetlands_within_100m_count',
    description: 'Number of distinct mapped wetland polygons within 100 m.',
    interpretation_hints:
      'Counts polygons, not separate wetlands: one marsh mapped in three classes counts three. 0 is common on upland.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'The area is not mapped by the National Wetlands Inventory.',
    derivation:
      'Count of distinct polygons whose edge is within 100 m (geodesic). Outlines from a network source are simplified to about 11 m, so a wetland at the edge of the circle can be counted or missed.',
    valid_range: [0, 1_000_000],
    read: { dataset: 'usfws_nwi', op: 'count', radius_m: 100 },
  },
  {
    name: 'wetlands_within_500m_count',
    description: 'Number of distinct mapped wetland polygons within 500 m.',
    interpretation_hints:
      'Over 20: a wet landscape or a coast. Counts polygons, not separate wetlands, and includes ponds and stream corridors.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'The area is not mapped by the National Wetlands Inventory.',
    derivation:
      'Count of distinct polygons whose edge is within 500 m (geodesic). If the service caps the answer (exceededTransferLimit), the next pages are read too. Outlines from a network source are simplified to about 11 m, so a wetland at the edge of the circle can be counted or missed.',
    valid_range: [0, 1_000_000],
    read: { dataset: 'usfws_nwi', op: 'count', radius_m: 500 },
  },
])
