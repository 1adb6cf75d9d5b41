import { Type, type Static } from '@sinclair/typebox'

/** The description of the tiles of one dataset. */
export const TileJson = Type.Object(
  {
    tilejson: Type.Literal('3.0.0'),
    id: Type.String({ description: 'The dataset. Its tiles have one layer of this name.' }),
    name: Type.String(),
    attribution: Type.String({ description: 'The publisher and the license, as text.' }),
    vintage: Type.Union([Type.String(), Type.Null()]),
    tiles: Type.Array(Type.String(), { description: 'The URL of a tile, with {z}, {x} and {y}.' }),
    minzoom: Type.Integer(),
    maxzoom: Type.Integer(),
    bounds: Type.Array(Type.Number(), { description: 'West, south, east, north.' }),
    vector_layers: Type.Array(Type.Object({ id: Type.String(), fields: Type.Record(Type.String(), Type.String()) })),
  },
  { description: 'TileJSON 3.0.0.' },
)
export type TileJson = Static<typeof TileJson>
