import { constants, Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { applicationId, schemaVersion } from './addresses-schema.ts'
import { listed } from './geopackage-file.ts'
import { PackRefused } from './pack-refused.ts'
import { readably } from './readably.ts'

/** A street of a pack, with its town, and with that of its ZIP code by the Postal Service. Parts that are not there are empty texts. */
export type StreetRow = { id: number; zip: string; key: string; dir_pre: string; pretype: string; suffix: string; dir_post: string; name: string; city: string; city_key: string; state: string; postal: string; postal_key: string }
/** A point, in ten-millionths of a degree. */
export type AddrRow = { num: number; pre: string; suf: string; unit: string; unit_key: string; lat: number; lng: number }
/** Numbers along one side of a line. `is_falling`: they fall in the direction of the line. `parity`: O, E or B for both. */
export type RangeRow = { low: number; high: number; pre: string; side: string; parity: string; is_falling: number; line: Uint8Array }

/** An address pack that is open. Each member is one statement. */
export type AddressFile = {
  name: string
  about: Readonly<Record<string, string>>
  streetsOfZip(zip: string, key: string): StreetRow[]
  /** By the town of the file, or by that of the ZIP code. */
  streetsOfCity(cityKey: string, state: string | null, key: string): StreetRow[]
  points(street: number, num: number): AddrRow[]
  ranges(street: number, num: number): RangeRow[]
  lines(street: number): Uint8Array[]
  /** A point somewhere on the street. */
  middle(street: number): { lat: number; lng: number } | null
  /** The names that hold one of the texts, each of three letters at least. */
  namesWith(texts: readonly string[]): string[]
  hasZip(zip: string): boolean
  hasCity(cityKey: string, state: string | null): boolean
  close(): void
}

/** Opens an address pack. Refuses with a sentence what is none, is not whole, or is of another version. */
export function openAddressFile(path: string): AddressFile {
  checkWhole(path)
  const name = basename(path)
  const db = opened(path, name)
  try {
    return membersOf(db, name)
  } catch (error) {
    db.close()
    throw refusal(error, name)
  }
}

const header_bytes = 100
const mostStreets = 200
const mostPoints = 400
const mostRanges = 100
const mostLines = 500
const mostNames = 300
const streetColumns = `s.id, s.zip, s.key, s.dir_pre, s.pretype, s.suffix, s.dir_post, s.name, c.name AS city, c.key AS city_key, c.state, IFNULL(p.name, '') AS postal, IFNULL(p.key, '') AS postal_key`

function membersOf(db: Database, name: string): AddressFile {
  const about = Object.fromEntries(db.query<{ name: string; value: string }, []>('SELECT name, value FROM meta').all().map((row) => [row.name, row.value]))
  const many = <Row, Asked extends (string | number | null)[]>(sql: string) => {
    const statement = db.query<Row, (string | number | null)[]>(sql)
    return (...asked: Asked) => readably(name, () => statement.all(...asked))
  }
  const ofZip = many<StreetRow, [string, string]>(`SELECT ${streetColumns} FROM street s JOIN city c ON c.id = s.city_id LEFT JOIN postal p ON p.zip = s.zip WHERE s.zip = ? AND s.key = ? LIMIT ${mostStreets}`)
  const ofCity = many<StreetRow, [string, string | null, string]>(`SELECT ${streetColumns} FROM city c JOIN street s ON s.city_id = c.id LEFT JOIN postal p ON p.zip = s.zip WHERE c.key = ?1 AND (?2 IS NULL OR c.state = ?2) AND s.key = ?3 LIMIT ${mostStreets}`)
  const ofPostal = many<StreetRow, [string, string | null, string]>(`SELECT ${streetColumns} FROM postal p JOIN street s ON s.zip = p.zip JOIN city c ON c.id = s.city_id WHERE p.key = ?1 AND (?2 IS NULL OR p.state = ?2) AND s.key = ?3 LIMIT ${mostStreets}`)
  const points = many<AddrRow, [number, number]>(`SELECT num, pre, suf, unit, unit_key, lat, lng FROM addr WHERE street_id = ? AND num = ? LIMIT ${mostPoints}`)
  const ranges = many<RangeRow, [number, number]>(`SELECT low, high, pre, side, parity, is_falling, line FROM range WHERE street_id = ?1 AND low <= ?2 AND high >= ?2 LIMIT ${mostRanges}`)
  const lines = many<{ line: Uint8Array }, [number]>(`SELECT line FROM range WHERE street_id = ? LIMIT ${mostLines}`)
  const box = many<{ lat: number; lng: number }, [number]>('SELECT (south + north) / 2 AS lat, (west + east) / 2 AS lng FROM street_box WHERE id = ?')
  const names = many<{ key: string }, [string]>(`SELECT key FROM name_trigram WHERE name_trigram MATCH ? LIMIT ${mostNames}`)
  const zips = many<{ found: number }, [string]>('SELECT 1 AS found FROM street WHERE zip = ? LIMIT 1')
  const cities = many<{ found: number }, [string, string | null]>('SELECT 1 AS found FROM city WHERE key = ?1 AND (?2 IS NULL OR state = ?2) UNION ALL SELECT 1 FROM postal WHERE key = ?1 AND (?2 IS NULL OR state = ?2) LIMIT 1')
  return {
    name,
    about,
    streetsOfZip: ofZip,
    streetsOfCity: (cityKey, state, key) => [...ofCity(cityKey, state, key), ...ofPostal(cityKey, state, key)],
    points,
    ranges,
    lines: (street) => lines(street).map(({ line }) => line),
    middle: (street) => box(street)[0] ?? null,
    namesWith: (texts) => names(texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(' OR ')).map(({ key }) => key),
    hasZip: (zip) => zips(zip).length > 0,
    hasCity: (cityKey, state) => cities(cityKey, state).length > 0,
    close: () => db.close(),
  }
}

function opened(path: string, name: string): Database {
  try {
    // Whoever writes into it has been refused above; without locks a read costs no system call.
    const db = new Database(`${pathToFileURL(path).href}?immutable=1`, constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI)
    try {
      checkMarks(db, name)
      return db
    } catch (error) {
      db.close()
      throw error
    }
  } catch (error) {
    throw refusal(error, name)
  }
}

function checkMarks(db: Database, name: string): void {
  const id = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id
  const tables = db.query<{ name: string }, []>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\' ORDER BY name`).all().map((it) => it.name)
  if (id !== applicationId) throw new PackRefused(`${name} is a SQLite file and no address pack: its application_id is ${id}, and ${applicationId} was expected; it has ${listed(tables)}. \`fieldstone pack build addresses\` makes one.`)
  const version = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version
  if (version !== schemaVersion) throw new PackRefused(`${name} is an address pack of version ${version}; version ${schemaVersion} was expected: build it again.`)
}

function checkWhole(path: string): void {
  const name = basename(path)
  const { size } = statSync(path)
  const header = Buffer.alloc(header_bytes)
  const file = openSync(path, 'r')
  try {
    readSync(file, header, 0, header_bytes, 0)
  } finally {
    closeSync(file)
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw new PackRefused(`${name} (${size} bytes) is no SQLite file; an address pack was expected, as \`fieldstone pack build addresses\` makes it.`)
  const page = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const expected = page * header.readUInt32BE(28)
  if (size < expected) throw new PackRefused(`${name} is cut off: by its own header it has ${expected} bytes, and there are ${size}.`)
  const beside = [`${path}-wal`, `${path}-journal`].find((other) => existsSync(other) && statSync(other).size > 0)
  if (beside !== undefined) throw new PackRefused(`${name} is being written by another program, or was left half written: ${basename(beside)} lies beside it; a closed file was expected.`)
}

function refusal(error: unknown, name: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null
  if (code === null || !code.startsWith('SQLITE_')) return error
  return new PackRefused(`${name} cannot be read as an address pack: SQLite says ${(error as Error).message} (${code}).`, { cause: error })
}
