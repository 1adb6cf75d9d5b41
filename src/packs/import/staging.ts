import { Database, type Statement } from 'bun:sqlite'
import { writeGeometry, type GeometryPart, type StoredGeometry } from '../../geo/wkb-write.ts'
import { areaColumn, partColumn } from '../geopackage-file.ts'
import { PackError } from '../pack-error.ts'
import { shapeArea_m2, decodeShape } from '../pack-shape.ts'
import { recordValueKind, type StagedColumn } from './column-types.ts'
import type { ToDegrees } from './crs.ts'
import { hilbertIndexOf } from './hilbert.ts'
import type { InputFeature, InputFile } from './input-file.ts'
import { subdivide } from './subdivide.ts'
import { normalizeParts, type OutOfRangePosition } from './normalize-parts.ts'

/**
 * A summary of the staging table. Features whose geometry is missing, invalid or out of range are kept as rows without
 * geometry.
 */
export type StagingSummary = {
  features: number
  /** The number of features stored as several pieces, one row each. */
  subdivided: number
  empty: number
  invalid: number
  /** The features whose coordinates are not on the earth, and a description of the first. */
  outOfRange: { count: number; first: string }
  types: Set<string>
  west: number
  east: number
  south: number
  north: number
  columns: StagedColumn[]
  /** The columns that were not kept. */
  droppedColumns: string[]
}

/** An untyped table on disk that collects features until the names and types of all columns are known. */
export type StagingTable = {
  add(features: readonly InputFeature[], options: { isText: boolean; toDegrees: ToDegrees }): void
  /** Adds the columns that a file declares, so that a column without values exists too. */
  declareColumns(input: InputFile): void
  summary: StagingSummary
  close(): void
}

const maxColumns = 1_900
const cache_kib = 32_768
const reservedNames = new Set(['rowid', '_rowid_', partColumn, areaColumn])

/**
 * Opens a staging table in a new file. `renames` maps lower-case column names to new names. `keepColumns` lists the
 * columns to keep by lower-case name after renaming; null keeps all. `isTable` drops geometries. `keepWhole` prevents
 * subdivision.
 */
export function openStagingTable(
  path: string,
  {
    renames,
    keepColumns,
    isTable,
    keepWhole,
  }: {
    renames: ReadonlyMap<string, string>
    keepColumns: ReadonlySet<string> | null
    isTable: boolean
    keepWhole: boolean
  },
): StagingTable {
  const db = new Database(path, { create: true })
  db.run('PRAGMA journal_mode = OFF')
  db.run('PRAGMA synchronous = OFF')
  db.run(`PRAGMA cache_size = -${cache_kib}`)
  db.run(`CREATE TABLE staged (fs_hilbert REAL, fs_blob BLOB, ${partColumn} INTEGER, ${areaColumn} REAL)`)
  db.run('BEGIN')
  const summary: StagingSummary = {
    features: 0,
    subdivided: 0,
    empty: 0,
    invalid: 0,
    outOfRange: { count: 0, first: '' },
    types: new Set(),
    west: Infinity,
    east: -Infinity,
    south: Infinity,
    north: -Infinity,
    columns: [],
    droppedColumns: [],
  }
  const columnIndexes = new Map<string, number | null>()
  let insert: Statement | null = null
  return {
    summary,
    declareColumns: ({ columns }) => columns.forEach((name) => void columnIndexOf(name)),
    add(features, { isText, toDegrees }) {
      for (const { parts, properties } of features) {
        const values: (string | number | boolean | null)[] = []
        for (const name in properties) {
          const value = properties[name] ?? null
          const index = columnIndexOf(name)
          if (index === null) continue
          recordValueKind(summary.columns[index]!, value, isText)
          values[index] = value
        }
        const rows = isTable ? [noGeometry] : geometryRowsOf(parts, toDegrees)
        insert ??= db.prepare(`INSERT INTO staged VALUES (?, ?, ?, ?${', ?'.repeat(summary.columns.length)})`)
        for (const row of rows) insert.run(...row, ...Array.from(summary.columns, (_, i) => values[i] ?? null))
        summary.features++
      }
    },
    close() {
      insert?.finalize()
      db.run('COMMIT')
      db.close()
    },
  }

  function columnIndexOf(name: string): number | null {
    const cached = columnIndexes.get(name)
    if (cached !== undefined) return cached
    const finalName = renames.get(name.toLowerCase()) ?? name
    if (keepColumns && !keepColumns.has(finalName.toLowerCase())) {
      columnIndexes.set(name, null)
      summary.droppedColumns.push(finalName)
      return null
    }
    const existing = summary.columns.findIndex((column) => column.name.toLowerCase() === finalName.toLowerCase())
    const index = existing >= 0 ? existing : summary.columns.length
    if (existing < 0) addColumn(finalName)
    columnIndexes.set(name, index)
    return index
  }

  function addColumn(name: string): void {
    if (summary.columns.length >= maxColumns)
      throw new PackError(`The features have more than ${maxColumns} attributes.`)
    const column = `c${summary.columns.length}`
    db.run(`ALTER TABLE staged ADD COLUMN ${column}`)
    // SQLite uses rowid and _rowid_; partColumn and areaColumn are our own.
    summary.columns.push({
      name: reservedNames.has(name.toLowerCase()) ? `${name}_` : name,
      stagedName: column,
      seenKinds: 0,
    })
    insert?.finalize()
    insert = null
  }

  /** One row for each piece. All pieces get the Hilbert index of the feature, so they stay adjacent. */
  function geometryRowsOf(parts: GeometryPart[] | 'invalid', toDegrees: ToDegrees): GeometryCells[] {
    const normalized = parts === 'invalid' ? parts : normalizeParts(parts, toDegrees)
    if (normalized === 'invalid') summary.invalid++
    else if ('x' in normalized) recordOutOfRange(normalized)
    else if (normalized.length === 0) summary.empty++
    if (normalized === 'invalid' || 'x' in normalized || normalized.length === 0) return [noGeometry]
    const stored = writeGeometry(normalized)
    recordGeometry(stored)
    const hilbertIndex = hilbertIndexOf((stored.west + stored.east) / 2, (stored.south + stored.north) / 2)
    const pieces = keepWhole ? [normalized] : subdivide(normalized)
    if (pieces.length < 2) return [[hilbertIndex, stored.blob, null, null]]
    summary.subdivided++
    const area = shapeArea_m2(decodeShape(stored.blob, null)!)
    return pieces.map((piece) => [hilbertIndex, writeGeometry(piece).blob, summary.features + 1, area])
  }

  function recordOutOfRange({ x, y }: OutOfRangePosition): void {
    const { outOfRange } = summary
    if (outOfRange.count === 0) outOfRange.first = `feature ${summary.features + 1}, with x ${x} and y ${y}`
    outOfRange.count++
  }

  function recordGeometry(stored: StoredGeometry): void {
    summary.types.add(stored.type)
    summary.west = Math.min(summary.west, stored.west)
    summary.east = Math.max(summary.east, stored.east)
    summary.south = Math.min(summary.south, stored.south)
    summary.north = Math.max(summary.north, stored.north)
  }
}

type GeometryCells = [
  hilbertIndex: number | null,
  blob: Uint8Array | null,
  part_of: number | null,
  area_m2: number | null,
]

const noGeometry: GeometryCells = [null, null, null, null]
