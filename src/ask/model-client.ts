import { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk/core/error'
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { fetchBounded } from '../net/bounded-fetch.ts'
import { ModelError } from './model-error.ts'

const retries = 1
/** The longest answer has a few thousand tokens. */
const answerMax_bytes = 4 * 1024 * 1024

/** The way to the provider: nowhere but its base address, which only the configuration names. Loaded when a model is first asked, since most houses ask none. */
export function createModelClient({ base_url, key }: { base_url: string; key: string }): Messages {
  const { origin } = new URL(base_url)
  // Messages alone: the whole client brings all else that the provider offers, and packages for it.
  const client = new BaseAnthropic({
    apiKey: key,
    authToken: null,
    baseURL: base_url,
    maxRetries: retries,
    logLevel: 'off',
    openTelemetry: false,
    fetch: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (new URL(url).origin !== origin) throw new ModelError('bad_redirect')
      return fetchBounded(url, { ...init, redirect: 'error' }, answerMax_bytes)
    },
  })
  return new Messages(client)
}

/** What a failure of the client was, in a word of ours. */
export function modelErrorReason(error: unknown): string {
  if (error instanceof APIConnectionTimeoutError) return 'timeout'
  if (!(error instanceof APIError)) return 'bad_response'
  const { status } = error as { status?: number }
  if (status === 429) return 'rate_limited'
  if (status === 529 || error.type === 'overloaded_error') return 'overloaded'
  if (status === undefined) return 'connection_failed'
  return status >= 500 ? 'upstream_5xx' : 'upstream_rejected'
}
