import type { Database } from 'bun:sqlite'
import { shown, tokensOf, wordsOf } from '../../model/address-token.ts'
import { nameKeyOf, streetOf, type Street } from '../../model/street.ts'
import { townKeyOf } from '../../model/town-key.ts'

/** Every street and town once: numbers instead of names. */
export type Interned = {
  /** The number of a street in a place; null when the text has no name of a street. */
  street(text: string, place: { zip: string; town: string; state: string }): number | null
}

/** Opens the tables `street` and `city` for interning; what was met lately is held in memory, the rest is asked of the tables. */
export function openInterned(db: Database): Interned {
  const insertCity = db.query('INSERT OR IGNORE INTO city (name, key, state) VALUES (?, ?, ?)')
  const findCity = db.query<{ id: number }, [string, string]>('SELECT id FROM city WHERE key = ? AND state = ?')
  const insertStreet = db.query('INSERT OR IGNORE INTO street (zip, key, city_id, dir_pre, pretype, suffix, dir_post, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const findStreet = db.query<{ id: number }, (string | number)[]>('SELECT id FROM street WHERE zip = ? AND key = ? AND city_id = ? AND dir_pre = ? AND pretype = ? AND suffix = ? AND dir_post = ?')
  const cities = memoOf<number>()
  const streets = memoOf<number | null>()
  const parsed = memoOf<{ street: Street; key: string }>()
  return {
    street: (text, { zip, town, state }) => streets(`${text}|${zip}|${town}|${state}`, () => {
      const { street, key } = parsed(text, () => keyedOf(text))
      if (key === '') return null
      const { predirectional = '', pretype = '', suffix = '', postdirectional = '' } = street
      const city = cities(`${town}|${state}`, () => cityId(town, state))
      insertStreet.run(zip, key, city, predirectional, pretype, suffix, postdirectional, street.street!)
      return findStreet.get(zip, key, city, predirectional, pretype, suffix, postdirectional)!.id
    }),
  }

  function cityId(town: string, state: string): number {
    const key = townKeyOf(wordsOf(town))
    insertCity.run(shown(tokensOf(town)), key, state)
    return findCity.get(key, state)!.id
  }
}

const mostHeld = 200_000

function keyedOf(text: string): { street: Street; key: string } {
  const street = streetOf(tokensOf(text))
  return { street, key: nameKeyOf(wordsOf(street.street ?? '')) }
}

/** Remembers what was made for a key, and forgets all of it when it is too much. */
function memoOf<T>(): (key: string, make: () => T) => T {
  const held = new Map<string, T>()
  return (key, make) => {
    const known = held.get(key)
    if (known !== undefined) return known
    if (held.size >= mostHeld) held.clear()
    const made = make()
    held.set(key, made)
    return made
  }
}
