import { BaseAnthropic } from '@anthropic-ai/sdk/client'
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk/core/error'
import { Messages } from '@anthropic-ai/sdk/resources/messages/messages'
import { fetchBounded } from '../../net/bounded-fetch.ts'
import { ModelError } from './model-error.ts'

/** The longest answer has a few thousand tokens. */
const answerMax_bytes = 4 * 1024 * 1024

type ModelService = { base_url: string; key: string; retries: number }

/**
 * Creates a client that connects only to the configured base URL. This module is loaded on first use, because most
 * servers use no model.
 */
export function createModelClient({ base_url, key, retries }: ModelService): Messages {
  const { origin } = new URL(base_url)
  // Only the Messages resource: the full client would bundle the rest of the API and its dependencies.
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

/** Returns a reason code for an error of the client. */
export function modelErrorReason(error: unknown): string {
  if (error instanceof APIConnectionTimeoutError) return 'timeout'
  if (!(error instanceof APIError)) return 'bad_response'
  const { status } = error as { status?: number }
  if (status === 429) return 'rate_limited'
  if (status === 529 || error.type === 'overloaded_error') return 'overloaded'
  if (status === undefined) return 'connection_failed'
  return status >= 500 ? 'upstream_5xx' : 'upstream_rejected'
}
