import { tokenizeAddress } from './tokenizer.ts'
import { unitAbbreviations } from './abbreviations.ts'

/**
 * A house number in parts: the prefix (`12-`, `N6W`), the number itself, and the letter or fraction that follows it.
 */
export type HouseNumber = { pre: string; num: number; suf: string }

/** Splits a house number into its parts. Returns null if it has no digits or too many. */
export function parseHouseNumber(text: string): HouseNumber | null {
  const normalized = text
    .normalize('NFKC')
    .replaceAll('⁄', '/')
    .toUpperCase()
    .trim()
    .replace(/\s{1,9}/g, ' ')
  if (normalized.length > maxLength) return null
  const match = /^([A-Z\d -]*?)(\d+)(?:[ -]?([A-Z]{1,2}|\d\/\d{1,2}))?$/.exec(normalized)
  if (!match || match[2]!.length > maxDigits) return null
  return { pre: match[1]!.replace(/ /g, ''), num: Number(match[2]), suf: match[3] ?? '' }
}

/** A unit without its designator: `Apt 4`, `#4` and `4` have the same key. */
export function unitKeyOf(text: string): string {
  return tokenizeAddress(text)
    .flatMap(({ key }, i, all) =>
      unitAbbreviations.has(key) && all.length > 1 && !(key.length === 1 && i > 0 && key !== '#') ? [] : [key],
    )
    .join(' ')
}

const maxLength = 24
const maxDigits = 9
