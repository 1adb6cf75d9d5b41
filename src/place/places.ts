import { addressKeyOf } from '../address/address-key.ts'
import type { Log } from '../log.ts'
import type { Place, Point } from '../model/place.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { AddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import type { EmbeddedData } from '../packs/embedded/embedded-data.ts'
import type { CallOnce } from '../store/billed-calls.ts'
import type { Store } from '../store/store.ts'
import type { AddressKind } from './classify-address.ts'
import { createGeocodeAudit, type GeocodedAddress } from './geocode-audit.ts'
import { createGeocode, type Geocode, type GeocodeDeps } from './geocode.ts'
import { createCensusGeocoder, censusHost } from './geocoders/census.ts'
import { geocodeLimits_ms, type Geocoder, type GeocodeLimits } from './geocoders/geocoder.ts'
import { createGeocodioGeocoder, geocodioHost } from './geocoders/geocodio.ts'
import { createPackGeocoder } from './geocoders/address-packs.ts'
import { createAddressReader } from './address-reader.ts'
import { createLocate, placeAt, type Locate } from './locate.ts'
import { createEnglishWordCheck, type EnglishWordCheck } from './english-words.ts'
import { createTownFinder, type TownFinder } from './town-finder.ts'

/** Turns texts and coordinates into places. */
export type Places = {
  classify: (text: string) => AddressKind
  geocode: Geocode
  /** Records the addresses that a worker thread geocoded for an account. Resolves when they are written. */
  recordGeocodes(geocodes: readonly GeocodedAddress[], account: string): Promise<void>
  /** The geocoders that are available now, in order of use. */
  geocoders: () => Geocoder[]
  locateFor: (account: string) => Locate
  placeAt: (at: Point) => Place
  findTown: TownFinder
  isEnglishWord: EnglishWordCheck
  /** Loads the embedded towns and ZIP codes in small steps. */
  warm(): Promise<void>
  /** Deletes expired cache entries and audit records. */
  sweep(): Promise<void>
  /** Writes the audit records that wait. They are reported as lost if that fails. */
  flush(): Promise<void>
}

/** `packs`: the address packs, possibly none; `net`: null when the network is switched off. */
export type PlacesDeps = {
  embedded: Pick<EmbeddedData, 'layer' | 'prepare' | 'pointsNamed' | 'englishWords'>
  packs: Pick<AddressPackFolder, 'find' | 'edition' | 'waitForChecks'>
  net: HttpClient | null
  geocodioKey: string | null
  store: Pick<Store, 'isReadOnly' | 'access' | 'audit' | 'geocodes' | 'billedCalls'>
  /** Shares the answers of billed geocoders with other processes; null if there are none. */
  callOnce: CallOnce | null
  randomBytes: (size: number) => Uint8Array
  now: () => Date
  log: Log
  /** Called with the result of every geocode. */
  onGeocode?: GeocodeDeps['onGeocode']
  limits_ms?: GeocodeLimits
}

/** The hosts of the remote geocoders. */
export const geocoderHosts = [geocodioHost, censusHost]

/** Creates the geocoders, with their cache and the audit. */
export function createPlaces(deps: PlacesDeps): Places {
  const { embedded, net, geocodioKey, store, now, onGeocode, limits_ms = geocodeLimits_ms } = deps
  const reader = createAddressReader(embedded)
  const counties = () => embedded.layer('counties')
  const audit = createGeocodeAudit({ store, now, randomBytes: deps.randomBytes, log: deps.log })
  const remoteGeocoders = net
    ? [
        ...(geocodioKey === null
          ? []
          : [withCallOnce(createGeocodioGeocoder(net, geocodioKey, limits_ms.geocodio), deps.callOnce)]),
        createCensusGeocoder(net, limits_ms.census),
      ]
    : []
  const localGeocoder = createPackGeocoder(deps.packs)
  const geocoders = () => (localGeocoder.edition() === '' ? remoteGeocoders : [localGeocoder, ...remoteGeocoders])
  const geocode = createGeocode({
    reader,
    geocoders,
    geocodes: store.geocodes,
    audit,
    now,
    max_ms: limits_ms.all,
    ...(onGeocode && { onGeocode }),
  })
  return {
    classify: reader.classify,
    geocode,
    async recordGeocodes(geocodes, account) {
      for (const { key, ...result } of geocodes) audit.add(key, account, result)
      await audit.flush()
    },
    geocoders,
    locateFor: createLocate(embedded, geocode),
    placeAt: (at) => placeAt(counties, at),
    findTown: createTownFinder(embedded),
    isEnglishWord: createEnglishWordCheck(embedded),
    warm: reader.gazetteer.warm,
    async sweep() {
      if (!store.isReadOnly) {
        await store.audit.sweep(now())
        await store.billedCalls.sweep(now().getTime())
      }
      await store.geocodes.sweep(now().getTime())
    },
    flush: audit.flush,
  }
}

/** How long the matches of a billed geocoder are shared. Its outcome is stored longer, with the other geocodes. */
const sharedMatches_s = 86_400

/** Makes processes that use the same state pay once for an address. */
function withCallOnce(geocoder: Geocoder, callOnce: CallOnce | null): Geocoder {
  if (!callOnce) return geocoder
  return {
    ...geocoder,
    async find(address, budget) {
      const call = async () => ({ answer: await geocoder.find(address, budget), ttl_s: sharedMatches_s })
      // An address that is not found has no answer to store, so it is not stored as text.
      const hash = new Bun.CryptoHasher('sha256').update(addressKeyOf(address.text)).digest('hex')
      return (await callOnce(`${geocoder.name} ${hash}`, budget.signal, call)).answer
    },
  }
}
