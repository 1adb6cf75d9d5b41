import type { Config } from '../config.ts'
import { fetchBounded } from '../net/bounded-fetch.ts'
import { createAccessTokenProvider, type AccessTokenProvider } from './account/access-token.ts'
import { parseServerFlag, type CommandFlags } from './command-args.ts'
import { describeConnectionFailure } from './connection-failure.ts'
import type { CredentialStore } from './account/credentials.ts'
import { fetchAnswer } from './account/oauth-client.ts'
import { UsageError } from './usage-error.ts'

/** Sends requests to the API of one server. */
export type ServerClient = {
  /** The URL of the server without a trailing slash. */
  url: string
  /** Sends a request. @throws {ServerUnreachableError} if there is no response. */
  send(path: string, init: RequestInit, max_bytes: number): Promise<Response>
}

/** The server of --server did not respond. */
export class ServerUnreachableError extends Error {}

/**
 * Returns the client of --server, with the token of --token or FIELDSTONE_TOKEN, or else the login to this server; null
 * without --server. @throws {UsageError}
 */
export function serverClientOf(
  flags: CommandFlags,
  { config, credentials }: { config: Pick<Config, 'token'>; credentials: CredentialStore },
): ServerClient | null {
  const server = parseServerFlag(flags)
  if (server === null && flags.token !== undefined) throw new UsageError('--token requires --server.')
  const token = typeof flags.token === 'string' ? flags.token : config.token
  return server === null ? null : createServerClient(server, { token, credentials })
}

function createServerClient(
  url: string,
  { token, credentials }: { token: string | null; credentials: CredentialStore },
): ServerClient {
  const getToken = token === null ? loginTokenProvider(url, credentials) : async () => token
  const sendWith = (accessToken: string | null, path: string, init: RequestInit, max_bytes: number) => {
    const headers = new Headers(init.headers)
    if (accessToken !== null) headers.set('authorization', `Bearer ${accessToken}`)
    // A redirect could take the token to another server.
    return fetchBounded(`${url}${path}`, { ...init, headers, redirect: 'error' }, max_bytes).catch((cause: Error) => {
      throw new ServerUnreachableError(`No response from ${url}: ${describeConnectionFailure(cause)}.`, { cause })
    })
  }
  return {
    url,
    async send(path, init, max_bytes) {
      const accessToken = (await getToken?.()) ?? null
      const response = await sendWith(accessToken, path, init, max_bytes)
      if (response.status !== 401 || accessToken === null || token !== null) return response
      return sendWith(await getToken!(accessToken), path, init, max_bytes)
    },
  }
}

/** Returns the tokens of the stored login to exactly this server; null if there is none. */
function loginTokenProvider(url: string, credentials: CredentialStore): AccessTokenProvider | null {
  if (credentials.find(url) === null) return null
  return createAccessTokenProvider(url, { credentials, httpFetch: fetchAnswer, now: () => new Date() })
}
