import { documented, float, integer, nearest, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

/** The classes of USA Structures in the words of Overture. */
const overtureClasses = {
  Agriculture: 'agricultural',
  Assembly: 'civic',
  Commercial: 'commercial',
  Education: 'education',
  Government: 'civic',
  Industrial: 'industrial',
  Residential: 'residential',
  'Utility and Misc': 'service',
}
/** The building at the point, or else the nearest one near by. */
const primary = { layer: 'buildings', ttl_seconds: 2_592_000, evidence: documented, radii_m: [100] }

const shared = {
  layer: 'buildings',
  lifecycle: 'stable',
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const buildings: Field[] = fieldsSharing(shared, [
  {
    name: 'buildings_within_100m_count',
    description: 'Number of building footprints within 100 m.',
    interpretation_hints: 'Footprints above 450 square feet, extracted from imagery of varying age.',
    type: 'integer',
    unit: 'count',
    null_meaning: null,
    valid_range: [0, 10_000],
    read: { dataset: 'fema_usa_structures', op: 'count', radius_m: 100 },
  },
  {
    name: 'buildings_within_500m_count',
    description: 'Number of building footprints within 500 m.',
    interpretation_hints: 'Counts every footprint, also in dense city centers.',
    type: 'integer',
    unit: 'count',
    null_meaning: null,
    valid_range: [0, 100_000],
    read: { dataset: 'fema_usa_structures', op: 'count', radius_m: 500, count_only: true },
  },
  {
    name: 'nearest_building_distance_m',
    description: 'Distance to the edge of the nearest building footprint, 0 when inside one.',
    interpretation_hints: 'Zero usually means the point is a rooftop; a large value suggests vacant land.',
    type: 'float',
    unit: 'm',
    decimals: 1,
    null_meaning: 'No footprint within 5 km.',
    valid_range: [0, 5_000],
    read: { dataset: 'fema_usa_structures', op: 'nearest_distance', search_radii_m: [100, 1_000, 5_000] },
  },
  {
    name: 'nearest_building_occupancy_class',
    description: 'Occupancy class of the nearest building.',
    interpretation_hints:
      'Residential, Commercial, Industrial and so on; Unclassified is common and is returned as such.',
    type: 'string',
    unit: null,
    pattern: '[a-z]',
    null_meaning: 'No footprint within 5 km or no class recorded.',
    read: {
      dataset: 'fema_usa_structures',
      op: 'nearest_attribute',
      attribute: 'OCC_CLS',
      search_radii_m: [100, 1_000, 5_000],
    },
  },
  ...nearest(
    { ...primary, dataset: 'fema_usa_structures', thing: 'building' },
    {
      primary_building_footprint_sqm: {
        attribute: 'SQMETERS',
        of: 'Ground area of',
        hints:
          'Of the building at the point, or else of the nearest one within 100 m: see nearest_building_distance_m.',
        ...float('m2', 1, [0, 1_000_000]),
      },
      primary_building_height_m: {
        attribute: 'HEIGHT',
        of: 'Height of',
        hints: 'Of the building of primary_building_footprint_sqm. Most buildings have none.',
        ...float('m', 1, [0, 650]),
      },
      primary_building_overture_class: {
        attribute: 'OCC_CLS',
        of: 'Use of',
        hints:
          'Of the building of primary_building_footprint_sqm: the occupancy class of USA Structures, in the words of Overture. Assembly and government buildings are civic, utilities service.',
        enum: [...new Set(Object.values(overtureClasses))],
        read: { classes: overtureClasses, sentinels: ['Unclassified'] },
      },
    },
  ),
  ...nearest(
    { ...primary, dataset: 'osm_building_levels', thing: 'building in OpenStreetMap' },
    {
      primary_building_num_floors: {
        attribute: 'building:levels',
        of: 'Number of floors of',
        hints:
          'Floors above ground, of the building at the point or else of the nearest one. Most buildings have none.',
        ...integer('floors', [0, 120]),
        read: { cast: 'integer' },
      },
    },
  ),
])
