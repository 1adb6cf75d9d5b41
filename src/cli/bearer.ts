import type { Credentials } from './credentials.ts'
import { loginOf, posted, type Fetch } from './oauth-client.ts'

/** The access token for a server as it is now; `refused` names one that was not taken, so that another is come by. */
export type Bearer = (refused?: string) => Promise<string>

/** So long before its end a token is renewed. */
const early_ms = 60_000

/** Renews a login when its time comes, one at a time, and takes what another program has renewed already. */
export function bearerOf(server: string, { credentials, ask, now }: { credentials: Credentials; ask: Fetch; now(): Date }): Bearer {
  let renewing: Promise<string> | null = null
  return async (refused) => {
    const login = credentials.of(server)
    if (login && login.access_token !== refused && login.expires_at > now().getTime() + early_ms) return login.access_token
    renewing ??= renewed().finally(() => (renewing = null))
    return renewing
  }

  async function renewed(): Promise<string> {
    const login = credentials.of(server)!
    const { token_endpoint, client_id, refresh_token } = login
    const next = loginOf(await posted(token_endpoint, { grant_type: 'refresh_token', refresh_token, client_id }, ask), login, now())
    credentials.keep(server, next)
    return next.access_token
  }
}
