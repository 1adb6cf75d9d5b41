import type { Field } from '../catalog/records.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { Locate, LocationInput } from '../place/locate.ts'
import type { BatchAnswer, BatchEntry, FetchAnswer } from './fetch-answer.ts'
import { fetchFields, type FetchContext } from './fetch.ts'
import type { Admission } from './admission.ts'

export const batchLocationsMax = 25
export const batchConcurrency = 4
export const fetchMax_ms = 62_000
export const batchMax_ms = 90_000

/** What answering a location takes beside the desk: the way to a place, and the way through the gate. */
export type LocatedFetchContext = FetchContext & { locate: Locate; admission: Admission }

/** One location, through the gate. */
export function fetchAt(
  location: LocationInput,
  fields: Field[],
  { signal, until_ms = Infinity }: Budget,
  context: LocatedFetchContext,
): Promise<FetchAnswer> {
  const budget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  return context.admission.run(
    async () => fetchFields(fields, await context.locate(location, budget), budget, context),
    budget,
  )
}

/**
 * Every location with one selection, four at a time, each through the gate; a location that fails is an entry. When the time of a batch is
 * up, the fields that are still open have failed, and the locations that were not begun are turned away.
 */
export async function fetchBatch(
  locations: LocationInput[],
  fields: Field[],
  { signal }: Budget,
  context: LocatedFetchContext,
): Promise<BatchAnswer> {
  const budget = { signal, until_ms: performance.now() + batchMax_ms }
  const results: BatchEntry[] = []
  let next = 0
  const worker = async () => {
    while (next < locations.length && !budget.signal.aborted) {
      const index = next++
      results[index] = await fetchEntry(index, locations[index]!, fields, budget, context)
    }
  }
  await Promise.all(Array.from({ length: Math.min(batchConcurrency, locations.length) }, worker))
  budget.signal.throwIfAborted()
  return { fetched_at: formatTimestamp(context.now()), results }
}

async function fetchEntry(
  index: number,
  location: LocationInput,
  fields: Field[],
  budget: Budget,
  context: LocatedFetchContext,
): Promise<BatchEntry> {
  try {
    if (performance.now() >= (budget.until_ms ?? Infinity))
      throw new ApiError(
        'fetch_busy',
        `The ${batchMax_ms / 1000} s of the batch were over before this location was begun: ask for it again.`,
        { retry_after_s: 1 },
      )
    return { index, ok: true, ...(await fetchAt(location, fields, budget, context)) }
  } catch (error) {
    if (budget.signal.aborted) throw error
    return { index, ok: false, fetched_at: formatTimestamp(context.now()), error: apiErrorOf(error, context).detail }
  }
}

function apiErrorOf(error: unknown, { log }: LocatedFetchContext): ApiError {
  if (error instanceof ApiError) return error
  log.error('location_error', { error })
  return new ApiError('internal_error', 'This location could not be answered, by a fault of ours.')
}
