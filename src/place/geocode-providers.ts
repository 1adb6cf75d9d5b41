import { runWithDeadline } from '../async/deadline.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import type { ParsedAddress } from '../address/address.ts'
import type { Budget } from '../model/source.ts'
import type { GeocodeOutcome, GeocodeRejection } from './geocode-outcome.ts'
import type { Geocoder } from './geocoders/geocoder.ts'
import { chooseReading, type MatchScoringDeps } from './match-scoring.ts'

/**
 * An outcome, and whether it is conclusive. A match and `address_ambiguous` always are; another rejection is conclusive
 * only if no provider failed.
 */
export type ProviderOutcome = { outcome: GeocodeOutcome; isConclusive: boolean }

/**
 * Calls the providers in order until one gives a good match or finds the address ambiguous; otherwise returns the most
 * detailed rejection. Throws `geocode_unavailable` if no provider could decide, `geocode_timeout` if all were too slow, and
 * `geocoder_not_configured` if there is none.
 */
export async function queryProviders(
  query: ParsedAddress,
  providers: readonly Geocoder[],
  scoring: MatchScoringDeps,
  budget: Budget,
): Promise<ProviderOutcome> {
  const rejections: { provider: Geocoder; rejection: GeocodeRejection }[] = []
  const failures: ProviderFailure[] = []
  const skipped: ProviderFailure[] = []
  let streetCenter: GeocodeOutcome | null = null
  for (const provider of providers) {
    if (!provider.accepts(query)) {
      skipped.push({
        provider: provider.name,
        error: 'unsupported_request: The address is too long for this provider. Shorten it.',
      })
      continue
    }
    try {
      const matches = await findInTime(provider, query, budget)
      const matchesOf = (reading: ParsedAddress) =>
        reading === query ? matches : (provider.findReading?.(reading) ?? matches)
      const outcome = chooseReading(query, matchesOf, provider, scoring)
      // Another provider may know the house number.
      if (!('rejected' in outcome) && outcome.accuracy_type === 'street_center') streetCenter ??= outcome
      else if (!('rejected' in outcome) || outcome.rejected === 'address_ambiguous')
        return { outcome, isConclusive: true }
      else rejections.push({ provider, rejection: outcome })
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      failures.push({ provider: provider.name, error: `${error.code}: ${error.message}` })
    }
  }
  if (streetCenter) return { outcome: streetCenter, isConclusive: failures.length === 0 }
  const [outcome] = rejections.map(({ rejection }) => rejection).toSorted((a, b) => detailOf(b) - detailOf(a))
  // An address that is missing from our partial packs may exist, so their "not found" alone proves nothing.
  if (!outcome || (failures.length > 0 && rejections.every(({ provider }) => provider.hasPartialCoverage)))
    throw geocodeUnavailableError([...failures, ...skipped])
  return { outcome, isConclusive: failures.length === 0 }
}

/** A provider that gave no answer, and why: a code, a colon and a sentence. */
export type ProviderFailure = { provider: string; error: string }

/** The error when no provider could decide, when all were too slow, or when the server has no provider. */
export function geocodeUnavailableError(providers: ProviderFailure[]): ApiError {
  const advice = 'Coordinates (lat and lng) work without a geocoder.'
  if (providers.length === 0)
    return new ApiError(
      'geocoder_not_configured',
      `No geocoder is available. Build an address pack from public files, or allow network access. See /guide/addresses#geocoding. ${advice}`,
      { providers },
    )
  const names = providers.map(({ provider }) => provider).join(', ')
  if (providers.every(({ error }) => error.startsWith('timeout:')))
    return new ApiError('geocode_timeout', `No geocoder answered in time (${names}). Try again later. ${advice}`, {
      providers,
      retry_after_s: retryAfter_s,
    })
  return new ApiError('geocode_unavailable', `No geocoder answered (${names}). Try again later. ${advice}`, {
    providers,
    retry_after_s: retryAfter_s,
  })
}

const retryAfter_s = 30

/** The matches of a provider. Throws `timeout` if the provider exceeds its time limit. */
async function findInTime(
  { name, timeout_ms, find }: Geocoder,
  query: ParsedAddress,
  { signal, until_ms = Infinity, onBilledCall }: Budget,
) {
  const allowed_ms = Math.max(0, Math.round(Math.min(timeout_ms, until_ms - performance.now())))
  return runWithDeadline(allowed_ms, signal, (combinedSignal) =>
    find(query, { signal: combinedSignal, ...(onBilledCall && { onBilledCall: () => onBilledCall(name) }) }),
  )
}

/** Candidates say more than any other reason. */
function detailOf(rejection: GeocodeRejection): number {
  return 'candidates' in rejection ? rejectionsByDetail.length : rejectionsByDetail.indexOf(rejection.rejected)
}

/** From least to most detailed. */
const rejectionsByDetail: GeocodeRejection['rejected'][] = ['address_not_found', 'wrong_locality', 'address_too_coarse']
