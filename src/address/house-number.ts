import { ordinalPattern, tokenizeAddress } from './tokenizer.ts'
import { unitAbbreviations } from './abbreviations.ts'

/**
 * A house number in parts: the prefix (`12-`, `N6W`), the number itself, and the letter or fraction that follows it. The
 * zeros in front of a number are a prefix, because 0246 is another house than 246; after a hyphen they are not, because
 * 61-08 is 61-8.
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
  const match = /^((?:[A-Z\d -]*[A-Z -])?)(0*)(\d+)(?:[ -]?([A-Z]{1,2}|\d\/\d{1,2}))?$/.exec(normalized)
  if (!match || match[3]!.length > maxDigits) return null
  const pre = match[1]!.replace(/ /g, '').replace(/(?<=\d)-(?=[NSEW]$)/, '')
  return { pre: pre.endsWith('-') ? pre : pre + match[2]!, num: Number(match[3]), suf: match[4] ?? '' }
}

/** Whether a word is a house number: digits, `123A`, `12-34`, `N6W23001`. */
export function isHouseNumber(key: string): boolean {
  if (ordinalPattern.test(key) || key.length > 2 * maxNumberDigits + 2) return false
  return (
    /^\d{1,7}(?:[A-Z]|-[A-Z]?\d{0,7}[A-Z]?|-\d\/\d)?$/.test(key) || /^[NSEW]\d{1,5}-?[NSEW]\d{1,5}[A-Z]?$/.test(key)
  )
}

const maxNumberDigits = 7

/** The numbers from 1 to 10 in words: some buildings are `One Microsoft Way`. */
export const numberWords: readonly string[] = 'ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN'.split(' ')

/** Whether two texts are the same house number: `12A` is `12-A`, and `61-08` is `61-8`. */
export function isSameNumber(a: string, b: string): boolean {
  return numberKeyOf(a) === numberKeyOf(b)
}

function numberKeyOf(text: string): string {
  const number = parseHouseNumber(text)
  return number === null ? text.toUpperCase() : `${number.pre} ${number.num} ${number.suf}`
}

/** A unit without its designator: `Apt 4`, `#4` and `4` have the same key. */
export function unitKeyOf(text: string): string {
  return tokenizeAddress(text)
    .flatMap(({ key }, i, all) =>
      unitAbbreviations.has(key) && all.length > 1 && !(key.length === 1 && i > 0 && key !== '#')
        ? []
        : [unitAbbreviations.get(key) ?? key],
    )
    .join(' ')
}

const maxLength = 24
const maxDigits = 9
