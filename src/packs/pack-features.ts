import type { Database } from 'bun:sqlite'
import type { Properties } from '../model/source.ts'
import type { ByteCache } from './byte-cache.ts'
import { areaColumn, partColumn, quoteIdentifier, type PackTableInfo } from './geopackage-file.ts'
import type { PackColumns } from './pack-columns.ts'
import { shapeArea_m2, decodeShape, type PackShape, type Unproject } from './pack-shape.ts'

/** The features of a layer by row id, read on first use and cached. A subdivided feature has a row for each piece. */
export type PackFeatures = {
  /** `null` if the geometry is missing, empty or invalid. */
  shape(row: number): PackShape | null
  properties(row: number): Properties
  /** The id of the feature that a row belongs to; the pieces of a feature share it. `null` if each row is a feature. */
  featureIdOf: ((row: number) => number) | null
  /** The approximate area of the complete feature in square meters. */
  area_m2(row: number): number
  /** The number of invalid geometries found so far. */
  invalidCount(): number
  close(): void
}

/** Prepares the statements that read a layer's features. Reads nothing yet. */
export function openPackFeatures(
  db: Database,
  { name, geometry, isSubdivided }: PackTableInfo,
  columns: PackColumns,
  unproject: Unproject,
  cache: ByteCache,
): PackFeatures {
  const shapeStatement = db.prepare<unknown, [number]>(
    `SELECT ${quoteIdentifier(geometry!.column)}${isSubdivided ? `, ${partColumn}` : ''} FROM ${quoteIdentifier(name)} WHERE rowid = ?`,
  )
  const rowStatement = db.prepare<unknown, [number]>(
    `SELECT ${columns.select} FROM ${quoteIdentifier(name)} WHERE rowid = ?`,
  )
  const partStatement = isSubdivided
    ? db.prepare<{ part: number | null; area: number | null }, [number]>(
        `SELECT ${partColumn} AS part, ${areaColumn} AS area FROM ${quoteIdentifier(name)} WHERE rowid = ?`,
      )
    : null
  const featureIds = cache.openPartition<number>()
  const shapes = cache.openPartition<PackShape | null>()
  const rows = cache.openPartition<Properties>()
  const invalidRows = new Set<number>()
  return {
    shape: shapeAt,
    properties(row) {
      const cached = rows.get(row)
      if (cached) return cached
      const values = rowStatement.values(row)[0] ?? []
      return rows.set(
        row,
        columns.propertiesOf(values, 0),
        values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 50 + value.length : 24), 0),
      )
    },
    featureIdOf: isSubdivided ? featureIdOf : null,
    area_m2: (row) => partStatement?.get(row)?.area ?? shapeArea_m2(shapeAt(row)!),
    invalidCount: () => invalidRows.size,
    close() {
      featureIds.close()
      shapes.close()
      rows.close()
      shapeStatement.finalize()
      rowStatement.finalize()
      partStatement?.finalize()
    },
  }

  function shapeAt(row: number): PackShape | null {
    const cached = shapes.get(row)
    if (cached !== undefined) return cached
    const [blob, part] = shapeStatement.values(row)[0] ?? []
    const shape = tryDecodeShape(row, blob ?? null)
    if (isSubdivided) cacheFeatureId(row, part)
    return shapes.set(row, shape, shape?.bytes ?? 0)
  }

  function featureIdOf(row: number): number {
    const cached = featureIds.get(row)
    if (cached !== undefined) return cached
    return cacheFeatureId(row, partStatement?.get(row)?.part)
  }

  /** The ids of subdivided features are negated so that they cannot equal a row id. */
  function cacheFeatureId(row: number, part: unknown): number {
    return featureIds.set(row, typeof part === 'number' ? -part : row, 0)
  }

  function tryDecodeShape(row: number, blob: unknown): PackShape | null {
    try {
      if (blob === null) return null
      if (!(blob instanceof Uint8Array)) throw new Error('The geometry is not a blob.')
      return decodeShape(blob, unproject)
    } catch {
      // Publishers ship layers with single invalid geometries. The row is skipped and counted in the pack's notes.
      if (invalidRows.size < maxInvalid) invalidRows.add(row)
      return null
    }
  }
}

const maxInvalid = 100_000
