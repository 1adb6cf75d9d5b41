import type { AddressToken } from './tokenizer.ts'
import { stateCodes, isUnambiguousSuffix, suffixAbbreviations } from './abbreviations.ts'
import type { Gazetteer } from './address.ts'
import { findTowns, type Town } from './town.ts'
import { isRoadName } from './street-pretype.ts'

/** The town, state and ZIP code at the end of an address, and the tokens before them (`rest`). */
export type Locality = { rest: AddressToken[]; city?: AddressToken[]; state?: string; zip?: string }

/**
 * Splits the ZIP code, state and town from the end of an address, in every way that makes sense; the most likely first.
 */
export function parseLocalities(all: AddressToken[], gazetteer: Gazetteer): Locality[] {
  const zipAtEnd = splitZip(all, gazetteer) ?? splitShortZip(all, gazetteer)
  const words = zipAtEnd?.rest ?? dropPartOfZip(all, gazetteer)
  const state = splitState(words, zipAtEnd?.zip, gazetteer)
  const beforeState = state?.rest ?? words
  // "Denver 80202 CO": the ZIP code may precede the state.
  const zipBeforeState = zipAtEnd || !state ? null : splitZip(beforeState, gazetteer)
  const foundZip =
    zipAtEnd ??
    (zipBeforeState && gazetteer.placeOfZip(zipBeforeState.zip.slice(0, 5))?.state === state?.code
      ? zipBeforeState
      : null)
  const beforeLocality = zipBeforeState && foundZip === zipBeforeState ? zipBeforeState.rest : beforeState
  const beforeCounty = dropCounty(beforeLocality)
  const towns: (Town | null)[] = findTowns(beforeCounty, state?.code, foundZip?.zip, gazetteer)
  // With a ZIP code, an address needs no town. What stands after a comma is one.
  if (towns.length === 0 || (foundZip && !towns[0]!.rest.at(-1)?.endsSegment)) towns.push(null)
  return towns.map((town) => ({
    rest: town?.rest ?? beforeCounty,
    ...(town && { city: town.words }),
    ...(state && { state: state.code }),
    ...(foundZip && { zip: foundZip.zip }),
  }))
}

/** Drops a county between the town and the state, as OpenStreetMap writes it: `Seattle, King County, WA`. */
function dropCounty(words: AddressToken[]): AddressToken[] {
  if (!/^(?:COUNTY|PARISH)$/.test(words.at(-1)?.key ?? '')) return words
  const begin = words.findLastIndex(({ endsSegment }, i) => endsSegment && i < words.length - 1) + 1
  const isCounty = begin > 2 && words.slice(begin).every(({ key }) => !/\d/.test(key))
  return isCounty ? words.slice(0, begin) : words
}

function splitZip(words: AddressToken[], gazetteer: Gazetteer): { rest: AddressToken[]; zip: string } | null {
  const [before, last] = [words.at(-2), words.at(-1)]
  if (!last) return null
  if (/^\d{4}$/.test(last.key) && before && /^\d{5}$/.test(before.key) && gazetteer.placeOfZip(before.key))
    return { rest: words.slice(0, -2), zip: `${before.key}-${last.key}` }
  if (/^\d{9}$/.test(last.key) && gazetteer.placeOfZip(last.key.slice(0, 5)))
    return { rest: words.slice(0, -1), zip: `${last.key.slice(0, 5)}-${last.key.slice(5)}` }
  if (/^\d{2}$/.test(last.key) && before && /^\d{3}$/.test(before.key) && stateCodes.has(words.at(-3)?.key ?? '')) {
    const zip = before.key + last.key
    return gazetteer.placeOfZip(zip) ? { rest: words.slice(0, -2), zip } : null
  }
  if (!/^\d{5}(?:-\d{4})?$/.test(last.key)) return null
  // "Highway 12345" is a road, not a ZIP code. "Federal Hwy 33304" is a street with a name.
  const isRoadNumber =
    before !== undefined &&
    !before.endsSegment &&
    numberedRoads.has(before.key) &&
    !(words.length > 3 && isRoadName(words.at(-3)) && gazetteer.placeOfZip(last.key.slice(0, 5)))
  return isRoadNumber ? null : { rest: words.slice(0, -1), zip: last.key }
}

/** A ZIP code that lost its zeros, as in a spreadsheet: `NJ 7030`. */
function splitShortZip(words: AddressToken[], gazetteer: Gazetteer): { rest: AddressToken[]; zip: string } | null {
  const last = words.at(-1)?.key ?? ''
  if (!/^\d{3,4}(?:-\d{4})?$/.test(last) || words.length < 4) return null
  const zip = last.padStart(last.includes('-') ? 10 : 5, '0')
  const state = stateCodes.get(words.at(-2)!.key)
  const isOfState = gazetteer.placeOfZip(zip.slice(0, 5))?.state === state || (state === 'PR' && /^00[679]/.test(zip))
  return state !== undefined && isOfState ? { rest: words.slice(0, -1), zip } : null
}

/** Drops a ZIP code that lost a digit, which no state has: `Marion, IA 5230`. */
function dropPartOfZip(words: AddressToken[], gazetteer: Gazetteer): AddressToken[] {
  const state = stateCodes.get(words.at(-2)?.key ?? '')
  const isPart = state !== undefined && words.length > 4 && /^\d{4}$/.test(words.at(-1)!.key)
  return isPart && endsWithTown(words.slice(0, -2), state, gazetteer) ? words.slice(0, -1) : words
}

const numberedRoads = new Set('HIGHWAY HWY ROUTE RTE CR SR FM INTERSTATE'.split(' '))

function splitState(
  words: AddressToken[],
  zip: string | undefined,
  gazetteer: Gazetteer,
): { rest: AddressToken[]; code: string } | null {
  const stateOfZip = zip === undefined ? undefined : gazetteer.placeOfZip(zip.slice(0, 5))?.state
  const maxWords = stateWordCounts.get(words.at(-1)?.key ?? '') ?? 0
  for (let count = Math.min(maxWords, words.length); count > 0; count--) {
    const name = words
      .slice(-count)
      .map(({ key }) => key)
      .join(' ')
    const code = stateCodes.get(name)
    const rest = words.slice(0, -count)
    if (code !== undefined && isState({ name, code, rest, stateOfZip, hasZip: zip !== undefined }, gazetteer))
      return { rest, code }
  }
  return null
}

/** The most words of a state's name, by its last word. */
const stateWordCounts = new Map<string, number>()
for (const name of stateCodes.keys()) {
  const words = name.split(' ')
  const last = words.at(-1)!
  stateWordCounts.set(last, Math.max(words.length, stateWordCounts.get(last) ?? 0))
}
/** State codes that are also street words: Key, Court, Prairie, Mount, north-east, Alley, and floor (a unit). */
const streetWordCodes = new Set(['KY', 'CT', 'PR', 'MT', 'NE', 'AL', 'FL', 'WY'])
/** States whose name alone usually means the town. */
const townLikeStates = new Set(['WASHINGTON', 'NEW YORK'])

type StateCandidate = {
  name: string
  code: string
  rest: AddressToken[]
  stateOfZip: string | undefined
  hasZip: boolean
}

/** Whether the last words are a state and not the end of a street (`Kettle Ct`) or a town (`Washington`). */
function isState({ name, code, rest, stateOfZip, hasZip }: StateCandidate, gazetteer: Gazetteer): boolean {
  const last = rest.at(-1)
  if (!last) return !townLikeStates.has(name)
  if (endsWithTown(rest, code, gazetteer)) return true
  if (townLikeStates.has(name))
    return (
      stateOfZip === code &&
      rest.length > 2 &&
      last.endsSegment &&
      rest.some((word) => word.endsSegment && word !== last)
    )
  const endsStreet = rest.length > 2 && suffixAbbreviations.has(last.key)
  if (name === 'NE') return (last.endsSegment || stateOfZip === 'NE') && (!endsStreet || (last.endsSegment && hasZip))
  if (last.endsSegment) return name !== 'FL' || !/^\d/.test(last.key) || hasZip
  if (streetWordCodes.has(name) && stateOfZip !== undefined && stateOfZip !== code) return false
  // Before a ZIP code of Florida, FL is the state unless it can be a floor: "5 FL".
  if (name === 'FL' && stateOfZip === code && rest.length > 3) return !/\d/.test(last.key)
  if (streetWordCodes.has(name))
    return stateOfZip === code ? hasStreet(rest) : endsStreet && isUnambiguousSuffix(last.key)
  if (name.length > 2) return stateOfZip === code || endsStreet
  return rest.length > 1 || !/\d/.test(last.key)
}

/** Whether the words contain a complete street: true for `8704 Bayberry Place Plantation`, false for `8 Kettle`. */
function hasStreet(words: AddressToken[]): boolean {
  return words.some(({ key }, i) => i > 1 && isUnambiguousSuffix(key))
}

function endsWithTown(words: AddressToken[], code: string, gazetteer: Gazetteer): boolean {
  for (let count = 1; count <= Math.min(5, words.length); count++) {
    if (count > 1 && words.at(-count)!.endsSegment) return false
    if (gazetteer.statesWithTown(words.slice(-count).map(({ key }) => key)).includes(code)) return true
  }
  return false
}
