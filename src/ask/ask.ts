import type { Catalog } from '../catalog/catalog.ts'
import { fetchMax_ms, type FetchContext } from '../fetch/fetch.ts'
import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { fetchFields } from '../fetch/fetch.ts'
import type { Log } from '../log.ts'
import { ApiError } from '../model/error.ts'
import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'
import type { LocationInput, LocatedPlace } from '../place/locate.ts'
import type { AskAnswer, AskTrace } from './ask-answer.ts'
import { openBuiltInPlanner, type BuiltInPlanner } from './built-in-planner.ts'
import { citationsOf } from './citations.ts'
import type { AskStage, AskEventListener } from './ask-event.ts'
import { factsOf, gapsOf, type Fact } from './fact.ts'
import { planWithModel } from './model-planner.ts'
import { ModelError } from './model-error.ts'
import type { Models, PromptCacheUsage } from './models.ts'
import { unavailableFieldsAt } from './unavailable-fields.ts'
import type { Plan } from './plan.ts'
import { unsupportedNumbers } from './number-check.ts'
import { synthesizeWithModel } from './synthesizer.ts'
import { writeFromTemplates } from './template-writer.ts'

/** The time limit of a question. */
export const askMax_ms = 110_000
const retryAfter_s = 5
const builtIn = 'builtin'

/** A question and its location. `include_trace` adds details on how the answer was produced. */
export type AskInput = LocationInput & { question: string; include_trace?: boolean | undefined }

/** Answers a question about a place from fetched fields, and emits progress events. */
export type AskPipeline = {
  answer(input: AskInput, budget: Budget, context: FetchContext, emit?: AskEventListener): Promise<AskAnswer>
  close(): void
}

/**
 * `models` is null when none is configured; `unavailableReason` says why. `isBuiltInAllowed` allows answers without a
 * model.
 */
export type AskDeps = { models: Models | null; unavailableReason: string; isBuiltInAllowed: boolean; max_ms?: number }

/** Opens the pipeline. Only tests set `max_ms`. */
export function openAskPipeline({
  models,
  unavailableReason,
  isBuiltInAllowed,
  max_ms = askMax_ms,
}: AskDeps): AskPipeline {
  let cachedPlanner: { catalog: Catalog; builtInPlanner: BuiltInPlanner } | null = null
  return {
    async answer(input, { signal }, context, emit = () => {}) {
      const deadline = new AbortController()
      let stage: AskStage = 'locating'
      const timer = setTimeout(() => deadline.abort(timeoutErrorAt(stage, max_ms)), max_ms)
      const combinedSignal = AbortSignal.any([signal, deadline.signal])
      const budget = { signal: combinedSignal, until_ms: performance.now() + max_ms }
      const enterStage = async (next: AskStage) => {
        combinedSignal.throwIfAborted()
        stage = next
        emit({ event: 'status', stage })
        // Sends the event before the following work blocks the thread.
        await new Promise((resolve) => setImmediate(resolve))
      }
      try {
        return await abortable(answerQuestion(input, budget, context, emit, enterStage), combinedSignal)
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => cachedPlanner?.builtInPlanner.close(),
  }

  async function answerQuestion(
    input: AskInput,
    budget: Required<Pick<Budget, 'signal' | 'until_ms'>>,
    context: FetchContext,
    emit: AskEventListener,
    enterStage: (stage: AskStage) => Promise<void>,
  ): Promise<AskAnswer> {
    const started_ms = performance.now()
    await enterStage('locating')
    const place = await context.admission.run(() => context.locate(input, budget), budget)
    await enterStage('planning')
    const planStarted_ms = performance.now()
    const {
      plan,
      model: planner_model,
      usage: planUsage,
    } = await planQuestion(input.question, place, context, budget.signal)
    const planner_ms = elapsed_ms(planStarted_ms)
    emit({ event: 'plan', fields: plan.fields.map(({ name }) => name), preset: plan.preset, reasoning: plan.reasoning })
    await enterStage('fetching')
    const fetchStarted_ms = performance.now()
    const facts = factsOf(await fetchPlan(plan, place, budget, context, emit), context.catalog)
    const fetch_ms = elapsed_ms(fetchStarted_ms)
    await enterStage('writing')
    const writeStarted_ms = performance.now()
    const {
      text,
      used,
      model: synthesizer_model,
      usage: writeUsage,
    } = await writeAnswer(input.question, facts, emit, { signal: budget.signal, log: context.log })
    const citations = citationsOf(facts, new Set(used), context.catalog)
    const { lat, lng, source, geocode } = place
    const isSupported = unsupportedNumbers(text, { facts, point: place, question: input.question }).length === 0
    const trace: AskTrace = {
      planner_model,
      synthesizer_model,
      planner_reasoning: plan.reasoning,
      fields_requested: plan.fields.map(({ name }) => name),
      ...(plan.preset !== null && { preset_expanded: plan.preset }),
      latency_ms: { planner_ms, fetch_ms, synth_ms: elapsed_ms(writeStarted_ms), total_ms: elapsed_ms(started_ms) },
      cache_creation_input_tokens: planUsage.cache_creation_input_tokens + writeUsage.cache_creation_input_tokens,
      cache_read_input_tokens: planUsage.cache_read_input_tokens + writeUsage.cache_read_input_tokens,
    }
    return {
      answer: text,
      confidence: confidenceOf(facts, plan, isSupported),
      citations,
      data_gaps: gapsOf(facts),
      fields: Object.fromEntries(facts.map(({ field, result }) => [field.name, result])),
      resolved_location: { lat, lng, source },
      ...(geocode && { geocode }),
      ...(input.include_trace && { trace }),
    }
  }

  async function planQuestion(
    question: string,
    place: LocatedPlace,
    { catalog, registry, log }: FetchContext,
    signal: AbortSignal,
  ): Promise<{ plan: Plan; model: string; usage: PromptCacheUsage }> {
    const plan = await tryModel(log, (models) =>
      planWithModel(
        models,
        { question, place, unavailable: unavailableFieldsAt(place, catalog, registry) },
        catalog,
        signal,
      ),
    )
    if (plan) return { plan, model: models!.planner, usage: plan.usage }
    if (cachedPlanner?.catalog !== catalog) {
      cachedPlanner?.builtInPlanner.close()
      cachedPlanner = { catalog: catalog, builtInPlanner: openBuiltInPlanner(catalog) }
    }
    return { plan: cachedPlanner.builtInPlanner.plan(question), model: builtIn, usage: noPromptCacheUsage }
  }

  async function writeAnswer(
    question: string,
    facts: Fact[],
    emit: AskEventListener,
    { signal, log }: { signal: AbortSignal; log: Log },
  ): Promise<{ text: string; used: string[]; model: string; usage: PromptCacheUsage }> {
    let hasEmitted = false
    const delta = (text: string) => {
      hasEmitted = true
      emit({ event: 'delta', text })
    }
    const answer =
      facts.length === 0
        ? null
        : await tryModel(log, (models) => synthesizeWithModel(models, question, facts, delta, signal))
    if (answer) return { ...answer, model: models!.synthesizer }
    if (hasEmitted) emit({ event: 'status', stage: 'rewriting' })
    const { lines, used } = writeFromTemplates(question, facts)
    for (const [i, line] of lines.entries()) delta(i === 0 ? line : `\n${line}`)
    return { text: lines.join('\n'), used, model: builtIn, usage: noPromptCacheUsage }
  }

  /** Runs work with a model; returns null when the built-in takes over. */
  async function tryModel<T>(log: Log, work: (models: Models) => Promise<T>): Promise<T | null> {
    try {
      if (models) return await work(models)
      if (!isBuiltInAllowed) throw new ModelError(unavailableReason)
      return null
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      log.error('model_failed', { reason: error.reason })
      if (isBuiltInAllowed) return null
      throw new ApiError(
        'ask_unavailable',
        `No model answered (${error.reason}), and FIELDSTONE_ASK_BUILTIN=0 does not allow answers without a model.`,
        { reason: error.reason, retry_after_s: retryAfter_s },
        { cause: error },
      )
    }
  }
}

const noPromptCacheUsage: PromptCacheUsage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/**
 * Fetches the fields of a plan, all layers in parallel, and emits each layer as it finishes. Returns them in plan
 * order.
 */
async function fetchPlan(
  { fields }: Plan,
  place: LocatedPlace,
  { signal, until_ms }: Required<Pick<Budget, 'signal' | 'until_ms'>>,
  context: FetchContext,
  emit: AskEventListener,
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

function confidenceOf(facts: Fact[], { isSure }: Plan, isSupported: boolean): AskAnswer['confidence'] {
  if (!isSupported || !facts.some(({ result }) => result.status === 'ok')) return 'low'
  return isSure && facts.every(({ result }) => result.status !== 'failed') ? 'high' : 'medium'
}

function timeoutErrorAt(stage: AskStage, max_ms: number): ApiError {
  return new ApiError(
    'ask_timeout',
    `The question was not answered within ${Math.round(max_ms / 1000)} s. It was at stage ${stage}. Ask again: fetched values are cached.`,
    { stage, retry_after_s: retryAfter_s },
  )
}

function elapsed_ms(started_ms: number): number {
  return Math.round(performance.now() - started_ms)
}
