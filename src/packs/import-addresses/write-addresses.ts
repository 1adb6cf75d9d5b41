import type { Database } from 'bun:sqlite'
import { insideUs } from '../../geo/us.ts'
import { wordsOf } from '../../model/address-token.ts'
import { houseNumberOf, unitKeyOf } from '../../model/house-number.ts'
import { townKeyOf } from '../../model/town-key.ts'
import { states } from '../../model/words-states.ts'
import { applicationId, indexes, lineBlobOf, perDegree, schema, schemaVersion } from '../addresses-schema.ts'
import { openInterned } from './intern-streets.ts'
import type { PointRow, Read, SideRow } from './incoming-address.ts'

/** The town and state of a ZIP code, or null when nobody knows it. */
export type ZipPlace = (zip: string) => { city: string; state: string } | null

/** Takes rows in any order and writes them street by street. Rows are kept in a file beside until then. */
export type AddressWriter = {
  add(row: Read): void
  /** Ends a stretch of rows: what was added since is on the disk. */
  settle(): void
  rows(): number
  finish(about: Record<string, string>): { points: number; ranges: number; streets: number; left_out: Record<string, number> }
  close(): void
}

/** Opens a new pack for writing. */
export function openAddressWriter(db: Database, staging: string, { place, state: given = '' }: { place: ZipPlace; state?: string }): AddressWriter {
  // A build that breaks off is thrown away whole: nothing must be written twice for its safety.
  db.run(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192; PRAGMA cache_size = -${cache_kb}; PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`)
  db.run(schema)
  db.run('ATTACH ? AS staging', [staging])
  db.run('PRAGMA staging.journal_mode = OFF; PRAGMA staging.synchronous = OFF')
  db.run('CREATE TABLE staging.addr (street_id, num, pre, suf, unit, unit_key, lat, lng); CREATE TABLE staging.range (street_id, low, high, pre, side, parity, is_falling, line, west, south, east, north)')
  const addPoint = db.query('INSERT INTO staging.addr VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const addRange = db.query('INSERT INTO staging.range VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const interned = openInterned(db)
  const left_out = new Map<string, number>()
  let rows = 0
  let isOpen = true
  db.run('BEGIN')
  return {
    add(row) {
      rows++
      const reason = row.kind === 'left_out' ? row.reason : row.kind === 'point' ? point(row) : side(row)
      if (reason !== null) left_out.set(reason, (left_out.get(reason) ?? 0) + 1)
    },
    settle: () => db.run('COMMIT; BEGIN'),
    rows: () => rows,
    finish(about) {
      db.run(`INSERT OR IGNORE INTO addr SELECT * FROM staging.addr ORDER BY street_id, num, pre, suf, unit_key, lat, lng`)
      db.run(`INSERT OR IGNORE INTO range SELECT street_id, low, high, pre, side, parity, is_falling, line FROM staging.range ORDER BY street_id, low, high, pre, side, parity, is_falling, line`)
      namePostalTowns()
      db.run(indexes)
      db.run(`INSERT INTO street_box SELECT street_id, MIN(west), MAX(east), MIN(south), MAX(north) FROM
        (SELECT street_id, lng / ${perDegree}.0 AS west, lng / ${perDegree}.0 AS east, lat / ${perDegree}.0 AS south, lat / ${perDegree}.0 AS north FROM addr UNION ALL SELECT street_id, west, east, south, north FROM staging.range) GROUP BY street_id`)
      const count = (table: string) => db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!.count
      const counts = { points: count('addr'), ranges: count('range'), streets: count('street') }
      for (const [name, value] of Object.entries({ ...about, points: String(counts.points), ranges: String(counts.ranges) })) db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', [name, value])
      db.run('COMMIT')
      db.run('DETACH staging')
      return { ...counts, left_out: Object.fromEntries(left_out) }
    },
    close() {
      if (isOpen) db.close()
      isOpen = false
    },
  }

  function namePostalTowns(): void {
    const insert = db.query('INSERT INTO postal VALUES (?, ?, ?, ?)')
    for (const { zip } of db.query<{ zip: string }, []>(`SELECT DISTINCT zip FROM street WHERE zip <> ''`).all()) {
      const known = place(zip)
      if (known) insert.run(zip, known.city, townKeyOf(wordsOf(known.city)), known.state)
    }
  }

  /** Null when the row is taken, else why it is not. */
  function point({ number, street, unit, city, state, zip, lat, lng }: PointRow): string | null {
    const house = houseNumberOf(number)
    if (!house) return number === '' ? 'without a number' : 'with a number that has no digits, or too many'
    if (!insideUs({ lat, lng })) return 'outside the United States'
    const id = streetIn(street, { city, state, zip })
    if (typeof id === 'string') return id
    addPoint.run(id, house.num, house.pre, house.suf, unitShown(unit), unitKeyOf(unit), Math.round(lat * perDegree), Math.round(lng * perDegree))
    return null
  }

  function side({ street, from, to, side: hand, parity, zip, state, line }: SideRow): string | null {
    const [first, last] = [houseNumberOf(from), houseNumberOf(to)]
    if (!first || !last || first.pre !== last.pre) return 'with ends that are no range of numbers'
    if (!insideUs({ lat: line[1]!, lng: line[0]! })) return 'outside the United States'
    const id = streetIn(street, { city: '', state, zip })
    if (typeof id === 'string') return id
    const [xs, ys] = [line.filter((_, i) => i % 2 === 0), line.filter((_, i) => i % 2 === 1)]
    addRange.run(id, Math.min(first.num, last.num), Math.max(first.num, last.num), first.pre, hand, parityOf(parity, first.num, last.num), first.num > last.num ? 1 : 0, lineBlobOf(line),
      Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys))
    return null
  }

  function streetIn(street: string, { city, state, zip }: { city: string; state: string; zip: string }): number | string {
    const code = /^(\d{5})(?:-?\d{4})?$/.exec(zip)?.[1] ?? ''
    const known = code === '' ? null : place(code)
    const inState = states.get(state.toUpperCase()) ?? known?.state ?? given
    if (inState === '') return 'in no known state'
    const town = city !== '' ? city : known?.state === inState ? known.city : ''
    return interned.street(street, { zip: code, town, state: inState }) ?? 'without a street'
  }
}

const cache_kb = 32_768

/** The numbers of the ends tell, where the file does not. */
function parityOf(said: string, first: number, last: number): string {
  if (/^[OEB]$/.test(said)) return said
  return first % 2 === last % 2 ? (first % 2 === 1 ? 'O' : 'E') : 'B'
}

function unitShown(unit: string): string {
  return /^[\w-]{1,8}$/.test(unit) && /\d|^.$/.test(unit) ? `#${unit}` : unit
}
