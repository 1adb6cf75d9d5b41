import type { Database, Statement } from 'bun:sqlite'
import { attributeOf } from '../../geo/attribute.ts'
import type { Properties } from '../../model/source.ts'
import type { ByteCache, CachePartition } from './byte-cache.ts'
import { areaColumn, partColumn, quoteIdentifier, type PackTableInfo } from '../../files/geopackage/geopackage.ts'
import type { PackColumns } from './pack-columns.ts'
import { shapeArea_m2, decodeShape, freeLargeBuffer, type PackShape, type Unproject } from './pack-shape.ts'

/**
 * The features of a layer by row id, read on first use and cached. A subdivided feature has a row for each piece.
 * Reads features through prepared statements, and caches shapes, properties and feature ids.
 */
export class PackFeatures {
  /** The id of the feature that a row belongs to; the pieces of a feature share it. `null` if each row is a feature. */
  readonly featureIdOf: ((row: number) => number) | null
  readonly #columns: PackColumns
  readonly #unproject: Unproject
  readonly #shapeStatement: Statement<unknown, [number]>
  readonly #rowStatement: Statement<unknown, [number]>
  readonly #nextStatement: Statement<unknown, [number, number]>
  readonly #partStatement: Statement<{ part: number | null; area: number | null }, [number]> | null
  readonly #featureIds: CachePartition<number>
  readonly #shapes: CachePartition<PackShape | null>
  readonly #rows: CachePartition<Properties>
  readonly #rowIdColumn: string | null
  readonly #invalidRows = new Set<number>()

  constructor(
    db: Database,
    { name, geometry, isSubdivided, rowIdColumn }: PackTableInfo,
    { columns, unproject }: { columns: PackColumns; unproject: Unproject },
    cache: ByteCache,
  ) {
    const fromRow = `FROM ${quoteIdentifier(name)} WHERE rowid = ?`
    this.featureIdOf = isSubdivided ? (row) => this.#featureIdOf(row) : null
    this.#columns = columns
    this.#unproject = unproject
    this.#rowIdColumn = rowIdColumn
    this.#shapeStatement = db.prepare(
      `SELECT ${quoteIdentifier(geometry!.column)}${isSubdivided ? `, ${partColumn}` : ''} ${fromRow}`,
    )
    this.#rowStatement = db.prepare(`SELECT ${columns.select} ${fromRow}`)
    this.#nextStatement = db.prepare(
      `SELECT rowid FROM ${quoteIdentifier(name)} WHERE rowid >= ? ORDER BY rowid LIMIT ?`,
    )
    this.#partStatement = isSubdivided
      ? db.prepare(`SELECT ${partColumn} AS part, ${areaColumn} AS area ${fromRow}`)
      : null
    this.#featureIds = cache.openPartition()
    this.#shapes = cache.openPartition()
    this.#rows = cache.openPartition()
  }

  /** `null` if the geometry is missing, empty or invalid. */
  shape(row: number): PackShape | null {
    const cached = this.#shapes.get(row)
    if (cached !== undefined) return cached
    const [blob, part] = this.#shapeStatement.values(row)[0] ?? []
    const shape = this.#tryDecodeShape(row, blob ?? null)
    if (blob instanceof Uint8Array) freeLargeBuffer(blob)
    if (this.featureIdOf) this.#cacheFeatureId(row, part)
    return this.#shapes.set(row, shape, shape?.bytes ?? 0)
  }

  properties(row: number): Properties {
    const cached = this.#rows.get(row)
    if (cached) return cached
    const values = this.#rowStatement.values(row)[0] ?? []
    return this.#rows.set(
      row,
      this.#columns.propertiesOf(values, 0),
      values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 50 + value.length : 24), 0),
    )
  }

  /** The rows from a row id on, in order, at most `limit`. */
  rowsFrom(row: number, limit: number): number[] {
    return this.#nextStatement.values(row, limit).map(([id]) => id as number)
  }

  /**
   * A text that is the same for copies of one feature in several files: the value of the key column. Without one, its
   * attributes with its geometry, or with its area if it is subdivided.
   */
  identityOf(row: number, key: string | null): string {
    const properties = this.properties(row)
    const value = key === null ? null : attributeOf(properties, key)
    if (value !== null && value !== undefined) return String(value)
    const attributes = Object.entries(properties).filter(([name]) => name !== this.#rowIdColumn)
    const [blob] = this.#shapeStatement.values(row)[0] ?? []
    const geometry = this.featureIdOf ? this.area_m2(row) : blob instanceof Uint8Array ? String(Bun.hash(blob)) : null
    return JSON.stringify([attributes, geometry])
  }

  /** The approximate area of the complete feature in square meters. */
  area_m2(row: number): number {
    return this.#partStatement?.get(row)?.area ?? shapeArea_m2(this.shape(row)!)
  }

  /** Whether the geometry of a row was found to be invalid, not missing or empty. */
  isInvalid(row: number): boolean {
    return this.#invalidRows.has(row)
  }

  /** The number of invalid geometries found so far. */
  invalidCount(): number {
    return this.#invalidRows.size
  }

  close(): void {
    this.#featureIds.close()
    this.#shapes.close()
    this.#rows.close()
    this.#shapeStatement.finalize()
    this.#rowStatement.finalize()
    this.#nextStatement.finalize()
    this.#partStatement?.finalize()
  }

  #featureIdOf(row: number): number {
    const cached = this.#featureIds.get(row)
    if (cached !== undefined) return cached
    return this.#cacheFeatureId(row, this.#partStatement?.get(row)?.part)
  }

  /** The ids of subdivided features are negated so that they cannot equal a row id. */
  #cacheFeatureId(row: number, part: unknown): number {
    return this.#featureIds.set(row, typeof part === 'number' ? -part : row, 0)
  }

  #tryDecodeShape(row: number, blob: unknown): PackShape | null {
    try {
      if (blob === null) return null
      if (!(blob instanceof Uint8Array)) throw new Error('The geometry is not a blob.')
      return decodeShape(blob, this.#unproject)
    } catch {
      // Publishers ship layers with single invalid geometries. The row is skipped and counted in the pack's notes.
      if (this.#invalidRows.size < maxInvalid) this.#invalidRows.add(row)
      return null
    }
  }
}

const maxInvalid = 100_000
