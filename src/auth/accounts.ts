import { ApiError } from '../model/error.ts'
import type { AccountStore, StoredToken } from '../store/accounts.ts'
import { isToken, makeToken, tokenHash } from './token.ts'

/** Who asks, and what the token allows. */
export type Account = { id: string; name: string; scopes: ReadonlySet<Scope> }

export const scopes = ['fetch', 'geocode', 'lookup', 'parcel', 'ask', 'runs', 'admin'] as const
export type Scope = (typeof scopes)[number]

export type Accounts = {
  /** The account of an Authorization header; throws token_missing, token_invalid, token_expired or token_revoked. */
  account(authorization: string | null): Account
  /** Makes the owner at the first start; the token is returned then and never again. A given token becomes the owner's. */
  welcomeOwner(given: string | null): string | null
  /** A further token of the owner's, who is made if need be; shown once. */
  issue(name: string): string
}

type Settings = { auth: 'on' | 'off'; now: () => Date; randomBytes: (size: number) => Uint8Array }

const ownerId = 'owner'
const day_ms = 86_400_000
const lifetime_days = 90
/** How long an answer of the store is believed: revoking, also from another process, takes effect within it. */
const recent_ms = 1000
const recentMax = 10_000

export function openAccounts(store: AccountStore, { auth, now, randomBytes }: Settings): Accounts {
  const recent = new Map<string, { account: Account; since: number }>()
  const owner: Account = { id: ownerId, name: 'owner', scopes: new Set(scopes) }
  return {
    account(authorization) {
      if (auth === 'off') return owner
      const token = bearerOf(authorization)
      const hash = tokenHash(token)
      const key = hash.toHex()
      const known = recent.get(key)
      // A clock that was set back makes no answer recent again.
      if (known && Math.abs(now().getTime() - known.since) < recent_ms) return known.account
      const account = accountOf(isToken(token) ? store.tokenByHash(hash) : null)
      if (recent.size >= recentMax) recent.clear()
      recent.set(key, { account, since: now().getTime() })
      return account
    },
    welcomeOwner(given) {
      const isNew = store.addAccount(ownerId, 'owner', now().getTime())
      if (given !== null) add(given, 'FIELDSTONE_TOKEN', null)
      return isNew && given === null ? made('first token', null) : null
    },
    issue(name) {
      store.addAccount(ownerId, 'owner', now().getTime())
      return made(name, now().getTime() + lifetime_days * day_ms)
    },
  }

  function accountOf(found: StoredToken | null): Account {
    if (!found) throw new ApiError('token_invalid', 'This token is not known here.')
    if (found.revoked_at !== null) throw new ApiError('token_revoked', 'This token was revoked.')
    if (found.expires_at !== null && found.expires_at <= now().getTime()) throw new ApiError('token_expired', 'This token is past its day: make a new one.')
    return { id: found.account_id, name: found.account_name, scopes: new Set(found.scopes.split(' ') as Scope[]) }
  }

  function made(name: string, expires_at: number | null): string {
    const token = makeToken('pat', randomBytes)
    add(token, name, expires_at)
    return token
  }

  function add(token: string, name: string, expires_at: number | null): void {
    const created_at = now().getTime()
    store.addToken({ account_id: ownerId, hash: tokenHash(token), last4: token.slice(-4), name, scopes: scopes.join(' '), created_at, expires_at })
  }
}

function bearerOf(authorization: string | null): string {
  if (authorization === null) throw new ApiError('token_missing', 'Send `Authorization: Bearer <token>`. The owner\'s token was printed at the first start; `fieldstone token new` makes another.')
  const parts = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)
  if (!parts) throw new ApiError('token_invalid', 'The Authorization header is not of the form `Bearer <token>`.')
  return parts[1]!
}
