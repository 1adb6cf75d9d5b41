import { computed, documented, nearest, fieldsSharing } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'economic_zones',
  lifecycle: 'stable',
  type: 'boolean',
  unit: null,
  ttl_seconds: 2_592_000,
  derivation: null,
  null_meaning: null,
  evidence: documented,
} satisfies Partial<Field>

export const economic_zones: Field[] = fieldsSharing(shared, [
  {
    name: 'in_opportunity_zone',
    description: 'Whether the point lies in a Qualified Opportunity Zone.',
    interpretation_hints:
      'Tests the 2018 designations, drawn on 2010 tracts. The second round takes effect on 1 January 2027.',
    read: { dataset: 'hud_opportunity_zones', op: 'within', none: false },
  },
  {
    name: 'opportunity_zone_tract_geoid',
    description: 'Identifier of the 2010 census tract that makes up the Opportunity Zone.',
    interpretation_hints: 'Do not compare with tract_geoid, which is a 2020 tract.',
    type: 'string',
    pattern: '^[0-9]{11}$',
    null_meaning: 'Point is not in an Opportunity Zone.',
    read: { dataset: 'hud_opportunity_zones', op: 'attribute', attribute: 'GEOID10' },
  },
  {
    name: 'within_lihtc_qualified_census_tract',
    description: 'Whether the point lies in a HUD qualified census tract for the low-income housing tax credit.',
    interpretation_hints: 'Designations change every year; the layer name carries the year.',
    read: { dataset: 'hud_qct', op: 'within', none: false },
  },
  {
    name: 'within_lihtc_difficult_development_area',
    description: 'Whether the point lies in a HUD difficult development area.',
    interpretation_hints:
      'In metropolitan areas the designation follows ZIP Code Tabulation Areas, elsewhere counties.',
    read: { dataset: 'hud_dda', op: 'within', none: false },
  },
  {
    name: 'lihtc_properties_within_1km_count',
    description: 'Number of tax-credit housing properties within 1 km.',
    interpretation_hints: 'HUD national database; recent awards lag by a year or more.',
    type: 'integer',
    unit: 'count',
    valid_range: [0, 5000],
    read: { dataset: 'hud_lihtc', op: 'count', radius_m: 1_000 },
  },
  {
    name: 'within_coal_closure_energy_community',
    description: 'Whether the point lies in a coal-closure census tract or one that adjoins it.',
    interpretation_hints:
      'One of three routes to the federal energy community bonus credit. Of the 2024 edition, as dataset_vintage says; the list of the Internal Revenue Service changes every year.',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'netl_coal_closure',
      op: 'within',
      attribute: ['mine_closure', 'generator_closure', 'adjacent_to_closure'],
      true_values: ['Yes'],
      false_values: ['No'],
      unknown_values: ['#N/A'],
      none: false,
    },
  },
  {
    name: 'within_statistical_area_energy_community',
    description: 'Whether the county belongs to a statistical area that qualifies as an energy community.',
    interpretation_hints:
      'Needs fossil-fuel employment and above-average unemployment; the unemployment test is redone every year. Of the 2024 edition, as dataset_vintage says.',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    read: {
      dataset: 'netl_statistical_area',
      op: 'within',
      attribute: 'ec_qual_status',
      true_values: ['Yes'],
      false_values: ['No'],
      none: false,
    },
  },
  ...nearest(
    {
      layer: 'economic_zones',
      ttl_seconds: 31_536_000,
      evidence: documented,
      dataset: 'epa_repowering',
      thing: 'site of the EPA RE-Powering screening',
      radii_m: [5_000, 50_000],
    },
    {
      nearest_repowering_site_distance_m: {
        distance: true,
        hints:
          'Contaminated or disturbed land (brownfields, landfills, mines) that the EPA screened for renewable energy, in the edition of September 2021. Nearly every town has one. It is no project.',
      },
    },
  ),
  ...computed(
    { layer: 'economic_zones', ttl_seconds: 31_536_000 },
    {
      near_epa_repowering_site: {
        type: 'boolean',
        description: 'Whether a site of the EPA RE-Powering screening lies within 1 km.',
        hints: 'false: none within 1 km in the edition of September 2021.',
        derivation: 'One or more sites of the screening within 1,000 m.',
        null_meaning: null,
        from: { sites: { dataset: 'epa_repowering', op: 'count', radius_m: 1_000 } },
        expression: 'sites > 0',
      },
      tax_incentive_stack: {
        description: 'Federal tax benefits that apply at the point, separated by commas.',
        spoken: 'the federal tax benefits that apply here',
        hints:
          'opportunity_zone, epa_repowering_site, both or neither (an empty text). A screening: each benefit has conditions of its own.',
        derivation: 'opportunity_zone if in_opportunity_zone; epa_repowering_site if near_epa_repowering_site.',
        null_meaning: null,
        enum: ['', 'opportunity_zone', 'epa_repowering_site', 'opportunity_zone,epa_repowering_site'],
        from: { zone: 'in_opportunity_zone', site: 'near_epa_repowering_site' },
        expression:
          "zone && site ? 'opportunity_zone,epa_repowering_site' : zone ? 'opportunity_zone' : site ? 'epa_repowering_site' : ''",
      },
    },
  ),
])
