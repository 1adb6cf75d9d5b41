import { ApiError } from '../model/error.ts'
import { isOfReadOnly } from '../store/disk.ts'
import type { AccountStore, StoredAccount, StoredToken } from '../store/accounts.ts'
import { isToken, makeToken, tokenHash } from './token.ts'

/** Who asks, and what the token allows. `via`: what it was shown with; the owner of a house without authentication shows nothing. */
export type Account = { id: string; name: string; scopes: ReadonlySet<Scope>; via?: 'pat' | 'oat' | 'session' }

/** Everything a token can allow. */
export const scopes = ['fetch', 'geocode', 'lookup', 'parcel', 'ask', 'runs', 'admin'] as const
/** One thing that a token can allow. */
export type Scope = (typeof scopes)[number]

/** What a token of OAuth can be for: the API under /v1, or the agent endpoint. */
export const resources = ['v1', 'mcp'] as const
/** What a token of OAuth is for. */
export type Resource = (typeof resources)[number]

/** Who a token stands for. */
export type Accounts = {
  /** The account of an Authorization header, at one of the resources; throws token_missing, token_invalid, token_expired or token_revoked. */
  account(authorization: string | null, at?: Resource): Account
  /** An account by its number, with all that it may do; null when there is none. */
  byId(id: string): Account | null
  /** Makes the owner at the first start; the token is returned then and never again. A given token becomes the owner's. */
  welcomeOwner(given: string | null): string | null
  /** A further token of the owner's, who is made if need be; shown once. */
  issue(name: string): string
  /** What was revoked is refused from the next request on. */
  forget(): void
  /** Writes down when tokens were last used. */
  flush(): void
  /** With authentication off everybody is the owner. */
  readonly everybody: Account | null
}

type Settings = { auth: 'on' | 'off'; now: () => Date; randomBytes: (size: number) => Uint8Array }
type Known = { account: Account; id: number; resource: string | null; since: number }

/** The account that every house has. */
export const ownerId = 'owner'
const day_ms = 86_400_000
/** How long a token is good when nothing is said. */
export const lifetime_days = 90
/** How long an answer of the store is believed: revoking from another process takes effect within it. */
const recent_ms = 1000
const recentMax = 10_000

/** Believes an answer of the store for a second, and writes down when tokens were used only now and then. */
export function openAccounts(store: AccountStore, { auth, now, randomBytes }: Settings): Accounts {
  const recent = new Map<string, Known>()
  const lastUsed = new Map<number, number>()
  let forNow: string | null = null
  const owner: Account = { id: ownerId, name: 'owner', scopes: new Set(scopes) }
  return {
    everybody: auth === 'off' ? owner : null,
    account(authorization, at = 'v1') {
      if (auth === 'off') return owner
      const token = bearerOf(authorization)
      const hash = tokenHash(token)
      const key = hash.toHex()
      if (key === forNow) return { ...owner, via: 'pat' }
      const time = now().getTime()
      let known = recent.get(key)
      // A clock that was set back makes no answer recent again.
      if (!known || Math.abs(time - known.since) >= recent_ms) {
        // The same work for whatever was sent: what has the form of a token is looked for, and what has not is too.
        const found = store.tokenByHash(hash)
        known = knownOf(isToken(token) ? found : null)
        if (recent.size >= recentMax) recent.clear()
        recent.set(key, known)
      }
      if (known.resource !== null && known.resource !== at) throw new ApiError('token_invalid', `This token is for /${known.resource}, and not for /${at}.`)
      lastUsed.set(known.id, time)
      return known.account
    },
    byId: (id) => accountOf(store.account(id)),
    welcomeOwner(given) {
      try {
        const isNew = store.addAccount(ownerId, 'owner', now().getTime())
        if (given !== null) add(given, 'FIELDSTONE_TOKEN', null)
        return isNew && given === null ? made('first token', null) : null
      } catch (error) {
        if (!isOfReadOnly(error)) throw error
        return welcomedForNow(given)
      }
    },
    issue(name) {
      store.addAccount(ownerId, 'owner', now().getTime())
      return made(name, now().getTime() + lifetime_days * day_ms)
    },
    forget: () => recent.clear(),
    flush() {
      if (lastUsed.size === 0) return
      store.used(lastUsed)
      lastUsed.clear()
    },
  }

  function knownOf(found: StoredToken | null): Known {
    if (!found) throw new ApiError('token_invalid', 'This token is not known here.')
    if (found.revoked_at !== null) throw new ApiError('token_revoked', 'This token was revoked.')
    if (found.expires_at !== null && found.expires_at <= now().getTime()) throw new ApiError('token_expired', 'This token is past its day: make a new one.')
    const { id, account_id, account_name: name, kind: via, resource } = found
    return { account: { id: account_id, name, scopes: new Set(found.scopes.split(' ') as Scope[]), via }, id, resource, since: now().getTime() }
  }

  /** Where nothing can be written, a token is the owner's until the end of the process. */
  function welcomedForNow(given: string | null): string | null {
    if (given === null && store.account(ownerId)) return null
    const token = given ?? makeToken('pat', randomBytes)
    forNow = tokenHash(token).toHex()
    return given === null ? token : null
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

/** An account with all that it may do. */
export function accountOf(stored: StoredAccount | null): Account | null {
  return stored && { id: stored.id, name: stored.name, scopes: new Set(stored.scopes === null ? scopes : (stored.scopes.split(' ') as Scope[])) }
}

/** Whether a word is a scope. */
export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text)
}

function bearerOf(authorization: string | null): string {
  if (authorization === null) throw new ApiError('token_missing', 'Send `Authorization: Bearer <token>`. The owner\'s token was printed at the first start; `fieldstone token new` makes another.')
  const parts = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)
  if (!parts) throw new ApiError('token_invalid', 'The Authorization header is not of the form `Bearer <token>`.')
  return parts[1]!
}
