import type { AddressComponents } from './address.ts'
import { directionAbbreviations } from './abbreviations.ts'
import { titleCase } from './tokenizer.ts'

/** An address on one line in Postal Service style: `1109 N Highland St Apt 4, Arlington, VA 22201`. */
export function formatAddress(parts: AddressComponents & { crossing?: AddressComponents }): string {
  const { number, unit, city, state, zip, crossing } = parts
  const street = [number, formatStreet(parts), crossing && `& ${formatStreet(crossing)}`, unit]
    .filter((it) => it !== undefined && it !== '')
    .join(' ')
  return [street, city, [state, zip].filter((it) => it !== undefined).join(' ')]
    .filter((it) => it !== undefined && it !== '')
    .join(', ')
}

/** A street on one line: `N Highland St`. */
export function formatStreet({ predirectional, pretype, street, suffix, postdirectional }: AddressComponents): string {
  return [predirectional, pretype, street, suffix, postdirectional].filter((it) => it !== undefined).join(' ')
}

/**
 * The same form for an address in capitals: `1777 BROADWAY, BOULDER, CO, 80302` becomes `1777 Broadway, Boulder, CO
 * 80302`.
 */
export function formatCapitals(address: string): string {
  const [street = '', ...rest] = address.split(',').map((part) => part.trim())
  const zip = /^\d{5}(?:-\d{4})?$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined
  const state = /^[A-Z]{2}(?: \d{5}(?:-\d{4})?)?$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined
  const end = [state, zip].filter((part) => part !== undefined).join(' ')
  return [lowerCapitals(street), ...rest.map(lowerCapitals), end].filter((part) => part !== '').join(', ')
}

/**
 * Writes words that are all in capitals as `Broadway`, `16th` and `McKinley`; directions and codes such as `US` stay.
 */
export function lowerCapitals(text: string): string {
  return text.replace(/[\p{L}\d']+/gu, (word) => {
    if (word !== word.toUpperCase() || capitalWords.has(word)) return word
    return titleCase(word).replace(
      /^(Mc|O')(\p{L})/u,
      (_, start: string, letter: string) => start + letter.toUpperCase(),
    )
  })
}

const capitalWords: ReadonlySet<string> = new Set([...directionAbbreviations.values(), 'US', 'FM', 'PO', 'CR', 'SR'])
