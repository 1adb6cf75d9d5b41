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
import { entryOf, refusedEntry, type Answered } from './entry.ts'
import type { RunQuestion } from './messages.ts'

/** While others ask, a location of a run is begun only so often: what takes no waiting for a source would else take every other turn. */
const pace_ms = 2
/** So long after the last of them nobody is asking. */
const quiet_ms = 100

/** What answering the locations of runs takes: the same as answering anybody else. `answered` is told of each. */
export type AnsweringMeans = { reference(account: Account): LookupContext; geocode: Geocode; gate: AdmissionQueue; now: () => Date; log: Log; answered(): void }

/** The answer about one location of a run; `fault` when answering it broke. */
export type Answering = (question: RunQuestion, signal: AbortSignal) => Promise<Answered | 'fault'>

/**
 * Runs are answered here, on the main thread, where everybody is: the embedded layers are held once, and a source that is down is
 * known to be down, is asked the same thing once at a time, and is paused once. Only the rows and files of a run are the worker's.
 */
export function openAnswering({ reference, geocode, gate, now, log, answered }: AnsweringMeans): Answering {
  let next_ms = 0
  return async (question, signal) => {
    try {
      await turn()
      const answer = await gate.run(() => answerTo(question, signal), { signal }, { isBackground: true })
      return entryOf(question, answer)
    } catch (error) {
      if (error instanceof ApiError) return refusedEntry(question, error, now())
      if (!signal.aborted) log.error('run_location_error', { run_id: question.run_id, index: question.idx, error })
      return 'fault'
    } finally {
      answered()
    }
  }

  async function turn(): Promise<void> {
    const now_ms = performance.now()
    next_ms = Math.max(now_ms, next_ms + pace_ms)
    if (gate.foregroundIdle_ms() < quiet_ms) await Bun.sleep(next_ms - now_ms)
    else next_ms = now_ms
  }

  /** It is inside the gate already: its time begins here, however long it stood before it. */
  async function answerTo({ kind, input, fields, account_id, scopes }: RunQuestion, signal: AbortSignal): Promise<object> {
    const account: Account = { id: account_id, name: account_id, scopes: new Set(scopes.split(' ') as Scope[]) }
    const asked = inputIn(input)
    if (kind === 'geocode_batch') return geocodeOrThrow(geocode, asked.input ?? '', account_id, { signal })
    const inside: LookupContext = { ...reference(account), admission: { run: (work) => work() } }
    if (kind === 'lookup_batch') return lookUpLocation({ input: asked.input ?? '', include_parcel: false }, { signal }, inside)
    return fetchAt(asked, selectFields({ fields }, 'none', inside.catalog), { signal }, inside)
  }
}

type Asked = { lat?: number; lng?: number; address?: string; input?: string }

/** An input that was checked when it came in. */
function inputIn(text: string): Asked {
  const input: unknown = JSON.parse(text)
  return isRecord(input) ? input : {}
}
