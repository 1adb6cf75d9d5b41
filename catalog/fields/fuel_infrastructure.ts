import type { Field } from '../../src/catalog/records.ts'
import type { Region } from '../../src/model/place.ts'
import { nearestDistances } from '../families-subjects.ts'
import { computed, documented, float, nearest, polygonAtPoint } from '../families.ts'

const shared = { layer: 'fuel_infrastructure', ttl_seconds: 2_592_000, evidence: documented }
const covers: Region[] = ['conus', 'ak', 'hi']
const pipelinesRadius_m = 10_000
const notForDigging =
  'Positions are generalized by hundreds of meters to kilometers, and gathering and distribution lines are not mapped. Never use for excavation.'

const gas = { ...shared, covers, dataset: 'geoplatform_gas_pipelines' }
const interstate = { thing: 'interstate natural gas pipeline', where: "TYPEPIPE = 'Interstate'" }

export const fuel_infrastructure: Field[] = [
  ...nearest(
    { ...gas, lifecycle: 'stable', thing: 'natural gas pipeline', radii_m: [pipelinesRadius_m] },
    {
      nearest_gas_pipeline_distance_m: {
        distance: true,
        hints: `Interstate and intrastate transmission, searched within pipelines_radius_m. For pipelines farther away see nearest_gas_transmission_pipeline_distance_m. ${notForDigging}`,
      },
      nearest_gas_pipeline_operator: {
        of: 'Operator of',
        attribute: 'Operator',
        pattern: '[A-Za-z]',
        hints: 'As the Energy Information Administration spells it. The map is static, so the name can be out of date.',
      },
      nearest_gas_pipeline_type: {
        of: 'Type of',
        attribute: 'TYPEPIPE',
        enum: ['Interstate', 'Intrastate'],
        hints: 'Interstate pipelines are regulated by FERC, intrastate ones by the states.',
      },
      gas_pipelines_within_radius_count: {
        within_m: pipelinesRadius_m,
        description: 'Number of segments of natural gas pipelines within 10 km.',
        hints: 'Segments, not pipelines. The radius is pipelines_radius_m.',
      },
    },
  ),
  ...nearest(
    { ...gas, thing: 'natural gas transmission pipeline', radii_m: [25_000, 100_000] },
    {
      nearest_gas_transmission_pipeline_distance_m: {
        distance: true,
        hints: `Interstate or intrastate. ${notForDigging}`,
      },
    },
  ),
  ...nearest(
    { ...gas, ...interstate, radii_m: [25_000, 100_000] },
    {
      nearest_interstate_gas_pipeline_distance_m: { distance: true, hints: notForDigging },
      nearest_interstate_gas_pipeline_operator: {
        of: 'Operator of',
        attribute: 'Operator',
        pattern: '[A-Za-z]',
        hints: 'The company to ask about a connection; capacity has to be requested from it.',
      },
    },
  ),
  ...computed(
    { layer: shared.layer, ttl_seconds: shared.ttl_seconds },
    {
      pipelines_radius_m: {
        description: 'Radius of the fields about the nearest pipelines and their counts.',
        hints: 'A constant, so that a client can show a count with its radius.',
        derivation: 'The constant 10000.',
        null_meaning: null,
        from: {},
        expression: String(pipelinesRadius_m),
        ...float('m', 0, [0, 100_000]),
      },
      btm_gas_candidacy_flag: {
        description: 'Whether a gas pipeline is close enough to consider power generation on the site.',
        hints: 'A test of distance only: pressure, capacity and the right to connect are not considered.',
        derivation: 'True with at least one segment of a natural gas pipeline within 10 km.',
        null_meaning: 'Outside the coverage of the source (48 states and DC, Alaska, Hawaii).',
        from: { pipelines: 'gas_pipelines_within_radius_count' },
        expression: 'pipelines > 0',
        type: 'boolean',
      },
    },
  ),
  ...nearest(
    {
      ...shared,
      covers,
      dataset: 'geoplatform_petroleum_pipelines',
      thing: 'petroleum liquids pipeline',
      radii_m: [pipelinesRadius_m],
    },
    {
      nearest_petroleum_pipeline_distance_m: {
        distance: true,
        hints: `Crude oil, refined products and hydrocarbon gas liquids, searched within pipelines_radius_m. ${notForDigging}`,
      },
      nearest_petroleum_pipeline_operator: {
        of: 'Operator of',
        attribute: 'Opername',
        pattern: '[A-Za-z]',
        hints: 'As the Energy Information Administration spells it. The map is static, so the name can be out of date.',
      },
      nearest_petroleum_pipeline_product: {
        of: 'What is carried by',
        attribute: 'product',
        enum: ['crude oil', 'refined products', 'HGL'],
        hints: 'HGL: hydrocarbon gas liquids, such as propane. The source has one map for each of the three.',
        derivation: 'The map that the pipeline is on.',
      },
      petroleum_pipelines_within_radius_count: {
        within_m: pipelinesRadius_m,
        description: 'Number of segments of petroleum liquids pipelines within 10 km.',
        hints: 'Crude oil, refined products and hydrocarbon gas liquids. The radius is pipelines_radius_m.',
      },
    },
  ),
  ...nearestDistances(
    { ...shared, covers, radii_m: [50_000, 200_000] },
    {
      nearest_gas_compressor_distance_m: {
        dataset: 'hifld_gas_compressors',
        thing: 'natural gas compressor station',
        hints:
          'Points of about 2015; newer stations are missing. Noise and emissions matter within some hundred meters.',
      },
      nearest_gas_storage_distance_m: {
        dataset: 'eia_gas_storage',
        thing: 'underground natural gas storage site',
        hints: 'Active and inactive fields of form EIA-191, at the point of the field.',
      },
      nearest_lng_terminal_distance_m: {
        dataset: 'eia_lng_terminals',
        thing: 'liquefied natural gas import or export terminal',
        hints:
          'Terminals that are built, approved or proposed. Those proposed after the edition of the map are missing.',
      },
    },
  ),
  ...polygonAtPoint(
    { ...shared, covers: ['conus'], dataset: 'eia_shale_plays', thing: 'mapped shale play', pick: ['Area_sq_mi desc'] },
    {
      in_shale_play: {
        within: true,
        description: 'Whether the point is in a tight oil or shale gas play.',
        hints:
          'General areas of the lower 48 states, not limits of production. There is no map of Alaska and Hawaii, so the field is null there, where other services say false.',
      },
      nearest_shale_play_name: {
        attribute: 'Shale_play',
        description: 'Name of the tight oil or shale gas play that contains the point.',
        hints: 'Despite its name, the play at the point, not the nearest one. Of stacked plays the largest is named.',
      },
    },
  ),
  ...polygonAtPoint(
    {
      ...shared,
      covers: ['conus', 'ak', 'hi'],
      dataset: 'usgs_sedimentary_basins',
      thing: 'mapped sedimentary basin',
      pick: ['area asc'],
    },
    {
      sedimentary_basin_name: {
        attribute: 'name',
        description: 'Name of the sedimentary basin that contains the point.',
        hints: 'A national compilation for oil, gas and carbon storage. Where basins overlap, the smallest is named.',
      },
    },
  ),
]
