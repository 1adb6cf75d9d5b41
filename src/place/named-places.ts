import { stateCodes } from '../address/abbreviations.ts'
import type { AddressParser } from '../address/parse-address.ts'
import type { Point } from '../model/place.ts'
import type { Properties } from '../model/source.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import { matchMethodOf, type GeocodeCandidate } from './geocode-outcome.ts'
import { spellingsOfTown } from './town-finder.ts'

/** Finds the ZIP codes, towns, counties, airports and tide stations that a text without a street names, towns first. */
export type NamedPlaces = (text: string) => GeocodeCandidate[]

type Found = { at: Point; properties: Properties }

/** Below the least score of a match, so that no client takes the place for an address. */
const confidence = 0.5
const maxPlaces = 5
const airportColumns = ['ARPT_NAME', 'ARPT_ID', 'ICAO_ID']
const usStates = new Set(stateCodes.values())

/** Abbreviations in the names of the FAA. */
export const airportWords: Readonly<Record<string, string>> = {
  INTL: 'International',
  MUNI: 'Municipal',
  RGNL: 'Regional',
  NTL: 'National',
  MEML: 'Memorial',
  FLD: 'Field',
  EXEC: 'Executive',
}

/** Creates the finder of named places in the embedded data. */
export function createNamedPlaces(
  { pointsNamed }: Pick<EmbeddedData, 'pointsNamed'>,
  parse: AddressParser,
): NamedPlaces {
  return (text) => {
    const { city, state, zip, number } = parse(text)
    const zips = zip === undefined ? [] : pointsNamed('zips', [zip.slice(0, 5)], 'ZIP').map(zipCandidate)
    if (zips.length > 0) return zips
    if (number !== undefined && city === undefined) return []
    const name = nameIn(text, state)
    const towns = pointsNamed('places', spellingsOfTown(city ?? name)).toSorted(byPopulation)
    const airports = airportColumns.flatMap((column) => pointsNamed('airports', airportNamesOf(name), column))
    const found = [
      ...towns,
      ...pointsNamed('counties', [name], 'NAMELSAD'),
      ...airports,
      ...pointsNamed('tide_stations', [name]),
    ]
    return found.filter(isIn(state)).slice(0, maxPlaces).map(placeCandidate)
  }
}

/** The name ahead of the first comma, or of the state. */
function nameIn(text: string, state: string | undefined): string {
  const name = text.split(',')[0]!.trim()
  const words = name.split(/\s+/)
  const count = [3, 2, 1].find((it) => stateCodes.get(words.slice(-it).join(' ').toUpperCase()) === state)
  return state === undefined || count === undefined || words.length <= count ? name : words.slice(0, -count).join(' ')
}

/** `Denver International Airport` is `DENVER INTL` in the list of the FAA. */
function airportNamesOf(name: string): string[] {
  const airport = name.replace(/ airport$/i, '')
  const short = Object.entries(airportWords).reduce(
    (text, [abbreviation, word]) => text.replace(new RegExp(`\\b${word}\\b`, 'i'), abbreviation),
    airport,
  )
  return [...new Set([airport, short])]
}

function isIn(state: string | undefined): (place: Found) => boolean {
  return ({ properties }) => {
    const code = stateOf(properties)
    return state === undefined ? usStates.has(code) : code === state
  }
}

/** The state of a place. Territories are countries in the list of towns. */
function stateOf({ STATE, STATE_CODE, STUSPS, COUNTRY }: Properties): string {
  return String(STATE_CODE ?? STUSPS ?? (COUNTRY === undefined || COUNTRY === 'US' ? STATE : COUNTRY))
}

function byPopulation(a: Found, b: Found): number {
  return Number(b.properties.POPULATION ?? 0) - Number(a.properties.POPULATION ?? 0)
}

function zipCandidate({ at, properties: { ZIP, PLACE, STATE } }: Found): GeocodeCandidate {
  return candidateOf(at, `${PLACE}, ${STATE} ${ZIP}`, 'zip')
}

/** The candidate of a town, a county, an airport or a tide station. */
function placeCandidate({ at, properties }: Found): GeocodeCandidate {
  const { NAMELSAD, NAME, ARPT_NAME } = properties
  const name = `${NAMELSAD ?? NAME ?? ARPT_NAME}, ${stateOf(properties)}`
  return candidateOf(at, name, NAMELSAD === undefined ? 'place' : 'county')
}

function candidateOf(at: Point, resolved_address: string, accuracy_type: 'place' | 'zip' | 'county'): GeocodeCandidate {
  return { resolved_address, ...at, confidence, match_method: matchMethodOf(accuracy_type), accuracy_type }
}
