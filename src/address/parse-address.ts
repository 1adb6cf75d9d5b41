import type { ParsedAddress, Gazetteer } from './address.ts'
import { displayNameOf, tokenizeAddress, type AddressToken } from './tokenizer.ts'
import { parseStreetAddress } from './street-address.ts'
import { parseLocality } from './locality.ts'

/** Parses an address into its parts. It never fails; parts that are missing are left out. */
export type AddressParser = (text: string) => ParsedAddress

/** Splits a text into words. */
export type Tokenizer = typeof tokenizeAddress

/**
 * Creates the parser. It reads the country, ZIP code, state and town from the end, then number, street and unit from
 * the start.
 */
export function createAddressParser(gazetteer: Gazetteer, tokenize: Tokenizer = tokenizeAddress): AddressParser {
  return (text) => {
    const words = dropUsName(tokenize(text).slice(0, maxWords))
    const { rest, city, state, zip } = parseLocality(words, gazetteer)
    const address: ParsedAddress = { text, ...parseStreetAddress(rest) }
    if (city) address.city = displayNameOf(city)
    if (state !== undefined) address.state = state
    if (zip !== undefined) address.zip = zip
    return address
  }
}

/** Addresses have at most 256 characters, so this never truncates one. */
const maxWords = 160
const usNames = [['UNITED', 'STATES', 'OF', 'AMERICA'], ['UNITED', 'STATES'], ['U', 'S', 'A'], ['USA'], ['US']]

function dropUsName(words: AddressToken[]): AddressToken[] {
  const usName = usNames.find(
    (names) =>
      words.length > names.length && names.every((name, i) => words[words.length - names.length + i]!.key === name),
  )
  return usName ? words.slice(0, -usName.length) : words
}
