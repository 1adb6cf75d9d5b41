import { computed, documented, float, integer, polygonAtPoint, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const padus = { layer: 'protected_areas', ttl_seconds: 2_592_000, evidence: documented, dataset: 'padus' }

/** The categories of PAD-US that are a unit of land, and those that are neither a unit nor an easement. */
const units = ['Fee', 'Designation']
const others = ['Proclamation', 'Marine', 'Other']

const shared = {
  layer: 'protected_areas',
  lifecycle: 'stable',
  unit: null,
  ttl_seconds: 2_592_000,
  derivation: null,
  evidence: documented,
} satisfies Partial<Field>

export const protected_areas: Field[] = fieldsSharing(shared, [
  {
    name: 'within_protected_area',
    description: 'True when the point lies in a PAD-US area with GAP status 1, 2 or 3.',
    interpretation_hints:
      'Status 4 areas (town parks, school land) are left out because they carry no conservation mandate.',
    type: 'boolean',
    null_meaning: null,
    read: {
      dataset: 'padus',
      op: 'within',
      attribute: 'GAP_Sts',
      true_values: ['1', '2', '3'],
      false_values: ['4'],
      none: false,
    },
  },

  ...polygonAtPoint(
    {
      ...padus,
      lifecycle: 'stable',
      thing: 'PAD-US fee or designation unit',
      where: "Category IN ('Fee', 'Designation')",
      pick: ['GAP_Sts asc'],
    },
    {
      intersects_protected_area: {
        within: true,
        description: 'True when the point lies in any fee or designation unit of PAD-US, whatever its GAP status.',
        hints:
          'Counts also city parks, school land and military land, which within_protected_area leaves out. Easements do not count: see intersects_conservation_easement.',
        read: { attribute: 'Category', true_values: units, false_values: ['Easement', ...others] },
      },
      protected_area_name: {
        attribute: 'Unit_Nm',
        description:
          'Name of the PAD-US unit that contains the point, the most strictly protected one when several overlap.',
        hints: 'Overlaps are common (a wilderness inside a national forest).',
      },
      protected_area_gap_status: {
        attribute: 'GAP_Sts',
        description: 'GAP status of the most strictly protected PAD-US unit that contains the point.',
        hints:
          '1: managed for biodiversity, natural disturbance allowed. 2: the same, disturbance suppressed. 3: multiple uses, extraction permitted. 4: no known mandate for biodiversity.',
        ...integer('class', [1, 4]),
        read: { cast: 'integer' },
      },
      protected_area_manager: {
        pattern: '[a-z]',
        attribute: 'MngNm_Desc',
        description: 'Managing agency or organization of the PAD-US unit that contains the point.',
        hints: "'Unknown' is returned as the source gives it.",
      },
      protected_area_designation: {
        pattern: '[a-z]',
        attribute: 'DesTp_Desc',
        description: 'Designation type of the PAD-US unit that contains the point.',
        hints: 'Examples: National Forest, Wilderness Area, State Park.',
      },
      protected_area_public_access: {
        attribute: 'Pub_Access',
        description: 'Public access of the PAD-US unit that contains the point.',
        hints:
          'Restricted: with a permit, or in some seasons. Many units have the default of their kind, not a review.',
        enum: ['Open', 'Restricted', 'Closed', 'Unknown'],
        read: { classes: { OA: 'Open', RA: 'Restricted', XA: 'Closed', UK: 'Unknown' } },
      },
    },
  ),
  ...polygonAtPoint(
    { ...padus, thing: 'conservation easement of PAD-US', where: "Category = 'Easement'", pick: ['GAP_Sts asc'] },
    {
      intersects_conservation_easement: {
        within: true,
        description: 'True when the point lies in a conservation easement of PAD-US.',
        hints: 'Easements are reported voluntarily, so false is not proof that the land has none.',
        read: { attribute: 'Category', true_values: ['Easement'], false_values: [...units, ...others] },
      },
      easement_holder: {
        pattern: '[a-z]',
        attribute: 'MngNm_Desc',
        description: 'Kind of organization that holds the conservation easement at the point.',
        hints: 'The manager in PAD-US, which for an easement is its holder. Private holders are not named one by one.',
      },
      easement_type: {
        pattern: '[a-z]',
        attribute: 'DesTp_Desc',
        description: 'Kind of conservation easement at the point.',
        hints: 'Examples: Conservation Easement, Agricultural Easement, Forest Stewardship Easement.',
      },
      easement_acres: {
        attribute: 'GIS_Acres',
        description: 'Area of the whole conservation easement that contains the point.',
        hints: 'Not the part on the parcel: see easement_acres_on_parcel.',
        ...float('acres', 2, [0, 100_000_000]),
      },
    },
  ),
  ...polygonAtPoint(
    {
      ...padus,
      dataset: 'padus_combined',
      thing: 'conservation easement of PAD-US',
      where: "Category = 'Easement'",
      evidence:
        'open point: whether the combined inventory has Date_Est, as the fee layer of the same publisher has, and whether it is a year',
    },
    {
      easement_year_established: {
        attribute: 'Date_Est',
        description: 'Year in which the conservation easement at the point was established.',
        hints: 'Many easements have no year.',
        ...integer('year', [1850, 2100]),
        read: { transform: 'year' },
      },
    },
  ),
  ...computed(
    { layer: 'protected_areas', ttl_seconds: 2_592_000, dataset: 'padus' },
    {
      easement_purpose: {
        description: 'Purpose of the conservation easement at the point.',
        hints: 'Always null: PAD-US 4.1 has no column for the purpose.',
        derivation: 'None: the edition does not state the purpose of easements.',
        null_meaning: 'PAD-US 4.1 does not state the purpose of easements.',
        pattern: '[A-Za-z]',
        from: {},
        expression: 'null',
      },
    },
  ),
  {
    name: 'nearest_protected_area_name',
    description: 'Name of the nearest PAD-US area with GAP status 1 or 2 within 25 km.',
    interpretation_hints: 'The strictly protected land that a project could affect.',
    type: 'string',
    null_meaning: 'No such area within 25 km.',
    read: {
      dataset: 'padus',
      op: 'nearest_attribute',
      attribute: 'Unit_Nm',
      where: "GAP_Sts IN ('1','2')",
      search_radii_m: [5_000, 25_000],
    },
  },
  {
    name: 'nearest_protected_area_distance_m',
    description: 'Distance to the nearest PAD-US area with GAP status 1 or 2 within 25 km.',
    interpretation_hints:
      '0 when the point is inside. Boundaries are compiled from many sources; allow for a few tens of meters.',
    type: 'float',
    unit: 'm',
    decimals: 0,
    null_meaning: 'No such area within 25 km.',
    derivation:
      'Geodesic distance to the edge of the nearest area. Outlines from a network source are simplified to about 11 m, so the value can be off by that much.',
    valid_range: [0, 25_000],
    read: { dataset: 'padus', op: 'nearest_distance', where: "GAP_Sts IN ('1','2')", search_radii_m: [5_000, 25_000] },
  },
  {
    name: 'within_wilderness_area',
    description: 'True when the point lies in a federally designated wilderness or wilderness study area.',
    interpretation_hints: 'No roads, vehicles or permanent structures are allowed in wilderness.',
    type: 'boolean',
    null_meaning: null,
    read: {
      dataset: 'padus',
      op: 'within',
      attribute: 'DesTp_Desc',
      true_values: ['Wilderness Area', 'Wilderness Study Area'],
      false_values: { matches: '^[A-Z][a-z][a-z][A-Za-z ,/()-]*$' },
      unknown_values: ['Unknown'],
      none: false,
    },
  },
])
