import type { Database } from 'bun:sqlite'
import { displayNameOf, tokenizeAddress, normalizeWords } from '../../address/tokenizer.ts'
import { parseStreet } from '../../address/street.ts'
import { streetNameKeyOf, type Street } from '../../address/street-key.ts'
import { townKeyOf } from '../../address/town.ts'

/** Stores every street and town once and returns ids for them. */
export type StreetInterner = {
  /** The id of a street in a place; null if the text contains no street name. */
  streetId(text: string, place: { zip: string; town: string; state: string }): number | null
}

/** Interns into the tables `street` and `city`. Recent entries are cached in memory. */
export function createStreetInterner(db: Database): StreetInterner {
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
