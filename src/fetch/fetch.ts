/**
 * The heart of the service: a list of fields becomes a plan, and a plan answers a block of places. `catalog/`
 * selects fields, `sources/` wraps the sources of their data, `parcel/` finds parcels.
 */
import { andThen, type MaybePromise } from '../async/maybe-promise.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Field } from '../catalog/records.ts'
import type { Place, Point } from '../model/place.ts'
import type { OpenGeometryRunner } from '../geo/overlay/geometry-jobs.ts'
import type { Budget } from '../model/source.ts'
import { formatTimestamp } from '../model/text.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { AddressKind } from '../place/classify-address.ts'
import type { GeocodeResult } from '../place/geocode.ts'
import type { Locate, LocatedPlace, LocationInput } from '../place/locate.ts'
import type { EnglishWordCheck } from '../place/english-words.ts'
import type { TownFinder } from '../place/town-finder.ts'
import type { Admission } from './admission.ts'
import type { SourceUsage } from './answer-template.ts'
import type { FetchAnswer } from './fetch-answer.ts'
import type { FetchPlan, FetchPlans } from './fetch-plan.ts'
import type { FieldOutcome } from './outcome-column.ts'
import { addGeometry } from './parcel/field-geometry.ts'
import { PlaceAnswer } from './place-answer.ts'
import { blockOf, type PlanContext } from './place-block.ts'
import type { SourceRegistry } from './sources/source-registry.ts'

/** Everything that one request uses, on behalf of its account. Functions take the members that they need. */
export type FetchContext = PlanContext & {
  catalog: Catalog
  registry: SourceRegistry
  plans: FetchPlans
  admission: Admission
  openGeometryRunner: OpenGeometryRunner
  /** Resolves a coordinate or an address. */
  locate: Locate
  /** Returns the place of a coordinate. */
  placeAt: (at: Point) => Place
  findTown: TownFinder
  isEnglishWord: EnglishWordCheck
  /** Tells coordinates, parcel numbers and addresses apart. */
  classify: (text: string) => AddressKind
  geocode: (address: string, budget: Budget) => Promise<GeocodeResult>
  /** Receives the number of fields per source after each answer. */
  onSourceUsage?: (usages: SourceUsage[]) => void
  /** Receives the results of each answer, without their values. */
  onFieldResult?: Telemetry['countFields']
}

/** The members of the context that answer fields at a known place. */
export type FieldContext = Pick<
  FetchContext,
  'catalog' | 'registry' | 'plans' | 'onSourceUsage' | 'onFieldResult' | keyof PlanContext
>

/** Time limit of a fetch at one location. */
export const fetchMax_ms = 62_000

type AnswerContext = PlanContext & Pick<FetchContext, 'onFieldResult' | 'onSourceUsage'>
type LocationContext = AnswerContext & Pick<FetchContext, 'admission' | 'locate'>

/** Waits for admission, resolves the location, and answers a plan there. Waits for nothing if all data is local. */
export function answerAt(
  location: LocationInput,
  plan: FetchPlan,
  requestBudget: Budget,
  context: LocationContext,
): MaybePromise<PlaceAnswer> {
  const budget = locationBudgetOf(requestBudget)
  return context.admission.runDirectly(
    () => andThen(context.locate(location, budget), (place) => answerPlace(place, plan, budget, context)),
    budget,
  )
}

/** Takes one slot, resolves the locations, and answers a plan at all of them together. */
export function answerTogether(
  locations: readonly LocationInput[],
  plan: FetchPlan,
  requestBudget: Budget,
  context: LocationContext,
): MaybePromise<PlaceAnswer[]> {
  const budget = locationBudgetOf(requestBudget)
  return context.admission.runDirectly(async () => {
    const places = await Promise.all(locations.map(async (location) => context.locate(location, budget)))
    return answerPlaces(places, plan, budget, context)
  }, budget)
}

/** Answers a plan at places that are known. Waits for nothing if all data is local. */
export function answerPlaces(
  places: readonly LocatedPlace[],
  plan: FetchPlan,
  budget: Budget,
  context: AnswerContext,
): MaybePromise<PlaceAnswer[]> {
  return andThen(plan.answer(blockOf(places, budget, context)), (columns) =>
    places.map((place, i) => {
      const outcomes = columns.map((column) => column.at(i))
      return createAnswer(plan, place, outcomes, context)
    }),
  )
}

function answerPlace(
  place: LocatedPlace,
  plan: FetchPlan,
  budget: Budget,
  context: AnswerContext,
): MaybePromise<PlaceAnswer> {
  return andThen(answerPlaces([place], plan, budget, context), ([answer]) => answer!)
}

/** Does the same as `answerAt`, and adds the geometry of each answered field. */
export function fetchWithGeometry(
  location: LocationInput,
  plan: FetchPlan,
  requestBudget: Budget,
  context: LocationContext & FieldContext & Pick<FetchContext, 'openGeometryRunner'>,
): Promise<FetchAnswer> {
  const budget = locationBudgetOf(requestBudget)
  return context.admission.run(async () => {
    const place = await context.locate(location, budget)
    const answer = await answerPlace(place, plan, budget, context)
    return addGeometry(answer.toJSON(), { fields: plan.fields, place }, budget, context)
  }, budget)
}

function locationBudgetOf({ signal, until_ms = Infinity }: Budget): Budget {
  return { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
}

/** Answers fields at one place concurrently. */
export async function fetchFields(
  fields: readonly Field[],
  place: LocatedPlace,
  budget: Budget,
  context: FieldContext,
): Promise<FetchAnswer> {
  return (await answerPlace(place, context.plans.planOf(fields), budget, context)).toJSON()
}

/** Creates the answer at a place, and counts it. */
function createAnswer(
  plan: FetchPlan,
  place: LocatedPlace,
  outcomes: FieldOutcome[],
  { now, onFieldResult, onSourceUsage }: AnswerContext,
): PlaceAnswer {
  const answer = new PlaceAnswer(plan, place, outcomes, formatTimestamp(now()))
  const { results, usages } = answer.counts
  if (onFieldResult) for (const { result, fields } of results) onFieldResult(result, fields)
  onSourceUsage?.(usages)
  return answer
}
