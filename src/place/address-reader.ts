import {
  createAddressParser,
  createAddressReadings,
  createLocalityReader,
  type AddressParser,
} from '../address/parse-address.ts'
import { tokenizeAddress } from '../address/tokenizer.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import { createAddressClassifier, type AddressKind } from './classify-address.ts'
import { createEmbeddedGazetteer } from './embedded-gazetteer.ts'
import type { MatchScoringDeps } from './match-scoring.ts'
import { createNamedPlaces, type NamedPlaces } from './named-places.ts'

/** Reads the texts of addresses. */
export type AddressReader = {
  gazetteer: ReturnType<typeof createEmbeddedGazetteer>
  classify: (text: string) => AddressKind
  scoring: MatchScoringDeps & { parse: AddressParser }
  placesNamed: NamedPlaces
}

/** Points this close to a state count as inside it, because the embedded counties are simplified. */
const nearState_m = 2000

/** Creates the reader of addresses, with the embedded towns, ZIP codes and counties. */
export function createAddressReader(embedded: Pick<EmbeddedData, 'layer' | 'prepare' | 'pointsNamed'>): AddressReader {
  const gazetteer = createEmbeddedGazetteer(embedded)
  const tokenize = memoizeLatest(tokenizeAddress)
  const localitiesOf = memoizeLatest(createLocalityReader(gazetteer, tokenize))
  const parse = memoizeLatest(createAddressParser(gazetteer, localitiesOf))
  const readings = createAddressReadings(gazetteer, localitiesOf)
  const classify = createAddressClassifier(gazetteer, parse, tokenize)
  const placesNamed = createNamedPlaces(embedded, parse)
  return { gazetteer, classify, scoring: { parse, readings, isInState, gazetteer }, placesNamed }

  function isInState(at: { lat: number; lng: number }, state: string | undefined): boolean {
    const isWithin = (radius_m: number) =>
      embedded
        .layer('counties')
        .query({ at, radius_m })
        .some(({ properties }) => state === undefined || properties.STUSPS === state)
    return isWithin(0) || isWithin(nearState_m)
  }
}

/** An address, and the texts of a few matches. */
const keptResults = 4

/**
 * Keeps the latest results: an address is split and parsed to classify it, then to geocode it, and then again if the
 * text of the match is the same.
 */
function memoizeLatest<T>(read: (text: string) => T): (text: string) => T {
  const latest: { text: string; result: T }[] = []
  return (text) => {
    const known = latest.find((it) => it.text === text)
    if (known) return known.result
    const result = read(text)
    latest.unshift({ text, result })
    latest.length = Math.min(latest.length, keptResults)
    return result
  }
}
