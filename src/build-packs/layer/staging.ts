import { Database, type Statement } from 'bun:sqlite'
import { type QueryBox, emptyExtent, touchesBoxes, addExtent } from '../../geo/boxes.ts'
import { usBoxes } from '../../geo/us.ts'
import { writeGeometry, type GeometryPart, type StoredGeometry } from '../../geo/text/wkb-write.ts'
import { areaColumn, partColumn } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'
import { shapeArea_m2, decodeShape } from '../../packs/layer/pack-shape.ts'
import { recordValueKind, type StagedColumn } from '../column-types.ts'
import type { ToDegrees } from '../../files/crs.ts'
import { hilbertIndexOf } from './hilbert.ts'
import type { InputFeature, InputFile } from '../../files/input-file.ts'
import { subdivide } from './subdivide.ts'
import { normalizeParts, type OutOfRangePosition } from '../../files/normalize-parts.ts'
import type { Extent } from '../../model/area.ts'

/**
 * A summary of the staging table. Features whose geometry is missing, invalid or out of range are kept as rows without
 * geometry.
 */
export type StagingSummary = Extent & {
  features: number
  /** The features that are not kept, because they do not touch the boxes, or an earlier file has them. */
  outside: number
  /** The number of features stored as several pieces, one row each. */
  subdivided: number
  empty: number
  invalid: number
  /** The features that touch the served area. */
  inUs: number
  /** The features whose coordinates are not on the earth, and a description of the first. */
  outOfRange: { count: number; first: string }
  types: Set<string>
  columns: StagedColumn[]
  /** The columns that were not kept. */
  droppedColumns: string[]
}

const maxColumns = 1_900
const cache_kib = 32_768
const reservedNames = new Set(['rowid', '_rowid_', partColumn, areaColumn])

/** How to stage features. */
export type StagingOptions = {
  /** New column names by lower-case name. */
  renames: ReadonlyMap<string, string>
  /** The columns to keep, by lower-case name after renaming; null keeps all. */
  keepColumns: ReadonlySet<string> | null
  /** Drop geometries. */
  isTable: boolean
  /** Do not subdivide polygons. */
  keepWhole: boolean
  /** Keep only features that touch these boxes, each once; null keeps all. */
  clip: readonly QueryBox[] | null
}

/** An untyped table on disk that collects features until the names and types of all columns are known. */
export class StagingTable {
  readonly summary: StagingSummary = {
    features: 0,
    outside: 0,
    subdivided: 0,
    empty: 0,
    invalid: 0,
    inUs: 0,
    outOfRange: { count: 0, first: '' },
    types: new Set(),
    ...emptyExtent(),
    columns: [],
    droppedColumns: [],
  }
  readonly #db: Database
  readonly #options: StagingOptions
  /** Indexes in `summary.columns` by the name in the file; null for a column that is not kept. */
  readonly #columnIndexes = new Map<string, number | null>()
  /** Prepared again whenever a column is added. */
  #insert: Statement | null = null
  /** The hashes of the features of earlier files, and of this file. */
  #earlierFeatures = new Set<bigint>()
  #features = new Set<bigint>()

  constructor(path: string, options: StagingOptions) {
    this.#options = options
    this.#db = new Database(path, { create: true })
    this.#db.run('PRAGMA journal_mode = OFF')
    this.#db.run('PRAGMA synchronous = OFF')
    this.#db.run(`PRAGMA cache_size = -${cache_kib}`)
    this.#db.run(`CREATE TABLE staged (fs_hilbert REAL, fs_blob BLOB, ${partColumn} INTEGER, ${areaColumn} REAL)`)
    this.#db.run('BEGIN')
  }

  /** Adds the columns that a file declares, so that a column without values exists too. */
  declareColumns({ columns }: Pick<InputFile, 'columns'>): void {
    for (const name of columns) this.#columnIndexOf(name)
  }

  add(features: readonly InputFeature[], { isText, toDegrees }: { isText: boolean; toDegrees: ToDegrees }): void {
    const { columns } = this.summary
    for (const { parts, properties } of features) {
      const rows = this.#options.isTable ? [noGeometry] : this.#geometryRowsOf(parts, toDegrees)
      const values: (string | number | boolean | null)[] = []
      for (const name in properties) {
        const value = properties[name] ?? null
        const index = this.#columnIndexOf(name)
        if (index === null) continue
        recordValueKind(columns[index]!, value, isText)
        values[index] = value
      }
      if (rows === null || this.#isOfEarlierFile(rows, values)) {
        this.summary.outside++
        continue
      }
      this.#insert ??= this.#db.prepare(`INSERT INTO staged VALUES (?, ?, ?, ?${', ?'.repeat(columns.length)})`)
      for (const row of rows) this.#insert.run(...row, ...Array.from(columns, (_, i) => values[i] ?? null))
      this.summary.features++
    }
  }

  /** Ends a file. With `clip`, a feature that a later file has as well is not added again. */
  endFile(): void {
    this.#earlierFeatures = this.#earlierFeatures.union(this.#features)
    this.#features = new Set()
  }

  #isOfEarlierFile(rows: readonly GeometryCells[], values: readonly unknown[]): boolean {
    if (!this.#options.clip) return false
    const start = Bun.hash.xxHash64(JSON.stringify(values))
    const hash = rows.reduce((seed, [, blob]) => Bun.hash.xxHash64(blob ?? '', seed), start)
    this.#features.add(hash)
    return this.#earlierFeatures.has(hash)
  }

  close(): void {
    this.#insert?.finalize()
    this.#db.run('COMMIT')
    this.#db.close()
  }

  #columnIndexOf(name: string): number | null {
    const cached = this.#columnIndexes.get(name)
    if (cached !== undefined) return cached
    const { renames, keepColumns } = this.#options
    const finalName = renames.get(name.toLowerCase()) ?? name
    if (keepColumns && !keepColumns.has(finalName.toLowerCase())) {
      this.#columnIndexes.set(name, null)
      this.summary.droppedColumns.push(finalName)
      return null
    }
    const existing = this.summary.columns.findIndex((column) => column.name.toLowerCase() === finalName.toLowerCase())
    const index = existing >= 0 ? existing : this.summary.columns.length
    if (existing < 0) this.#addColumn(finalName)
    this.#columnIndexes.set(name, index)
    return index
  }

  #addColumn(name: string): void {
    if (this.summary.columns.length >= maxColumns)
      throw new FileError(`The features have more than ${maxColumns} attributes.`)
    const column = `c${this.summary.columns.length}`
    this.#db.run(`ALTER TABLE staged ADD COLUMN ${column}`)
    // SQLite uses rowid and _rowid_; partColumn and areaColumn are our own.
    this.summary.columns.push({
      name: reservedNames.has(name.toLowerCase()) ? `${name}_` : name,
      stagedName: column,
      seenKinds: 0,
      samples: [],
    })
    this.#insert?.finalize()
    this.#insert = null
  }

  /**
   * One row for each piece. All pieces get the Hilbert index of the feature, so they stay adjacent. Null if the feature
   * is not kept.
   */
  #geometryRowsOf(parts: GeometryPart[] | 'invalid', toDegrees: ToDegrees): GeometryCells[] | null {
    const { clip } = this.#options
    const normalized = parts === 'invalid' ? parts : normalizeParts(parts, toDegrees)
    if (normalized === 'invalid') this.summary.invalid++
    else if ('x' in normalized) this.#recordOutOfRange(normalized)
    else if (normalized.length === 0) this.summary.empty++
    if (normalized === 'invalid' || 'x' in normalized || normalized.length === 0) return clip ? null : [noGeometry]
    const stored = writeGeometry(normalized)
    if (clip && !touchesBoxes(stored, clip)) return null
    this.#recordGeometry(stored)
    const hilbertIndex = hilbertIndexOf((stored.west + stored.east) / 2, (stored.south + stored.north) / 2)
    const pieces = this.#options.keepWhole ? [normalized] : subdivide(normalized)
    if (pieces.length < 2) return [[hilbertIndex, stored.blob, null, null]]
    this.summary.subdivided++
    const area = shapeArea_m2(decodeShape(stored.blob, null)!)
    return pieces.map((piece) => [hilbertIndex, writeGeometry(piece).blob, this.summary.features + 1, area])
  }

  #recordOutOfRange({ x, y }: OutOfRangePosition): void {
    const { outOfRange } = this.summary
    if (outOfRange.count === 0) outOfRange.first = `feature ${this.summary.features + 1}, with x ${x} and y ${y}`
    outOfRange.count++
  }

  #recordGeometry(stored: StoredGeometry): void {
    this.summary.types.add(stored.type)
    if (touchesBoxes(stored, usBoxes)) this.summary.inUs++
    addExtent(this.summary, stored)
  }
}

type GeometryCells = [
  hilbertIndex: number | null,
  blob: Uint8Array | null,
  part_of: number | null,
  area_m2: number | null,
]

const noGeometry: GeometryCells = [null, null, null, null]
