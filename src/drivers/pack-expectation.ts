import type { Static } from '@sinclair/typebox'
import type { Shape } from '../model/source.ts'
import type { PackRequirements } from '../packs/pack.ts'
import { ssurgoParents } from './pack-ssurgo.ts'
import { t } from './driver.ts'

/** How a dataset is addressed in a file of the packs folder. `{level}` in the file or the layer is the level of the read. */
export const packSettings = t.Object({
  file: t.String(),
  layer: t.Optional(t.String()),
  layers: t.Optional(t.Array(t.String())),
  joins: t.Optional(t.Array(t.String())),
  band: t.Optional(t.Integer()),
  /** Names of the publisher's files that are others than those of the service: each gets its new name when a pack is built. */
  rename: t.Optional(t.Record(t.String(), t.String())),
  /** The columns of a table that make its key when they are joined; without them, one of the names that publishers use. */
  key_columns: t.Optional(t.Array(t.String())),
  /** Where the rows (or the one value of a raster) stand in the document that the network gives, for the paths of the fields. */
  under: t.Optional(t.Array(t.Union([t.String(), t.Integer()]))),
  /** Where the columns stand in each of those rows. */
  columns_under: t.Optional(t.Array(t.String())),
  /** What the one value of a raster is multiplied by. */
  scale: t.Optional(t.Number()),
  note: t.Optional(t.String()),
})
/** How one dataset is addressed. */
export type PackSettings = Static<typeof packSettings>

/** What is to be known of a dataset to say what its pack must hold: `keyed`, whether its reads name a key; `attributes`, what they read. */
export type DatasetReads = {
  id: string
  shape: Shape
  levels: readonly number[]
  isKeyed: boolean
  keyField: string | null
  attributes: readonly string[]
  polygons: boolean
}

/** What a dataset expects of a file of this name; `null` when it is not read from it. */
export function packExpectationOf(
  settings: PackSettings,
  file: string,
  { id, shape, levels, isKeyed, keyField, attributes, polygons: needsPolygons }: DatasetReads,
): PackRequirements | null {
  if (!expandLevels(settings.file, levels).includes(file)) return null
  const base: PackRequirements = { dataset: id, attributes: [], layers: [], needsPolygons: false, tables: [] }
  if (file.endsWith('.tif')) return base
  const layers = settings.layers ?? (settings.layer === undefined ? [null] : expandLevels(settings.layer, levels))
  if (shape === 'features') return { ...base, attributes, layers, needsPolygons }
  if (settings.joins) return { ...base, ...ssurgoExpectation(settings.layer!, settings.joins) }
  if (settings.layers) return { ...base, layers, needsPolygons: true, anyLayer: true }
  if (!isKeyed) return { ...base, layers, needsPolygons: true }
  const keys = settings.key_columns ? [settings.key_columns] : [...(keyField ? [[keyField]] : []), ...publisherKeys]
  return { ...base, attributes, tables: [{ name: settings.layer ?? null, keys }] }
}

/** A name with every level put in place of `{level}`. */
function expandLevels(name: string, levels: readonly number[]): string[] {
  return name.includes('{level}') ? levels.map((level) => name.replaceAll('{level}', String(level))) : [name]
}

/** By which columns publishers' own tables of counties, tracts, stream reaches and communities are keyed. */
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
