import { wordsOf, type Token } from '../model/address-token.ts'
import { states } from '../model/words-states.ts'
import type { Gazetteer } from './parsed-gazetteer.ts'

/** The country abroad that an address lies in, in words, or null: by its name at the end, a province or a postal code of Canada, a postcode of the United Kingdom, or a script that is not Latin. */
export function countryOf(text: string, words: readonly Token[], gazetteer: Gazetteer): string | null {
  const keys = words.map(({ key }) => key)
  if (/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text)) return 'another country'
  if (canadianCode(keys)) return 'Canada'
  if (isAmerican(keys)) return null
  if (isCanadian(words, keys, gazetteer)) return 'Canada'
  if (keys.some((key, i) => /^[A-Z]{1,2}\d[A-Z\d]?$/.test(key) && /^\d[A-Z]{2}$/.test(keys[i + 1] ?? '') && i > 0 && !/^\d(?:ST|ND|RD|TH)$/.test(keys[i + 1]!))) return 'the United Kingdom'
  for (let count = Math.min(longestName, keys.length); count > 0; count--) {
    const country = countries.get(keys.slice(-count).join(' '))
    if (country === undefined) continue
    const isOwnWord = keys.length === count || words.at(-count - 1)!.ends
    const isTown = gazetteer.statesOf(keys.slice(-count)).length > 0 && country !== 'Mexico' && country !== 'Canada'
    if (isOwnWord ? !isTown : country === 'Canada' || (country !== 'Mexico' && !isTown && count > 1)) return country
  }
  return null
}

const longestName = 5
const provinces = new Set('AB BC MB NB NL NS NT NU ON PE QC SK YT ALBERTA MANITOBA NEWFOUNDLAND NUNAVUT ONTARIO QUEBEC SASKATCHEWAN YUKON'.split(' '))
const longProvinces = ['BRITISH COLUMBIA', 'NOVA SCOTIA', 'NEW BRUNSWICK', 'PRINCE EDWARD ISLAND', 'NORTHWEST TERRITORIES', 'NEWFOUNDLAND AND LABRADOR']

function canadianCode(keys: readonly string[]): boolean {
  return keys.some((key, i) => i > 0 && (/^[ABCEGHJ-NPRSTVXY]\d[A-Z]\d[A-Z]\d$/.test(key) || (/^[ABCEGHJ-NPRSTVXY]\d[A-Z]$/.test(key) && /^\d[A-Z]\d$/.test(keys[i + 1] ?? ''))))
}

/** An address that ends with a state or a ZIP code is American, whatever it says before. */
function isAmerican(keys: readonly string[]): boolean {
  const last = keys.at(-1) ?? ''
  return /^\d{5}(?:-\d{4})?$/.test(last) && states.has(keys.at(-2) ?? '') || [1, 2, 3].some((count) => states.has(keys.slice(-count).join(' ')))
}

function isCanadian(words: readonly Token[], keys: readonly string[], gazetteer: Gazetteer): boolean {
  const last = keys.at(-1) ?? ''
  if (longProvinces.some((name) => ` ${keys.join(' ')}`.endsWith(` ${name}`))) return true
  if (!provinces.has(last) || words.length < 2) return false
  return words.at(-2)!.ends && (last.length === 2 || gazetteer.statesOf([last]).length === 0 || words.filter(({ ends }) => ends).length > 2)
}

const countries = countryNames()

/** The names of the countries, as the platform knows them, and a few that people use. The territories of the United States are none of them. */
function countryNames(): Map<string, string> {
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  const found = new Map<string, string>()
  const own = new Set(['US', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM', 'GE', 'ZZ', 'XA', 'XB', 'EU', 'EZ', 'UN', 'QO'])
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  for (const a of letters) for (const b of letters) {
    const name = own.has(a + b) ? undefined : names.of(a + b)
    if (name !== undefined) found.set(wordsOf(name).join(' '), name)
  }
  for (const name of ['UK', 'ENGLAND', 'SCOTLAND', 'GREAT BRITAIN', 'NORTHERN IRELAND']) found.set(name, 'the United Kingdom')
  return found.set('DEUTSCHLAND', 'Germany').set('ESPANA', 'Spain').set('BRASIL', 'Brazil').set('MEXICO DF', 'Mexico').set('CDMX', 'Mexico')
}
