import { Type as t, type Static } from '@sinclair/typebox'

const names = t.Array(t.String({ minLength: 1 }), { minItems: 1, maxItems: 200 })
const rings = t.Array(t.Array(t.Tuple([t.Number(), t.Number()]), { minItems: 4 }), { minItems: 1 })
/** The columns of degrees, minutes, seconds and the letter of the direction. */
const sexagesimal = t.Tuple([t.String(), t.String(), t.String(), t.String()])

/** Lines of text with bars between their cells and no names above: one member of an archive, with what another says of the same key. */
const recordsSchema = t.Object(
  {
    member: t.String(),
    /** The first cell of a record; what begins otherwise is the rest of a text that was broken into lines. */
    begins: t.String(),
    columns: names,
    lat: sexagesimal,
    lng: sexagesimal,
    join: t.Optional(
      t.Object(
        { member: t.String(), begins: t.String(), columns: names, by: t.String(), take: names },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
)

/** How the files of a publisher become a pack. */
export const recipeSchema = t.Object(
  {
    /** Where they are; all are needed. `{year}` is the newest year of which there is a file, `{a,b}` the first of these that is there. */
    files: t.Array(t.String({ pattern: '^https://[^ ]+$' }), { minItems: 1, maxItems: 20 }),
    /** Hosts besides, to which a redirect may lead. */
    redirects: t.Optional(names),
    /** Together they are all there is: where they have nothing there is nothing, rather than no data. */
    complete: t.Optional(t.Literal(true)),
    /**
     * Which raster becomes which file. `member`: its name without the ending, `*` for any letters; `geo_keys`: the keys of GeoTIFF that
     * say where it truly lies, where its own are wrong; `coverage`: the rings of where nothing in it means that there is nothing, where that is not its own box.
     */
    rasters: t.Optional(
      t.Array(
        t.Object(
          {
            file: t.String(),
            member: t.String(),
            geo_keys: t.Optional(t.Record(t.String({ pattern: '^[1-4]\\d{3}$' }), t.Number())),
            coverage: t.Optional(rings),
          },
          { additionalProperties: false },
        ),
        { minItems: 1 },
      ),
    ),
    /** The layers that the files have by the same names. `set`: columns that have the same value in all of one. */
    layers: t.Optional(
      t.Array(
        t.Object(
          { layer: t.String(), set: t.Optional(t.Record(t.String(), t.String())) },
          { additionalProperties: false },
        ),
        { minItems: 1 },
      ),
    ),
    /** How many lines below the names of the columns are no data: units. */
    skip_rows: t.Optional(t.Integer({ minimum: 1, maximum: 10 })),
    records: t.Optional(recordsSchema),
    /** The columns that are kept; without them, all. */
    keep: t.Optional(names),
    /** Which features are kept, as SQLite writes it. */
    where: t.Optional(t.String()),
    /** Of the features that are alike in `by`, the one that has most of `most`. */
    one_of: t.Optional(t.Object({ by: names, most: t.String() }, { additionalProperties: false })),
    /** The points that are alike in `by`, in the order of `order`: each becomes a line to the next, with what the point says. */
    lines: t.Optional(t.Object({ by: names, order: t.String() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)
export type Recipe = Static<typeof recipeSchema>
