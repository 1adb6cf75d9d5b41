import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/entry.ts'
import type { Log } from '../log.ts'
import type { Place } from '../model/place.ts'
import type { Budget } from '../model/source.ts'
import { answer, type FieldResult } from './answer.ts'
import type { Library } from './library.ts'
import { openAsking } from './reading.ts'

/** The answer about one place: every requested field, in the order it was asked for, and the failures once more as a list. */
export type FetchAnswer = {
  lat: number
  lng: number
  fetched_at: string
  fields: Record<string, FieldResult>
  partial_failures: { field: string; source: string; error: string; retryable: boolean }[]
  resolved_location: { lat: number; lng: number; source: Place['source'] }
}

/** What it takes to answer. */
export type Desk = { catalog: Catalog; library: Library; log: Log; now: () => Date }

/** All the fields at one place, side by side. Fields that put one question to one source share the answer. */
export async function fetchFields(fields: Field[], place: Place, budget: Budget, { catalog, library, log, now }: Desk): Promise<FetchAnswer> {
  const asking = openAsking(place, budget, { catalog, library, now })
  const results = await Promise.all(fields.map((field) => answer(field, library.shelf(field.read.dataset), asking, log)))
  const { lat, lng, source } = place
  const named: Record<string, FieldResult> = {}
  const partial_failures: FetchAnswer['partial_failures'] = []
  for (const [i, { name }] of fields.entries()) {
    const result = results[i]!
    named[name] = result
    if (result.status === 'failed') partial_failures.push({ field: name, source: result.source, error: result.error, retryable: result.retryable })
  }
  return { lat, lng, fetched_at: wireTime(now()), fields: named, partial_failures, resolved_location: { lat, lng, source } }
}

/** A time as the API writes it: UTC with an offset, never `Z`. */
export function wireTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00')
}
