import type { Token } from '../model/address-token.ts'
import { states } from '../model/words-states.ts'
import { plainSuffixes, suffixes } from '../model/words-suffixes.ts'
import type { Gazetteer } from './parsed-gazetteer.ts'
import { townOf } from './parsed-town.ts'

/** What stands at the right of an address, and the words before it. */
export type Locality = { rest: Token[]; city?: Token[]; state?: string; zip?: string }

/** Takes the ZIP code, the state and the town off the right of an address. */
export function localityOf(words: Token[], gazetteer: Gazetteer): Locality {
  const last = zipOf(words, gazetteer)
  const state = stateOf(last?.rest ?? words, last?.zip, gazetteer)
  const before = state?.rest ?? last?.rest ?? words
  // Denver 80202 CO: the ZIP code of the state may stand before it.
  const inner = last || !state ? null : zipOf(before, gazetteer)
  const found = last ?? (inner && gazetteer.place(inner.zip.slice(0, 5))?.state === state?.code ? inner : null)
  const left = inner && found === inner ? inner.rest : before
  const town = townOf(left, state?.code, found?.zip, gazetteer)
  return { rest: town?.rest ?? left, ...(town && { city: town.words }), ...(state && { state: state.code }), ...(found && { zip: found.zip }) }
}

function zipOf(words: Token[], gazetteer: Gazetteer): { rest: Token[]; zip: string } | null {
  const [before, last] = [words.at(-2), words.at(-1)]
  if (!last) return null
  if (/^\d{4}$/.test(last.key) && before && /^\d{5}$/.test(before.key) && gazetteer.place(before.key)) return { rest: words.slice(0, -2), zip: `${before.key}-${last.key}` }
  if (/^\d{9}$/.test(last.key) && gazetteer.place(last.key.slice(0, 5))) return { rest: words.slice(0, -1), zip: `${last.key.slice(0, 5)}-${last.key.slice(5)}` }
  if (!/^\d{5}(?:-\d{4})?$/.test(last.key)) return null
  // Highway 12345 is a road.
  return before && !before.ends && numberedRoads.has(before.key) ? null : { rest: words.slice(0, -1), zip: last.key }
}

const numberedRoads = new Set('HIGHWAY HWY ROUTE RTE CR SR FM INTERSTATE'.split(' '))

function stateOf(words: Token[], zip: string | undefined, gazetteer: Gazetteer): { rest: Token[]; code: string } | null {
  const stateOfZip = zip === undefined ? undefined : gazetteer.place(zip.slice(0, 5))?.state
  for (let count = Math.min(longestName, words.length); count > 0; count--) {
    const name = words.slice(-count).map(({ key }) => key).join(' ')
    const code = states.get(name)
    const rest = words.slice(0, -count)
    if (code !== undefined && isState({ name, code, rest, stateOfZip, hasZip: zip !== undefined }, gazetteer)) return { rest, code }
  }
  return null
}

const longestName = 4
/** Codes that are also words of streets: Key, Court, Prairie, Mount, north-east, Alley and, of units, floor. */
const streetWords = new Set(['KY', 'CT', 'PR', 'MT', 'NE', 'AL', 'FL'])
/** States whose name alone more often means the town. */
const townNames = new Set(['WASHINGTON', 'NEW YORK'])

type Candidate = { name: string; code: string; rest: Token[]; stateOfZip: string | undefined; hasZip: boolean }

/** Whether the last words are the state, and not the end of a street (`Kettle Ct`) or a town (`Washington`). */
function isState({ name, code, rest, stateOfZip, hasZip }: Candidate, gazetteer: Gazetteer): boolean {
  const last = rest.at(-1)
  if (!last) return !townNames.has(name)
  if (endsWithTown(rest, code, gazetteer)) return true
  if (townNames.has(name)) return stateOfZip === code && rest.length > 2 && last.ends && rest.some((word) => word.ends && word !== last)
  const isStreetDone = rest.length > 2 && suffixes.has(last.key)
  if (name === 'NE') return last.ends || (stateOfZip === 'NE' && !isStreetDone)
  if (last.ends) return name !== 'FL' || !/^\d/.test(last.key) || hasZip
  if (streetWords.has(name)) return stateOfZip === code ? hasStreet(rest) : isStreetDone && isPlain(last)
  if (name.length > 2) return stateOfZip === code || isStreetDone
  return rest.length > 1 || !/\d/.test(last.key)
}

/** Whether a street is complete before the last words: `8704 Bayberry Place Plantation`, not `8 Kettle`. */
function hasStreet(words: Token[]): boolean {
  return words.some((word, i) => i > 1 && isPlain(word))
}

function isPlain({ key }: Token): boolean {
  return plainSuffixes.has(suffixes.get(key) ?? '')
}

function endsWithTown(words: Token[], code: string, gazetteer: Gazetteer): boolean {
  for (let count = 1; count <= Math.min(5, words.length); count++) {
    if (count > 1 && words.at(-count)!.ends) return false
    if (gazetteer.statesOf(words.slice(-count).map(({ key }) => key)).includes(code)) return true
  }
  return false
}
