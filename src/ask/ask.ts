/**
 * Questions in plain English. `planner/` chooses the fields that a question needs, with a model or without;
 * `answer/` writes sentences whose numbers all come from those fields, with citations.
 */
import { fetchMax_ms, type FetchContext } from '../fetch/fetch.ts'
import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { fetchFields } from '../fetch/fetch.ts'
import { ApiError } from '../model/error.ts'
import { formatTimestamp } from '../model/text.ts'
import { runWithDeadline } from '../async/deadline.ts'
import type { Budget } from '../model/source.ts'
import type { LocationInput, LocatedPlace } from '../place/locate.ts'
import type { AskAnswer, AskTrace } from './answer/ask-answer.ts'
import { isBilledField, publishersThatBilled } from './planner/billed-fields.ts'
import { citationsOf } from './answer/citations.ts'
import type { UnitSystem } from './answer/display-units.ts'
import { locateNamedPlaces } from './planner/named-places.ts'
import type { PlaceFacts } from './answer/place-comparison.ts'
import type { AnswerContent } from './answer/answer-content.ts'
import type { Point } from '../model/place.ts'
import type { AskStage, AskEventListener } from './ask-event.ts'
import { factsOf, gapsOf, type Fact } from './answer/fact.ts'
import type { Plan } from './planner/plan.ts'
import { unsupportedNumbers } from './answer/number-check.ts'
import { askRetryAfter_s, AskStages, type AskStageDeps } from './planner/stages.ts'

/** The time limit of a question. */
export const askMax_ms = 110_000

/**
 * A question and its location. `units`: which units the text states first. `include_trace` adds details on how the
 * answer was produced.
 */
export type AskInput = LocationInput & {
  question: string
  units?: UnitSystem | undefined
  include_trace?: boolean | undefined
}

/** A question whose place may be known already. */
type PlacedInput = AskInput & { place?: LocatedPlace }

/** Answers a question about a place from fetched fields, and emits progress events. */
export type AskPipeline = {
  /** Finds the place of a question. @throws {ApiError} of the location. */
  locate(input: LocationInput, budget: Budget, context: FetchContext): Promise<LocatedPlace>
  /** Answers a question. Without a `place`, it finds it. */
  answer(input: PlacedInput, budget: Budget, context: FetchContext, emit?: AskEventListener): Promise<AskAnswer>
  /** Returns the fields that the built-in planner takes for a question; none if no field fits its main words. */
  plan(question: string, context: FetchContext): Plan
  close(): void
}

/** `max_ms` is set only by tests. */
export type AskDeps = AskStageDeps & { max_ms?: number }

/** Opens the pipeline. */
export function openAskPipeline({ max_ms = askMax_ms, ...deps }: AskDeps): AskPipeline {
  const stages = new AskStages(deps)
  return {
    locate: (input, { signal }, context) =>
      runWithDeadline(
        max_ms,
        signal,
        (combinedSignal) => locatePlace(input, { signal: combinedSignal }, context),
        () => timeoutErrorAt('locating', max_ms),
      ),
    answer(input, { signal }, context, emit = () => {}) {
      let stage: AskStage = 'locating'
      const answerInTime = (combinedSignal: AbortSignal) => {
        const budget = { signal: combinedSignal, until_ms: performance.now() + max_ms }
        const enterStage = async (next: AskStage) => {
          combinedSignal.throwIfAborted()
          stage = next
          emit({ event: 'status', stage })
          // Sends the event before the following work blocks the thread.
          await new Promise((resolve) => setImmediate(resolve))
        }
        return answerQuestion(input, stages, { budget, context, emit, enterStage })
      }
      return runWithDeadline(max_ms, signal, answerInTime, () => timeoutErrorAt(stage, max_ms))
    },
    plan: (question, context) => stages.planBuiltIn(question, context),
    close: () => stages.close(),
  }
}

/** The dependencies of one question. */
type AskContext = {
  budget: Required<Pick<Budget, 'signal' | 'until_ms'>>
  context: FetchContext
  emit: AskEventListener
  enterStage: (stage: AskStage) => Promise<void>
}

async function locatePlace(input: LocationInput, budget: Budget, context: FetchContext): Promise<LocatedPlace> {
  return context.admission.run(() => context.locate(input, budget), budget)
}

async function answerQuestion(input: PlacedInput, stages: AskStages, ask: AskContext): Promise<AskAnswer> {
  const { budget, context, emit, enterStage } = ask
  const { question } = input
  const started_ms = performance.now()
  await enterStage('locating')
  const place = input.place ?? (await locatePlace(input, budget, context))
  await enterStage('planning')
  const planStarted_ms = performance.now()
  const planned = await stages.plan(question, place, context, budget.signal)
  const { plan } = planned
  const planner_ms = elapsed_ms(planStarted_ms)
  const fields_requested = plan.fields.map(({ name }) => name)
  emit({ event: 'plan', fields: fields_requested, preset: plan.preset, reasoning: plan.reasoning })
  await enterStage('fetching')
  const fetchStarted_ms = performance.now()
  const named = await locateNamedPlaces({ question, mentions: plan.places }, place, context, budget)
  const [hereFields, otherPlaces] = await Promise.all([
    fetchPlan(plan, place, ask),
    Promise.all(named.flatMap(({ name, place: at }) => (at ? [fetchElsewhere(plan, name, at, ask)] : []))),
  ])
  const facts = factsOf(hereFields, context.catalog)
  const allFacts = [...facts, ...otherPlaces.flatMap((it) => it.facts)]
  const fetch_ms = elapsed_ms(fetchStarted_ms)
  await enterStage('writing')
  const writeStarted_ms = performance.now()
  const unlocatedNames = named.flatMap(({ name, place: at }) => (at ? [] : [name]))
  const content: AnswerContent = {
    question,
    facts,
    location: locationNameOf(place),
    otherPlaces,
    unlocatedNames,
    billedBy: publishersThatBilled(facts, context.catalog),
    plan,
    units: input.units ?? 'us',
  }
  const written = await stages.write(content, emit, { signal: budget.signal, log: context.log })
  const citations = citationsOf(allFacts, new Set(written.used), context.catalog)
  const { lat, lng } = place
  const isSupported = unsupportedNumbers(written.text, { facts: allFacts, point: place, question }).length === 0
  const trace: AskTrace = {
    planner_model: planned.model,
    synthesizer_model: written.model,
    planner_reasoning: plan.reasoning,
    fields_requested,
    preset_expanded: plan.preset,
    latency_ms: { planner_ms, fetch_ms, synth_ms: elapsed_ms(writeStarted_ms), total_ms: elapsed_ms(started_ms) },
    cache_creation_input_tokens: planned.usage.cache_creation_input_tokens + written.usage.cache_creation_input_tokens,
    cache_read_input_tokens: planned.usage.cache_read_input_tokens + written.usage.cache_read_input_tokens,
  }
  const answered_at = formatTimestamp(context.now())
  return {
    lat,
    lng,
    question,
    answered_at,
    fetched_at: answered_at,
    answer: written.text,
    confidence: confidenceOf(allFacts, plan, isSupported && unlocatedNames.length === 0),
    citations,
    fields_used: usedFieldsOf(allFacts, written.used),
    data_gaps: gapsOf(facts),
    fields: Object.fromEntries(facts.map(({ field, result }) => [field.name, result])),
    ...locationMembersOf(place),
    ...(otherPlaces.length > 0 && {
      named_places: otherPlaces.map(({ name, at, fields }) => ({ name, lat: at.lat, lng: at.lng, fields })),
    }),
    ...(input.include_trace && { trace }),
  }
}

function locationMembersOf({
  lat,
  lng,
  source,
  geocode,
}: LocatedPlace): Pick<AskAnswer, 'resolved_location' | 'geocode'> {
  return { resolved_location: { lat, lng, source }, ...(geocode && { geocode }) }
}

/** The names of the fields that the text uses, in the order of the facts. */
function usedFieldsOf(facts: readonly Fact[], used: readonly string[]): string[] {
  return [...new Set(facts.map(({ field }) => field.name))].filter((name) => used.includes(name))
}

/**
 * Fetches the fields of a plan, all layers in parallel, and emits each layer as it finishes. Returns them in plan
 * order.
 */
async function fetchPlan(
  { fields }: Plan,
  place: LocatedPlace,
  { budget: { signal, until_ms }, context, emit }: AskContext,
): Promise<FetchAnswer['fields']> {
  if (fields.length === 0) return {}
  const budget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  const layers = [...Map.groupBy(fields, ({ layer }) => layer).values()]
  const answers = await context.admission.run(
    () =>
      Promise.all(
        layers.map(async (layer) => {
          const { fields: results } = await fetchFields(layer, place, budget, context)
          for (const [name, result] of Object.entries(results)) emit({ event: 'field', name, result })
          return results
        }),
      ),
    budget,
  )
  const all: FetchAnswer['fields'] = Object.assign({}, ...answers)
  return Object.fromEntries(fields.map(({ name }) => [name, all[name]!]))
}

/** The facts of another place that the question names. */
type OtherPlace = PlaceFacts & { at: Point; fields: FetchAnswer['fields'] }

/** Fetches the fields of a plan at another place that the question names. Billed fields are not fetched there. */
async function fetchElsewhere(plan: Plan, name: string, at: LocatedPlace, ask: AskContext): Promise<OtherPlace> {
  const free = plan.fields.filter((field) => !isBilledField(field, ask.context.catalog))
  const fields = await fetchPlan({ ...plan, fields: free }, at, { ...ask, emit: () => {} })
  return {
    name,
    where: `${/^\d/.test(name) ? 'at' : 'in'} ${name}`,
    at,
    fields,
    facts: factsOf(fields, ask.context.catalog),
  }
}

/** Returns how an answer calls the location of its request: its address, or its coordinate. */
function locationNameOf({ lat, lng, geocode }: LocatedPlace): string {
  return geocode?.normalized_address ?? `${Number(lat.toFixed(4))}, ${Number(lng.toFixed(4))}`
}

function confidenceOf(facts: Fact[], { relevance }: Plan, isSupported: boolean): AskAnswer['confidence'] {
  if (!isSupported || !facts.some(({ result }) => result.status === 'ok')) return 'low'
  if (relevance !== 'high') return relevance
  return facts.every(({ result }) => result.status !== 'failed') ? 'high' : 'medium'
}

function timeoutErrorAt(stage: AskStage, max_ms: number): ApiError {
  return new ApiError(
    'ask_timeout',
    `The question was not answered within ${Math.round(max_ms / 1000)} s. The last stage was ${stage}. Ask again: fetched values are cached.`,
    { stage, retry_after_s: askRetryAfter_s },
  )
}

function elapsed_ms(started_ms: number): number {
  return Math.round(performance.now() - started_ms)
}
