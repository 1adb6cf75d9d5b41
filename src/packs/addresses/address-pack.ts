import type { Database } from 'bun:sqlite'
import { basename } from 'node:path'
import { normalizeWords } from '../../address/tokenizer.ts'
import { streetNameKeyOf } from '../../address/street-key.ts'
import { addressApplicationId, addressSchemaVersion, oldAddressSchemaVersion } from './address-pack-schema.ts'
import { formatNames } from '../../files/geopackage/geopackage.ts'
import { FileError } from '../../files/file-error.ts'
import { translateReadErrors } from '../read-errors.ts'
import {
  addressPackKind,
  checkSqliteHeader,
  openImmutable,
  toSqliteFileError,
} from '../../files/geopackage/sqlite-file.ts'

/** A street of a pack with its town and the postal town of its ZIP code. Missing parts are empty strings. */
export type StreetRow = {
  id: number
  zip: string
  key: string
  dir_pre: string
  pretype: string
  suffix: string
  dir_post: string
  name: string
  city: string
  city_key: string
  state: string
  postal: string
  postal_key: string
}
/**
 * An address point; `lat` and `lng` are in ten-millionths of a degree. `number` is the house number as published; empty
 * in a pack of version 1.
 */
export type AddressRow = {
  number: string
  num: number
  pre: string
  suf: string
  unit: string
  unit_key: string
  lat: number
  lng: number
}
/**
 * A range of house numbers along one side of a line. `is_falling` is 1 if they decrease along the line. `parity` is O
 * (odd), E (even) or B (both).
 */
export type RangeRow = {
  low: number
  high: number
  pre: string
  side: string
  parity: string
  is_falling: number
  line: Uint8Array
}

/** An open address pack. */
export type AddressPack = {
  name: string
  metadata: Readonly<Record<string, string>>
  /** Whether it has the format before the current one. Its keys of street names are those of `oldStreetKeysOf`. */
  isOld: boolean
  streetsOfZip(zip: string, key: string): StreetRow[]
  /** Finds streets by the town in the file or by the postal town of the ZIP code. */
  streetsOfCity(cityKey: string, state: string | null, key: string): StreetRow[]
  points(street: number, num: number): AddressRow[]
  /** The points with the house numbers next to a number: at most one below it and one above. */
  neighbors(street: number, num: number): AddressRow[]
  ranges(street: number, num: number): RangeRow[]
  lines(street: number): Uint8Array[]
  /** A point somewhere on the street. */
  center(street: number): { lat: number; lng: number } | null
  /** The street name keys of a length that contain one of the texts. Each text needs at least three letters. */
  namesContaining(texts: readonly string[], length: readonly [shortest: number, longest: number]): string[]
  /** Whether any street has this name key. */
  hasName(key: string): boolean
  hasZip(zip: string): boolean
  hasCity(cityKey: string, state: string | null): boolean
  close(): void
}

/**
 * Opens an address pack, and keeps up to `cache_kib` of its pages in memory.
 *
 * @throws FileError if the file is not one, is truncated, or has another schema version. */
export function openAddressPack(path: string, cache_kib = leastCache_kib): AddressPack {
  checkSqliteHeader(path, addressPackKind)
  const name = basename(path)
  const db = openImmutable(path)
  try {
    const isOld = versionOf(db, name) === oldAddressSchemaVersion
    db.run(`PRAGMA cache_size = -${cache_kib}`)
    return prepareQueries(db, name, isOld)
  } catch (error) {
    db.close()
    throw toSqliteFileError(error, path, addressPackKind)
  }
}

/** The default of SQLite. */
export const leastCache_kib = 2_000
const maxStreets = 200
const maxPoints = 400
const maxRanges = 100
const maxLines = 500
const maxNames = 300
/** The towns and ZIP codes that are kept in memory. Joins would take three times as long. */
const maxTowns = 10_000
const streetColumns = `s.id, s.zip, s.key, s.dir_pre, s.pretype, s.suffix, s.dir_post, s.name, s.city_id`

function prepareQueries(db: Database, name: string, isOld: boolean): AddressPack {
  const metadata = Object.fromEntries(
    db
      .query<{ name: string; value: string }, []>('SELECT name, value FROM meta')
      .all()
      .map((row) => [row.name, row.value]),
  )
  const { prepareQuery, hasRows } = createQueries(db, name)
  const town = prepareQuery<Town, [number]>('SELECT name, key, state FROM city WHERE id = ?')
  const postalTown = prepareQuery<Town, [string]>('SELECT name, key, state FROM postal WHERE zip = ?')
  const towns = createTownCache((id: number) => town(id)[0])
  const postalTowns = createTownCache((zip: string) => postalTown(zip)[0])
  const withTowns = (rows: StoredStreet[]): StreetRow[] =>
    rows.map((street) => {
      const { name: city, key: city_key, state } = towns(street.city_id)
      const { name: postal, key: postal_key } = postalTowns(street.zip)
      if (isOld) street.key = streetNameKeyOf(normalizeWords(street.name))
      return Object.assign(street, { city, city_key, state, postal, postal_key })
    })
  const byZip = prepareQuery<StoredStreet, [string, string]>(
    `SELECT ${streetColumns} FROM street s WHERE s.zip = ? AND s.key = ? LIMIT ${maxStreets}`,
  )
  const byCity = prepareQuery<StoredStreet, [string, string | null, string]>(
    `SELECT ${streetColumns} FROM street s WHERE s.city_id IN (SELECT id FROM city WHERE key = ?1 AND (?2 IS NULL OR state = ?2)) AND s.key = ?3 LIMIT ${maxStreets}`,
  )
  const byPostalTown = prepareQuery<StoredStreet, [string, string | null, string]>(
    `SELECT ${streetColumns} FROM street s WHERE s.zip IN (SELECT zip FROM postal WHERE key = ?1 AND (?2 IS NULL OR state = ?2)) AND s.key = ?3 LIMIT ${maxStreets}`,
  )
  const addressOf = (condition: string) =>
    `SELECT ${isOld ? "''" : 'number'} AS number, num, pre, suf, unit, unit_key, lat, lng FROM addr WHERE street_id = ?1 AND ${condition}`
  const points = prepareQuery<AddressRow, [number, number]>(addressOf(`num = ?2 LIMIT ${maxPoints}`))
  const neighbors = prepareQuery<AddressRow, [number, number]>(
    `SELECT * FROM (${addressOf('num <= ?2 ORDER BY num DESC LIMIT 1')}) UNION ALL SELECT * FROM (${addressOf('num > ?2 ORDER BY num LIMIT 1')})`,
  )
  const ranges = prepareQuery<RangeRow, [number, number]>(
    `SELECT low, high, pre, side, parity, is_falling, line FROM range WHERE street_id = ?1 AND low <= ?2 AND high >= ?2 LIMIT ${maxRanges}`,
  )
  const lines = prepareQuery<{ line: Uint8Array }, [number]>(
    `SELECT line FROM range WHERE street_id = ? LIMIT ${maxLines}`,
  )
  const box = prepareQuery<{ lat: number; lng: number }, [number]>(
    'SELECT (south + north) / 2 AS lat, (west + east) / 2 AS lng FROM street_box WHERE id = ?',
  )
  const names = prepareQuery<{ key: string }, [string, number, number]>(
    `SELECT key FROM name_trigram WHERE name_trigram MATCH ? AND length(key) BETWEEN ? AND ? LIMIT ${maxNames}`,
  )
  return {
    name,
    metadata,
    isOld,
    streetsOfZip: (zip, key) => withTowns(byZip(zip, key)),
    streetsOfCity: (cityKey, state, key) =>
      [byCity, byPostalTown].flatMap((find) => orderByState(withTowns(find(cityKey, state, key)))),
    points,
    neighbors,
    ranges,
    lines: (street) => lines(street).map(({ line }) => line),
    center: (street) => box(street)[0] ?? null,
    namesContaining: (texts, [shortest, longest]) =>
      names(texts.map((text) => `"${text.replaceAll('"', '""')}"`).join(' OR '), shortest, longest).map(
        ({ key }) => key,
      ),
    hasName: hasRows<[string]>('SELECT 1 FROM name WHERE key = ?'),
    hasZip: hasRows<[string]>('SELECT 1 FROM street WHERE zip = ? LIMIT 1'),
    hasCity: hasRows<[string, string | null]>(
      'SELECT 1 FROM city WHERE key = ?1 AND (?2 IS NULL OR state = ?2) UNION ALL SELECT 1 FROM postal WHERE key = ?1 AND (?2 IS NULL OR state = ?2) LIMIT 1',
    ),
    close: () => db.close(),
  }
}

/** Functions that prepare queries: of the rows, and of whether there are any. */
function createQueries(db: Database, name: string) {
  const prepareQuery = <Row, Params extends (string | number | null)[]>(sql: string) => {
    const statement = db.query<Row, (string | number | null)[]>(sql)
    return (...params: Params) => translateReadErrors(name, () => statement.all(...params))
  }
  const hasRows = <Params extends (string | null)[]>(sql: string) => {
    const find = prepareQuery<object, Params>(sql)
    return (...params: Params) => find(...params).length > 0
  }
  return { prepareQuery, hasRows }
}

/** A street as it is stored. */
type StoredStreet = Omit<StreetRow, 'city' | 'city_key' | 'state' | 'postal' | 'postal_key'> & { city_id: number }
type Town = { name: string; key: string; state: string }

/** Returns a function that keeps the towns that were read last. A town that is not there has empty texts. */
function createTownCache<Id>(read: (id: Id) => Town | undefined): (id: Id) => Town {
  const known = new Map<Id, Town>()
  return (id) => {
    const cached = known.get(id)
    if (cached) return cached
    if (known.size >= maxTowns) known.clear()
    const town = read(id) ?? { name: '', key: '', state: '' }
    known.set(id, town)
    return town
  }
}

/** Towns of one name may be in several states. */
function orderByState(rows: StreetRow[]): StreetRow[] {
  return rows.length < 2 ? rows : rows.toSorted((a, b) => (a.state < b.state ? -1 : Number(a.state > b.state)))
}

/** The version of the format. @throws {FileError} if the file is not an address pack, or of another version. */
function versionOf(db: Database, name: string): number {
  const id = db.query<{ application_id: number }, []>('PRAGMA application_id').get()?.application_id
  const tables = db
    .query<{ name: string }, []>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all()
    .map((it) => it.name)
  if (id !== addressApplicationId)
    throw new FileError(
      `${name} is a SQLite file but not an address pack: its application_id is ${id}, not ${addressApplicationId}. Its tables: ${formatNames(tables)}. Build an address pack with \`fieldstone pack build addresses\`.`,
    )
  const version = db.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version
  if (version !== addressSchemaVersion && version !== oldAddressSchemaVersion)
    throw new FileError(
      `${name} is an address pack of version ${version}. Expected version ${addressSchemaVersion}. Rebuild it with \`fieldstone pack build addresses\`.`,
    )
  return version
}
