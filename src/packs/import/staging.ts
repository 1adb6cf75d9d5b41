import { Database, type Statement } from 'bun:sqlite'
import { writeGeometry, type GeometryPart, type StoredGeometry } from '../../geo/wkb-write.ts'
import { areaColumn, partColumn } from '../geopackage-file.ts'
import { PackRefused } from '../pack-refused.ts'
import { area_m2, shapeOf } from '../pack-shape.ts'
import { noteValue, type SeenColumn } from './column-kinds.ts'
import type { ToDegrees } from './crs.ts'
import { hilbertOf } from './hilbert.ts'
import type { Incoming, Input } from './input.ts'
import { piecesOf } from './pieces.ts'
import { placed, type Astray } from './placed.ts'

/**
 * What was put into the staging table; `cut`: how many features are in pieces, a row each; `astray`: the features whose coordinates are not of the earth, and what the
 * first of them has; `aside`: the columns that were not kept. Features without a geometry, with a broken one or astray are kept as rows: they are counted, and answer nothing.
 */
export type Staged = { features: number; cut: number; empty: number; broken: number; astray: { count: number; first: string }; types: Set<string>; west: number; east: number; south: number; north: number; columns: SeenColumn[]; aside: string[] }

/** A table on disk, without types, in which features gather as they come, until the names and kinds of all columns are known. */
export type Staging = {
  add(features: readonly Incoming[], of: { isText: boolean; toDegrees: ToDegrees }): void
  /** Takes note of the columns that a file declares, so that one without values is there as well. */
  declare(input: Input): void
  staged: Staged
  close(): void
}

const columnsMost = 1_900
const cache_kib = 32_768
const ownNames = new Set(['rowid', '_rowid_', partColumn, areaColumn])

/** Opens a staging table in a new file. `renamed`: by which name a column of the files goes on, from its name in lower case. `kept`: the columns that go on (by their names in lower case, after renaming), or all; `isTable`: geometries are left out; `isWhole`: no polygon is cut into pieces. */
export function openStaging(path: string, { renamed, kept, isTable, isWhole }: { renamed: ReadonlyMap<string, string>; kept: ReadonlySet<string> | null; isTable: boolean; isWhole: boolean }): Staging {
  const db = new Database(path, { create: true })
  db.run('PRAGMA journal_mode = OFF')
  db.run('PRAGMA synchronous = OFF')
  db.run(`PRAGMA cache_size = -${cache_kib}`)
  db.run(`CREATE TABLE staged (fs_place REAL, fs_blob BLOB, ${partColumn} INTEGER, ${areaColumn} REAL)`)
  db.run('BEGIN')
  const staged: Staged = { features: 0, cut: 0, empty: 0, broken: 0, astray: { count: 0, first: '' }, types: new Set(), west: Infinity, east: -Infinity, south: Infinity, north: -Infinity, columns: [], aside: [] }
  const places = new Map<string, number | null>()
  let insert: Statement | null = null
  return {
    staged,
    declare: ({ columns }) => columns.forEach((name) => void placeOf(name)),
    add(features, { isText, toDegrees }) {
      for (const { parts, properties } of features) {
        const values: (string | number | boolean | null)[] = []
        for (const name in properties) {
          const value = properties[name] ?? null
          const place = placeOf(name)
          if (place === null) continue
          noteValue(staged.columns[place]!, value, isText)
          values[place] = value
        }
        const rows = isTable ? [noGeometry] : geometriesOf(parts, toDegrees)
        insert ??= db.prepare(`INSERT INTO staged VALUES (?, ?, ?, ?${', ?'.repeat(staged.columns.length)})`)
        for (const row of rows) insert.run(...row, ...Array.from(staged.columns, (_, i) => values[i] ?? null))
        staged.features++
      }
    },
    close() {
      insert?.finalize()
      db.run('COMMIT')
      db.close()
    },
  }

  function placeOf(name: string): number | null {
    const known = places.get(name)
    if (known !== undefined) return known
    const final = renamed.get(name.toLowerCase()) ?? name
    if (kept && !kept.has(final.toLowerCase())) {
      places.set(name, null)
      staged.aside.push(final)
      return null
    }
    const same = staged.columns.findIndex((column) => column.name.toLowerCase() === final.toLowerCase())
    const place = same >= 0 ? same : staged.columns.length
    if (same < 0) addColumn(final)
    places.set(name, place)
    return place
  }

  function addColumn(name: string): void {
    if (staged.columns.length >= columnsMost) throw new PackRefused(`The features have more than ${columnsMost} attributes.`)
    const column = `c${staged.columns.length}`
    db.run(`ALTER TABLE staged ADD COLUMN ${column}`)
    // By rowid, SQLite must go on meaning the number of the row; two names are ours.
    staged.columns.push({ name: ownNames.has(name.toLowerCase()) ? `${name}_` : name, staged: column, seen: 0 })
    insert?.finalize()
    insert = null
  }

  /** A row for each piece; they lie where the whole feature does, so that they come one after the other. */
  function geometriesOf(parts: GeometryPart[] | 'broken', toDegrees: ToDegrees): GeometryCells[] {
    const whole = parts === 'broken' ? parts : placed(parts, toDegrees)
    if (whole === 'broken') staged.broken++
    else if ('x' in whole) noteAstray(whole)
    else if (whole.length === 0) staged.empty++
    if (whole === 'broken' || 'x' in whole || whole.length === 0) return [noGeometry]
    const stored = writeGeometry(whole)
    note(stored)
    const place = hilbertOf((stored.west + stored.east) / 2, (stored.south + stored.north) / 2)
    const pieces = isWhole ? [whole] : piecesOf(whole)
    if (pieces.length < 2) return [[place, stored.blob, null, null]]
    staged.cut++
    const area = area_m2(shapeOf(stored.blob, null)!)
    return pieces.map((piece) => [place, writeGeometry(piece).blob, staged.features + 1, area])
  }

  function noteAstray({ x, y }: Astray): void {
    const { astray } = staged
    if (astray.count === 0) astray.first = `feature ${staged.features + 1}, with x ${x} and y ${y}`
    astray.count++
  }

  function note(stored: StoredGeometry): void {
    staged.types.add(stored.type)
    staged.west = Math.min(staged.west, stored.west)
    staged.east = Math.max(staged.east, stored.east)
    staged.south = Math.min(staged.south, stored.south)
    staged.north = Math.max(staged.north, stored.north)
  }
}

type GeometryCells = [place: number | null, blob: Uint8Array | null, part_of: number | null, area_m2: number | null]

const noGeometry: GeometryCells = [null, null, null, null]
