import type { FetchContext } from '../../fetch/fetch.ts'
import { distanceBetween_m } from '../../geo/ecef.ts'
import { coordinatesIn, parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import { ApiError } from '../../model/error.ts'
import type { Point } from '../../model/place.ts'
import type { Budget } from '../../model/source.ts'
import type { LocatedPlace } from '../../place/locate.ts'
import type { TownFinder } from '../../place/town-finder.ts'
import type { PlaceMention } from './place-names.ts'
import { splitWords } from './words.ts'

/** A place that the question names beside its location; `place` is null when it could not be located. */
export type MentionedPlace = { name: string; place: LocatedPlace | null }

const namedPlacesMax = 3
/** A town whose center is this close to the location counts as the location of the question. */
const samePlace_m = 25_000
/** The least population of a town that is named without a state and without a preposition, as in "Is Tulsa flat?". */
const bareNameMin = 50_000
const bareNameMin_severalWords = 5_000

/** Whether a mention is a place. A name without a state and a preposition must be a town of some size. */
export function isPlaceMention({ town, state, text, isCertain }: PlaceMention, findTown: TownFinder): boolean {
  if (isCertain) return true
  const found = town === null ? null : findTown(town, state)
  if (found === null || state !== null) return found !== null
  return found.population >= (text.includes(' ') ? bareNameMin_severalWords : bareNameMin)
}

/** Locates the places and coordinates that a question names, except those at the location itself. */
export async function locateNamedPlaces(
  { question, mentions }: { question: string; mentions: PlaceMention[] },
  at: Point,
  { findTown, isEnglishWord, placeAt, locate }: Pick<FetchContext, 'findTown' | 'isEnglishWord' | 'placeAt' | 'locate'>,
  budget: Budget,
): Promise<MentionedPlace[]> {
  const places: MentionedPlace[] = []
  const coordinates = coordinatesIn(question).map((text) => ({ text, town: null, state: null, isAddress: true }))
  for (const mention of [...coordinates, ...mentions].slice(0, namedPlacesMax)) {
    const named = mention.isAddress ? await locateAddress(mention.text) : locateTown(mention)
    if (named && (named.place === null || distanceBetween_m(named.place, at) > (mention.isAddress ? 1 : samePlace_m)))
      places.push(named)
  }
  return places

  function locateTown({ town, state, text }: Pick<PlaceMention, 'town' | 'state' | 'text'>): MentionedPlace | null {
    if (town === null) return null
    const found = findTown(town, state)
    if (found) return { name: `${found.name}, ${found.state}`, place: placeAt(found.at) }
    const isName = state !== null || !splitWords(town).every(isEnglishWord)
    return isName ? { name: text, place: null } : null
  }

  async function locateAddress(address: string): Promise<MentionedPlace> {
    try {
      const at = parseCoordinates(address)
      // With the longitude first, the place is not certain.
      if (at) return { name: address, place: at.kind === 'coordinates' ? placeAt(at) : null }
      return { name: address, place: await locate({ address }, budget) }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { name: address, place: null }
    }
  }
}
