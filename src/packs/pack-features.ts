import type { Database } from 'bun:sqlite'
import type { Properties } from '../model/source.ts'
import type { ByteCache } from './byte-cache.ts'
import { areaColumn, partColumn, quoteIdentifier, type PackTableInfo } from './geopackage-file.ts'
import type { PackColumns } from './pack-columns.ts'
import { shapeArea_m2, decodeShape, type PackShape, type Unproject } from './pack-shape.ts'

/** The features of a layer by their row, or by the rows of their pieces: read when they are first asked for, and kept for as long as there is room. */
export type PackFeatures = {
  /** `null`: there is none, it is empty, or it is broken. */
  shape(row: number): PackShape | null
  properties(row: number): Properties
  /** Which feature a row is of: pieces of one have the same number, and no other row has it. `null`: each row is a feature. */
  featureIdOf: ((row: number) => number) | null
  /** About how many square metres the whole feature covers. */
  area_m2(row: number): number
  /** How many geometries were found broken so far. */
  invalidCount(): number
  close(): void
}

/** Prepares the reading of a layer's features; reads nothing yet. */
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

  /** Below zero, where no row is. */
  function cacheFeatureId(row: number, part: unknown): number {
    return featureIds.set(row, typeof part === 'number' ? -part : row, 0)
  }

  function tryDecodeShape(row: number, blob: unknown): PackShape | null {
    try {
      if (blob === null) return null
      if (!(blob instanceof Uint8Array)) throw new Error('A geometry was expected to be bytes.')
      return decodeShape(blob, unproject)
    } catch {
      // One bad geometry among a million is the publisher's, and no reason to refuse the rest; it is counted and shown.
      if (invalidRows.size < maxInvalid) invalidRows.add(row)
      return null
    }
  }
}

const maxInvalid = 100_000
