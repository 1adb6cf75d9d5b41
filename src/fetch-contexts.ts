import type { Access } from './auth/access.ts'
import type { Account } from './auth/accounts.ts'
import type { LocatedFetchContext } from './fetch/batch.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { CatalogSnapshot } from './fetch/catalog-state.ts'
import type { Log } from './log.ts'
import type { LookupContext } from './lookup/lookup.ts'
import type { Geocode } from './place/geocode.ts'
import type { Locate } from './place/locate.ts'
import type { Places } from './place/places.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** What answering takes on behalf of an account, as the house is now: all that it uses is counted for it, under the endpoint that it came by. */
export type FetchContexts = {
  /** For the whole of one request. */
  fetchContext(account: Account, endpoint?: string): LocatedFetchContext
  /** All that looking up takes, likewise. */
  lookupContext(account: Account, endpoint?: string): LookupContext
  geocodeFor(endpoint: string): Geocode
}

export type FetchContextsDeps = {
  snapshot: () => CatalogSnapshot
  places: Places
  access: Access
  admission: AdmissionQueue
  telemetry: Telemetry
  now: () => Date
  log: Log
}

export function createFetchContexts({
  snapshot,
  places,
  access: { usage },
  admission,
  telemetry,
  now,
  log,
}: FetchContextsDeps): FetchContexts {
  return { fetchContext, lookupContext, geocodeFor }

  function fetchContext({ id, scopes }: Account, endpoint = '/v1/fetch'): LocatedFetchContext {
    const onBilledCall: LocatedFetchContext['onBilledCall'] = (source) => usage.recordBilledCall(id, endpoint, source)
    const locate: Locate = async (location, budget) => {
      const from = location.address === undefined ? 'coordinate' : 'address'
      const place = await telemetry.span('place', 'internal', { from }, () =>
        places.locateFor(id)(location, { ...budget, onBilledCall }),
      )
      if (place.geocode) usage.recordFields(id, endpoint, place.geocode.provider, 0)
      return place
    }
    return {
      ...snapshot(),
      locate,
      onBilledCall,
      admission: admission.forAccount(id),
      log,
      now,
      parcelAccess: scopes.has('parcel') ? 'allowed' : 'denied',
      onFieldResult: telemetry.countField,
      onSourceUsage: (sourceUsages) =>
        sourceUsages.forEach(({ source, fields }) => usage.recordFields(id, endpoint, source, fields)),
    }
  }

  function lookupContext(account: Account, endpoint = '/v1/lookup'): LookupContext {
    const geocode: LookupContext['geocode'] = (address, budget) => geocodeFor(endpoint)(address, account.id, budget)
    return { ...fetchContext(account, endpoint), classify: places.classify, geocode, placeAt: places.placeAt }
  }

  function geocodeFor(endpoint: string): Geocode {
    return async (address, account_id, { signal, until_ms }) => {
      // A request may be the budget: its members are not its own, and would be lost by a spread.
      const budget = {
        signal,
        ...(until_ms !== undefined && { until_ms }),
        onBilledCall: (source: string) => usage.recordBilledCall(account_id, endpoint, source),
      }
      const geocoded = await places.geocode(address, account_id, budget)
      if ('provider' in geocoded.outcome) usage.recordFields(account_id, endpoint, geocoded.outcome.provider, 0)
      return geocoded
    }
  }
}
