import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import type { Log } from '../log.ts'
import type { OnBilledCall, Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { LocatedPlace } from '../place/locate.ts'
import { answerField } from './answer-field.ts'
import type { FetchAnswer, FieldResult } from './fetch-answer.ts'
import type { SourceRegistry } from './source-registry.ts'
import { openFieldDeadlines } from './field-deadlines.ts'
import { guardParcelFields, type ParcelAccess } from './parcel-access.ts'
import { createFieldEvaluator } from './field-evaluator.ts'
import { usageBySource, type SourceUsage } from './source-usage.ts'

/**
 * What it takes to answer. `parcels`: whether who asks may read parcels; who is not told may. `answered` is told what every answer took, to
 * count it, `billed` of every call that is billed, before it is made, and `counted` of every field that is answered.
 */
export type FetchContext = {
  catalog: Catalog
  registry: SourceRegistry
  log: Log
  now: () => Date
  parcelAccess?: ParcelAccess
  onSourceUsage?: (usages: SourceUsage[]) => void
  onBilledCall?: OnBilledCall
  onFieldResult?: (result: FieldResult) => void
}

/** All the fields at one place, side by side. Fields that put one question to one source share the answer. */
export async function fetchFields(
  fields: Field[],
  place: LocatedPlace,
  budget: Budget,
  { catalog, registry, log, now, parcelAccess = 'allowed', onSourceUsage, onBilledCall, onFieldResult }: FetchContext,
): Promise<FetchAnswer> {
  const deadlines = openFieldDeadlines(budget)
  const evaluator = guardParcelFields(
    createFieldEvaluator(
      place,
      { ...budget, ...(onBilledCall && { onBilledCall }) },
      { catalog, registry, now, deadlines },
    ),
    place,
    parcelAccess,
  )
  const deps = { log, signal: budget.signal }
  const results = await Promise.all(
    fields.map((field) => answerField(field, registry.dataset(field.read.dataset), evaluator, deps)),
  ).finally(deadlines.close)
  const { lat, lng, source } = place
  const resultsByName: Record<string, FieldResult> = {}
  const partial_failures: FetchAnswer['partial_failures'] = []
  fields.forEach(({ name }, i) => {
    const result = results[i]!
    resultsByName[name] = result
    onFieldResult?.(result)
    if (result.status === 'failed')
      partial_failures.push({ field: name, source: result.source, error: result.error, retryable: result.retryable })
  })
  onSourceUsage?.(usageBySource(resultsByName))
  return {
    lat,
    lng,
    fetched_at: formatTimestamp(now()),
    fields: resultsByName,
    partial_failures,
    resolved_location: { lat, lng, source },
    ...(place.geocode && { geocode: place.geocode }),
  }
}
