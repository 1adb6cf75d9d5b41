import type { Static } from '@sinclair/typebox'
import type { Shape } from '../../model/source.ts'
import type { PackRequirements } from '../../packs/pack.ts'
import { isPackOrPart } from '../../packs/part-files.ts'
import { ssurgoParents } from './pack-ssurgo.ts'
import { t } from '../driver.ts'

/** How a dataset is stored in a pack file. `{level}` in the file or layer is replaced by the level of the read. */
export const packSettings = t.Object({
  file: t.String(),
  layer: t.Optional(t.String()),
  layers: t.Optional(t.Array(t.String())),
  joins: t.Optional(t.Array(t.String())),
  band: t.Optional(t.Integer()),
  /** Names in the publisher's files that differ from those of the service. They are renamed when a pack is built. */
  rename: t.Optional(t.Record(t.String(), t.String())),
  /** The columns that form the key of a table; if undefined, one of the names that publishers use. */
  key_columns: t.Optional(t.Array(t.String())),
  /** The key consists of names, as in the settings of a table. */
  key_of_names: t.Optional(t.Boolean()),
  /** The path at which the rows (or the value of a raster) are placed, to match the documents of the service. */
  under: t.Optional(t.Array(t.Union([t.String(), t.Integer()]))),
  /** The column of a layer that has the document of a place, as JSON. */
  document_column: t.Optional(t.String()),
  /** The path at which the columns of each row are placed. */
  columns_under: t.Optional(t.Array(t.String())),
  /** A factor for the value of a raster. */
  scale: t.Optional(t.Number()),
  note: t.Optional(t.String()),
})
/** The settings of the pack driver. */
export type PackSettings = Static<typeof packSettings>

/**
 * What a dataset reads. `isKeyed`: whether it is read by key; `attributes`: the attributes that fields read;
 * `polygons`: whether it needs polygons.
 */
export type DatasetReads = {
  id: string
  shape: Shape
  levels: readonly number[]
  isKeyed: boolean
  keyField: string | null
  attributes: readonly string[]
  polygons: boolean
}

/** The requirements of a dataset for a pack file or a part of this name; null if it does not read that file. */
export function packExpectationOf(
  settings: PackSettings,
  file: string,
  { id, shape, levels, isKeyed, keyField, attributes, polygons: needsPolygons }: DatasetReads,
): PackRequirements | null {
  if (!expandLevels(settings.file, levels).some((packFile) => isPackOrPart(file, packFile, id))) return null
  const base: PackRequirements = { dataset: id, attributes: [], layers: [], needsPolygons: false, tables: [] }
  if (file.endsWith('.tif')) return base
  const layers = settings.layers ?? (settings.layer === undefined ? [null] : expandLevels(settings.layer, levels))
  if (shape === 'features') return { ...base, attributes, layers, needsPolygons }
  if (settings.joins) return { ...base, ...ssurgoExpectation(settings.layer!, settings.joins) }
  if (settings.layers) return { ...base, layers, needsPolygons: true, anyLayer: true }
  const columns = settings.document_column === undefined ? [] : [settings.document_column]
  if (!isKeyed) return { ...base, attributes: columns, layers, needsPolygons: true }
  const keys = settings.key_columns ? [settings.key_columns] : [...(keyField ? [[keyField]] : []), ...publisherKeys]
  return { ...base, attributes, tables: [{ name: settings.layer ?? null, keys }] }
}

/** A name with `{level}` replaced by each level. */
function expandLevels(name: string, levels: readonly number[]): string[] {
  return name.includes('{level}') ? levels.map((level) => name.replaceAll('{level}', String(level))) : [name]
}

/** The key columns of publishers' tables of counties, tracts, stream reaches and communities. */
const publisherKeys = [
  ['county_fips'],
  ['geoid'],
  ['area_fips'],
  ['fips'],
  ['fips_code'],
  ['fips code'],
  ['comid'],
  ['communityIdNumber'],
  ['state', 'county'],
]

function ssurgoExpectation(
  layer: string,
  joins: readonly string[],
): Pick<PackRequirements, 'layers' | 'needsPolygons' | 'tables'> {
  return {
    layers: [layer],
    needsPolygons: true,
    tables: joins.map((name) => ({ name, keys: [[ssurgoParents[name]!.key]] })),
  }
}
