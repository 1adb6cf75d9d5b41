import type { Log } from '../log.ts'
import type { ParsedAddress } from '../model/address.ts'
import { ApiError, UpstreamError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { createSingleFlight } from '../async/single-flight.ts'
import type { Audit } from '../store/audit.ts'
import type { Geocodes } from '../store/geocodes.ts'
import { addressKey } from './address-key.ts'
import { judged, type Judging } from './gate.ts'
import type { Geocoder } from './geocoders/geocoder.ts'
import type { Refused, Verdict } from './verdict.ts'

/** What became of an address, and whether that was known before. Throws `geocode_unavailable` when nobody could say. */
export type Geocode = (address: string, account: string, budget: Budget) => Promise<Geocoded>
export type Geocoded = { verdict: Verdict; cached: boolean }

/** `read`: an address by its parts, or why the text is none; `geocoders`: those at hand now, in order; `geocoded` is told what became of every address. */
export type Means = {
  read: (text: string) => ParsedAddress | Refused
  geocoders: () => Geocoder[]
  judging: Judging
  geocodes: Geocodes
  audit: Audit
  now: () => Date
  log: Log
  geocoded?: (about: { outcome: string; provider: string | null; cached: boolean }) => void
}

export const geocodeMax_ms = 5500
export const foundFor_days = 30
export const refusedFor_days = 1

const day_ms = 86_400_000
/** What is kept back of the whole, so that the answer itself is in time. */
const reserve_ms = 50
const retryAfter_s = { failed: 30, none: 86_400 }

/** Addresses to verdicts: what is known, else the first provider with a good match. Equal addresses are asked once at a time, and every one is recorded. */
export function openGeocode({ read, geocoders, judging, geocodes, audit, now, log, geocoded: told }: Means): Geocode {
  const flights = createSingleFlight<Verdict>()
  return async (text, account, budget) => {
    const address = text.normalize('NFC').trim()
    const key = addressKey(address)
    try {
      const geocoded = await known(address, key, budget)
      const { verdict, cached } = geocoded
      record(key, account, 'refused' in verdict ? { outcome: verdict.refused, provider: null, cached } : { outcome: 'found', provider: verdict.provider, cached })
      return geocoded
    } catch (error) {
      record(key, account, { outcome: error instanceof ApiError ? error.code : 'aborted', provider: null, cached: false })
      throw error
    }
  }

  async function known(address: string, key: string, budget: Budget): Promise<Geocoded> {
    // From here on: to read the first address takes a moment.
    const until_ms = performance.now() + geocodeMax_ms - reserve_ms
    const asked = read(address)
    if ('refused' in asked) return { verdict: asked, cached: false }
    const providers = geocoders()
    const kept = keptVerdict(key, providers)
    if (kept) return { verdict: kept, cached: true }
    const waiting = inBudget(budget)
    const verdict = await flights.join(key, geocodeMax_ms, { ...budget, signal: waiting }, (own) => answered(asked, key, providers, { ...own, until_ms })).catch((error: unknown) => {
      // Neither a provider nor the client: the time of all of it was up, be it of a batch.
      const isTimeUp = error instanceof UpstreamError || (waiting.aborted && !budget.signal.aborted)
      throw isTimeUp ? unavailable(providers.map(({ name }) => ({ provider: name, error: 'timeout: There was no time left to wait for it.' }))) : error
    })
    return { verdict, cached: false }
  }

  /** A refusal stands only as long as the providers are those that it came from. */
  function keptVerdict(key: string, providers: Geocoder[]): Verdict | null {
    const kept = geocodes.find(key, now().getTime())
    const verdict = kept && (JSON.parse(kept.verdict) as Verdict)
    return verdict && 'refused' in verdict && kept.providers !== namesOf(providers) ? null : verdict
  }

  async function answered(asked: ParsedAddress, key: string, providers: Geocoder[], budget: Budget): Promise<Verdict> {
    const refusals: { by: Geocoder; refused: Refused }[] = []
    const failures: { provider: string; error: string }[] = []
    const skipped: typeof failures = []
    for (const provider of providers) {
      if (!provider.takes(asked)) {
        skipped.push({ provider: provider.name, error: 'unsupported_request: It does not take an address of this length.' })
        continue
      }
      try {
        const verdict = judged(asked, await inTime(provider, asked, budget), provider, judging)
        if (!('refused' in verdict) || verdict.refused === 'address_ambiguous') return keep(key, verdict, providers)
        refusals.push({ by: provider, refused: verdict })
      } catch (error) {
        if (!(error instanceof UpstreamError)) throw error
        failures.push({ provider: provider.name, error: `${error.code}: ${error.message}` })
      }
    }
    const refusal = mostTelling(refusals.map(({ refused }) => refused))
    // What is not in our packs may well exist: while the others cannot be asked, that is no answer.
    if (!refusal || (failures.length > 0 && refusals.every(({ by }) => by.partial))) throw unavailable([...failures, ...skipped])
    // One provider's "no match" is an answer, but no proof while another could not be asked: it is given, and not kept.
    return failures.length === 0 ? keep(key, refusal, providers) : refusal
  }

  function keep(key: string, verdict: Verdict, providers: Geocoder[]): Verdict {
    const kept_at = now().getTime()
    const days = 'refused' in verdict ? refusedFor_days : foundFor_days
    geocodes.keep(key, { verdict: JSON.stringify(verdict), providers: namesOf(providers) }, kept_at, kept_at + days * day_ms)
    return verdict
  }

  /** A record that cannot be written costs nobody the answer; the log says so, without the address. */
  function record(key: string, account: string, about: { outcome: string; provider: string | null; cached: boolean }): void {
    told?.(about)
    try {
      audit.add({ at: now().getTime(), account, address_hash: audit.hashOf(key), ...about })
    } catch (error) {
      log.error('geocode_audit', { error })
    }
  }
}

/** Given up when the client goes, or when the whole that this is a part of must be over and that is soon. */
function inBudget({ signal, until_ms = Infinity }: Budget): AbortSignal {
  const left_ms = until_ms - performance.now()
  return left_ms < geocodeMax_ms ? AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(left_ms)))]) : signal
}

/** The matches of a provider, or `timeout` when it takes longer than it may. */
async function inTime({ name, limit_ms, find }: Geocoder, asked: ParsedAddress, { signal, until_ms = Infinity, onBilledCall }: Budget) {
  const given_ms = Math.max(0, Math.min(limit_ms, until_ms - performance.now()))
  const over = new AbortController()
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const timer = setTimeout(() => {
    const overdue = new UpstreamError('timeout', `${name} did not answer within ${limit_ms / 1000} s.`)
    over.abort(overdue)
    reject(overdue)
  }, given_ms)
  try {
    return await Promise.race([find(asked, { signal: AbortSignal.any([signal, over.signal]), ...(onBilledCall && { onBilledCall: () => onBilledCall(name) }) }), promise])
  } finally {
    clearTimeout(timer)
  }
}

/** From what says least to what says most of the address. */
const telling: Refused['refused'][] = ['address_not_found', 'wrong_locality', 'address_too_coarse']

function mostTelling(refusals: Refused[]): Refused | null {
  return refusals.toSorted((a, b) => telling.indexOf(b.refused) - telling.indexOf(a.refused))[0] ?? null
}

function namesOf(providers: Geocoder[]): string {
  return providers.map(({ name, edition }) => `${name} ${edition()}`.trim()).join()
}

function unavailable(providers: { provider: string; error: string }[]): ApiError {
  const why = providers.length === 0 ? 'This server has no geocoder: add an address pack, or let it reach the network.' : `Nobody could be asked for this address (${providers.map(({ provider }) => provider).join(', ')}): try again.`
  return new ApiError('geocode_unavailable', `${why} A coordinate (lat and lng) is answered all the same.`, { providers, retry_after_s: providers.length === 0 ? retryAfter_s.none : retryAfter_s.failed })
}
