import type { Catalog } from '../catalog/catalog.ts'
import { fetchMax_ms, type LocatedFetchContext } from '../fetch/batch.ts'
import type { FetchAnswer } from '../fetch/fetch-answer.ts'
import { fetchFields } from '../fetch/fetch.ts'
import type { Log } from '../log.ts'
import { ApiError } from '../model/error.ts'
import { abortable } from '../async/abortable.ts'
import type { Budget } from '../model/source.ts'
import type { LocationInput, LocatedPlace } from '../place/locate.ts'
import type { AskAnswer, Trace } from './ask-answer.ts'
import { openBuiltInPlanner, type BuiltInPlanner } from './built-in-planner.ts'
import { citationsOf } from './citations.ts'
import type { Stage, Tell } from './event.ts'
import { factsOf, gapsOf, type Fact } from './fact.ts'
import { plannedBy } from './model-planner.ts'
import { ModelFault } from './model-fault.ts'
import type { Models, Usage } from './models.ts'
import { outOfReach } from './out-of-reach.ts'
import type { Plan } from './plan.ts'
import { unproven } from './proof.ts'
import { synthesizedBy } from './synthesizer.ts'
import { writtenFrom } from './template-writer.ts'

/** How long an answer may take in all. */
export const askMax_ms = 110_000
const retryAfter_s = 5
const builtIn = 'builtin'

/** A question and where it is asked; `include_trace`: how the answer came about is wanted too. */
export type AskInput = LocationInput & { question: string; include_trace?: boolean | undefined }

/** Answers a question about a place from fetched fields, and tells how it goes. */
export type Ask = { answer(input: AskInput, budget: Budget, counter: LocatedFetchContext, tell?: Tell): Promise<AskAnswer>; close(): void }

/** `models`: null where there are none, `lack` says why; `isBuiltInAllowed`: whether the house may answer without. */
export type AskMeans = { models: Models | null; lack: string; isBuiltInAllowed: boolean; max_ms?: number }

/** Opens the answering; `max_ms` is for tests, which have less time. */
export function openAsk({ models, lack, isBuiltInAllowed, max_ms = askMax_ms }: AskMeans): Ask {
  let planner: { of: Catalog; it: BuiltInPlanner } | null = null
  return {
    async answer(input, { signal }, counter, tell = () => {}) {
      const over = new AbortController()
      let stage: Stage = 'locating'
      const timer = setTimeout(() => over.abort(timeoutIn(stage, max_ms)), max_ms)
      const within = AbortSignal.any([signal, over.signal])
      const budget = { signal: within, until_ms: performance.now() + max_ms }
      const enter = async (next: Stage) => {
        within.throwIfAborted()
        stage = next
        tell({ event: 'status', stage })
        // What is told goes out before the work that follows holds up the thread.
        await new Promise((resolve) => setImmediate(resolve))
      }
      try {
        return await abortable(answered(input, budget, counter, tell, enter), within)
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => planner?.it.close(),
  }

  async function answered(input: AskInput, budget: Required<Pick<Budget, 'signal' | 'until_ms'>>, counter: LocatedFetchContext, tell: Tell, enter: (stage: Stage) => Promise<void>): Promise<AskAnswer> {
    const begun = performance.now()
    await enter('locating')
    const place = await counter.admission.run(() => counter.locate(input, budget), budget)
    await enter('planning')
    const planBegun = performance.now()
    const { plan, model: planner_model, usage: planUsage } = await planned(input.question, place, counter, budget.signal)
    const planner_ms = since(planBegun)
    tell({ event: 'plan', fields: plan.fields.map(({ name }) => name), preset: plan.preset, reasoning: plan.reasoning })
    await enter('fetching')
    const fetchBegun = performance.now()
    const facts = factsOf(await fetched(plan, place, budget, counter, tell), counter.catalog)
    const fetch_ms = since(fetchBegun)
    await enter('writing')
    const writeBegun = performance.now()
    const { text, used, model: synthesizer_model, usage: writeUsage } = await written(input.question, facts, tell, { signal: budget.signal, log: counter.log })
    const citations = citationsOf(facts, new Set(used), counter.catalog)
    const { lat, lng, source, geocode } = place
    const proven = unproven(text, { facts, at: place, question: input.question }).length === 0
    const trace: Trace = {
      planner_model, synthesizer_model, planner_reasoning: plan.reasoning,
      fields_requested: plan.fields.map(({ name }) => name),
      ...(plan.preset !== null && { preset_expanded: plan.preset }),
      latency_ms: { planner_ms, fetch_ms, synth_ms: since(writeBegun), total_ms: since(begun) },
      cache_creation_input_tokens: planUsage.cache_creation_input_tokens + writeUsage.cache_creation_input_tokens,
      cache_read_input_tokens: planUsage.cache_read_input_tokens + writeUsage.cache_read_input_tokens,
    }
    return {
      answer: text, confidence: confidenceOf(facts, plan, proven), citations, data_gaps: gapsOf(facts),
      fields: Object.fromEntries(facts.map(({ field, result }) => [field.name, result])),
      resolved_location: { lat, lng, source }, ...(geocode && { geocode }), ...(input.include_trace && { trace }),
    }
  }

  async function planned(question: string, place: LocatedPlace, { catalog, registry, log }: LocatedFetchContext, signal: AbortSignal): Promise<{ plan: Plan; model: string; usage: Usage }> {
    const plan = await byModel(log, (models) => plannedBy(models, { question, place, outOfReach: outOfReach(place, catalog, registry) }, catalog, signal))
    if (plan) return { plan, model: models!.planner, usage: plan.usage }
    if (planner?.of !== catalog) {
      planner?.it.close()
      planner = { of: catalog, it: openBuiltInPlanner(catalog) }
    }
    return { plan: planner.it.plan(question), model: builtIn, usage: noUsage }
  }

  async function written(question: string, facts: Fact[], tell: Tell, { signal, log }: { signal: AbortSignal; log: Log }): Promise<{ text: string; used: string[]; model: string; usage: Usage }> {
    let hasTold = false
    const delta = (text: string) => {
      hasTold = true
      tell({ event: 'delta', text })
    }
    const answer = facts.length === 0 ? null : await byModel(log, (models) => synthesizedBy(models, question, facts, delta, signal))
    if (answer) return { ...answer, model: models!.synthesizer }
    if (hasTold) tell({ event: 'status', stage: 'rewriting' })
    const { lines, used } = writtenFrom(question, facts)
    for (const [i, line] of lines.entries()) delta(i === 0 ? line : `\n${line}`)
    return { text: lines.join('\n'), used, model: builtIn, usage: noUsage }
  }

  /** What the model comes to; null where the built-in takes over. */
  async function byModel<T>(log: Log, work: (models: Models) => Promise<T>): Promise<T | null> {
    try {
      if (models) return await work(models)
      if (!isBuiltInAllowed) throw new ModelFault(lack)
      return null
    } catch (error) {
      if (!(error instanceof ModelFault)) throw error
      log.error('model_failed', { reason: error.reason })
      if (isBuiltInAllowed) return null
      throw new ApiError('ask_unavailable', `No model answers (${error.reason}), and answering without one is switched off (FIELDSTONE_ASK_BUILTIN=0).`, { reason: error.reason, retry_after_s: retryAfter_s }, { cause: error })
    }
  }
}

const noUsage: Usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/** The fields of a plan, layer by layer side by side, each told as its layer is done; in the order of the plan. */
async function fetched({ fields }: Plan, place: LocatedPlace, { signal, until_ms }: Required<Pick<Budget, 'signal' | 'until_ms'>>, counter: LocatedFetchContext, tell: Tell): Promise<FetchAnswer['fields']> {
  if (fields.length === 0) return {}
  const budget = { signal, until_ms: Math.min(until_ms, performance.now() + fetchMax_ms) }
  const layers = [...Map.groupBy(fields, ({ layer }) => layer).values()]
  const answers = await counter.admission.run(() => Promise.all(layers.map(async (layer) => {
    const { fields: results } = await fetchFields(layer, place, budget, counter)
    for (const [name, result] of Object.entries(results)) tell({ event: 'field', name, result })
    return results
  })), budget)
  const all: FetchAnswer['fields'] = Object.assign({}, ...answers)
  return Object.fromEntries(fields.map(({ name }) => [name, all[name]!]))
}

function confidenceOf(facts: Fact[], { isSure }: Plan, isProven: boolean): AskAnswer['confidence'] {
  if (!isProven || !facts.some(({ result }) => result.status === 'ok')) return 'low'
  return isSure && facts.every(({ result }) => result.status !== 'failed') ? 'high' : 'medium'
}

function timeoutIn(stage: Stage, max_ms: number): ApiError {
  return new ApiError('ask_timeout', `The question was not answered within ${Math.round(max_ms / 1000)} s; it was at ${stage}. Ask again: what was fetched is kept.`, { stage, retry_after_s: retryAfter_s })
}

function since(begun: number): number {
  return Math.round(performance.now() - begun)
}
