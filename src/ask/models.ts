import type { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { ModelError } from './model-error.ts'

/** The models at hand: one that plans, one that writes, and the way to both; `planner_ms`, `synthesizer_ms`: less time than they have by right. */
export type Models = {
  messages(): Promise<Messages>
  planner: string
  synthesizer: string
  planner_ms?: number
  synthesizer_ms?: number
  onTokensUsed?: TokenUsageListener
}

/** Told what a call of a model took, as its provider counts. */
export type TokenUsageListener = (
  model: string,
  tokens: {
    input_tokens?: number
    output_tokens?: number
    cache_creation_input_tokens?: number | null
    cache_read_input_tokens?: number | null
  },
) => void

/** What a call of a model spent on, and found in, the prompt cache. */
export type PromptCacheUsage = { cache_creation_input_tokens: number; cache_read_input_tokens: number }

/** The models of one provider; its client is loaded when a model is first asked. */
export function createModels(
  { base_url, key, planner, synthesizer }: { base_url: string; key: string; planner: string; synthesizer: string },
  onTokensUsed?: TokenUsageListener,
): Models {
  let clientPromise: Promise<Messages> | undefined
  const messages = () =>
    (clientPromise ??= import('./model-client.ts').then(({ createModelClient }) =>
      createModelClient({ base_url, key }),
    ))
  return { messages, planner, synthesizer, ...(onTokensUsed && { onTokensUsed }) }
}

/** Runs one stage of a model inside its time, all tries together; whatever goes wrong is a ModelFault, but for a caller who has gone or has no time left. */
export async function runModelStage<T>(
  limit_ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = AbortSignal.timeout(limit_ms)
  try {
    return await work(AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelError) throw error
    const { modelErrorReason } = await import('./model-client.ts')
    throw new ModelError(limit.aborted ? 'timeout' : modelErrorReason(error), { cause: error })
  }
}
