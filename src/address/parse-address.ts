/**
 * The grammar of US addresses: a text becomes house number, street, unit, town, state and ZIP, in one or several
 * readings. Equal streets have equal keys (`street-key.ts`), whoever wrote them. No data of places is used here.
 */
import type { ParsedAddress, Gazetteer } from './address.ts'
import { displayNameOf, tokenizeAddress, type AddressToken } from './tokenizer.ts'
import { otherStreetAddresses, parseStreetAddress } from './street-address.ts'
import { parseLocalities, type Locality } from './locality.ts'

/** Parses an address into its parts. It never fails; parts that are missing are left out. */
export type AddressParser = (text: string) => ParsedAddress

/** The other ways to read an address than the most likely, in order. They are read only when they are asked for. */
export type AddressReadings = (text: string) => Iterable<ParsedAddress>

/** Splits the town, state and ZIP code from a text; the most likely way first. */
export type LocalityReader = (text: string) => Locality[]

/** Splits a text into words. */
export type Tokenizer = typeof tokenizeAddress

/** Creates the parser, which gives the most likely reading. */
export function createAddressParser(
  gazetteer: Gazetteer,
  localitiesOf: LocalityReader = createLocalityReader(gazetteer),
): AddressParser {
  return (text) => {
    const [locality] = localitiesOf(text)
    return readingOf(text, locality!, parseStreetAddress(locality!.rest))
  }
}

/**
 * Creates the function that reads an address in other ways than the parser: the country, ZIP code, state and town from the end, then
 * number, street and unit from the start. `Main St North, Miami` may be on Main St in North Miami; data about streets
 * decides.
 */
export function createAddressReadings(
  gazetteer: Gazetteer,
  localitiesOf: LocalityReader = createLocalityReader(gazetteer),
): AddressReadings {
  return function* (text) {
    const localities = localitiesOf(text)
    for (const locality of localities.slice(1)) yield readingOf(text, locality, parseStreetAddress(locality.rest))
    for (const locality of localities)
      for (const street of otherStreetAddresses(locality.rest)) yield readingOf(text, locality, street)
  }
}

/** Creates the function that splits off the town, in every way that makes sense. */
export function createLocalityReader(gazetteer: Gazetteer, tokenize: Tokenizer = tokenizeAddress): LocalityReader {
  return (text) => parseLocalities(dropUsName(tokenize(text).slice(0, maxWords)), gazetteer)
}

function readingOf(text: string, { city, state, zip }: Locality, street: Omit<ParsedAddress, 'text'>): ParsedAddress {
  const address: ParsedAddress = { text, ...street }
  if (city) address.city = displayNameOf(city)
  if (state !== undefined) address.state = state
  if (zip !== undefined) address.zip = zip
  return address
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
