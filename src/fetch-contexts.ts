import type { OverlayWorker } from './areas/shape/overlay-worker.ts'
import { andThen } from './async/maybe-promise.ts'
import type { Access } from './auth/access.ts'
import type { Account } from './auth/accounts.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { CatalogSnapshot } from './fetch/catalog/catalog-state.ts'
import type { FetchContext } from './fetch/fetch.ts'
import type { Log } from './log.ts'
import type { Geocode } from './place/geocode.ts'
import type { Locate } from './place/locate.ts'
import type { Places } from './place/places.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** Creates the contexts of requests. Their usage is counted for the account and the endpoint. */
export type FetchContexts = {
  /** Returns the context of one request, with the current catalog. */
  fetchContext(account: Account, endpoint?: string): FetchContext
  geocodeFor(endpoint: string): Geocode
  recordGeocodes: Places['recordGeocodes']
}

type Deps = {
  snapshot: () => CatalogSnapshot
  places: Places
  access: Access
  admission: AdmissionQueue
  overlayWorker: Pick<OverlayWorker, 'forAccount'>
  telemetry: Telemetry
  now: () => Date
  log: Log
}

/** Creates the factory of request contexts. */
export function createFetchContexts({
  snapshot,
  places,
  access: { usage },
  admission,
  overlayWorker,
  telemetry,
  now,
  log,
}: Deps): FetchContexts {
  /** The contexts of accounts by endpoint. An account object is that of one token, for a second. */
  let contexts = new WeakMap<Account, Map<string, FetchContext>>()
  let latestSnapshot = snapshot()
  return { fetchContext, geocodeFor, recordGeocodes: places.recordGeocodes }

  function fetchContext(account: Account, endpoint = '/v1/fetch'): FetchContext {
    if (snapshot() !== latestSnapshot) {
      latestSnapshot = snapshot()
      contexts = new WeakMap()
    }
    let ofAccount = contexts.get(account)
    if (!ofAccount) contexts.set(account, (ofAccount = new Map()))
    let context = ofAccount.get(endpoint)
    if (!context) ofAccount.set(endpoint, (context = createContext(account, endpoint)))
    return context
  }

  function createContext({ id, scopes }: Account, endpoint: string): FetchContext {
    const onBilledCall: FetchContext['onBilledCall'] = (source) => usage.recordBilledCall(id, endpoint, source)
    const locateForAccount = places.locateFor(id)
    const locate: Locate = (location, budget) => {
      const from = location.address === undefined ? 'coordinate' : 'address'
      const place = telemetry.span('place', 'internal', { from }, () =>
        locateForAccount(location, { ...budget, onBilledCall }),
      )
      return andThen(place, (it) => {
        if (it.geocode) usage.recordFields(id, endpoint, [{ source: it.geocode.provider, fields: 0 }])
        return it
      })
    }
    return {
      ...snapshot(),
      locate,
      placeAt: places.placeAt,
      findTown: places.findTown,
      isEnglishWord: places.isEnglishWord,
      classify: places.classify,
      geocode: (address, budget) => geocodeFor(endpoint)(address, id, budget),
      onBilledCall,
      admission: admission.forAccount(id),
      openGeometryRunner: overlayWorker.forAccount(id),
      log,
      now,
      parcelAccess: scopes.has('parcel') ? 'allowed' : 'denied',
      onFieldResult: telemetry.countFields,
      onSourceUsage: (sourceUsages) => usage.recordFields(id, endpoint, sourceUsages),
    }
  }

  function geocodeFor(endpoint: string): Geocode {
    return async (address, account_id, { signal, until_ms }) => {
      // The budget may be a Request, whose members are getters of its prototype: spreading it would lose them.
      const budget = {
        signal,
        ...(until_ms !== undefined && { until_ms }),
        onBilledCall: (source: string) => usage.recordBilledCall(account_id, endpoint, source),
      }
      const geocoded = await places.geocode(address, account_id, budget)
      if ('provider' in geocoded.outcome)
        usage.recordFields(account_id, endpoint, [{ source: geocoded.outcome.provider, fields: 0 }])
      return geocoded
    }
  }
}
