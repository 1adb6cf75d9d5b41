import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/entry.ts'
import type { Log } from '../log.ts'
import type { Billed, Budget } from '../model/source.ts'
import { wireTime } from '../model/wire-time.ts'
import type { Located } from '../place/locate.ts'
import { answer } from './answer.ts'
import type { FetchAnswer, FieldResult } from './fetch-answer.ts'
import type { Library } from './library.ts'
import { openLimits } from './limits.ts'
import { refusingParcels, type ParcelRight } from './parcels.ts'
import { openAsking } from './reading.ts'
import { takenBy, type Taken } from './tally.ts'

/**
 * What it takes to answer. `parcels`: whether who asks may read parcels; who is not told may. `answered` is told what every answer took, to
 * count it, `billed` of every call that is billed, before it is made, and `counted` of every field that is answered.
 */
export type Desk = { catalog: Catalog; library: Library; log: Log; now: () => Date; parcels?: ParcelRight; answered?: (taken: Taken[]) => void; billed?: Billed; counted?: (result: FieldResult) => void }

/** All the fields at one place, side by side. Fields that put one question to one source share the answer. */
export async function fetchFields(fields: Field[], place: Located, budget: Budget, { catalog, library, log, now, parcels = 'allowed', answered, billed, counted }: Desk): Promise<FetchAnswer> {
  const limits = openLimits(budget)
  const asking = refusingParcels(openAsking(place, { ...budget, ...(billed && { billed }) }, { catalog, library, now, limits }), place, parcels)
  const means = { log, signal: budget.signal }
  const results = await Promise.all(fields.map((field) => answer(field, library.shelf(field.read.dataset), asking, means))).finally(limits.close)
  const { lat, lng, source } = place
  const named: Record<string, FieldResult> = {}
  const partial_failures: FetchAnswer['partial_failures'] = []
  fields.forEach(({ name }, i) => {
    const result = results[i]!
    named[name] = result
    counted?.(result)
    if (result.status === 'failed') partial_failures.push({ field: name, source: result.source, error: result.error, retryable: result.retryable })
  })
  answered?.(takenBy(named))
  return { lat, lng, fetched_at: wireTime(now()), fields: named, partial_failures, resolved_location: { lat, lng, source }, ...(place.geocode && { geocode: place.geocode }) }
}
