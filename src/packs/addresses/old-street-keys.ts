import { directionAbbreviations, suffixAbbreviations } from '../../address/abbreviations.ts'
import { streetNameKeyOf } from '../../address/street-key.ts'

/**
 * The keys under which a pack of version 1 may have a street name. They shorten words such as View, and a number may
 * have the ending of an ordinal.
 */
export function oldStreetKeysOf(words: readonly string[]): string[] {
  const key = words.map((word) => oldWordOf(word.replace(/[-/]/g, ''))).join('')
  const number = /^\d+$/.exec(streetNameKeyOf(words))?.[0]
  return [...new Set(number === undefined ? [key] : [key, number, `${number}${endingOf(Number(number))}`])]
}

function oldWordOf(word: string): string {
  if (word === 'SAINT') return 'ST'
  const direction = word.length > 2 ? directionAbbreviations.get(word) : undefined
  return direction ?? suffixAbbreviations.get(word) ?? word
}

function endingOf(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  return isTeen ? 'TH' : (['TH', 'ST', 'ND', 'RD'][number % 10] ?? 'TH')
}
