import type { Access } from './auth/access.ts'
import type { Account } from './auth/accounts.ts'
import type { Counter } from './fetch/batch.ts'
import type { Gate } from './fetch/gate.ts'
import type { Stock } from './fetch/stock.ts'
import type { Log } from './log.ts'
import type { Reference } from './lookup/lookup.ts'
import type { Geocode } from './place/geocode.ts'
import type { Locate } from './place/locate.ts'
import type { Places } from './place/places.ts'
import type { Watch } from './watch/watch.ts'

/** What answering takes on behalf of an account, as the house is now: all that it uses is counted for it, under the endpoint that it came by. */
export type Callers = {
  /** For the whole of one request. */
  counter(account: Account, endpoint?: string): Counter
  /** All that looking up takes, likewise. */
  reference(account: Account, endpoint?: string): Reference
  geocodeAt(endpoint: string): Geocode
}

export type CallersMeans = { stock: () => Stock; places: Places; access: Access; gate: Gate; watch: Watch; now: () => Date; log: Log }

export function openCallers({ stock, places, access: { usage }, gate, watch, now, log }: CallersMeans): Callers {
  return { counter, reference, geocodeAt }

  function counter({ id, scopes }: Account, endpoint = '/v1/fetch'): Counter {
    const billed: Counter['billed'] = (source) => usage.billed(id, endpoint, source)
    const locate: Locate = async (location, budget) => {
      const from = location.address === undefined ? 'coordinate' : 'address'
      const place = await watch.span('place', 'internal', { from }, () => places.locateFor(id)(location, { ...budget, billed }))
      if (place.geocode) usage.answered(id, endpoint, place.geocode.provider, 0)
      return place
    }
    return {
      ...stock(), locate, billed, gate: gate.of(id), log, now, parcels: scopes.has('parcel') ? 'allowed' : 'denied', counted: watch.field,
      answered: (taken) => taken.forEach(({ source, fields }) => usage.answered(id, endpoint, source, fields)),
    }
  }

  function reference(account: Account, endpoint = '/v1/lookup'): Reference {
    const geocode: Reference['geocode'] = (address, budget) => geocodeAt(endpoint)(address, account.id, budget)
    return { ...counter(account, endpoint), kindOf: places.kindOf, geocode, placeAt: places.placeAt }
  }

  function geocodeAt(endpoint: string): Geocode {
    return async (address, account_id, { signal, until_ms }) => {
      // A request may be the budget: its members are not its own, and would be lost by a spread.
      const budget = { signal, ...(until_ms !== undefined && { until_ms }), billed: (source: string) => usage.billed(account_id, endpoint, source) }
      const geocoded = await places.geocode(address, account_id, budget)
      if ('provider' in geocoded.verdict) usage.answered(account_id, endpoint, geocoded.verdict.provider, 0)
      return geocoded
    }
  }
}
