import type { CredentialStore } from './credentials.ts'
import { loginFromResponse, postForm, type HttpFetch } from './oauth-client.ts'

/** Returns a valid access token. Pass `rejectedToken` to replace a token that the server rejected. */
export type AccessTokenProvider = (rejectedToken?: string) => Promise<string>

/** A token is renewed this long before it expires. */
const renewBefore_ms = 60_000

/**
 * Renews the login shortly before it expires. Concurrent callers share one renewal. A login that another process has
 * renewed is read from the credential file.
 */
export function createAccessTokenProvider(
  server: string,
  { credentials, httpFetch, now }: { credentials: CredentialStore; httpFetch: HttpFetch; now(): Date },
): AccessTokenProvider {
  let renewal: Promise<string> | null = null
  return async (rejectedToken) => {
    const login = credentials.find(server)
    if (login && login.access_token !== rejectedToken && login.expires_at > now().getTime() + renewBefore_ms)
      return login.access_token
    renewal ??= renewLogin().finally(() => (renewal = null))
    return renewal
  }

  async function renewLogin(): Promise<string> {
    const login = credentials.find(server)!
    const { token_endpoint, client_id, refresh_token } = login
    const renewedLogin = loginFromResponse(
      await postForm(token_endpoint, { grant_type: 'refresh_token', refresh_token, client_id }, httpFetch),
      login,
      now(),
    )
    credentials.save(server, renewedLogin)
    return renewedLogin.access_token
  }
}
