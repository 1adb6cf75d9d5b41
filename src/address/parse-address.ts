import type { ParsedAddress } from './address.ts'
import { displayNameOf, tokenizeAddress, type AddressToken } from './tokenizer.ts'
import type { Gazetteer } from './gazetteer.ts'
import { parseStreetAddress } from './street-address.ts'
import { parseLocality } from './locality.ts'

/** Reads the parts of an address; it never fails: a part that is not there is left out. */
export type AddressParser = (text: string) => ParsedAddress

/** The parser: from the right country, ZIP code, state and town, then from the left number, street and unit. */
export function createAddressParser(gazetteer: Gazetteer): AddressParser {
  return (text) => {
    const words = dropUsName(tokenizeAddress(text).slice(0, maxWords))
    const { rest, city, state, zip } = parseLocality(words, gazetteer)
    return {
      text,
      ...parseStreetAddress(rest),
      ...(city && { city: displayNameOf(city) }),
      ...(state !== undefined && { state }),
      ...(zip !== undefined && { zip }),
    }
  }
}

/** An address has at most 256 characters, so that this cuts none off. */
const maxWords = 160
const usNames = [['UNITED', 'STATES', 'OF', 'AMERICA'], ['UNITED', 'STATES'], ['U', 'S', 'A'], ['USA'], ['US']]

function dropUsName(words: AddressToken[]): AddressToken[] {
  const usName = usNames.find(
    (names) =>
      words.length > names.length && names.every((name, i) => words[words.length - names.length + i]!.key === name),
  )
  return usName ? words.slice(0, -usName.length) : words
}
