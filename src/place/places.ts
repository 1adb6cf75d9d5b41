import type { Database } from 'bun:sqlite'
import type { Log } from '../log.ts'
import type { Place, Point } from '../model/place.ts'
import type { HttpClient } from '../net/http-client.ts'
import type { AddressPackFolder } from '../packs/addresses/address-pack-folder.ts'
import type { EmbeddedData } from '../packs/embedded-data.ts'
import { openAudit } from '../store/audit.ts'
import { openGeocodes } from '../store/geocodes.ts'
import { openKinds, type AddressKind } from './address-kind.ts'
import { openGeocode, type Geocode, type Means as GeocodeMeans } from './geocode.ts'
import { census, censusHost } from './geocoders/census.ts'
import type { Geocoder } from './geocoders/geocoder.ts'
import { geocodio, geocodioHost } from './geocoders/geocodio.ts'
import { local } from './geocoders/local.ts'
import { openLocate, placeAt, type Locate } from './locate.ts'
import { gazetteerOf } from './parsed-gazetteer.ts'
import { openParser } from './parsed.ts'
import { openReading } from './reading.ts'

/** Everything that turns texts and coordinates into places. */
export type Places = {
  kindOf: (text: string) => AddressKind
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
export type Tools = {
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
  geocoded?: GeocodeMeans['geocoded']
}

/** The hosts that addresses are asked of. */
export const geocoderHosts = [geocodioHost, censusHost]

/** Points so near to a state are taken for its own: the embedded counties are generalised. */
const nearState_m = 2000

export function openPlaces({ embedded, packs, net, geocodioKey, folder, db, randomBytes, now, log, geocoded }: Tools): Places {
  const gazetteer = gazetteerOf(embedded)
  const parse = openParser(gazetteer)
  const kindOf = openKinds(gazetteer, parse)
  const counties = () => embedded.layer('counties')
  const geocodes = openGeocodes(folder)
  const audit = openAudit(db, randomBytes, (error) => log.error('geocode_audit', { error }))
  const remote = net ? [...(geocodioKey === null ? [] : [geocodio(net, geocodioKey)]), census(net)] : []
  const here = local(packs)
  const geocoders = () => (here.edition() === '' ? remote : [here, ...remote])
  const geocode = openGeocode({ read: openReading(kindOf, parse), geocoders, judging: { read: parse, liesIn }, geocodes, audit, now, log, ...(geocoded && { geocoded }) })
  return {
    kindOf, geocode, geocoders,
    locateFor: openLocate(embedded, geocode),
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

  function liesIn(at: Point, state: string | undefined): boolean {
    const isIt = (radius_m: number) => counties().query({ at, radius_m }).some(({ properties }) => state === undefined || properties.STUSPS === state)
    return isIt(0) || isIt(nearState_m)
  }
}
