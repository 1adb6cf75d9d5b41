import type { Account, Scope } from '../auth/accounts.ts'
import { fetchAt } from '../fetch/batch.ts'
import type { AdmissionQueue } from '../fetch/admission.ts'
import { selectFields } from '../fetch/select.ts'
import { lookUpLocation, type LookupContext } from '../lookup/lookup.ts'
import { ApiError } from '../model/error.ts'
import { isRecord } from '../model/record.ts'
import { geocodeOrThrow } from '../place/locate.ts'
import type { Geocode } from '../place/geocode.ts'
import type { Log } from '../log.ts'
import { successEntryOf, errorEntryOf, type LocationAnswer } from './run-entry.ts'
import type { LocationQuestion } from './worker-messages.ts'

/** While others ask, a location of a run is begun only so often: what takes no waiting for a source would else take every other turn. */
const minInterval_ms = 2
/** So long after the last of them nobody is asking. */
const idleAfter_ms = 100

/** What answering the locations of runs takes: the same as answering anybody else. `answered` is told of each. */
export type LocationAnswererDeps = {
  lookupContext(account: Account): LookupContext
  geocode: Geocode
  admission: AdmissionQueue
  now: () => Date
  log: Log
  onAnswered(): void
}

/** The answer about one location of a run; `fault` when answering it broke. */
export type LocationAnswerer = (
  question: LocationQuestion,
  signal: AbortSignal,
) => Promise<LocationAnswer | 'internal_error'>

/**
 * Runs are answered here, on the main thread, where everybody is: the embedded layers are held once, and a source that is down is
 * known to be down, is asked the same thing once at a time, and is paused once. Only the rows and files of a run are the worker's.
 */
export function createLocationAnswerer({
  lookupContext,
  geocode,
  admission,
  now,
  log,
  onAnswered,
}: LocationAnswererDeps): LocationAnswerer {
  let nextStart_ms = 0
  return async (question, signal) => {
    try {
      await waitForTurn()
      const answer = await admission.run(() => answerQuestion(question, signal), { signal }, { isBackground: true })
      return successEntryOf(question, answer)
    } catch (error) {
      if (error instanceof ApiError) return errorEntryOf(question, error, now())
      if (!signal.aborted) log.error('run_location_error', { run_id: question.run_id, index: question.idx, error })
      return 'internal_error'
    } finally {
      onAnswered()
    }
  }

  async function waitForTurn(): Promise<void> {
    const now_ms = performance.now()
    nextStart_ms = Math.max(now_ms, nextStart_ms + minInterval_ms)
    if (admission.foregroundIdle_ms() < idleAfter_ms) await Bun.sleep(nextStart_ms - now_ms)
    else nextStart_ms = now_ms
  }

  /** It is inside the gate already: its time begins here, however long it stood before it. */
  async function answerQuestion(
    { kind, input, fields, account_id, scopes }: LocationQuestion,
    signal: AbortSignal,
  ): Promise<object> {
    const account: Account = { id: account_id, name: account_id, scopes: new Set(scopes.split(' ') as Scope[]) }
    const request = parseInput(input)
    if (kind === 'geocode_batch') return geocodeOrThrow(geocode, request.input ?? '', account_id, { signal })
    const context: LookupContext = { ...lookupContext(account), admission: { run: (work) => work() } }
    if (kind === 'lookup_batch')
      return lookUpLocation({ input: request.input ?? '', include_parcel: false }, { signal }, context)
    return fetchAt(request, selectFields({ fields }, 'none', context.catalog), { signal }, context)
  }
}

type LocationInput = { lat?: number; lng?: number; address?: string; input?: string }

/** An input that was checked when it came in. */
function parseInput(text: string): LocationInput {
  const input: unknown = JSON.parse(text)
  return isRecord(input) ? input : {}
}
