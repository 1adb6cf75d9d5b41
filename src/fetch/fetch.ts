import { allOf, type MaybePromise } from '../async/maybe-promise.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import type { Log } from '../log.ts'
import type { Place, Point } from '../model/place.ts'
import type { OnBilledCall, Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/timestamp.ts'
import type { AddressKind } from '../place/classify-address.ts'
import type { GeocodeResult } from '../place/geocode.ts'
import type { Locate, LocatedPlace, LocationInput } from '../place/locate.ts'
import type { EnglishWordCheck } from '../place/english-words.ts'
import type { TownFinder } from '../place/town-finder.ts'
import type { Admission } from './admission.ts'
import { answerField } from './answer-field.ts'
import type { FetchAnswer, FieldResult } from './fetch-answer.ts'
import { openFieldDeadlines } from './field-deadlines.ts'
import { FieldEvaluator } from './field-evaluator.ts'
import { addGeometry } from './field-geometry.ts'
import { createParcelEvaluator, type ParcelAccess } from './parcel-fields.ts'
import type { SourceRegistry } from './source-registry.ts'

/** Everything that one request uses, on behalf of its account. Functions take the members that they need. */
export type FetchContext = {
  catalog: Catalog
  registry: SourceRegistry
  log: Log
  now: () => Date
  admission: Admission
  /** Resolves a coordinate or an address. */
  locate: Locate
  /** Returns the place of a coordinate. */
  placeAt: (at: Point) => Place
  findTown: TownFinder
  isEnglishWord: EnglishWordCheck
  /** Tells coordinates, parcel numbers and addresses apart. */
  classify: (text: string) => AddressKind
  geocode: (address: string, budget: Budget) => Promise<GeocodeResult>
  /** Whether the account may read parcel fields (default: allowed). */
  parcelAccess?: ParcelAccess
  /** Receives the number of fields per source after each answer. */
  onSourceUsage?: (usages: SourceUsage[]) => void
  /** Is called before each call that its provider bills. */
  onBilledCall?: OnBilledCall
  onFieldResult?: (result: FieldResult) => void
}

/** The fields of an answer that came from one source. Billed calls are counted separately, when they are made. */
type SourceUsage = { source: string; fields: number }

/** The members of the context that answer fields at a known place. */
export type FieldContext = Omit<
  FetchContext,
  'admission' | 'locate' | 'placeAt' | 'findTown' | 'isEnglishWord' | 'classify' | 'geocode'
>

/** Time limit of a fetch at one location. */
export const fetchMax_ms = 62_000

/** Waits for admission, resolves the location, and answers the fields there. */
export function fetchAt(
  location: LocationInput,
  fields: Field[],
  { signal, until_ms = Infinity }: Budget,
  context: FieldContext & Pick<FetchContext, 'admission' | 'locate'> & { withGeometry?: boolean },
): Promise<FetchAnswer> {
  const budget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  return context.admission.run(async () => {
    const place = await context.locate(location, budget)
    const answer = await fetchFields(fields, place, budget, context)
    return context.withGeometry ? addGeometry(answer, { fields, place }, budget, context) : answer
  }, budget)
}

/** Answers all fields at one place concurrently. Fields that send the same query to a source share its answer. */
export async function fetchFields(
  fields: Field[],
  place: LocatedPlace,
  budget: Budget,
  context: FieldContext,
): Promise<FetchAnswer> {
  const evaluated = evaluateFields(fields, place, budget, context)
  const results = evaluated instanceof Promise ? await evaluated : evaluated
  const { lat, lng, source } = place
  const resultsByName: Record<string, FieldResult> = {}
  const partial_failures: FetchAnswer['partial_failures'] = []
  fields.forEach(({ name }, i) => {
    const result = results[i]!
    resultsByName[name] = result
    context.onFieldResult?.(result)
    if (result.status === 'failed')
      partial_failures.push({ field: name, source: result.source, error: result.error, retryable: result.retryable })
  })
  context.onSourceUsage?.(usageBySource(resultsByName))
  return {
    lat,
    lng,
    fetched_at: formatTimestamp(context.now()),
    fields: resultsByName,
    partial_failures,
    resolved_location: { lat, lng, source },
    ...(place.geocode && { geocode: place.geocode }),
  }
}

/** Returns one result per field, in order. */
function evaluateFields(
  fields: Field[],
  place: LocatedPlace,
  budget: Budget,
  { catalog, registry, log, now, parcelAccess = 'allowed', onBilledCall }: FieldContext,
): MaybePromise<FieldResult[]> {
  const deadlines = openFieldDeadlines(budget)
  const evaluator = new FieldEvaluator(
    place,
    { ...budget, ...(onBilledCall && { onBilledCall }) },
    { catalog, registry, now, deadlines },
  )
  const evaluateParcel = createParcelEvaluator(evaluator, catalog, { geocode: place.geocode, access: parcelAccess })
  const evaluate = (field: Field) =>
    field.name.startsWith('parcel_') ? evaluateParcel(field) : evaluator.evaluate(field)
  const deps = { evaluate, log, signal: budget.signal }
  const results = allOf(fields.map((field) => answerField(field, registry.dataset(field.read.dataset), deps)))
  return results instanceof Promise ? results.finally(deadlines.close) : results
}

function usageBySource(fields: Record<string, FieldResult>): SourceUsage[] {
  const usages = new Map<string, SourceUsage>()
  for (const name in fields) {
    const { source } = fields[name]!
    let usage = usages.get(source)
    if (!usage) usages.set(source, (usage = { source, fields: 0 }))
    usage.fields++
  }
  return [...usages.values()]
}
