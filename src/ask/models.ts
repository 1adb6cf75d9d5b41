import Anthropic, { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk'

/** The models at hand: one that plans, one that writes, and the way to both. */
export type Models = { client: Anthropic; planner: string; synthesizer: string }

/** What a call of a model spent on, and found in, the prompt cache. */
export type Usage = { cache_creation_input_tokens: number; cache_read_input_tokens: number }

/** A model did not do its part. Caught where the built-in takes over; `reason` is what callers are told. */
export class ModelFault extends Error {
  readonly reason: string

  constructor(reason: string, options?: ErrorOptions) {
    super(`The model provider did not answer: ${reason}.`, options)
    this.reason = reason
  }
}

const retries = 1

/** The way to the provider: nowhere but its base address, which only the configuration names. */
export function openModels({ base_url, key, planner, synthesizer }: { base_url: string; key: string; planner: string; synthesizer: string }): Models {
  const { origin } = new URL(base_url)
  const client = new Anthropic({
    apiKey: key, authToken: null, baseURL: base_url, maxRetries: retries, logLevel: 'off', openTelemetry: false,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (new URL(url).origin !== origin) throw new ModelFault('bad_redirect')
      return fetch(input, { ...init, redirect: 'error' })
    },
  })
  return { client, planner, synthesizer }
}

/** Runs one stage of a model inside its time, all tries together; whatever goes wrong is a ModelFault, but for a caller who has gone or has no time left. */
export async function staged<T>(limit_ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = AbortSignal.timeout(limit_ms)
  try {
    return await work(AbortSignal.any([signal, limit]))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelFault) throw error
    throw new ModelFault(limit.aborted || error instanceof APIConnectionTimeoutError ? 'timeout' : reasonOf(error), { cause: error })
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof APIError)) return 'bad_response'
  const { status } = error as { status?: number }
  if (status === 429) return 'rate_limited'
  if (status === 529 || error.type === 'overloaded_error') return 'overloaded'
  if (status === undefined) return 'connection_failed'
  return status >= 500 ? 'upstream_5xx' : 'upstream_rejected'
}
