import { geoJsonOf } from '../../geo/text/geojson.ts'
import { UpstreamError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget, DocumentQuery, Feature, Properties } from '../../model/source.ts'
import type { PackDataset } from '../../packs/pack.ts'
import { documentTable } from '../../packs/layer/pack-table.ts'
import { missingKeyError } from '../driver-errors.ts'
import type { PackSettings } from './pack-expectation.ts'
import { geographiesAt } from './pack-geographies.ts'
import { soilAt } from './pack-ssurgo.ts'
import { normalizeKey } from '../table/table-rows.ts'

/**
 * Reads the record of a place or of a key from a pack, in the form of the service that it replaces.
 * @throws {UpstreamError} if the pack does not know it.
 */
export async function readDocument(
  settings: PackSettings,
  wholePack: PackDataset,
  { at, key, with_geometry }: DocumentQuery,
  budget: Budget,
): Promise<unknown> {
  const { layer = '', layers, joins, under = [], columns_under = [], document_column } = settings
  const packDataset = wholePack.at(at)
  if (packDataset.raster) return nestAtPath(under, await readCell(settings, packDataset, at, budget))
  const packDatasets = [packDataset, wholePack]
  if (joins) return soilAt(packDataset, layer, at, (mukey) => documentOfKey(mukey, packDatasets, settings.file))
  if (layers) return geographiesAt(packDataset, at)
  if (packDataset.tables.size > 0) {
    const document = documentOfKey(normalizeKey(requireKey(key), settings), packDatasets, settings.file)
    if (document !== undefined) return document
    return nestAtPath(
      under,
      rowsOfKey(requireKey(key), layer, packDatasets).map((row) => nestAtPath(columns_under, row)),
    )
  }
  const found = packDataset.layers.get(layer)!.query({ at, radius_m: 0, ...(with_geometry && { with_geometry }) })
  if (document_column !== undefined) return documentOfPlace(found[0], document_column, settings.file)
  const features = found.map(({ properties, geometry }) => ({
    ...(nestAtPath(columns_under, properties) as Record<string, unknown>),
    ...(geometry && { geometry: geoJsonOf(geometry) }),
  }))
  return nestAtPath(under, features)
}

/**
 * The document of the polygon that contains a place.
 * @throws {UpstreamError} if no polygon of the copy contains it, or its document is damaged.
 */
function documentOfPlace(feature: Feature | undefined, column: string, file: string): unknown {
  if (!feature)
    throw new UpstreamError(
      'no_local_data',
      `The pack ${file} was copied for an area that does not include this place. Copy it for a larger area.`,
    )
  const text = feature.properties[column]
  try {
    if (typeof text === 'string') return JSON.parse(text)
  } catch {
    // The error below says what to do.
  }
  throw new UpstreamError(
    'bad_value',
    `The pack ${file} has no valid JSON in the column ${column} at this place. Copy the pack again.`,
  )
}

/** The rows of a key in the parts that answer for the place, else in any part. */
function rowsOfKey(key: string, table: string, packDatasets: readonly PackDataset[]): Properties[] {
  for (const { tables } of packDatasets) {
    const rows = tables.get(table)?.rows(key) ?? []
    if (rows.length > 0) return rows
  }
  return []
}

/**
 * The document of a key that was copied from the service. Undefined if the pack has rows instead of documents.
 * @throws {UpstreamError} if the key was not copied: then it is not known whether there is something.
 */
function documentOfKey(key: string, packDatasets: readonly PackDataset[], file: string): unknown {
  const [row] = rowsOfKey(key, documentTable, packDatasets)
  if (row) return JSON.parse(String(row.document))
  const hasRows = packDatasets.some(({ tables }) => tables.values().some((table) => table.rows(key).length > 0))
  if (hasRows || !packDatasets.some(({ tables }) => tables.has(documentTable))) return undefined
  throw new UpstreamError(
    'no_local_data',
    `The pack ${file} was copied for an area that does not include the key ${key}. Copy it for a larger area.`,
  )
}

async function readCell(
  { band, scale = 1 }: PackSettings,
  { raster }: PackDataset,
  at: Point,
  budget: Budget,
): Promise<number | null> {
  const grid = await raster!.window({ at, radius_cells: 0 }, band === undefined ? {} : { band }, budget)
  const cell = grid.cells[Math.floor(grid.at_y) * grid.width + Math.floor(grid.at_x)] ?? null
  return cell === null ? null : cell * scale
}

/** Nests a value at the end of a path of objects (names) and lists (numbers). */
function nestAtPath(path: readonly (string | number)[], value: unknown): unknown {
  return path.reduceRight<unknown>((inner, step) => {
    if (typeof step === 'string') return { [step]: inner }
    return Array.from({ length: step + 1 }, (_, i) => (i === step ? inner : null))
  }, value)
}

function requireKey(key: string | undefined): string {
  if (key === undefined) throw missingKeyError()
  return key
}
