import type { Field } from '../catalog/entry.ts'
import { ApiError } from '../model/error.ts'
import type { Budget } from '../model/source.ts'
import { wireTime } from '../model/wire-time.ts'
import type { Locate, LocationInput } from '../place/locate.ts'
import type { BatchAnswer, Entry, FetchAnswer } from './fetch-answer.ts'
import { fetchFields, type Desk } from './fetch.ts'
import type { Entrance } from './gate.ts'

export const locationsMax = 25
export const atOnce = 4
export const fetchMax_ms = 62_000
export const batchMax_ms = 90_000

/** What answering a location takes beside the desk: the way to a place, and the way through the gate. */
export type Counter = Desk & { locate: Locate; gate: Entrance }

/** One location, through the gate. */
export function fetchAt(location: LocationInput, fields: Field[], { signal, until_ms = Infinity }: Budget, counter: Counter): Promise<FetchAnswer> {
  const budget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  return counter.gate.through(async () => fetchFields(fields, await counter.locate(location, budget), budget, counter), budget)
}

/**
 * Every location with one selection, four at a time, each through the gate; a location that fails is an entry. When the time of a batch is
 * up, the fields that are still open have failed, and the locations that were not begun are turned away.
 */
export async function fetchBatch(locations: LocationInput[], fields: Field[], { signal }: Budget, counter: Counter): Promise<BatchAnswer> {
  const budget = { signal, until_ms: performance.now() + batchMax_ms }
  const results: Entry[] = []
  let next = 0
  const lane = async () => {
    while (next < locations.length && !budget.signal.aborted) {
      const index = next++
      results[index] = await entryOf(index, locations[index]!, fields, budget, counter)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, locations.length) }, lane))
  budget.signal.throwIfAborted()
  return { fetched_at: wireTime(counter.now()), results }
}

async function entryOf(index: number, location: LocationInput, fields: Field[], budget: Budget, counter: Counter): Promise<Entry> {
  try {
    if (performance.now() >= (budget.until_ms ?? Infinity)) throw new ApiError('fetch_busy', `The ${batchMax_ms / 1000} s of the batch were over before this location was begun: ask for it again.`, { retry_after_s: 1 })
    return { index, ok: true, ...(await fetchAt(location, fields, budget, counter)) }
  } catch (error) {
    if (budget.signal.aborted) throw error
    return { index, ok: false, fetched_at: wireTime(counter.now()), error: refusalOf(error, counter).detail }
  }
}

function refusalOf(error: unknown, { log }: Counter): ApiError {
  if (error instanceof ApiError) return error
  log.error('location_fault', { error })
  return new ApiError('internal_error', 'This location could not be answered, by a fault of ours.')
}
