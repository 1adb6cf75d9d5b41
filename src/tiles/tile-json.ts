import { Type, type Static } from '@sinclair/typebox'
import { nullable } from '../model/schema.ts'

/**
 * A field whose value is an attribute of the feature at a point, or a number of the nearest feature. A map can color
 * features by it.
 */
export const ColoredField = Type.Object({
  name: Type.String({ description: 'The field.' }),
  attribute: Type.String({ description: 'The attribute of the features with its value.' }),
  classes: Type.Array(Type.Object({ value: Type.String(), text: Type.String() }), {
    description:
      'What the values of the attribute mean, in the order of the catalog. Empty if the catalog has no list.',
  }),
  numbers: Type.Union(
    [
      Type.Object({
        unit: nullable('string'),
        no_value: Type.Array(Type.Number(), {
          description: 'Numbers of the attribute that mean that it has no value.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'How to read the numbers of the attribute; null if its values are text.' },
  ),
})
export type ColoredField = Static<typeof ColoredField>

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
    colored_fields: Type.Array(ColoredField, {
      description:
        'The fields whose value is an attribute of the feature at a point, or a number of the nearest feature.',
    }),
  },
  { description: 'TileJSON 3.0.0, with the fields that a map can color the features by.' },
)
export type TileJson = Static<typeof TileJson>

/** The datasets with tiles, and the base map of the packs folder. */
export const TileList = Type.Object({
  items: Type.Array(TileJson),
  basemap: Type.Union([TileJson, Type.Null()], {
    description: 'The base map of the packs folder; null without one, and if it cannot be used.',
  }),
  basemap_error: nullable('string', { description: 'Why the base map cannot be used.' }),
})
export type TileList = Static<typeof TileList>
