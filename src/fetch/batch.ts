import type { Field } from '../catalog/records.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { LocationInput } from '../place/locate.ts'
import type { BatchAnswer, BatchEntry } from './fetch-answer.ts'
import { fetchAt } from './fetch.ts'

/** Most locations of a batch. */
export const batchLocationsMax = 25
/** Locations of a batch that are answered at a time. */
export const batchConcurrency = 4
/** Time limit of a batch. */
export const batchMax_ms = 90_000

type Context = Parameters<typeof fetchAt>[3]

/**
 * Fetches the same fields at every location. A location that fails becomes an entry with `ok: false`. At the time
 * limit, open fields fail with `timeout`, and locations that have not started become `fetch_busy` entries.
 */
export async function fetchBatch(
  locations: LocationInput[],
  fields: Field[],
  { signal }: Budget,
  context: Context,
): Promise<BatchAnswer> {
  const budget = { signal, until_ms: performance.now() + batchMax_ms }
  const results: BatchEntry[] = []
  let next = 0
  const worker = async () => {
    while (next < locations.length && !signal.aborted) {
      const index = next++
      results[index] = { index, ...(await fetchEntry(locations[index]!, fields, budget, context)) }
    }
  }
  await Promise.all(Array.from({ length: Math.min(batchConcurrency, locations.length) }, worker))
  signal.throwIfAborted()
  return { fetched_at: formatTimestamp(context.now()), results }
}

async function fetchEntry(
  location: LocationInput,
  fields: Field[],
  budget: Required<Pick<Budget, 'signal' | 'until_ms'>>,
  context: Context,
) {
  try {
    if (performance.now() >= budget.until_ms)
      throw new ApiError(
        'fetch_busy',
        `The batch reached its time limit of ${batchMax_ms / 1000} s before this location was answered. Request this location again.`,
        { retry_after_s: 1 },
      )
    return { ok: true as const, ...(await fetchAt(location, fields, budget, context)) }
  } catch (error) {
    if (budget.signal.aborted) throw error
    const fetched_at = formatTimestamp(context.now())
    return { ok: false as const, fetched_at, error: apiErrorOf(error, context).detail }
  }
}

function apiErrorOf(error: unknown, { log }: Context): ApiError {
  if (error instanceof ApiError) return error
  log.error('location_error', { error })
  return new ApiError('internal_error', 'An internal error occurred at this location.')
}
