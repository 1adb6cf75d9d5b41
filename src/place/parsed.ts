import type { ParsedAddress } from '../model/address.ts'
import { shown, tokensOf, type Token } from '../model/address-token.ts'
import type { Gazetteer } from './parsed-gazetteer.ts'
import { houseOf } from './parsed-house.ts'
import { localityOf } from './parsed-locality.ts'

/** Reads the parts of an address; it never fails: a part that is not there is left out. */
export type Parse = (text: string) => ParsedAddress

/** The parser: from the right country, ZIP code, state and town, then from the left number, street and unit. */
export function openParser(gazetteer: Gazetteer): Parse {
  return (text) => {
    const words = withoutCountry(tokensOf(text).slice(0, mostWords))
    const { rest, city, state, zip } = localityOf(words, gazetteer)
    return { text, ...houseOf(rest), ...(city && { city: shown(city) }), ...(state !== undefined && { state }), ...(zip !== undefined && { zip }) }
  }
}

/** An address has at most 256 characters, so that this cuts none off. */
const mostWords = 160
const countries = [['UNITED', 'STATES', 'OF', 'AMERICA'], ['UNITED', 'STATES'], ['U', 'S', 'A'], ['USA'], ['US']]

function withoutCountry(words: Token[]): Token[] {
  const country = countries.find((names) => words.length > names.length && names.every((name, i) => words[words.length - names.length + i]!.key === name))
  return country ? words.slice(0, -country.length) : words
}
