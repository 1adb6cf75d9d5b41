import type { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { ModelError } from './model-error.ts'

/**
 * The configured models: one for planning and one for writing. `planner_ms` and `synthesizer_ms` shorten their time
 * limits.
 */
export type Models = {
  messages(): Promise<Messages>
  planner: string
  synthesizer: string
  planner_ms?: number
  synthesizer_ms?: number
  onTokensUsed?: TokenUsageListener
}

/** How often a call to a model is tried again. */
export const modelRetriesMax = 1

/** Receives the token usage of each model call, as counted by the provider. */
export type TokenUsageListener = (
  model: string,
  tokens: {
    input_tokens?: number
    output_tokens?: number
    cache_creation_input_tokens?: number | null
    cache_read_input_tokens?: number | null
  },
) => void

/** Tokens written to and read from the prompt cache by a model call. */
export type PromptCacheUsage = { cache_creation_input_tokens: number; cache_read_input_tokens: number }

/** Creates the models of one provider. The client is loaded when a model is first used. */
export function createModels(
  { base_url, key, planner, synthesizer }: { base_url: string; key: string; planner: string; synthesizer: string },
  onTokensUsed?: TokenUsageListener,
): Models {
  let clientPromise: Promise<Messages> | undefined
  const messages = () =>
    (clientPromise ??= import('./model-client.ts').then(({ createModelClient }) =>
      createModelClient({ base_url, key, retries: modelRetriesMax }),
    ))
  return { messages, planner, synthesizer, ...(onTokensUsed && { onTokensUsed }) }
}

/**
 * Runs one stage of a model within a time limit that covers all tries. Every failure becomes a ModelError, except when
 * the caller has aborted.
 */
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
