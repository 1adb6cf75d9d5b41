import { ApiError } from '../model/error.ts'
import { storageErrorOf } from '../store/sqlite/sqlite-errors.ts'
import type { AccountStore, ParentToken, StoredAccount, StoredToken } from '../store/sqlite/accounts.ts'
import { allScopes, type Scope } from './scope.ts'
import { isToken, makeToken, tokenHash } from './token.ts'

/**
 * The caller and its scopes. `via` is the kind of credential; it is not set when FIELDSTONE_AUTH=off. `token` is the
 * token of the request, or the one that its browser session was started with. What the caller makes ends with it.
 */
export type Account = {
  id: string
  name: string
  scopes: ReadonlySet<Scope>
  via?: 'pat' | 'oat' | 'session'
  token?: ParentToken
}

/** The resources of OAuth tokens: the API under /v1, or /mcp. */
export const oauthResources = ['v1', 'mcp'] as const
/** One resource. */
export type OAuthResource = (typeof oauthResources)[number]

/** Resolves tokens to accounts. */
export type AccountManager = {
  /**
   * Returns the account of an Authorization header at a resource.
   * @throws ApiError token_missing, token_invalid, token_expired or token_revoked.
   */
  authenticate(authorization: string | null, resource?: OAuthResource): Account
  /** Returns an account with all its scopes, or null when the id is unknown. */
  byId(id: string): Account | null
  /** Creates the owner on first start and returns its token once, else null. A given token becomes the owner's. */
  ensureOwner(givenToken: string | null): string | null
  /** Creates an owner token, and the owner if it does not exist. */
  issueOwnerToken(name: string): string
  /** Clears the token cache, so that a revoked token fails on its next request. */
  clearCache(): void
  /** Writes the last-used times of tokens. */
  flush(): void
  /** The owner when authentication is off, else null. */
  readonly defaultAccount: Account | null
}

type Deps = { auth: 'on' | 'off'; now: () => Date; randomBytes: (size: number) => Uint8Array }
type CachedToken = { account: Account; id: number; resource: string | null; cachedAt: number }

/** The id of the owner account. */
export const ownerId = 'owner'
const day_ms = 86_400_000
/** The default lifetime of an API token. */
export const defaultLifetime_days = 90
/** How long a stored token is cached. A revocation by another process takes effect within this time. */
const cacheTtl_ms = 1000
const cachedMax = 10_000

/** Creates an account manager that caches tokens for one second. It keeps last-used times in memory until `flush`. */
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
      // The absolute difference also expires an entry after the clock was set back.
      if (!cached || Math.abs(time - cached.cachedAt) >= cacheTtl_ms) {
        // Every request does the same lookup, so that timing does not reveal whether the text is a well-formed token.
        const stored = store.findTokenByHash(hash)
        cached = verifyToken(isToken(token) ? stored : null, now())
        if (tokenCache.size >= cachedMax) tokenCache.clear()
        tokenCache.set(key, cached)
      }
      if (cached.resource !== null && !cached.resource.split(' ').includes(resource))
        throw new ApiError('token_invalid', `This token is for /${cached.resource}, not for /${resource}.`)
      lastUsed.set(cached.id, time)
      return cached.account
    },
    byId: (id) => accountFromStored(store.findAccount(id)),
    ensureOwner(givenToken) {
      try {
        const isNew = store.addAccount(ownerId, 'owner', now().getTime())
        if (givenToken !== null) addOwnerToken('FIELDSTONE_TOKEN', null, givenToken)
        return isNew && givenToken === null ? addOwnerToken('first token', null) : null
      } catch (error) {
        if (storageErrorOf(error)?.reason !== 'read_only') throw error
        return acceptEphemeralToken(givenToken)
      }
    },
    issueOwnerToken(name) {
      store.addAccount(ownerId, 'owner', now().getTime())
      return addOwnerToken(name, now().getTime() + defaultLifetime_days * day_ms)
    },
    clearCache: () => tokenCache.clear(),
    flush() {
      if (lastUsed.size === 0) return
      store.recordTokenUse(lastUsed)
      lastUsed.clear()
    },
  }

  /** On a read-only database, accepts a token as the owner's until the process ends. */
  function acceptEphemeralToken(givenToken: string | null): string | null {
    if (givenToken === null && store.findAccount(ownerId)) return null
    const token = givenToken ?? makeToken('pat', randomBytes)
    ephemeralHash = tokenHash(token).toHex()
    return givenToken === null ? token : null
  }

  function addOwnerToken(name: string, expires_at: number | null, token = makeToken('pat', randomBytes)): string {
    const created_at = now().getTime()
    store.addToken({
      account_id: ownerId,
      hash: tokenHash(token),
      last_four: token.slice(-4),
      name,
      scopes: allScopes.join(' '),
      created_at,
      expires_at,
    })
    return token
  }
}

/** Returns a stored token as a cache entry. Throws when it is unknown, revoked or expired. */
function verifyToken(stored: StoredToken | null, now: Date): CachedToken {
  if (!stored) throw new ApiError('token_invalid', 'Unknown token.')
  if (stored.revoked_at !== null) throw new ApiError('token_revoked', 'Token revoked.')
  if (stored.expires_at !== null && stored.expires_at <= now.getTime())
    throw new ApiError('token_expired', 'Token expired. Create a new one.')
  const { id, account_id, account_name: name, kind: via, resource, expires_at } = stored
  const scopes = new Set(stored.scopes.split(' ') as Scope[])
  return {
    account: { id: account_id, name, scopes, via, token: { id, expires_at } },
    id,
    resource,
    cachedAt: now.getTime(),
  }
}

/** Returns an account with all its scopes. */
export function accountFromStored(stored: StoredAccount | null): Account | null {
  return (
    stored && {
      id: stored.id,
      name: stored.name,
      scopes: new Set(stored.scopes === null ? allScopes : (stored.scopes.split(' ') as Scope[])),
    }
  )
}

function parseBearer(authorization: string | null): string {
  if (authorization === null)
    throw new ApiError(
      'token_missing',
      'Token missing. Send `Authorization: Bearer <token>`. The first start printed the owner token; `fieldstone token new` creates another.',
    )
  const parts = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)
  if (!parts) throw new ApiError('token_invalid', 'Invalid Authorization header. Send `Authorization: Bearer <token>`.')
  return parts[1]!
}
