import { t } from './driver.ts'

const note = { note: t.Optional(t.String()) }
const endpoint = { endpoint: t.String({ pattern: '^https?://' }) }

/**
 * The protocols whose drivers are not written yet, by their settings: the catalog can name them and is checked against them,
 * and a dataset that only they can serve says so when it is asked. To write one: move its settings to a file of its own.
 *
 * In an address or a file name, `{lat} {lon}` is the point, `{w} {s} {e} {n}` the box round it, `{key}` the API key, `{level}` the level
 * `{year} {quarter}` the newest edition, and `{<field>}` the value of a field.
 */
export const announced = {
  pack: t.Object({
    file: t.String(),
    layer: t.Optional(t.String()),
    layers: t.Optional(t.Array(t.String())),
    joins: t.Optional(t.Array(t.String())),
    band: t.Optional(t.Integer()),
    ...note,
  }),
  arcgis: t.Object({
    ...endpoint,
    layers: t.Optional(t.Array(t.Union([t.Integer(), t.String()]))),
    out_fields: t.Optional(t.String()),
    where_on_server: t.Optional(t.Boolean()),
    geometry_precision: t.Optional(t.Integer()),
    max_allowable_offset_degrees: t.Optional(t.Number()),
    ...note,
  }),
  imageserver: t.Object({
    ...endpoint,
    edition_attribute: t.Optional(t.String()),
    zonal: t.Optional(t.Union([t.Literal('computeHistograms'), t.Literal('computeStatisticsHistograms')])),
    regions: t.Optional(t.Record(t.String(), t.String())),
    /** What its numbers are multiplied by, where a service keeps them in another scale than the files. */
    scale: t.Optional(t.Number()),
    nodata: t.Optional(t.Array(t.Number())),
    ...note,
  }),
  cog: t.Object({
    asset: t.String(),
    vrt: t.Optional(t.String()),
    /** Named after their north-west corner: `{lat} {lon}` are without sign (`{lat:2}` padded), `{ns} {ew} {NS} {EW}` the letters. */
    tile: t.Optional(t.Object({ degrees: t.Integer(), name: t.String() })),
    band: t.Integer(),
    nodata: t.Optional(t.Array(t.Number())),
    crs: t.Optional(t.String()),
    ...note,
  }),
  stac: t.Object({
    ...endpoint,
    collection: t.String(),
    point_endpoint: t.Optional(t.String()),
    assets: t.Record(t.String(), t.String()),
    ...note,
  }),
  stac_point: t.Object({ ...endpoint, collection: t.String(), item: t.String(), asset: t.String(), band: t.Integer(), ...note }),
  rest: t.Object({
    ...endpoint,
    method: t.Optional(t.Union([t.Literal('GET'), t.Literal('POST')])),
    query: t.Optional(t.Union([t.String(), t.Record(t.String(), t.Union([t.String(), t.Number()]))])),
    body: t.Optional(t.Record(t.String(), t.Unknown())),
    headers: t.Optional(t.Record(t.String(), t.String())),
    json_path: t.Optional(t.String()),
    decimals: t.Optional(t.Integer()),
    metered: t.Optional(t.Boolean()),
    ...note,
  }),
  rest_features: t.Object({
    ...endpoint,
    json_path: t.Optional(t.String()),
    lat: t.Optional(t.String()),
    lon: t.Optional(t.String()),
    attribute_map: t.Optional(t.Record(t.String(), t.String())),
    whole_list: t.Optional(t.Boolean()),
    refresh_seconds: t.Optional(t.Integer()),
    ...note,
  }),
  /** The first group of `pattern` is read as JSON, its single quotes as double ones. */
  rest_text: t.Object({ ...endpoint, pattern: t.String(), ...note }),
  sda: t.Object({ ...endpoint, sql: t.String(), ...note }),
  ogc_features: t.Object({
    ...endpoint,
    parameter_code: t.Optional(t.String()),
    max_age_seconds: t.Optional(t.Integer()),
    join: t.Optional(t.Object({ ...endpoint, json_path: t.String(), attribute: t.String() })),
    ...note,
  }),
  geojson_file: t.Object({
    asset: t.String(),
    attribute_map: t.Optional(t.Record(t.String(), t.String())),
    refresh_seconds: t.Optional(t.Integer()),
    ...note,
  }),
  wms_feature_info: t.Object({ ...endpoint, layer: t.String(), ...note }),
  cropscape: t.Object({ ...endpoint, crs: t.String(), ...note }),
  table: t.Object({
    asset: t.String(),
    json_path: t.Optional(t.String()),
    encoding: t.Optional(t.String()),
    header_lines: t.Optional(t.Integer()),
    preamble_rows: t.Optional(t.Integer()),
    sheet: t.Optional(t.String()),
    /** The names of the columns, for a file that has none. */
    columns: t.Optional(t.Array(t.String())),
    /** The columns that make the key when they are joined. */
    key_columns: t.Optional(t.Array(t.String())),
    /** How many yearly editions are joined; the columns of the year before end in `_prior`. */
    editions: t.Optional(t.Integer()),
    ...note,
  }),
  overpass: t.Object({ ...endpoint, default: t.Optional(t.Literal('off')), ...note }),
}
