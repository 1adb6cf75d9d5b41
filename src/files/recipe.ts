import { Type as t, type Static } from '@sinclair/typebox'

const names = t.Array(t.String({ minLength: 1 }), { minItems: 1, maxItems: 200 })
const rings = t.Array(t.Array(t.Tuple([t.Number(), t.Number()]), { minItems: 4 }), { minItems: 1 })
/** The columns of degrees, minutes, seconds and direction letter. */
const sexagesimal = t.Tuple([t.String(), t.String(), t.String(), t.String()])

/**
 * Lines of cells separated by bars, without column names, in a member of an archive; optionally joined with others.
 */
const recordsSchema = t.Object(
  {
    member: t.String(),
    /** The first cell of a record. Other lines are the continuation of a text with line breaks. */
    begins: t.String(),
    columns: names,
    lat: sexagesimal,
    lng: sexagesimal,
    joins: t.Optional(
      t.Array(
        t.Object(
          {
            member: t.String(),
            begins: t.String(),
            columns: names,
            by: t.String(),
            take: names,
            /** The cells of the records to join, by column. Default: the last record of a key. */
            only: t.Optional(t.Record(t.String(), t.String())),
          },
          { additionalProperties: false },
        ),
        { minItems: 1, maxItems: 5 },
      ),
    ),
  },
  { additionalProperties: false },
)

/** How to build a pack from a publisher's files. */
export const recipeSchema = t.Object(
  {
    /**
     * The URLs of the publisher's files; all of them are downloaded. `{year}` is the newest year that exists, and
     * `{a,b}` is the first of these that exists. A URL with `{ST}` (`CO`), `{State}` (`New_York`), `{state_fips}` or
     * `{county_fips}` is a file for each state or county.
     */
    files: t.Array(t.String({ pattern: '^https://[^ ]+$' }), { minItems: 1, maxItems: 20 }),
    /** Other hosts that a redirect may lead to. */
    redirects: t.Optional(names),
    /** The files are complete: a place without a feature has none, rather than no data. */
    complete: t.Optional(t.Literal(true)),
    /**
     * Which raster becomes which file. `member` is the name of the raster in the archive, without extension; `*`
     * matches any text. `geo_keys` are the correct GeoTIFF keys if those of the raster are wrong. `coverage` lists the
     * rings within which no value means that there is nothing, if that is not the raster's own box.
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
    /**
     * The layers, which have the same names in the files. `set` adds columns with one value for all features of a
     * layer.
     */
    layers: t.Optional(
      t.Array(
        t.Object(
          { layer: t.String(), set: t.Optional(t.Record(t.String(), t.String())) },
          { additionalProperties: false },
        ),
        { minItems: 1 },
      ),
    ),
    /** The number of lines below the column names that are not data, such as units. */
    skip_rows: t.Optional(t.Integer({ minimum: 1, maximum: 10 })),
    records: t.Optional(recordsSchema),
    /** The columns to keep. Default: all. */
    keep: t.Optional(names),
    /** The features to keep, as an SQLite condition. */
    where: t.Optional(t.String()),
    /** Keeps one feature for each value of `by`: the one with the largest value of `most`. */
    one_of: t.Optional(t.Object({ by: names, most: t.String() }, { additionalProperties: false })),
    /** Joins points with equal `by` in the order of `order`. Each line has the properties of its first point. */
    lines: t.Optional(t.Object({ by: names, order: t.String() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)
/** How to build a pack from a publisher's files. */
export type Recipe = Static<typeof recipeSchema>
