import { normalizeWords, type AddressToken } from './tokenizer.ts'
import {
  directionAbbreviations,
  isUnambiguousSuffix,
  stateCodes,
  suffixAbbreviations,
  unitAbbreviations,
} from './abbreviations.ts'
import type { Gazetteer } from './address.ts'
import { isHouseNumber } from './house-number.ts'

/**
 * The foreign country of an address, in words, or null. It is recognized by a country name at the end, a Canadian
 * province or postal code, a British postcode, or a non-Latin script.
 */
export function foreignCountryOf(text: string, words: readonly AddressToken[], gazetteer: Gazetteer): string | null {
  const keys = words.map(({ key }) => key)
  if (/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text)) return 'another country'
  if (hasCanadianPostalCode(keys)) return 'Canada'
  if (endsInUs(keys)) return null
  if (endsInCanadianProvince(words, keys, gazetteer)) return 'Canada'
  if (
    keys.some(
      (key, i) =>
        /^[A-Z]{1,2}\d[A-Z\d]?$/.test(key) &&
        /^\d[A-Z]{2}$/.test(keys[i + 1] ?? '') &&
        i > 0 &&
        !/^\d(?:ST|ND|RD|TH)$/.test(keys[i + 1]!),
    )
  )
    return 'the United Kingdom'
  for (let count = Math.min(maxNameWords, keys.length); count > 0; count--) {
    const country = (countries ??= buildCountryNames()).get(keys.slice(-count).join(' '))
    if (country === undefined) continue
    const before = words.slice(0, -count)
    const standsAlone = before.length === 0 || before.at(-1)!.endsSegment
    const isUsTown =
      gazetteer.statesWithTown(keys.slice(-count)).length > 0 && country !== 'Mexico' && country !== 'Canada'
    const isNamed = standsAlone
      ? !isUsTown || followsForeignTown(before, gazetteer)
      : country === 'Canada' || (country !== 'Mexico' && !isUsTown && (count > 1 || endsWithTown(before, gazetteer)))
    if (isNamed) return country
  }
  return null
}

/**
 * Whether words before the name of a country that is also a US town end with a town or a postal code of their own:
 * `Calle Luna 12, Lima, Peru`, `Lima, Peru`, but not `12 Main St, Peru` or `12 Main St, Apt 4, Peru`.
 */
function followsForeignTown(words: readonly AddressToken[], gazetteer: Gazetteer): boolean {
  const begin = words.findLastIndex(({ endsSegment }, i) => endsSegment && i < words.length - 1) + 1
  const segment = words.slice(begin)
  if (segment.length === 0 || isUnitOrStreet(segment)) return false
  if (begin === 0) return isTown(segment, gazetteer)
  return segment.length === 1 ? /^[A-Z]{3,}$|^\d{4,6}(?:-\d{3})?$/.test(segment[0]!.key) : true
}

/** Whether words name a unit or have a number or a direction, as no town has. */
function isUnitOrStreet(words: readonly AddressToken[]): boolean {
  const [first] = words
  if (unitAbbreviations.has(first!.key) || directionAbbreviations.has(first!.key)) return true
  return words.length > 1 && words.some(({ key }) => /\d/.test(key) || key === '#')
}

function isTown(words: readonly AddressToken[], gazetteer: Gazetteer): boolean {
  return gazetteer.statesWithTown(words.map(({ key }) => key)).length > 0
}

function endsWithTown(words: readonly AddressToken[], gazetteer: Gazetteer): boolean {
  const keys = words.slice(-maxTownWords).map(({ key }) => key)
  return keys.some((key, i) => !isStreetWord(key) && gazetteer.statesWithTown(keys.slice(i)).length > 0)
}

function isStreetWord(key: string): boolean {
  return isUnambiguousSuffix(key) || directionAbbreviations.has(key) || unitAbbreviations.has(key)
}

const maxTownWords = 3
const maxNameWords = 5
const provinces = new Set(
  'AB BC MB NB NL NS NT NU ON PE PEI QC SK YT ALBERTA MANITOBA NEWFOUNDLAND NUNAVUT ONTARIO QUEBEC SASKATCHEWAN YUKON'.split(
    ' ',
  ),
)
const multiWordProvinces = [
  'BRITISH COLUMBIA',
  'NOVA SCOTIA',
  'NEW BRUNSWICK',
  'PRINCE EDWARD ISLAND',
  'NORTHWEST TERRITORIES',
  'NEWFOUNDLAND AND LABRADOR',
]

function hasCanadianPostalCode(keys: readonly string[]): boolean {
  return keys.some(
    (key, i) =>
      i > 0 &&
      (/^[ABCEGHJ-NPRSTVXY]\d[A-Z]\d[A-Z]\d$/.test(key) ||
        (/^[ABCEGHJ-NPRSTVXY]\d[A-Z]$/.test(key) && /^\d[A-Z]\d$/.test(keys[i + 1] ?? ''))),
  )
}

/** An address that ends with a state or ZIP code is in the United States, whatever precedes it. */
function endsInUs(keys: readonly string[]): boolean {
  const last = keys.at(-1) ?? ''
  return (
    (/^\d{5}(?:-\d{4})?$/.test(last) && stateCodes.has(keys.at(-2) ?? '')) ||
    [1, 2, 3].some((count) => stateCodes.has(keys.slice(-count).join(' ')))
  )
}

function endsInCanadianProvince(
  words: readonly AddressToken[],
  keys: readonly string[],
  gazetteer: Gazetteer,
): boolean {
  const last = keys.at(-1) ?? ''
  if (multiWordProvinces.some((name) => ` ${keys.join(' ')}`.endsWith(` ${name}`))) return true
  if (!provinces.has(last) || words.length < 2) return false
  const before = words.slice(0, -1)
  if (!before.at(-1)!.endsSegment) return isTownBeforeProvince(before, gazetteer)
  return (
    last.length < 4 ||
    gazetteer.statesWithTown([last]).length === 0 ||
    words.filter(({ endsSegment }) => endsSegment).length > 2
  )
}

/** Whether words end with a town and not with a street: `Toronto ON`, but not `12 Main St AB` or `12 Lake Ontario`. */
function isTownBeforeProvince(words: readonly AddressToken[], gazetteer: Gazetteer): boolean {
  const { key } = words.at(-1)!
  if (/\d|^.$|^#/.test(key) || isStreetWord(key) || suffixAbbreviations.has(key)) return false
  // A word behind a number may be the street: "12 Old Ontario".
  return endsWithTown(words, gazetteer) || !isHouseNumber(words.at(-2)?.key ?? '')
}

/** Made for the first address: the platform takes 20 ms for its list. */
let countries: Map<string, string> | null = null

/** Country names from the platform's own list, plus common alternatives. US territories are excluded. */
function buildCountryNames(): Map<string, string> {
  const displayNames = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const countryByName = new Map<string, string>()
  const excludedCodes = new Set('US PR GU VI AS MP UM GE ZZ XA XB EU EZ UN QO'.split(' '))
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  for (const a of letters)
    for (const b of letters) {
      const name = excludedCodes.has(a + b) ? undefined : displayNames.of(a + b)
      if (name !== undefined) countryByName.set(normalizeWords(name).join(' '), name)
    }
  for (const name of ['UK', 'ENGLAND', 'SCOTLAND', 'GREAT BRITAIN', 'NORTHERN IRELAND'])
    countryByName.set(name, 'the United Kingdom')
  return countryByName
    .set('DEUTSCHLAND', 'Germany')
    .set('ESPANA', 'Spain')
    .set('BRASIL', 'Brazil')
    .set('MEXICO DF', 'Mexico')
    .set('CDMX', 'Mexico')
}
