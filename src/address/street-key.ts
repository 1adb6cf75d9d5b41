import type { AddressComponents } from './address.ts'
import { directionAbbreviations, namesBySpelling, suffixAbbreviations } from './abbreviations.ts'
import { normalizeWords } from './tokenizer.ts'

/** The parts of a street, as in Publication 28. */
export type Street = Pick<AddressComponents, 'predirectional' | 'pretype' | 'street' | 'suffix' | 'postdirectional'>

/**
 * What identifies a street, equal for all spellings of it. Rows of packs, queries and matches of geocoders are compared
 * by it.
 */
export type StreetKey = { name: string; type: string; pre: string; post: string }

/** The key of a street. Parts that it lacks are empty. */
export function streetKeyOf(street: Street): StreetKey {
  return {
    name: streetNameKeyOf(normalizeWords(street.street ?? '')),
    type: streetTypeKeyOf(street),
    pre: (street.predirectional ?? '').toUpperCase(),
    post: (street.postdirectional ?? '').toUpperCase(),
  }
}

/**
 * A key that is equal for all spellings of a street name: `Saint Mary's`, `ST MARYS`; `Seventh`, `7th`, `7`; `Park
 * View`, `Parkview`; `Dr Martin Luther King Jr`, `M L King`.
 */
export function streetNameKeyOf(words: readonly string[]): string {
  let key = ''
  for (const word of hasNumbersInWords(words) ? joinTens(words.flatMap(splitNumbers)) : words) {
    const wordKey = canonicalWordOf(word)
    key += isDigitAt(key, key.length - 1) && isDigitAt(wordKey, 0) ? ` ${wordKey}` : wordKey
  }
  return kingPattern.test(key) ? 'MARTINLUTHERKING' : key
}

/** Whether a word has to be divided or joined with the next one: few have. */
function hasNumbersInWords(words: readonly string[]): boolean {
  for (const word of words) if (tensWords.has(word) || dividedWord.test(word)) return true
  return false
}

const dividedWord = /[-/.]/

/** The ways to write the name of Martin Luther King, after the words are joined. */
const kingPattern = /^(?=[DJMR])(?:DR|DRIVE|DOCTOR|REV|REVEREND)?(?:MARTINLUTHERKING|MLKING|MLK)(?:JR|JUNIOR)?$/

/** `17-92` are two numbers, and `O-BRIEN` is one word. */
function splitNumbers(word: string): string[] {
  if (/^\d+[-/.]\d+$/.test(word)) return word.split(/[-/.]/)
  const tens = /^([A-Z]+TY)-([A-Z]+)$/.exec(word)
  return tens && tensWords.has(tens[1]!) ? [tens[1]!, tens[2]!] : [word.replace(/[-/]/g, '')]
}

/** Joins `TWENTY FIRST` to `21`. */
function joinTens(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const tens = tensWords.get(joined.at(-1) ?? '')
    const unit = ordinalWords.get(word)
    if (tens !== undefined && unit !== undefined && unit < 10) joined[joined.length - 1] = String(tens + unit)
    else joined.push(word)
  }
  return joined
}

/** A word in the spelling that stands for all of its spellings. Ordinals are numbers, because many files omit the ending. */
function canonicalWordOf(word: string): string {
  if (isDigitAt(word, 0)) return /^(\d{1,6})(?:ST|ND|RD|TH)$/.exec(word)?.[1] ?? word
  const number = ordinalWords.get(word)
  return number === undefined ? (canonicalWords.get(word) ?? word) : String(number)
}

const tensWords = new Map(
  'TWENTY THIRTY FORTY FIFTY SIXTY SEVENTY EIGHTY NINETY'.split(' ').map((word, i) => [word, 10 * (i + 2)]),
)
const ordinalWords: ReadonlyMap<string, number> = new Map([
  ...'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH'
    .split(' ')
    .map((word, i): [string, number] => [word, i + 1]),
  ...[...tensWords].map(([word, number]): [string, number] => [word.replace(/Y$/, 'IETH'), number]),
])

/** Full words of suffixes that are not the longest spelling. */
const unusualFullWords =
  'ALLEY BOULEVARD CIRCLE EXPRESSWAY FOREST HOLLOW JUNCTION LOOP MANOR MEADOWS PARK PARKWAY PATH PIKE RANCH RIVER SHORE SHORES SPRING SPUR TERRACE TRACE TRACK TRAIL TUNNEL TURNPIKE VALLEY VIADUCT VILLAGE VISTA WALK WELL ISLE PLAIN'.split(
    ' ',
  )

/**
 * Maps the words that are spelled in several ways to one of them: the full word where there is one, so that `Park View`
 * and `Parkview` are equal.
 */
const canonicalWords: ReadonlyMap<string, string> = new Map([
  ...fullSuffixWords(),
  ['SAINT', 'STREET'],
  ...[...directionAbbreviations].filter(([word]) => word.length > 2),
])

/** The full word of an abbreviation that is common in names, such as `Beach` for `BCH`; the word itself if it has none. */
export function fullWordOf(word: string): string {
  return canonicalWords.get(word) ?? word
}

/** Whether a word of a name is neither a full word nor its standard abbreviation: `HARBR` for `HARBOR` or `HBR`. */
export function isRareSpelling(word: string): boolean {
  const standard = suffixAbbreviations.get(word)
  return standard !== undefined && standard !== word && fullWordOf(word) !== word
}

/** For each spelling of a suffix, its full word as in Publication 28: the longest spelling, unless that is listed here. */
function fullSuffixWords(): [string, string][] {
  const fullWords = new Map<string, string>()
  for (const [word, standard] of suffixAbbreviations)
    if (word.length > (fullWords.get(standard)?.length ?? 0)) fullWords.set(standard, word)
  for (const word of unusualFullWords) fullWords.set(suffixAbbreviations.get(word)!, word)
  return [...suffixAbbreviations].map(([word, standard]) => [word, fullWords.get(standard)!])
}

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57
}

/**
 * The street type, from before or after the name. `Avenue B` and `B Avenue` have the same key, as do all county roads
 * with a number. `US 17 Bypass` is another road than `US 17`.
 */
export function streetTypeKeyOf({ pretype, suffix }: Street): string {
  const type = (pretype ?? suffix ?? '').toUpperCase()
  const key = typeKeys.get(type) ?? type
  return pretype !== undefined && suffix !== undefined && numberedTypes.has(key)
    ? `${key} ${suffix.toUpperCase()}`
    : key
}

const typeKeys = namesBySpelling(
  `AVE=AVENUE, RD=ROAD, LN=LANE, DR=DRIVE, ST=STREET, COUNTY=COUNTY ROAD|COUNTY HIGHWAY|COUNTY ROUTE,
  STATE=STATE ROUTE|STATE ROAD|STATE HIGHWAY|CARRETERA, FM=RANCH ROAD, US=US HIGHWAY, HIGHWAY=ROUTE|HWY|RTE`,
)

/** The type of a numbered road whose kind is not said. */
const anyHighway = 'HIGHWAY'

const numberedTypes = new Set(['COUNTY', 'STATE', 'FM', 'US', 'INTERSTATE', 'TOWNSHIP ROAD', 'FOREST ROAD', 'HIGHWAY'])

/** How two streets of one name differ in a part: not, by what one of them leaves out, or by what both say. */
export type KeyDifference = 'none' | 'omitted' | 'added' | 'moved' | 'other'

/** How a street differs from the requested one. `other` means a different street. */
export type StreetDifference = { type: KeyDifference; direction: KeyDifference }

/** Compares the types and directions of two streets whose names are equal. */
export function compareStreetKeys(query: StreetKey, found: StreetKey): StreetDifference {
  return { type: compareTypes(query, found), direction: compareDirections(query, found) }
}

function compareTypes(query: StreetKey, found: StreetKey): KeyDifference {
  if (query.type === found.type) return 'none'
  if (query.type === '') return 'added'
  if (found.type === '') return 'omitted'
  const areNumbered = /\d/.test(query.name) && numberedTypes.has(query.type) && numberedTypes.has(found.type)
  // Highway 360 may be State Highway 360, but State Highway 360 is not County Road 360.
  return areNumbered && (query.type === anyHighway || found.type === anyHighway) ? 'omitted' : 'other'
}

function compareDirections(query: StreetKey, found: StreetKey): KeyDifference {
  if (query.pre === found.pre && query.post === found.post) return 'none'
  const given = [query.pre, query.post].filter((part) => part !== '').toSorted()
  const has = [found.pre, found.post].filter((part) => part !== '').toSorted()
  if (given.join() === has.join()) return 'moved'
  // In a town with quadrants, 6th Avenue is four streets.
  if (given.length === 0 && /^\d+$/.test(query.name) && has.some((part) => part.length === 2)) return 'other'
  if (given.every((part) => has.includes(part))) return 'added'
  return has.every((part) => given.includes(part)) ? 'omitted' : 'other'
}
