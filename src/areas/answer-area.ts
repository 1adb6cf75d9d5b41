/**
 * Answers of polygons, circles, corridors, parcels and counties, instead of points: shares, statistics and
 * distances. `shape/` makes an area of a request, `raster/` reads the cells that it covers. Overlays run in a
 * worker.
 */
import { EndingSignal } from '../async/ending-signal.ts'
import { allOf, runCoroutine, waitFor, type Coroutine } from '../async/maybe-promise.ts'
import { areaKindOf } from '../catalog/area-kind.ts'
import { confidenceOfStale } from '../catalog/confidence.ts'
import type { AreaKind } from '../catalog/catalog-document.ts'
import type { Field } from '../catalog/records.ts'
import { countResults } from '../fetch/answer-template.ts'
import { originOf } from '../fetch/evaluation.ts'
import { failureOf, withProvenance } from '../fetch/field-plan.ts'
import { openFieldDeadlines } from '../fetch/field-deadlines.ts'
import { fetchMax_ms, type FetchContext } from '../fetch/fetch.ts'
import type { GeoJsonGeometry } from '../geo/text/geojson.ts'
import type { GeometryRunner } from '../geo/overlay/geometry-jobs.ts'
import type { UnknownField } from '../fetch/catalog/select.ts'
import type { Budget } from '../model/source.ts'
import { UpstreamError, validationErrorAt } from '../model/error.ts'
import { roundTo } from '../model/round.ts'
import { formatTimestamp } from '../model/text.ts'
import type { LocationInput } from '../place/locate.ts'
import type { AreaAnswer, AreaFieldResult } from './area-answer.ts'
import { drawArea, drawParts } from './shape/area-drawing.ts'
import { AreaEvaluator } from './area-evaluator.ts'
import type { QueryArea } from './shape/area-geometry.ts'
import type { AreaShape } from './area-schema.ts'
import { areaOfShape, shapeNamesOf } from './shape/area-shape.ts'
import { totalSizeOf, type AreaEvaluation } from './area-values.ts'
import type { Loc } from './shape/geometry-errors.ts'
import { parcelAreaOf } from './shape/parcel-area.ts'

/** An area takes one slot of the admission queue for each started piece of this size. */
const slotSize_m2 = 500e6
/** A line takes one slot for each started piece of this length. */
const slotLength_m = 100_000

type AreaContext = Pick<
  FetchContext,
  | 'catalog'
  | 'registry'
  | 'plans'
  | 'log'
  | 'now'
  | 'admission'
  | 'locate'
  | 'placeAt'
  | 'parcelAccess'
  | 'onBilledCall'
  | 'onFieldResult'
  | 'onSourceUsage'
  | 'openGeometryRunner'
>

/** What an answer can have for a map: the parts of each field, and the outline of the area. */
export const areaMapMembers = ['geometry', 'outline'] as const

/** A request for one area: its shape, or the location whose parcel it is. */
export type AreaRequest = AreaShape & {
  parcel_of?: LocationInput
  include?: (typeof areaMapMembers)[number][]
}

/**
 * A request with the place of its members, for errors. `unknown`: names that are not in the catalog. With `drawnKinds`, only one field gets its parts: the first with
 * a value, of the earliest of these kinds.
 */
type LocatedAreaRequest = AreaRequest & {
  loc: Loc
  drawnKinds?: readonly AreaKind[]
  unknown?: readonly UnknownField[]
}

/**
 * Waits for admission and answers the fields for an area or a line.
 * @throws {ValidationError} and {ApiError} if there is no such area.
 */
export async function answerArea(
  request: LocatedAreaRequest,
  fields: Field[],
  { signal, until_ms = Infinity }: Budget,
  context: AreaContext,
): Promise<AreaAnswer> {
  const requestBudget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  // Work for fields that missed their deadline stops with the answer.
  const ending = new EndingSignal(signal)
  const { onBilledCall } = context
  const budget: Budget = {
    get signal() {
      return ending.get()
    },
    until_ms: requestBudget.until_ms,
    ...(onBilledCall && { onBilledCall }),
  }
  const { parcel_of, loc, include = [], drawnKinds = [], unknown = [] } = request
  try {
    if (parcel_of) {
      const deps = { ...context, geometry: context.openGeometryRunner(budget) }
      // The terms of the provider do not allow its outlines in answers, and the parts of a field would show them.
      const answer = async () =>
        runCoroutine(answerFields(await parcelAreaOf(parcel_of, loc, budget, deps), fields, budget, deps))
      return await context.admission.run(answer, requestBudget)
    }
    const geometry = context.openGeometryRunner(budget, (measure) => context.admission.run(measure, requestBudget))
    const area = await areaOfShape(request, loc, { ...context, geometry }, requestBudget)
    const slots = Math.ceil(totalSizeOf(area) / (area.kind === 'polygon' ? slotSize_m2 : slotLength_m))
    return await context.admission.run(
      () => runCoroutine(answerFields(area, fields, budget, { ...context, geometry, include, drawnKinds, unknown })),
      requestBudget,
      { slots },
    )
  } catch (error) {
    // Fields have errors of their own. This one comes from the outline.
    if (!(error instanceof UpstreamError && error.code === 'too_large')) throw error
    throw validationErrorAt([...loc, ...shapeNamesOf(request)], error.message.replace(/\.$/, ''))
  } finally {
    ending.end()
  }
}

type AnswerContext = AreaContext & { geometry: GeometryRunner } & Pick<
    LocatedAreaRequest,
    'include' | 'drawnKinds' | 'unknown'
  >

function* answerFields(
  area: QueryArea,
  fields: Field[],
  budget: Budget,
  context: AnswerContext,
): Coroutine<AreaAnswer> {
  const deadlines = openFieldDeadlines(budget)
  const { geometry, parcelAccess = 'allowed', include = [], drawnKinds = [] } = context
  const isDrawn = include.includes('geometry') || drawnKinds.length > 0
  const evaluator = new AreaEvaluator(area, budget, { ...context, deadlines, parcelAccess, isDrawn })
  try {
    const answered = yield* waitFor(
      allOf(fields.map((field) => runCoroutine(answerAreaField(field, evaluator, budget, context)))),
    )
    const drawn = new Set(include.includes('geometry') ? answered : firstOfKinds(answered, drawnKinds))
    const results = yield* waitFor(
      allOf(answered.map((it) => (drawn.has(it) ? withGeometry(it, area, geometry) : it.result))),
    )
    countUsage(results, context)
    const outline = include.includes('outline') ? yield* waitFor(drawArea(area, geometry)) : null
    return answerOf(area, fields, results, { ...context, outline })
  } finally {
    deadlines.close()
  }
}

/** Counts the fields in the metrics and in the usage of the account. */
function countUsage(results: AreaFieldResult[], { onFieldResult, onSourceUsage }: AreaContext): void {
  const counts = countResults(results)
  for (const { result, fields } of counts.results) onFieldResult?.(result, fields)
  onSourceUsage?.(counts.usages)
}

function answerOf(
  area: QueryArea,
  fields: Field[],
  results: AreaFieldResult[],
  { outline, now, unknown = [] }: { outline: GeoJsonGeometry | null } & Pick<AnswerContext, 'now' | 'unknown'>,
): AreaAnswer {
  const size = roundTo(totalSizeOf(area), 3)
  const resultsByName: AreaAnswer['fields'] = {}
  const partial_failures: AreaAnswer['partial_failures'] = []
  for (const [i, result] of results.entries()) {
    const { name } = fields[i]!
    resultsByName[name] = result
    const { source, status } = result
    if (status === 'failed')
      partial_failures.push({ field: name, source, error: result.error, retryable: result.retryable })
  }
  return {
    ...(area.kind === 'polygon' ? { area_m2: size } : { length_m: size }),
    representative_point: area.point,
    ...(outline && { outline }),
    fetched_at: formatTimestamp(now()),
    fields: resultsByName,
    partial_failures: [...partial_failures, ...unknown],
  }
}

/** A result with the evaluation that it comes from; null if the field failed. */
type AnsweredField = { result: AreaFieldResult; evaluation: AreaEvaluation | null }

/** The first field with a value of the earliest kind that has one. */
function firstOfKinds(answered: readonly AnsweredField[], kinds: readonly AreaKind[]): AnsweredField[] {
  const ofKinds = kinds.flatMap((kind) =>
    answered.filter(({ result: { status, area_kind } }) => status === 'ok' && area_kind === kind),
  )
  return ofKinds.slice(0, 1)
}

/** Answers one field. An error becomes a failed result of this field only; an aborted signal rejects instead. */
function* answerAreaField(
  field: Field,
  evaluator: AreaEvaluator,
  budget: Budget,
  { registry, log, now }: AnswerContext,
): Coroutine<AnsweredField> {
  try {
    const evaluation = yield* waitFor(evaluator.evaluate(field))
    return { result: resultOf(field, evaluation, now()), evaluation }
  } catch (error) {
    // Not thrown at once, because other fields of the request may be waiting.
    if (budget.signal.aborted) yield Promise.reject(budget.signal.reason as Error)
    const members = { area_kind: areaKindOf(field), covered_share: 0 }
    const failed = { ...failureOf(error, field, log), ...members }
    const origin = originOf(registry.dataset(field.read.dataset), null, field.read)
    const result = { ...withProvenance(failed, field, origin, null), fetched_at: null }
    return { result, evaluation: null }
  }
}

async function withGeometry(
  { result, evaluation }: AnsweredField,
  area: QueryArea,
  geometry: GeometryRunner,
): Promise<AreaFieldResult> {
  if (!evaluation) return result
  try {
    return { ...result, geometry: await drawParts(area, evaluation, geometry) }
  } catch (error) {
    if (error instanceof UpstreamError) return { ...result, geometry_error: `${error.code}: ${error.message}` }
    throw error
  }
}

function resultOf(
  field: Field,
  { outcome, origin, date = null, freshness }: AreaEvaluation,
  now: Date,
): AreaFieldResult {
  const { value, reason, covered_share, absent_parts, notes } = outcome
  const shared = {
    area_kind: areaKindOf(field),
    covered_share,
    ...(absent_parts && { absent_parts }),
    ...(freshness && { cache: freshness.cache }),
    ...(notes !== undefined && { notes }),
  }
  const result =
    value === null
      ? withProvenance(
          { value, status: 'absent' as const, absent_reason: reason ?? ('no_data' as const), ...shared },
          field,
          origin,
          date,
        )
      : withProvenance({ value, status: 'ok' as const, ...shared }, field, origin, date)
  const confidence = freshness?.cache === 'stale' ? confidenceOfStale(result.confidence) : result.confidence
  return { ...result, confidence, fetched_at: formatTimestamp(freshness ? new Date(freshness.fetched_ms) : now) }
}
