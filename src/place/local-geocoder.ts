import { addressKeyOf } from '../address/address-key.ts'
import { createAddressParser, createAddressReadings, type AddressParser } from '../address/parse-address.ts'
import { tokenizeAddress } from '../address/tokenizer.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import type { AddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import { createAddressClassifier, type AddressKind } from './classify-address.ts'
import { createEmbeddedGazetteer } from './embedded-gazetteer.ts'
import type { GeocodeOutcome } from './geocode-outcome.ts'
import { parseGeocodable } from './geocode.ts'
import { packGeocoderName } from './geocoders/address-packs.ts'
import { chooseReading, type MatchScoringDeps } from './match-scoring.ts'

/** Reads the texts of addresses. */
export type AddressReader = {
  gazetteer: ReturnType<typeof createEmbeddedGazetteer>
  classify: (text: string) => AddressKind
  scoring: MatchScoringDeps & { parse: AddressParser }
}

/** Points this close to a state count as inside it, because the embedded counties are simplified. */
const nearState_m = 2000

/** Creates the reader of addresses, with the embedded towns, ZIP codes and counties. */
export function createAddressReader(embedded: Pick<EmbeddedData, 'layer' | 'prepare' | 'pointsNamed'>): AddressReader {
  const gazetteer = createEmbeddedGazetteer(embedded)
  const tokenize = memoizeLatest(tokenizeAddress)
  const parse = memoizeLatest(createAddressParser(gazetteer, tokenize))
  const readings = createAddressReadings(gazetteer, tokenize)
  const classify = createAddressClassifier(gazetteer, parse, tokenize)
  return { gazetteer, classify, scoring: { parse, readings, isInState, gazetteer } }

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

/** The outcome of an address. `key`: the normalized address, for the audit. */
export type LocalGeocode = { key: string; outcome: GeocodeOutcome }

/** Returns the outcome of an address; null if another geocoder may know more about it. */
export type LocalGeocoder = (text: string) => LocalGeocode | null

type Deps = {
  reader: AddressReader
  packs: Pick<AddressPackFolder, 'find'>
  /** Whether the address packs are the only geocoder. */
  isOnlyGeocoder: boolean
}

/**
 * Creates a geocoder that asks only the address packs, and neither waits nor caches. Its outcomes are those of
 * `createGeocode`, which asks the address packs first.
 * @throws {UpstreamError} if a pack cannot be read.
 */
export function createLocalGeocoder({ reader, packs, isOnlyGeocoder }: Deps): LocalGeocoder {
  const { classify, scoring } = reader
  const provider = { name: packGeocoderName, scoresParts: true }
  return (text) => {
    const address = text.normalize('NFC').trim()
    const key = addressKeyOf(address)
    const query = parseGeocodable(address, classify, scoring.parse)
    if ('rejected' in query) return { key, outcome: query }
    const outcome = chooseReading(query, (reading) => packs.find(reading, noLimit), provider, scoring)
    const isFinal = isOnlyGeocoder || !('rejected' in outcome) || outcome.rejected === 'address_ambiguous'
    return isFinal ? { key, outcome } : null
  }
}

const noLimit = { signal: new AbortController().signal }
