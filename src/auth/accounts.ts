import { ApiError } from '../model/error.ts'
import { isSqliteReadOnly } from '../store/sqlite-errors.ts'
import type { AccountStore, StoredAccount, StoredToken } from '../store/accounts.ts'
import { isToken, makeToken, tokenHash } from './token.ts'

/** Who asks, and what the token allows. `via`: what it was shown with; the owner of a house without authentication shows nothing. */
export type Account = { id: string; name: string; scopes: ReadonlySet<Scope>; via?: 'pat' | 'oat' | 'session' }

/** Everything a token can allow. */
export const allScopes = ['fetch', 'geocode', 'lookup', 'parcel', 'ask', 'runs', 'admin'] as const
/** One thing that a token can allow. */
export type Scope = (typeof allScopes)[number]

/** What a token of OAuth can be for: the API under /v1, or the agent endpoint. */
export const oauthResources = ['v1', 'mcp'] as const
/** What a token of OAuth is for. */
export type OAuthResource = (typeof oauthResources)[number]

/** Who a token stands for. */
export type AccountManager = {
  /** The account of an Authorization header, at one of the resources; throws token_missing, token_invalid, token_expired or token_revoked. */
  authenticate(authorization: string | null, resource?: OAuthResource): Account
  /** An account by its number, with all that it may do; null when there is none. */
  byId(id: string): Account | null
  /** Makes the owner at the first start; the token is returned then and never again. A given token becomes the owner's. */
  ensureOwner(givenToken: string | null): string | null
  /** A further token of the owner's, who is made if need be; shown once. */
  issueOwnerToken(name: string): string
  /** What was revoked is refused from the next request on. */
  clearCache(): void
  /** Writes down when tokens were last used. */
  flush(): void
  /** With authentication off everybody is the owner. */
  readonly defaultAccount: Account | null
}

type Deps = { auth: 'on' | 'off'; now: () => Date; randomBytes: (size: number) => Uint8Array }
type CachedToken = { account: Account; id: number; resource: string | null; cachedAt: number }

/** The account that every house has. */
export const ownerId = 'owner'
const day_ms = 86_400_000
/** How long a token is good when nothing is said. */
export const defaultLifetime_days = 90
/** How long an answer of the store is believed: revoking from another process takes effect within it. */
const cacheTtl_ms = 1000
const cachedMax = 10_000

/** Believes an answer of the store for a second, and writes down when tokens were used only now and then. */
export function createAccountManager(store: AccountStore, { auth, now, randomBytes }: Deps): AccountManager {
  const tokenCache = new Map<string, CachedToken>()
  const lastUsed = new Map<number, number>()
  let ephemeralHash: string | null = null
  const owner: Account = { id: ownerId, name: 'owner', scopes: new Set(allScopes) }
  return {
    defaultAccount: auth === 'off' ? owner : null,
    authenticate(authorization, resource = 'v1') {
      if (auth === 'off') return owner
      const token = parseBearer(authorization)
      const hash = tokenHash(token)
      const key = hash.toHex()
      if (key === ephemeralHash) return { ...owner, via: 'pat' }
      const time = now().getTime()
      let cached = tokenCache.get(key)
      // A clock that was set back makes no answer recent again.
      if (!cached || Math.abs(time - cached.cachedAt) >= cacheTtl_ms) {
        // The same work for whatever was sent: what has the form of a token is looked for, and what has not is too.
        const stored = store.findTokenByHash(hash)
        cached = verifyToken(isToken(token) ? stored : null)
        if (tokenCache.size >= cachedMax) tokenCache.clear()
        tokenCache.set(key, cached)
      }
      if (cached.resource !== null && cached.resource !== resource)
        throw new ApiError('token_invalid', `This token is for /${cached.resource}, and not for /${resource}.`)
      lastUsed.set(cached.id, time)
      return cached.account
    },
    byId: (id) => accountFromStored(store.findAccount(id)),
    ensureOwner(givenToken) {
      try {
        const isNew = store.addAccount(ownerId, 'owner', now().getTime())
        if (givenToken !== null) addOwnerToken(givenToken, 'FIELDSTONE_TOKEN', null)
        return isNew && givenToken === null ? createOwnerToken('first token', null) : null
      } catch (error) {
        if (!isSqliteReadOnly(error)) throw error
        return acceptEphemeralToken(givenToken)
      }
    },
    issueOwnerToken(name) {
      store.addAccount(ownerId, 'owner', now().getTime())
      return createOwnerToken(name, now().getTime() + defaultLifetime_days * day_ms)
    },
    clearCache: () => tokenCache.clear(),
    flush() {
      if (lastUsed.size === 0) return
      store.recordTokenUse(lastUsed)
      lastUsed.clear()
    },
  }

  function verifyToken(stored: StoredToken | null): CachedToken {
    if (!stored) throw new ApiError('token_invalid', 'This token is not known here.')
    if (stored.revoked_at !== null) throw new ApiError('token_revoked', 'This token was revoked.')
    if (stored.expires_at !== null && stored.expires_at <= now().getTime())
      throw new ApiError('token_expired', 'This token is past its day: make a new one.')
    const { id, account_id, account_name: name, kind: via, resource } = stored
    return {
      account: { id: account_id, name, scopes: new Set(stored.scopes.split(' ') as Scope[]), via },
      id,
      resource,
      cachedAt: now().getTime(),
    }
  }

  /** Where nothing can be written, a token is the owner's until the end of the process. */
  function acceptEphemeralToken(givenToken: string | null): string | null {
    if (givenToken === null && store.findAccount(ownerId)) return null
    const token = givenToken ?? makeToken('pat', randomBytes)
    ephemeralHash = tokenHash(token).toHex()
    return givenToken === null ? token : null
  }

  function createOwnerToken(name: string, expires_at: number | null): string {
    const token = makeToken('pat', randomBytes)
    addOwnerToken(token, name, expires_at)
    return token
  }

  function addOwnerToken(token: string, name: string, expires_at: number | null): void {
    const created_at = now().getTime()
    store.addToken({
      account_id: ownerId,
      hash: tokenHash(token),
      last4: token.slice(-4),
      name,
      scopes: allScopes.join(' '),
      created_at,
      expires_at,
    })
  }
}

/** An account with all that it may do. */
export function accountFromStored(stored: StoredAccount | null): Account | null {
  return (
    stored && {
      id: stored.id,
      name: stored.name,
      scopes: new Set(stored.scopes === null ? allScopes : (stored.scopes.split(' ') as Scope[])),
    }
  )
}

/** Whether a word is a scope. */
export function isScope(text: string): text is Scope {
  return allScopes.some((scope) => scope === text)
}

function parseBearer(authorization: string | null): string {
  if (authorization === null)
    throw new ApiError(
      'token_missing',
      "Send `Authorization: Bearer <token>`. The owner's token was printed at the first start; `fieldstone token new` makes another.",
    )
  const parts = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)
  if (!parts) throw new ApiError('token_invalid', 'The Authorization header is not of the form `Bearer <token>`.')
  return parts[1]!
}
