import type { AddressParts } from './address.ts'
import { displayNameOf, titleCase, type AddressToken } from './tokenizer.ts'
import { directionAbbreviations, suffixAbbreviations } from './abbreviations.ts'
import { parsePretype } from './street-pretype.ts'

/** The parts of a street, as in Publication 28. */
export type Street = Pick<AddressParts, 'predirectional' | 'pretype' | 'street' | 'suffix' | 'postdirectional'>

/** Parses a street. A street with any word has a name: `North St` is the street North. */
export function parseStreet(words: readonly AddressToken[]): Street {
  const street: Street = {}
  const predirection = findPredirection(words)
  if (predirection) street.predirectional = predirection.code
  const pretype = parsePretype(predirection ? words.slice(predirection.count) : words)
  if (pretype) street.pretype = pretype.name
  let name = pretype?.rest ?? (predirection ? words.slice(predirection.count) : [...words])
  const postdirection = pretype && name.length < 2 ? null : findPostdirection(name)
  if (postdirection) {
    street.postdirectional = postdirection.code
    name = name.slice(0, -postdirection.count)
  }
  const suffix = name.length > 1 ? suffixAbbreviations.get(name.at(-1)!.key) : undefined
  if (suffix !== undefined) {
    street.suffix = titleCase(suffix)
    name = name.slice(0, -1)
  }
  if (name.length > 0) street.street = displayNameOf(name)
  return street
}

/**
 * A key that is equal for all spellings of a street name: `Saint Mary's`, `ST MARYS`; `Seventh`, `7th`; `Mc Donald`,
 * `McDonald`.
 */
export function streetNameKeyOf(words: readonly string[]): string {
  let key = ''
  for (const word of words) {
    const joined = word.replace(/[-/]/g, '')
    const wordKey = canonicalWords.get(joined) ?? joined
    key += isDigitAt(key, key.length - 1) && isDigitAt(wordKey, 0) ? ` ${wordKey}` : wordKey
  }
  return key
}

function isDigitAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 48 && code <= 57
}

/**
 * The street type, from before or after the name. `Avenue B` and `B Avenue` have the same key, as do all numbered
 * county roads.
 */
export function streetTypeKeyOf({ pretype, suffix }: Street): string {
  return (pretype ?? suffix ?? '').toUpperCase()
}

/** The direction at the end of a street: its code and how many words it takes. */
function findPostdirection(words: readonly AddressToken[]): { code: string; count: number } | null {
  const [first, second] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  if (words.length > 2 && isAxis(first, 'NS') && isAxis(second, 'EW')) return { code: first + second, count: 2 }
  const code = words.length > 1 ? directionAbbreviations.get(second) : undefined
  return code === undefined ? null : { code, count: 1 }
}

function findPredirection(words: readonly AddressToken[]): { code: string; count: number } | null {
  const [first, second, third] = words.map(({ key }) => key)
  const code = directionAbbreviations.get(first ?? '')
  if (code === undefined || second === undefined) return null
  if (third !== undefined && isAxis(first!, 'NS') && isAxis(second, 'EW') && !suffixAbbreviations.has(third))
    return { code: first! + second, count: 2 }
  // In "North Street" and "Avenue E" the direction is the name.
  return words.length === 2 && (suffixAbbreviations.has(second) || directionAbbreviations.has(second))
    ? null
    : { code, count: 1 }
}

function isAxis(key: string, letters: string): boolean {
  return key.length === 1 && letters.includes(key)
}

const ordinalWords =
  'FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH TWENTIETH'.split(
    ' ',
  )

/** Maps the words of a street name that are spelled in several ways to one spelling. */
const canonicalWords: ReadonlyMap<string, string> = new Map([
  ...suffixAbbreviations,
  ['SAINT', 'ST'],
  ...[...directionAbbreviations].filter(([word]) => word.length > 2),
  ...ordinalWords.map((word, i): [string, string] => [word, `${i + 1}${['ST', 'ND', 'RD'][i] ?? 'TH'}`]),
])
