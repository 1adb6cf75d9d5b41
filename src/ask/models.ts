import type { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { ModelFault } from './model-fault.ts'

/** The models at hand: one that plans, one that writes, and the way to both; `planner_ms`, `synthesizer_ms`: less time than they have by right. */
export type Models = { messages(): Promise<Messages>; planner: string; synthesizer: string; planner_ms?: number; synthesizer_ms?: number; spent?: Spent }

/** Told what a call of a model took, as its provider counts. */
export type Spent = (model: string, tokens: { input_tokens?: number; output_tokens?: number; cache_creation_input_tokens?: number | null; cache_read_input_tokens?: number | null }) => void

/** What a call of a model spent on, and found in, the prompt cache. */
export type Usage = { cache_creation_input_tokens: number; cache_read_input_tokens: number }

/** The models of one provider; its client is loaded when a model is first asked. */
export function openModels({ base_url, key, planner, synthesizer }: { base_url: string; key: string; planner: string; synthesizer: string }, spent?: Spent): Models {
  let opened: Promise<Messages> | undefined
  const messages = () => (opened ??= import('./model-client.ts').then(({ openClient }) => openClient({ base_url, key })))
  return { messages, planner, synthesizer, ...(spent && { spent }) }
}

/** Runs one stage of a model inside its time, all tries together; whatever goes wrong is a ModelFault, but for a caller who has gone or has no time left. */
export async function staged<T>(limit_ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(limit_ms)
  try {
    return await work(AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelFault) throw error
    const { reasonOf } = await import('./model-client.ts')
    throw new ModelFault(limit.aborted ? 'timeout' : reasonOf(error), { cause: error })
  }
}
