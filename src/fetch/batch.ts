import type { MaybePromise } from '../async/maybe-promise.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { LocationInput } from '../place/locate.ts'
import { answerAt } from './fetch.ts'
import type { FetchPlan } from './fetch-plan.ts'
import type { PlaceAnswer } from './place-answer.ts'

/** Most locations of a batch. */
export const batchLocationsMax = 25
/** Locations of a batch that are answered at a time. */
export const batchConcurrency = 4
/** Time limit of a batch. */
export const batchMax_ms = 90_000

type Context = Parameters<typeof answerAt>[3]

/** The answer of a batch. The JSON of each entry is written when its location is answered. */
export type BatchText = { toText(): string }

/**
 * Answers a plan at every location. A location that fails becomes an entry with `ok: false`. At the time limit, open
 * fields fail with `timeout`, and locations that have not started become `fetch_busy` entries.
 */
export async function answerBatch(
  locations: LocationInput[],
  plan: FetchPlan,
  { signal }: Budget,
  context: Context,
): Promise<BatchText> {
  const budget = { signal, until_ms: performance.now() + batchMax_ms }
  const entries: string[] = []
  let next = 0
  const worker = async () => {
    while (next < locations.length && !signal.aborted) {
      const index = next++
      const entry = answerEntry(locations[index]!, plan, budget, context)
      entries[index] = `{"index":${index},${entry instanceof Promise ? await entry : entry}}`
    }
  }
  await Promise.all(Array.from({ length: Math.min(batchConcurrency, locations.length) }, worker))
  signal.throwIfAborted()
  const fetched_at = formatTimestamp(context.now())
  return { toText: () => `{"fetched_at":"${fetched_at}","results":[${entries.join(',')}]}` }
}

/** Returns the members of an entry after its index, as JSON. */
function answerEntry(
  location: LocationInput,
  plan: FetchPlan,
  budget: Required<Pick<Budget, 'signal' | 'until_ms'>>,
  context: Context,
): MaybePromise<string> {
  try {
    if (performance.now() >= budget.until_ms)
      throw new ApiError(
        'fetch_busy',
        `The batch reached its time limit of ${batchMax_ms / 1000} s before this location was answered. Request this location again.`,
        { retry_after_s: 1 },
      )
    const answer = answerAt(location, plan, budget, context)
    return answer instanceof Promise ? answer.then(successText).catch(failureText) : successText(answer)
  } catch (error) {
    return failureText(error)
  }

  function failureText(error: unknown): string {
    if (budget.signal.aborted) throw error
    const fetched_at = formatTimestamp(context.now())
    return JSON.stringify({ ok: false, fetched_at, error: apiErrorOf(error, context).detail }).slice(1, -1)
  }
}

function successText(answer: PlaceAnswer): string {
  return `"ok":true,${answer.membersText()}`
}

function apiErrorOf(error: unknown, { log }: Context): ApiError {
  if (error instanceof ApiError) return error
  log.error('location_error', { error })
  return new ApiError('internal_error', 'An internal error occurred at this location.')
}
