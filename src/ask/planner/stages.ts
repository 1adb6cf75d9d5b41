import type { Catalog } from '../../catalog/catalog.ts'
import type { FetchContext } from '../../fetch/fetch.ts'
import type { Log } from '../../log.ts'
import { ApiError } from '../../model/error.ts'
import type { Place } from '../../model/place.ts'
import type { AnswerContent } from '../answer/answer-content.ts'
import { leadLinesOf } from '../answer/answer-lead.ts'
import type { AskEventListener } from '../ask-event.ts'
import { BuiltInPlanner } from './built-in-planner.ts'
import { ModelError } from './model-error.ts'
import { planWithModel } from './model-planner.ts'
import type { Models, PromptCacheUsage } from './models.ts'
import type { Plan } from './plan.ts'
import { synthesizeWithModel } from '../answer/synthesizer.ts'
import { writeFromTemplates } from '../answer/template-writer.ts'
import { providersByField } from '../../fetch/sources/providers.ts'
import type { SourceRegistry } from '../../fetch/sources/source-registry.ts'

/** The seconds after which a request that failed for lack of a model may be retried. */
export const askRetryAfter_s = 5
const builtIn = 'builtin'
const noPromptCacheUsage: PromptCacheUsage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

/**
 * `models` is null when none is configured; `unavailableReason` says why. `isBuiltInAllowed` allows answers without a
 * model.
 */
export type AskStageDeps = { models: Models | null; unavailableReason: string; isBuiltInAllowed: boolean }

/** What a stage returns about the model that did its work. */
type ModelUse = { model: string; usage: PromptCacheUsage }

/** Plans and writes with the models, or with the built-in planner and writer if a model fails or none is configured. */
export class AskStages {
  readonly #deps: AskStageDeps
  #planner: { catalog: Catalog; builtIn: BuiltInPlanner } | null = null

  constructor(deps: AskStageDeps) {
    this.#deps = deps
  }

  async plan(
    question: string,
    place: Place,
    context: Pick<FetchContext, 'catalog' | 'registry' | 'log' | 'findTown' | 'isEnglishWord'>,
    signal: AbortSignal,
  ): Promise<ModelUse & { plan: Plan }> {
    const { catalog, registry, log, findTown } = context
    const plan = await this.#tryModel(log, async (models) => {
      const unavailable = unavailableFieldsAt(place, catalog, registry)
      const result = await planWithModel(models, { question, place, unavailable }, catalog, signal)
      return { plan: result, model: models.planner, usage: result.usage }
    })
    const builtInPlan = this.#plannerOf(context).plan(question, findTown)
    // A model does not choose places: they are read from the words of the user only.
    if (plan) return { ...plan, plan: { ...plan.plan, places: builtInPlan.places } }
    return { plan: builtInPlan, model: builtIn, usage: noPromptCacheUsage }
  }

  /** Returns the plan of the built-in planner. It needs no place and no model. */
  planBuiltIn(question: string, context: Pick<FetchContext, 'catalog' | 'findTown' | 'isEnglishWord'>): Plan {
    return this.#plannerOf(context).plan(question, context.findTown)
  }

  async write(
    content: AnswerContent,
    emit: AskEventListener,
    { signal, log }: { signal: AbortSignal; log: Log },
  ): Promise<ModelUse & { text: string; used: string[] }> {
    const { question, facts, otherPlaces = [] } = content
    let hasEmitted = false
    const delta = (text: string) => {
      hasEmitted = true
      emit({ event: 'delta', text })
    }
    const answer =
      facts.length === 0 || otherPlaces.length > 0
        ? null
        : await this.#tryModel(log, async (models) => ({
            ...(await synthesizeWithModel(models, { question, facts }, delta, signal)),
            model: models.synthesizer,
          }))
    if (answer) {
      const notes = leadLinesOf({ ...content, plan: undefined }).map((line) => `\n${line}`)
      notes.forEach(delta)
      return { ...answer, text: [answer.text, ...notes].join('') }
    }
    if (hasEmitted) emit({ event: 'status', stage: 'rewriting' })
    const { lines, used } = writeFromTemplates(content)
    for (const [i, line] of lines.entries()) delta(i === 0 ? line : `\n${line}`)
    return { text: lines.join('\n'), used, model: builtIn, usage: noPromptCacheUsage }
  }

  close(): void {
    this.#planner?.builtIn.close()
  }

  /** Returns the built-in planner of a catalog. It is built once and replaced when the catalog changes. */
  #plannerOf({ catalog, isEnglishWord }: Pick<FetchContext, 'catalog' | 'isEnglishWord'>): BuiltInPlanner {
    if (this.#planner?.catalog !== catalog) {
      this.#planner?.builtIn.close()
      this.#planner = { catalog, builtIn: new BuiltInPlanner(catalog, isEnglishWord) }
    }
    return this.#planner.builtIn
  }

  /** Runs work with a model; returns null when the built-in takes over. */
  async #tryModel<T>(log: Log, work: (models: Models) => Promise<T>): Promise<T | null> {
    const { models, unavailableReason, isBuiltInAllowed } = this.#deps
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
        { reason: error.reason, retry_after_s: askRetryAfter_s },
        { cause: error },
      )
    }
  }
}

/** Returns the fields that are unavailable at a place: no source on this server, or none that covers the place. */
function unavailableFieldsAt(
  { region }: Place,
  catalog: Catalog,
  library: SourceRegistry,
): { field: string; reason: string }[] {
  const provisions = providersByField(catalog, library)
  return [...catalog.fields.values()].flatMap(({ name, read }) => {
    if (provisions.get(name)!.providers.length === 0) return [{ field: name, reason: 'no available source' }]
    const { regions } = catalog.datasets.get(read.dataset)!.coverage
    const isCovered =
      regions === 'everywhere' || (region !== null && regions.includes(region)) || (read.fallback ?? []).length > 0
    return isCovered ? [] : [{ field: name, reason: 'outside_coverage' }]
  })
}
