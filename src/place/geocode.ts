import type { ParsedAddress } from '../address/address.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import type { GeocodeStore } from '../store/geocodes.ts'
import { addressKeyOf } from '../address/address-key.ts'
import { joinLines } from '../model/text.ts'
import type { AddressReader } from './address-reader.ts'
import type { GeocodeAudit, GeocodeAuditResult } from './geocode-audit.ts'
import { rejectionHints, type GeocodeCandidate, type GeocodeOutcome, type GeocodeRejection } from './geocode-outcome.ts'
import { geocodeUnavailableError, queryProviders, type ProviderOutcome } from './geocode-providers.ts'
import { geocodeLimits_ms, type Geocoder } from './geocoders/geocoder.ts'

/**
 * Geocodes an address for an account. Throws `geocode_unavailable` if no provider could decide, and
 * `geocoder_not_configured` if there is none.
 */
export type Geocode = (address: string, account: string, budget: Budget) => Promise<GeocodeResult>
/** An outcome, and whether it came from the cache. */
export type GeocodeResult = { outcome: GeocodeOutcome; cached: boolean }

/** `geocoders`: the available providers, in order of use; `onGeocode`: called with the result of every address. */
export type GeocodeDeps = {
  reader: Pick<AddressReader, 'classify' | 'scoring' | 'placesNamed'>
  geocoders: () => Geocoder[]
  geocodes: GeocodeStore
  audit: Pick<GeocodeAudit, 'add'>
  now: () => Date
  onGeocode?: (result: GeocodeAuditResult) => void
  max_ms?: number
}

/** How long a found address is cached. */
export const foundTtl_days = 30
/** How long a rejection is cached. */
export const rejectedTtl_days = 1

const day_ms = 86_400_000
/** Time reserved from the limit for the response itself. */
const reserve_ms = 50

/**
 * Creates the geocoder: cache first, then the providers. Equal addresses in flight share one query; every address is
 * audited.
 */
export function createGeocode(deps: GeocodeDeps): Geocode {
  const { max_ms = geocodeLimits_ms.all } = deps
  const flights = createSingleFlight<GeocodeOutcome>()
  return async (text, account, budget) => {
    const address = joinLines(text.normalize('NFC').trim())
    const key = addressKeyOf(address)
    try {
      const result = await resolve(address, key, budget)
      record(key, account, auditResultOf(result))
      return result
    } catch (error) {
      const outcome = error instanceof ApiError ? error.code : 'aborted'
      record(key, account, { outcome, provider: null, cached: false })
      throw error
    }
  }

  function record(key: string, account: string, result: GeocodeAuditResult): void {
    deps.onGeocode?.(result)
    deps.audit.add(key, account, result)
  }

  async function resolve(address: string, key: string, budget: Budget): Promise<GeocodeResult> {
    // The time starts here because parsing the first address loads the gazetteer.
    const until_ms = performance.now() + max_ms - reserve_ms
    const query = parseGeocodable(address, deps.reader)
    if ('rejected' in query) return { outcome: query, cached: false }
    const providers = deps.geocoders()
    const cachedOutcome = await findCached(deps, key, providers)
    if (cachedOutcome) return { outcome: cachedOutcome, cached: true }
    const deadlineSignal = budgetSignal(budget, max_ms)
    const outcome = await flights
      .join(key, max_ms, { ...budget, signal: deadlineSignal }, async (flightBudget) => {
        const result = await queryProviders(query, providers, deps.reader.scoring, { ...flightBudget, until_ms })
        return storeConclusive(deps, key, result, providers)
      })
      .catch((error: unknown) => {
        // Not a provider or the client, but the deadline of the address or of its batch.
        const isTimeUp = error instanceof UpstreamError || (deadlineSignal.aborted && !budget.signal.aborted)
        throw isTimeUp ? timeUpError(providers) : error
      })
    return { outcome, cached: false }
  }
}

/** Parses a text as an address, or returns why it cannot be geocoded. */
export function parseGeocodable(
  text: string,
  { classify, scoring, placesNamed }: GeocodeDeps['reader'],
): ParsedAddress | GeocodeRejection {
  const classified = classify(text)
  switch (classified.kind) {
    case 'address':
      return scoring.parse(text)
    case 'vague':
      return tooVague(classified.matched_level, placesNamed(text), scoring.parse(text).city)
    case 'coordinates':
    case 'swapped':
      return { rejected: 'address_too_coarse', matched_level: 'coordinate' }
    case 'parcel':
      return { rejected: 'address_too_coarse', matched_level: 'parcel_number' }
    case 'foreign':
      return { rejected: 'address_outside_us' }
    case 'unsupported':
      return { rejected: 'address_form_unsupported', kind: classified.type }
  }
}

/** The rejection of a text that names only a place. A name without a town reads as a street. */
function tooVague(matched_level: string, candidates: GeocodeCandidate[], city: string | undefined): GeocodeRejection {
  const [place] = candidates
  if (!place) return { rejected: 'address_too_coarse', matched_level }
  const isName = city === undefined && (matched_level === 'street' || matched_level === 'none')
  return { rejected: 'address_too_coarse', matched_level: isName ? place.accuracy_type : matched_level, candidates }
}

/** The signal of the client, combined with the deadline of the surrounding work if that is earlier than our own. */
function budgetSignal({ signal, until_ms = Infinity }: Budget, max_ms: number): AbortSignal {
  const left_ms = until_ms - performance.now()
  return left_ms < max_ms ? AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(left_ms)))]) : signal
}

function timeUpError(providers: Geocoder[]): ApiError {
  const error = 'timeout: No time was left to wait for the provider. Try again later.'
  return geocodeUnavailableError(providers.map(({ name }) => ({ provider: name, error })))
}

/** The cached outcome. A cached rejection is valid only for the providers that caused it. */
async function findCached(
  { geocodes, now }: GeocodeDeps,
  key: string,
  providers: Geocoder[],
): Promise<GeocodeOutcome | null> {
  const row = await geocodes.find(key, now().getTime())
  const outcome = row && (JSON.parse(row.outcome) as GeocodeOutcome)
  if (!outcome || !isKnownForm(outcome)) return null
  return 'rejected' in outcome && row.providers !== providersKeyOf(providers) ? null : outcome
}

/** Whether an outcome has the form of this version: earlier versions had other members and rejections. */
function isKnownForm(outcome: GeocodeOutcome): boolean {
  return 'rejected' in outcome ? Object.hasOwn(rejectionHints, outcome.rejected) : outcome.accuracy !== undefined
}

/** Caches a conclusive outcome. A rejection is not cached while a provider that might know the address failed. */
async function storeConclusive(
  { geocodes, now }: GeocodeDeps,
  key: string,
  { outcome, isConclusive }: ProviderOutcome,
  providers: Geocoder[],
): Promise<GeocodeOutcome> {
  if (!isConclusive) return outcome
  const now_ms = now().getTime()
  const days = 'rejected' in outcome ? rejectedTtl_days : foundTtl_days
  await geocodes.put(
    key,
    { outcome: JSON.stringify(outcome), providers: providersKeyOf(providers) },
    { cached_at: now_ms, fresh_until: now_ms + days * day_ms },
  )
  return outcome
}

function providersKeyOf(providers: Geocoder[]): string {
  return providers.map(({ name, edition }) => `${name} ${edition()}`.trim()).join()
}

/** What the audit records about a result. */
export function auditResultOf({ outcome, cached }: GeocodeResult): GeocodeAuditResult {
  return 'rejected' in outcome
    ? { outcome: outcome.rejected, provider: null, cached }
    : { outcome: 'found', provider: outcome.provider, cached }
}
