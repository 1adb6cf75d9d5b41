import { fieldsSharing, documented } from '../families.ts'
import type { Field } from '../../src/catalog/records.ts'

const shared = {
  layer: 'geology',
  lifecycle: 'beta',
  type: 'string',
  unit: null,
  ttl_seconds: 2_592_000,
  evidence: documented,
} satisfies Partial<Field>

export const geology: Field[] = fieldsSharing(shared, [
  {
    name: 'bedrock_unit_name',
    description: 'Name of the geologic map unit at the surface or under the soil.',
    interpretation_hints:
      'As named on the state geologic map (scales 1:50,000 to 1:1,000,000), so contacts can be off by hundreds of meters. Quaternary deposits, where mapped, hide the bedrock below them. Outside the lower 48 states the value comes from Macrostrat (see source), which uses its own names.',
    lifecycle: 'stable',
    null_meaning:
      'In the lower 48 states: the point is in water that the state map leaves blank. Elsewhere: Macrostrat has no unit here at its large or medium scale, or only one without this text.',
    derivation: null,
    read: {
      dataset: 'usgs_sgmc',
      op: 'attribute',
      attribute: 'UNIT_NAME',
      fallback: [
        {
          when: ['failed', 'outside_coverage'],
          dataset: 'macrostrat_units_large',
          op: 'path',
          json_path: '$.success.data[0].name',
          absent_when: ['empty'],
          fallback: [
            {
              when: ['failed', 'absent'],
              dataset: 'macrostrat_units_medium',
              op: 'path',
              json_path: '$.success.data[0].name',
              absent_when: ['empty'],
            },
          ],
        },
      ],
    },
  },
  {
    name: 'bedrock_lithology_class',
    description: 'General rock type of the geologic map unit.',
    interpretation_hints:
      "Broad classes such as 'Sedimentary, clastic', 'Sedimentary, carbonate', 'Igneous, volcanic', 'Metamorphic, gneiss', 'Unconsolidated, undifferentiated'. Carbonate: sinkholes possible. Unconsolidated: stronger shaking in earthquakes. Comparable across the lower 48 states, unlike unit names. Outside the lower 48 states the value comes from Macrostrat (see source), which uses its own classes.",
    pattern: '[a-z]',
    null_meaning:
      'In the lower 48 states: the point is in water that the state map leaves blank. Elsewhere: Macrostrat has no unit here at its large or medium scale, or only one without this text.',
    derivation: null,
    read: {
      dataset: 'usgs_sgmc',
      op: 'attribute',
      attribute: 'GENERALIZED_LITH',
      fallback: [
        {
          when: ['failed', 'outside_coverage'],
          dataset: 'macrostrat_units_large',
          op: 'path',
          json_path: '$.success.data[0].lith',
          absent_when: ['empty'],
          fallback: [
            {
              when: ['failed', 'absent'],
              dataset: 'macrostrat_units_medium',
              op: 'path',
              json_path: '$.success.data[0].lith',
              absent_when: ['empty'],
            },
          ],
        },
      ],
    },
  },
  {
    name: 'bedrock_age',
    description: 'Geologic age span of the map unit, oldest to youngest.',
    interpretation_hints:
      "One name when both limits agree (for example 'Devonian'), otherwise 'oldest - youngest'. Age of the rock, not of the landform.",
    lifecycle: 'stable',
    pattern: '[a-z]',
    null_meaning: 'Outside the lower 48 states, or in water that the state map leaves blank.',
    derivation: 'AGE_MAX joined to AGE_MIN when different.',
    read: {
      dataset: 'usgs_sgmc',
      op: 'attribute',
      expression: "AGE_MAX == AGE_MIN ? AGE_MAX : AGE_MAX + ' - ' + AGE_MIN",
    },
  },
  {
    name: 'in_karst_area',
    description:
      'Whether the point is in a mapped karst or pseudokarst area of USGS Open-File Report 2014-1156 (about 1:500,000 or coarser).',
    interpretation_hints:
      'true: sinkholes, lost drainage and fast groundwater movement are possible; check local sinkhole maps. Deeply buried rock counts too: see karst_exposure_class. false: none mapped at national scale; borders can be off by about 1 km. It marks susceptible rock, not actual sinkholes.',
    type: 'boolean',
    null_meaning: 'Outside the coverage of the source (48 states and DC).',
    derivation:
      'Point in a carbonate, evaporite, sandstone, volcanic or piping polygon (lower 48; Alaska, Hawaii and Puerto Rico are separate layers).',
    read: { dataset: 'usgs_karst', op: 'within', none: false },
  },
  {
    name: 'landslides_within_1km_count',
    description: 'Number of recorded landslides within 1 km.',
    interpretation_hints:
      'Counts point records of the national inventory, which merges state and local inventories of very different completeness. 1 or more is a real warning; 0 only means none recorded.',
    type: 'integer',
    unit: 'count',
    null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
    derivation: 'Count of inventory points inside a 1 km geodesic circle.',
    valid_range: [0, 100_000],
    read: { dataset: 'usgs_landslide_point', op: 'count', radius_m: 1_000 },
  },
])
