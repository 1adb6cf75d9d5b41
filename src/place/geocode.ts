import type { Log } from '../log.ts'
import type { ParsedAddress } from '../address/address.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import type { GeocodeAudit } from '../store/geocode-audit.ts'
import type { GeocodeCache } from '../store/geocode-cache.ts'
import { addressKeyOf } from '../address/address-key.ts'
import { chooseMatch, type MatchScoringDeps } from './match-scoring.ts'
import type { Geocoder } from './geocoders/geocoder.ts'
import type { GeocodeRejection, GeocodeOutcome } from './geocode-outcome.ts'

/** What became of an address, and whether that was known before. Throws `geocode_unavailable` when nobody could say. */
export type Geocode = (address: string, account: string, budget: Budget) => Promise<GeocodeResult>
export type GeocodeResult = { outcome: GeocodeOutcome; cached: boolean }

/** `read`: an address by its parts, or why the text is none; `geocoders`: those at hand now, in order; `geocoded` is told what became of every address. */
export type GeocodeDeps = {
  parseGeocodable: (text: string) => ParsedAddress | GeocodeRejection
  geocoders: () => Geocoder[]
  scoring: MatchScoringDeps
  geocodes: GeocodeCache
  audit: GeocodeAudit
  now: () => Date
  log: Log
  onGeocode?: (about: { outcome: string; provider: string | null; cached: boolean }) => void
}

export const geocodeMax_ms = 5500
export const foundTtl_days = 30
export const rejectedTtl_days = 1

const day_ms = 86_400_000
/** What is kept back of the whole, so that the answer itself is in time. */
const reserve_ms = 50
const retryAfter_s = { failed: 30, none: 86_400 }

/** Addresses to verdicts: what is known, else the first provider with a good match. Equal addresses are asked once at a time, and every one is recorded. */
export function createGeocode({
  parseGeocodable,
  geocoders,
  scoring,
  geocodes,
  audit,
  now,
  log,
  onGeocode,
}: GeocodeDeps): Geocode {
  const flights = createSingleFlight<GeocodeOutcome>()
  return async (text, account, budget) => {
    const address = text.normalize('NFC').trim()
    const key = addressKeyOf(address)
    try {
      const result = await resolve(address, key, budget)
      const { outcome, cached } = result
      recordAudit(
        key,
        account,
        'rejected' in outcome
          ? { outcome: outcome.rejected, provider: null, cached }
          : { outcome: 'found', provider: outcome.provider, cached },
      )
      return result
    } catch (error) {
      recordAudit(key, account, {
        outcome: error instanceof ApiError ? error.code : 'aborted',
        provider: null,
        cached: false,
      })
      throw error
    }
  }

  async function resolve(address: string, key: string, budget: Budget): Promise<GeocodeResult> {
    // From here on: to read the first address takes a moment.
    const until_ms = performance.now() + geocodeMax_ms - reserve_ms
    const parsed = parseGeocodable(address)
    if ('rejected' in parsed) return { outcome: parsed, cached: false }
    const providers = geocoders()
    const cachedResult = findCached(key, providers)
    if (cachedResult) return { outcome: cachedResult, cached: true }
    const deadlineSignal = budgetSignal(budget)
    const outcome = await flights
      .join(key, geocodeMax_ms, { ...budget, signal: deadlineSignal }, (own) =>
        askProviders(parsed, key, providers, { ...own, until_ms }),
      )
      .catch((error: unknown) => {
        // Neither a provider nor the client: the time of all of it was up, be it of a batch.
        const isTimeUp = error instanceof UpstreamError || (deadlineSignal.aborted && !budget.signal.aborted)
        throw isTimeUp
          ? geocodeUnavailableError(
              providers.map(({ name }) => ({
                provider: name,
                error: 'timeout: There was no time left to wait for it.',
              })),
            )
          : error
      })
    return { outcome, cached: false }
  }

  /** A refusal stands only as long as the providers are those that it came from. */
  function findCached(key: string, providers: Geocoder[]): GeocodeOutcome | null {
    const row = geocodes.find(key, now().getTime())
    const outcome = row && (JSON.parse(row.verdict) as GeocodeOutcome)
    return outcome && 'rejected' in outcome && row.providers !== providersKeyOf(providers) ? null : outcome
  }

  async function askProviders(
    query: ParsedAddress,
    key: string,
    providers: Geocoder[],
    budget: Budget,
  ): Promise<GeocodeOutcome> {
    const rejections: { provider: Geocoder; rejection: GeocodeRejection }[] = []
    const failures: { provider: string; error: string }[] = []
    const skipped: typeof failures = []
    for (const provider of providers) {
      if (!provider.accepts(query)) {
        skipped.push({
          provider: provider.name,
          error: 'unsupported_request: It does not take an address of this length.',
        })
        continue
      }
      try {
        const outcome = chooseMatch(query, await findInTime(provider, query, budget), provider, scoring)
        if (!('rejected' in outcome) || outcome.rejected === 'address_ambiguous') return store(key, outcome, providers)
        rejections.push({ provider, rejection: outcome })
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        failures.push({ provider: provider.name, error: `${error.code}: ${error.message}` })
      }
    }
    const bestRejection = mostDetailed(rejections.map(({ rejection }) => rejection))
    // What is not in our packs may well exist: while the others cannot be asked, that is no answer.
    if (!bestRejection || (failures.length > 0 && rejections.every(({ provider }) => provider.hasPartialCoverage)))
      throw geocodeUnavailableError([...failures, ...skipped])
    // One provider's "no match" is an answer, but no proof while another could not be asked: it is given, and not kept.
    return failures.length === 0 ? store(key, bestRejection, providers) : bestRejection
  }

  function store(key: string, verdict: GeocodeOutcome, providers: Geocoder[]): GeocodeOutcome {
    const now_ms = now().getTime()
    const days = 'rejected' in verdict ? rejectedTtl_days : foundTtl_days
    geocodes.put(
      key,
      { verdict: JSON.stringify(verdict), providers: providersKeyOf(providers) },
      now_ms,
      now_ms + days * day_ms,
    )
    return verdict
  }

  /** A record that cannot be written costs nobody the answer; the log says so, without the address. */
  function recordAudit(
    key: string,
    account: string,
    result: { outcome: string; provider: string | null; cached: boolean },
  ): void {
    onGeocode?.(result)
    try {
      audit.add({ at: now().getTime(), account, address_hash: audit.hashOf(key), ...result })
    } catch (error) {
      log.error('geocode_audit', { error })
    }
  }
}

/** Given up when the client goes, or when the whole that this is a part of must be over and that is soon. */
function budgetSignal({ signal, until_ms = Infinity }: Budget): AbortSignal {
  const left_ms = until_ms - performance.now()
  return left_ms < geocodeMax_ms
    ? AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(left_ms)))])
    : signal
}

/** The matches of a provider, or `timeout` when it takes longer than it may. */
async function findInTime(
  { name, timeout_ms, find }: Geocoder,
  query: ParsedAddress,
  { signal, until_ms = Infinity, onBilledCall }: Budget,
) {
  const allowed_ms = Math.max(0, Math.min(timeout_ms, until_ms - performance.now()))
  const controller = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const timer = setTimeout(() => {
    const timeoutError = new UpstreamError('timeout', `${name} did not answer within ${timeout_ms / 1000} s.`)
    controller.abort(timeoutError)
    reject(timeoutError)
  }, allowed_ms)
  try {
    return await Promise.race([
      find(query, {
        signal: AbortSignal.any([signal, controller.signal]),
        ...(onBilledCall && { onBilledCall: () => onBilledCall(name) }),
      }),
      promise,
    ])
  } finally {
    clearTimeout(timer)
  }
}

/** From what says least to what says most of the address. */
const rejectionsByDetail: GeocodeRejection['rejected'][] = ['address_not_found', 'wrong_locality', 'address_too_coarse']

function mostDetailed(rejections: GeocodeRejection[]): GeocodeRejection | null {
  return (
    rejections.toSorted((a, b) => rejectionsByDetail.indexOf(b.rejected) - rejectionsByDetail.indexOf(a.rejected))[0] ??
    null
  )
}

function providersKeyOf(providers: Geocoder[]): string {
  return providers.map(({ name, edition }) => `${name} ${edition()}`.trim()).join()
}

function geocodeUnavailableError(providers: { provider: string; error: string }[]): ApiError {
  const reason =
    providers.length === 0
      ? 'This server has no geocoder: add an address pack, or let it reach the network.'
      : `Nobody could be asked for this address (${providers.map(({ provider }) => provider).join(', ')}): try again.`
  return new ApiError('geocode_unavailable', `${reason} A coordinate (lat and lng) is answered all the same.`, {
    providers,
    retry_after_s: providers.length === 0 ? retryAfter_s.none : retryAfter_s.failed,
  })
}
