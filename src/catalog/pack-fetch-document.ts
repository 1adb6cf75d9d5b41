import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable, NullableTime, Time } from '../model/schema.ts'

/** A dataset of a fetch. */
const PackFetchDataset = Type.Object({
  dataset: Type.String(),
  title: Type.String(),
  state: literals(['waiting', 'running', 'done', 'failed']),
  done: Type.Number({ description: 'The share that is copied, from 0 to 1.' }),
  requests: Type.Integer(),
  features: Type.Integer(),
  bytes: Type.Integer(),
  message: nullable('string', { description: 'Why the dataset failed, or what its copy waits for.' }),
})

/** What is fetched: an area, and the fields that should be answered there. */
export const PackFetchRequest = Type.Object({
  area: Type.String({
    maxLength: 200,
    description:
      'A county ("Boulder County, CO" or 08013), a state (Colorado, CO or 08), a metropolitan area (cbsa:14500), or <west>,<south>,<east>,<north>.',
  }),
  presets: Type.Array(Type.String(), { minItems: 1, maxItems: 50, description: 'The presets to answer there.' }),
  between: Type.Optional(
    Type.String({
      maxLength: 20,
      description:
        'Data is copied only in these hours of the day, such as `22:00-06:00`, in the time zone of the server. Plans do not wait.',
    }),
  ),
})
export type PackFetchRequest = Static<typeof PackFetchRequest>

/** A fetch of packs in the background. */
export const PackFetchStatus = Type.Object({
  status: literals(['running', 'succeeded', 'failed', 'cancelled']),
  area: Type.String(),
  presets: Type.Array(Type.String()),
  between: Type.Optional(Type.String({ description: 'The hours of the day in which data is copied.' })),
  started_at: Time,
  finished_at: NullableTime,
  datasets: Type.Array(PackFetchDataset, { description: 'Empty until the plan is made.' }),
  answered: nullable('integer', {
    description: 'How many of the fields can be answered in the area without a network.',
  }),
  fields: nullable('integer', { description: 'The number of fields of the presets.' }),
  message: nullable('string', { description: 'Why the fetch failed.' }),
})
export type PackFetchStatus = Static<typeof PackFetchStatus>

/** A planned dataset of an area. */
const PackPlanDataset = Type.Object({
  dataset: Type.String(),
  title: Type.String(),
  license: Type.String(),
  fields: Type.Array(Type.String(), {
    description: 'The fields that read the dataset. If it is impossible: those that nothing else answers.',
  }),
  how: literals(['built_in', 'file', 'service', 'impossible'], {
    description:
      'built_in: part of the executable. file: built from the files of the publisher. service: copied from the service. impossible: the reason says why.',
  }),
  requests: nullable('integer'),
  bytes: nullable('number'),
  seconds: nullable('number'),
  reason: nullable('string'),
})
export type PackPlanDataset = Static<typeof PackPlanDataset>

/** The plan of a fetch. */
export const PackPlan = Type.Object({ area: Type.String(), datasets: Type.Array(PackPlanDataset) })
export type PackPlan = Static<typeof PackPlan>
