import type { MaybePromise } from '../async/maybe-promise.ts'
import { insideUs } from '../geo/us.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/text.ts'
import type { LocationInput } from '../place/locate.ts'
import { answerAt, answerTogether } from './fetch.ts'
import type { FetchPlan } from './fetch-plan.ts'
import type { PlaceAnswer } from './place-answer.ts'

/** The maximum number of locations in a batch. */
export const batchLocationsMax = 25
/** Locations of a batch that are answered at a time. */
export const batchConcurrency = 4
/** The time limit of a batch. */
export const batchMax_ms = 90_000

type Context = Parameters<typeof answerAt>[3]

/** The answer of a batch. The JSON of each entry is written when its location is answered. */
export type BatchText = { toText(): string }

/** Locations to answer, and what an answer and an error become. */
export interface LocationBatch<T> {
  locations: readonly LocationInput[]
  plan: FetchPlan
  answered(answer: PlaceAnswer, index: number): T
  failed(error: ApiError, index: number): T
}

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
  const batch: LocationBatch<string> = {
    locations,
    plan,
    answered: (answer, index) => answer.toText(`{"index":${index},"ok":true,`),
    failed: ({ detail }, index) =>
      JSON.stringify({ index, ok: false, fetched_at: formatTimestamp(context.now()), error: detail }),
  }
  const entries = await answerLocations(batch, budget, context)
  const fetched_at = formatTimestamp(context.now())
  return { toText: () => `{"fetched_at":"${fetched_at}","results":[${entries.join(',')}]}` }
}

/**
 * Answers a plan at every location: coordinates together if local data answers the plan, else several locations at a
 * time. Returns what became of each, in order.
 */
export async function answerLocations<T>(batch: LocationBatch<T>, budget: BatchBudget, context: Context): Promise<T[]> {
  const { signal } = budget
  const entries: T[] = []
  const isInBlock = ({ address, lat, lng }: LocationInput) =>
    batch.plan.isLocal && address === undefined && insideUs({ lat: lat!, lng: lng! })
  const { block = [], single = [] } = Object.groupBy(batch.locations.keys(), (index) =>
    isInBlock(batch.locations[index]!) ? 'block' : 'single',
  )
  if (block.length > 0) await answerBlock(batch, { indexes: block, entries, single }, budget, context)
  const remaining = single.values()
  const worker = async () => {
    for (const index of remaining) {
      if (signal.aborted) return
      const entry = answerLocation(batch, index, budget, context)
      entries[index] = entry instanceof Promise ? await entry : entry
    }
  }
  await Promise.all(Array.from({ length: Math.min(batchConcurrency, single.length) }, worker))
  signal.throwIfAborted()
  return entries
}

/**
 * Sets the entries of coordinates in the US, which are answered together. If that fails, adds them to `single`, so that
 * each has its own error.
 */
async function answerBlock<T>(
  { locations, plan, answered }: LocationBatch<T>,
  { indexes, entries, single }: { indexes: readonly number[]; entries: T[]; single: number[] },
  budget: BatchBudget,
  context: Context,
): Promise<void> {
  try {
    const located = indexes.map((index) => locations[index]!)
    const answers = await answerTogether(located, plan, budget, context)
    for (const [i, index] of indexes.entries()) entries[index] = answered(answers[i]!, index)
  } catch (error) {
    if (budget.signal.aborted) throw error
    if (!(error instanceof ApiError)) context.log.error('batch_error', { error })
    single.push(...indexes)
  }
}

type BatchBudget = Required<Pick<Budget, 'signal' | 'until_ms'>>

function answerLocation<T>(
  { locations, plan, answered, failed }: LocationBatch<T>,
  index: number,
  budget: BatchBudget,
  context: Context,
): MaybePromise<T> {
  try {
    if (performance.now() >= budget.until_ms)
      throw new ApiError(
        'fetch_busy',
        `The batch reached its time limit of ${batchMax_ms / 1000} s before this location was answered. Request this location again.`,
        { retry_after_s: 1 },
      )
    const answer = answerAt(locations[index]!, plan, budget, context)
    return answer instanceof Promise ? answer.then((it) => answered(it, index)).catch(fail) : answered(answer, index)
  } catch (error) {
    return fail(error)
  }

  function fail(error: unknown): T {
    if (budget.signal.aborted) throw error
    return failed(apiErrorOf(error, context), index)
  }
}

function apiErrorOf(error: unknown, { log }: Context): ApiError {
  if (error instanceof ApiError) return error
  log.error('location_error', { error })
  return new ApiError('internal_error', 'An internal error occurred at this location.')
}
