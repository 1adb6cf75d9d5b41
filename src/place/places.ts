import type { Database } from 'bun:sqlite'
import type { Log } from '../log.ts'
import type { Place, Point } from '../model/place.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { AddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import { openGeocodeAudit } from '../store/geocode-audit.ts'
import { openGeocodeCache } from '../store/geocode-cache.ts'
import { createAddressClassifier, type AddressKind } from './classify-address.ts'
import { createGeocode, type Geocode, type GeocodeDeps } from './geocode.ts'
import { createCensusGeocoder, censusHost } from './geocoders/census.ts'
import type { Geocoder } from './geocoders/geocoder.ts'
import { createGeocodioGeocoder, geocodioHost } from './geocoders/geocodio.ts'
import { createPackGeocoder } from './geocoders/address-packs.ts'
import { createLocate, placeAt, type Locate } from './locate.ts'
import { createEmbeddedGazetteer } from './embedded-gazetteer.ts'
import { createAddressParser } from '../address/parse-address.ts'
import { createGeocodableParser } from './geocodable-address.ts'

/** Everything that turns texts and coordinates into places. */
export type Places = {
  classify: (text: string) => AddressKind
  geocode: Geocode
  /** Who is asked for an address, in this order. */
  geocoders: () => Geocoder[]
  locateFor: (account: string) => Locate
  placeAt: (at: Point) => Place
  /** Reads the towns and ZIP codes that addresses are told by, with breaths between. */
  warm(): Promise<void>
  /** Forgets what is past its time. */
  sweep(): Promise<void>
  close(): void
}

/** What places are known by. `packs`: the address packs, of which there may be none; `net`: null where the network is switched off. */
export type PlacesDeps = {
  embedded: Pick<EmbeddedData, 'layer' | 'prepare'>
  packs: Pick<AddressPackFolder, 'find' | 'edition'>
  net: HttpClient | null
  geocodioKey: string | null
  folder: string
  db: Database
  randomBytes: (size: number) => Uint8Array
  now: () => Date
  log: Log
  /** Told what became of every address. */
  onGeocode?: GeocodeDeps['onGeocode']
}

/** The hosts that addresses are asked of. */
export const geocoderHosts = [geocodioHost, censusHost]

/** Points so near to a state are taken for its own: the embedded counties are generalised. */
const nearState_m = 2000

export function openPlaces({
  embedded,
  packs,
  net,
  geocodioKey,
  folder,
  db,
  randomBytes,
  now,
  log,
  onGeocode,
}: PlacesDeps): Places {
  const gazetteer = createEmbeddedGazetteer(embedded)
  const parse = createAddressParser(gazetteer)
  const classify = createAddressClassifier(gazetteer, parse)
  const counties = () => embedded.layer('counties')
  const geocodes = openGeocodeCache(folder)
  const audit = openGeocodeAudit(db, randomBytes, (error) => log.error('geocode_audit', { error }))
  const remoteGeocoders = net
    ? [...(geocodioKey === null ? [] : [createGeocodioGeocoder(net, geocodioKey)]), createCensusGeocoder(net)]
    : []
  const localGeocoder = createPackGeocoder(packs)
  const geocoders = () => (localGeocoder.edition() === '' ? remoteGeocoders : [localGeocoder, ...remoteGeocoders])
  const geocode = createGeocode({
    parseGeocodable: createGeocodableParser(classify, parse),
    geocoders,
    scoring: { parse, isInState },
    geocodes,
    audit,
    now,
    log,
    ...(onGeocode && { onGeocode }),
  })
  return {
    classify,
    geocode,
    geocoders,
    locateFor: createLocate(embedded, geocode),
    placeAt: (at) => placeAt(counties, at),
    warm: gazetteer.warm,
    sweep() {
      audit.sweep(now())
      return geocodes.sweep(now().getTime())
    },
    close() {
      audit.close()
      geocodes.close()
    },
  }

  function isInState(at: Point, state: string | undefined): boolean {
    const isWithin = (radius_m: number) =>
      counties()
        .query({ at, radius_m })
        .some(({ properties }) => state === undefined || properties.STUSPS === state)
    return isWithin(0) || isWithin(nearState_m)
  }
}
