import type { Database } from 'bun:sqlite'
import type { Properties } from '../model/source.ts'
import type { ByteCache } from './byte-cache.ts'
import { areaColumn, partColumn, quoted, type PackTableFacts } from './geopackage-file.ts'
import type { PackColumns } from './pack-columns.ts'
import { area_m2, shapeOf, type PackShape, type Unproject } from './pack-shape.ts'

/** The features of a layer by their row, or by the rows of their pieces: read when they are first asked for, and kept for as long as there is room. */
export type PackFeatures = {
  /** `null`: there is none, it is empty, or it is broken. */
  shape(row: number): PackShape | null
  properties(row: number): Properties
  /** Which feature a row is of: pieces of one have the same number, and no other row has it. `null`: each row is a feature. */
  wholeOf: ((row: number) => number) | null
  /** About how many square metres the whole feature covers. */
  area_m2(row: number): number
  /** How many geometries were found broken so far. */
  broken(): number
  close(): void
}

/** Prepares the reading of a layer's features; reads nothing yet. */
export function openFeatures(db: Database, { name, geometry, isCut }: PackTableFacts, columns: PackColumns, unproject: Unproject, cache: ByteCache): PackFeatures {
  const readShape = db.prepare<unknown, [number]>(`SELECT ${quoted(geometry!.column)}${isCut ? `, ${partColumn}` : ''} FROM ${quoted(name)} WHERE rowid = ?`)
  const readRow = db.prepare<unknown, [number]>(`SELECT ${columns.select} FROM ${quoted(name)} WHERE rowid = ?`)
  const readPart = isCut ? db.prepare<{ part: number | null; area: number | null }, [number]>(`SELECT ${partColumn} AS part, ${areaColumn} AS area FROM ${quoted(name)} WHERE rowid = ?`) : null
  const wholes = cache.shelf<number>()
  const shapes = cache.shelf<PackShape | null>()
  const rows = cache.shelf<Properties>()
  const broken = new Set<number>()
  return {
    shape: shapeAt,
    properties(row) {
      const known = rows.get(row)
      if (known) return known
      const values = readRow.values(row)[0] ?? []
      return rows.set(row, columns.propertiesOf(values, 0), values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 50 + value.length : 24), 0))
    },
    wholeOf: isCut ? wholeOf : null,
    area_m2: (row) => readPart?.get(row)?.area ?? area_m2(shapeAt(row)!),
    broken: () => broken.size,
    close() {
      wholes.close()
      shapes.close()
      rows.close()
      readShape.finalize()
      readRow.finalize()
      readPart?.finalize()
    },
  }

  function shapeAt(row: number): PackShape | null {
    const known = shapes.get(row)
    if (known !== undefined) return known
    const [blob, part] = readShape.values(row)[0] ?? []
    const shape = decoded(row, blob ?? null)
    if (isCut) noteWhole(row, part)
    return shapes.set(row, shape, shape?.bytes ?? 0)
  }

  function wholeOf(row: number): number {
    const known = wholes.get(row)
    if (known !== undefined) return known
    return noteWhole(row, readPart?.get(row)?.part)
  }

  /** Below zero, where no row is. */
  function noteWhole(row: number, part: unknown): number {
    return wholes.set(row, typeof part === 'number' ? -part : row, 0)
  }

  function decoded(row: number, blob: unknown): PackShape | null {
    try {
      if (blob === null) return null
      if (!(blob instanceof Uint8Array)) throw new Error('A geometry was expected to be bytes.')
      return shapeOf(blob, unproject)
    } catch {
      // One bad geometry among a million is the publisher's, and no reason to refuse the rest; it is counted and shown.
      if (broken.size < mostCounted) broken.add(row)
      return null
    }
  }
}

const mostCounted = 100_000
