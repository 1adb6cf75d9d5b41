import type { Database, Statement } from 'bun:sqlite'
import { insideUs } from '../../geo/us.ts'
import { normalizeWords, tokenizeAddress, displayNameOf } from '../../address/tokenizer.ts'
import { joinNumberLetter } from '../../address/street-address.ts'
import { parseHouseNumber, unitKeyOf } from '../../address/house-number.ts'
import { townKeyOf } from '../../address/town.ts'
import { stateCodes, unitAbbreviations } from '../../address/abbreviations.ts'
import {
  addressApplicationId,
  addressIndexes,
  encodeLine,
  unitsPerDegree,
  addressSchema,
  addressSchemaVersion,
} from '../../packs/addresses/address-pack-schema.ts'
import type { PointRecord, AddressRecord, StreetSideRecord } from './address-record.ts'
import { parseStreet } from '../../address/street.ts'
import { streetNameKeyOf, type Street } from '../../address/street-key.ts'

/** Returns the town and state of a ZIP code, or null if it is unknown. */
export type ZipLookup = (zip: string) => { city: string; state: string } | null

/**
 * Accepts rows in any order and writes them sorted by street. Until then, points and ranges are in a staging file, and
 * streets and towns in the pack.
 */
export class AddressWriter {
  readonly #db: Database
  readonly #options: { lookupZip: ZipLookup; state?: string }
  readonly #addPoint: Statement
  readonly #addRange: Statement
  readonly #interner: StreetInterner
  readonly #excluded = new Map<string, number>()
  #rows = 0
  #splitUnits = 0
  #isOpen = true

  constructor(db: Database, staging: string, options: { lookupZip: ZipLookup; state?: string }) {
    this.#db = db
    this.#options = options
    // A failed build is discarded, so no journal is needed.
    db.run(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192; PRAGMA cache_size = -${cache_kib}; PRAGMA application_id = ${addressApplicationId}; PRAGMA user_version = ${addressSchemaVersion}`,
    )
    db.run(addressSchema)
    db.run('ATTACH ? AS staging', [staging])
    db.run('PRAGMA staging.journal_mode = OFF; PRAGMA staging.synchronous = OFF')
    db.run(
      'CREATE TABLE staging.addr (street_id, num, pre, suf, unit, unit_key, lat, lng, number); CREATE TABLE staging.range (street_id, low, high, pre, side, parity, is_falling, line, west, south, east, north)',
    )
    this.#addPoint = db.query('INSERT INTO staging.addr VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#addRange = db.query('INSERT INTO staging.range VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#interner = createStreetInterner(db)
    db.run('BEGIN')
  }

  add(row: AddressRecord): void {
    this.#rows++
    const reason =
      row.kind === 'excluded' ? row.reason : row.kind === 'point' ? this.#writePoint(row) : this.#writeSide(row)
    if (reason !== null) this.#excluded.set(reason, (this.#excluded.get(reason) ?? 0) + 1)
  }

  /** Commits the rows added since the last commit. */
  commit(): void {
    this.#db.run('COMMIT; BEGIN')
  }

  rows(): number {
    return this.#rows
  }

  /**
   * Sorts and indexes the rows and writes the metadata. Returns the row counts. `splitUnits`: the rows whose street held
   * the unit.
   */
  finish(metadata: Record<string, string>) {
    this.#db.run(
      `INSERT OR IGNORE INTO addr SELECT * FROM staging.addr ORDER BY street_id, num, pre, suf, unit_key, lat, lng`,
    )
    this.#db.run(
      `INSERT OR IGNORE INTO range SELECT street_id, low, high, pre, side, parity, is_falling, line FROM staging.range ORDER BY street_id, low, high, pre, side, parity, is_falling, line`,
    )
    this.#namePostalTowns()
    this.#db.run(addressIndexes)
    this.#db.run(`INSERT INTO street_box SELECT street_id, MIN(west), MAX(east), MIN(south), MAX(north) FROM
      (SELECT street_id, lng / ${unitsPerDegree}.0 AS west, lng / ${unitsPerDegree}.0 AS east, lat / ${unitsPerDegree}.0 AS south, lat / ${unitsPerDegree}.0 AS north FROM addr UNION ALL SELECT street_id, west, east, south, north FROM staging.range) GROUP BY street_id`)
    const count = (table: string) =>
      this.#db.query<{ count: number }, []>(`SELECT COUNT(*) AS count FROM ${table}`).get()!.count
    const counts = { points: count('addr'), ranges: count('range'), streets: count('street') }
    for (const [name, value] of Object.entries({
      ...metadata,
      points: String(counts.points),
      ranges: String(counts.ranges),
    }))
      this.#db.run('INSERT OR REPLACE INTO meta VALUES (?, ?)', [name, value])
    this.#db.run('COMMIT')
    this.#db.run('DETACH staging')
    return { ...counts, splitUnits: this.#splitUnits, excluded: Object.fromEntries(this.#excluded) }
  }

  close(): void {
    if (this.#isOpen) this.#db.close()
    this.#isOpen = false
  }

  #namePostalTowns(): void {
    const insert = this.#db.query('INSERT INTO postal VALUES (?, ?, ?, ?)')
    for (const { zip } of this.#db
      .query<{ zip: string }, []>(`SELECT DISTINCT zip FROM street WHERE zip <> ''`)
      .all()) {
      const zipPlace = this.#options.lookupZip(zip)
      if (zipPlace) insert.run(zip, zipPlace.city, townKeyOf(normalizeWords(zipPlace.city)), zipPlace.state)
    }
  }

  /** Returns null if the row was written, otherwise the reason why it was not. */
  #writePoint({ city, state, zip, lat, lng, unit: givenUnit, ...row }: PointRecord): string | null {
    const { number, street: streetText } = joinNumberLetter(row.number, row.street)
    const parsedNumber = parseHouseNumber(number)
    if (!parsedNumber)
      return number === '' ? 'without a house number' : 'with a house number that has no digits or too many'
    if (!insideUs({ lat, lng })) return 'outside the United States'
    const { street, unit } = givenUnit === '' ? splitStreetUnit(streetText) : { street: streetText, unit: givenUnit }
    if (street !== streetText) this.#splitUnits++
    const id = this.#internStreet(street, { city, state, zip })
    if (typeof id === 'string') return id
    this.#addPoint.run(
      id,
      parsedNumber.num,
      parsedNumber.pre,
      parsedNumber.suf,
      formatUnit(unit),
      unitKeyOf(unit),
      Math.round(lat * unitsPerDegree),
      Math.round(lng * unitsPerDegree),
      number.replace(/\s{1,9}/g, ' '),
    )
    return null
  }

  #writeSide({ street, from, to, side: streetSide, parity, zip, state, line }: StreetSideRecord): string | null {
    const [first, last] = [parseHouseNumber(from), parseHouseNumber(to)]
    if (!first || !last || first.pre !== last.pre)
      return 'with a first and a last house number that do not form a range'
    if (!insideUs({ lat: line[1]!, lng: line[0]! })) return 'outside the United States'
    const id = this.#internStreet(street, { city: '', state, zip })
    if (typeof id === 'string') return id
    const [xs, ys] = [line.filter((_, i) => i % 2 === 0), line.filter((_, i) => i % 2 === 1)]
    this.#addRange.run(
      id,
      Math.min(first.num, last.num),
      Math.max(first.num, last.num),
      first.pre,
      streetSide,
      parityOf(parity, first.num, last.num),
      first.num > last.num ? 1 : 0,
      encodeLine(line),
      Math.min(...xs),
      Math.min(...ys),
      Math.max(...xs),
      Math.max(...ys),
    )
    return null
  }

  #internStreet(street: string, { city, state, zip }: { city: string; state: string; zip: string }): number | string {
    const zip5 = /^(\d{5})(?:-?\d{4})?$/.exec(zip)?.[1] ?? ''
    const zipPlace = zip5 === '' ? null : this.#options.lookupZip(zip5)
    const stateCode = stateCodes.get(state.toUpperCase()) ?? zipPlace?.state ?? this.#options.state ?? ''
    if (stateCode === '') return 'without a known state'
    const town = city !== '' ? city : zipPlace?.state === stateCode ? zipPlace.city : ''
    return this.#interner.streetId(street, { zip: zip5, town, state: stateCode }) ?? 'without a street'
  }
}

/** Splits a unit with a designator from a street: some files have `E 3RD ST #4` in the column of the street. */
function splitStreetUnit(text: string): { street: string; unit: string } {
  const words = tokenizeAddress(text)
  const at = words.findIndex(({ key }, i) => i > 1 && /^(?:#|APT|STE|UNIT)$/.test(unitAbbreviations.get(key) ?? ''))
  if (at < 0 || at === words.length - 1) return { street: text, unit: '' }
  const textOf = (part: typeof words) => part.map((word) => word.text).join(' ')
  return { street: textOf(words.slice(0, at)), unit: textOf(words.slice(at)).replace('# ', '#') }
}

const cache_kib = 32_768

/** The declared parity, otherwise derived from the house numbers at the ends. */
function parityOf(declared: string, first: number, last: number): string {
  if (/^[OEB]$/.test(declared)) return declared
  return first % 2 === last % 2 ? (first % 2 === 1 ? 'O' : 'E') : 'B'
}

function formatUnit(unit: string): string {
  return /^[\w-]{1,8}$/.test(unit) && /\d|^.$/.test(unit) ? `#${unit}` : unit
}

/** Stores every street and town once and returns ids for them. */
type StreetInterner = {
  /** The id of a street in a place; null if the text contains no street name. */
  streetId(text: string, place: { zip: string; town: string; state: string }): number | null
}

/** Interns into the tables `street` and `city`. Recent entries are cached in memory. */
function createStreetInterner(db: Database): StreetInterner {
  const insertCity = db.query('INSERT OR IGNORE INTO city (name, key, state) VALUES (?, ?, ?)')
  const findCity = db.query<{ id: number }, [string, string]>('SELECT id FROM city WHERE key = ? AND state = ?')
  const insertStreet = db.query(
    'INSERT OR IGNORE INTO street (zip, key, city_id, dir_pre, pretype, suffix, dir_post, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const findStreet = db.query<{ id: number }, (string | number)[]>(
    'SELECT id FROM street WHERE zip = ? AND key = ? AND city_id = ? AND dir_pre = ? AND pretype = ? AND suffix = ? AND dir_post = ?',
  )
  const cities = createMemo<number>()
  const streets = createMemo<number | null>()
  const parsedStreets = createMemo<{ street: Street; key: string }>()
  return {
    streetId: (text, { zip, town, state }) =>
      streets(`${text}|${zip}|${town}|${state}`, () => {
        const { street, key } = parsedStreets(text, () => parseIndexedStreet(text))
        if (key === '') return null
        const { predirectional = '', pretype = '', suffix = '', postdirectional = '' } = street
        const city = cities(`${town}|${state}`, () => cityId(town, state))
        insertStreet.run(zip, key, city, predirectional, pretype, suffix, postdirectional, street.street!)
        return findStreet.get(zip, key, city, predirectional, pretype, suffix, postdirectional)!.id
      }),
  }

  function cityId(town: string, state: string): number {
    const key = townKeyOf(normalizeWords(town))
    insertCity.run(displayNameOf(tokenizeAddress(town)), key, state)
    return findCity.get(key, state)!.id
  }
}

const maxEntries = 200_000

function parseIndexedStreet(text: string): { street: Street; key: string } {
  const street = parseStreet(tokenizeAddress(text))
  return { street, key: streetNameKeyOf(normalizeWords(street.street ?? '')) }
}

/** Caches values by key. Clears the cache when it reaches `maxEntries`. */
function createMemo<T>(): (key: string, make: () => T) => T {
  const entries = new Map<string, T>()
  return (key, make) => {
    const cached = entries.get(key)
    if (cached !== undefined) return cached
    if (entries.size >= maxEntries) entries.clear()
    const value = make()
    entries.set(key, value)
    return value
  }
}
