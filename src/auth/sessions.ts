import { timingSafeEqual } from 'node:crypto'
import type { AccessStore } from '../store/accounts/access.ts'
import { accountFromStored, type Account, type AccountManager } from './accounts.ts'
import { tokenHash } from './token.ts'

/** Browser sessions. The cookie holds a secret; only its hash is stored. */
export type SessionManager = {
  /** Returns the session secret of a Cookie header, or null. */
  secretFromCookie(header: string | null): string | null
  /** Returns the account that is signed in with a secret, or null. */
  accountOf(secret: string | null): Promise<Account | null>
  /**
   * Starts a session after sign-in, ends the previous one, and returns the new secret. A session that was started with
   * a token ends with it.
   */
  begin(account: Account, previousSecret: string | null): Promise<string>
  end(secret: string): Promise<void>
  /** Returns the sessions of an account, newest first. `isCurrent` marks the session of `secret`. */
  list(account: Account, secret: string | null): Promise<{ createdAt: Date; expiresAt: Date; isCurrent: boolean }[]>
  /** Ends all sessions of an account except the one of `secret`. */
  endOthers(account: Account, secret: string | null): Promise<void>
  /** Returns a new secret without an account. It protects the forms before sign-in against forgery. */
  createSecret(): string
  /** Returns the CSRF token for the forms of a secret. */
  csrfToken(secret: string): string
  isCsrfToken(secret: string | null, submitted: string): boolean
  /** Returns the Set-Cookie header for a secret; null deletes the cookie. */
  setCookieHeader(secret: string | null): string
}

type Deps = {
  store: AccessStore
  accounts: Pick<AccountManager, 'defaultAccount'>
  isSecure: boolean
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const lifetime_s = 12 * 3600
const secret_bytes = 32
const secretPattern = /^[\w-]{43}$/

/** Creates the session manager. `isSecure`: the service is reached over TLS. */
export function createSessionManager({ store, accounts, isSecure, now, randomBytes }: Deps): SessionManager {
  // The __Host- prefix binds the cookie to this host. Browsers accept it over TLS only.
  const cookieName = isSecure ? '__Host-fieldstone' : 'fieldstone'
  const createSecret = () => randomBytes(secret_bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
  const csrfToken = (secret: string) => new Bun.CryptoHasher('sha256', secret).update('form').digest('base64url')
  return {
    secretFromCookie(cookie) {
      const found = (cookie ?? '')
        .split(';')
        .map((it) => it.trim())
        .find((it) => it.startsWith(`${cookieName}=`))
      const secret = found?.slice(cookieName.length + 1) ?? ''
      return secretPattern.test(secret) ? secret : null
    },
    async accountOf(secret) {
      if (accounts.defaultAccount) return accounts.defaultAccount
      const session = secret === null ? null : await store.findSession(tokenHash(secret), now().getTime())
      const account = session && accountFromStored(session.account)
      return account && { ...account, via: 'session', ...(session.token && { token: session.token }) }
    },
    async begin(account, previousSecret) {
      const secret = createSecret()
      const session = {
        hash: tokenHash(secret),
        account_id: account.id,
        expires_at: now().getTime() + lifetime_s * 1000,
        token_id: account.token?.id ?? null,
      }
      await store.beginSession(session, previousSecret === null ? null : tokenHash(previousSecret))
      return secret
    },
    end: (secret) => store.endSession(tokenHash(secret)),
    async list({ id }, secret) {
      const sessions = await store.listSessions(id, tokenHash(secret ?? ''), now().getTime())
      return sessions.map(({ expires_at, isCurrent }) => ({
        createdAt: new Date(expires_at - lifetime_s * 1000),
        expiresAt: new Date(expires_at),
        isCurrent,
      }))
    },
    endOthers: (account, secret) => store.endOtherSessions(account.id, tokenHash(secret ?? '')),
    createSecret,
    csrfToken,
    isCsrfToken(secret, submitted) {
      if (secret === null) return false
      const [expected, given] = [Buffer.from(csrfToken(secret)), Buffer.from(submitted)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
    setCookieHeader: (secret) =>
      `${cookieName}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}; Max-Age=${secret === null ? 0 : lifetime_s}`,
  }
}
