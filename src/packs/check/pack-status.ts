import { Type, type Static } from '@sinclair/typebox'
import { literals, nullable } from '../../model/schema.ts'

/** The status of a file in the packs folder, as shown to the operator. */
export const PackStatus = Type.Object({
  file: Type.String({ description: 'The path in the packs folder. A part of a pack is in a folder.' }),
  state: literals(['checking', 'live', 'rejected']),
  reason: nullable('string', { description: 'Why the file is rejected: what was found and what was expected.' }),
  notes: Type.Array(Type.String()),
  datasets: Type.Array(Type.String()),
  bytes: Type.Integer(),
  area: nullable('string', { description: 'The area of the data, if the manifest names it.' }),
  fetched_at: nullable('string', {
    description: 'When the data was read from the publisher, if the manifest states it.',
  }),
  vintage: nullable('string'),
  license: nullable('string'),
  attribution: nullable('string'),
})
export type PackStatus = Static<typeof PackStatus>
