import { stateCodes } from '../address/abbreviations.ts'
import type { AddressParser } from '../address/parse-address.ts'
import type { Point } from '../model/place.ts'
import type { Properties } from '../model/source.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import { matchMethodOf, type GeocodeCandidate } from './geocode-outcome.ts'
import { spellingsOfTown } from './town-finder.ts'

/** Finds the towns, ZIP codes and airports that a text without a street names, the largest first. */
export type NamedPlaces = (text: string) => GeocodeCandidate[]

type Found = { at: Point; properties: Properties }

/** Below the least score of a match, so that no client takes the place for an address. */
const confidence = 0.5
const maxPlaces = 5
const airportColumns = ['ARPT_NAME', 'ARPT_ID', 'ICAO_ID']
const usStates = new Set(stateCodes.values())

/** Creates the finder of named places in the embedded data. */
export function createNamedPlaces(
  { pointsNamed }: Pick<EmbeddedData, 'pointsNamed'>,
  parse: AddressParser,
): NamedPlaces {
  return (text) => {
    const { city, state, zip, street, suffix, number } = parse(text)
    const zips = zip === undefined ? [] : pointsNamed('zips', [zip.slice(0, 5)], 'ZIP').map(zipCandidate)
    if (zips.length > 0) return zips
    // A name without a state reads as a street.
    const name = city ?? (suffix === undefined && number === undefined ? street : undefined)
    if (name === undefined) return []
    const towns = pointsNamed('places', spellingsOfTown(name)).filter(isIn(state)).toSorted(byPopulation)
    const airportName = name.replace(/ airport$/i, '')
    const airports = airportColumns.flatMap((column) => pointsNamed('airports', [airportName], column))
    return [...towns, ...airports.filter(isIn(state))].slice(0, maxPlaces).map(placeCandidate)
  }
}

function isIn(state: string | undefined): (place: Found) => boolean {
  return ({ properties }) => {
    const code = stateOf(properties)
    return state === undefined ? usStates.has(code) : code === state
  }
}

/** The state of a town or an airport. Territories are countries in the list of towns. */
function stateOf({ STATE, STATE_CODE, COUNTRY }: Properties): string {
  return String(STATE_CODE ?? (COUNTRY === 'US' ? STATE : COUNTRY))
}

function byPopulation(a: Found, b: Found): number {
  return Number(b.properties.POPULATION ?? 0) - Number(a.properties.POPULATION ?? 0)
}

function zipCandidate({ at, properties: { ZIP, PLACE, STATE } }: Found): GeocodeCandidate {
  return candidateOf(at, `${PLACE}, ${STATE} ${ZIP}`, 'zip')
}

/** The candidate of a town or an airport. */
function placeCandidate({ at, properties }: Found): GeocodeCandidate {
  return candidateOf(at, `${properties.NAME ?? properties.ARPT_NAME}, ${stateOf(properties)}`, 'place')
}

function candidateOf(at: Point, resolved_address: string, accuracy_type: 'place' | 'zip'): GeocodeCandidate {
  return { resolved_address, ...at, confidence, match_method: matchMethodOf(accuracy_type), accuracy_type }
}
