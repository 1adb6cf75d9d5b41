/**
 * Who may do what: accounts, tokens, sessions, OAuth clients, scopes, rate limits and usage. The state is in
 * `src/store`; the routes are in `src/http`.
 */
import { ApiError } from '../model/error.ts'
import type { MaybePromise } from '../async/maybe-promise.ts'
import type { ParentToken, StoredToken } from '../store/accounts/access.ts'
import type { StoredAccount } from '../store/accounts/people.ts'
import { StorageError } from '../store/storage-error.ts'
import type { Store } from '../store/store.ts'
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
  /**
   * Set while the database does not answer: the token was valid at its last lookup, and may have been revoked since. It
   * may only be used for reading.
   */
  isUnconfirmed?: true
}

/** The resources of OAuth tokens: the API under /v1, or /mcp. */
export const oauthResources = ['v1', 'mcp'] as const
/** One resource. */
export type OAuthResource = (typeof oauthResources)[number]

/** Resolves tokens to accounts. */
export type AccountManager = {
  /**
   * Returns the account of an Authorization header at a resource. It is a promise if the token is not cached.
   * @throws ApiError auth_missing, auth_malformed, auth_invalid, auth_expired or auth_revoked.
   */
  authenticate(authorization: string | null, resource?: OAuthResource): MaybePromise<Account>
  /** Returns an account with all its scopes, or null when the id is unknown. */
  byId(id: string): Promise<Account | null>
  /** Creates the owner on first start and returns its token once, else null. A given token becomes the owner's. */
  ensureOwner(givenToken: string | null): Promise<string | null>
  /** Creates an owner token, and the owner if it does not exist. */
  issueOwnerToken(name: string): Promise<string>
  /**
   * Clears the token cache, so that a revoked token fails on its next request. If other servers share the database,
   * resolves when their caches have no earlier token either.
   */
  clearCache(): Promise<void>
  /** Writes the last-used times of tokens. If that fails, the next call writes them. */
  flush(): Promise<void>
  /** The owner when authentication is off, else null. */
  readonly defaultAccount: Account | null
}

/** `isShared`: other servers use the same database. */
type Deps = {
  auth: 'on' | 'off'
  now: () => Date
  randomBytes: (size: number) => Uint8Array
  isShared?: boolean
  /** How long a token may be used for reading while the database does not answer, in seconds (default: 0). */
  tokens_stale_s?: number
  /** A clock that is never set back, in milliseconds. */
  monotonic_ms?: () => number
}
type CachedToken = { account: Account; id: number; resource: string | null }

/** The id of the owner account. */
export const ownerId = 'owner'
const day_ms = 86_400_000
/** The default lifetime of an API token. */
export const defaultLifetime_days = 90
/** How long a stored token is cached, from the start of its lookup. */
const cacheTtl_ms = 1000
const cachedMax = 10_000

/** Creates an account manager that caches tokens for one second. It keeps last-used times in memory until `flush`. */
export function createAccountManager(store: Pick<Store, 'access' | 'people'>, deps: Deps): AccountManager {
  const { access, people } = store
  const { auth, now } = deps
  const owners = createOwnerMethods(store, deps)
  const tokenCache = createTokenCache(deps)
  let lastUsed = new Map<number, number>()
  const owner: Account = { id: ownerId, name: 'owner', scopes: new Set(allScopes) }
  return {
    defaultAccount: auth === 'off' ? owner : null,
    authenticate(authorization, resource = 'v1') {
      if (auth === 'off') return owner
      const token = parseBearer(authorization)
      const hash = tokenHash(token)
      const key = hash.toHex()
      if (owners.isEphemeral(key)) return { ...owner, via: 'pat' }
      const cached = tokenCache.find(key)
      return cached ? useToken(cached, resource) : findToken(token, hash).then((found) => useToken(found, resource))
    },
    byId: async (id) => accountFromStored(await people.findAccount(id)),
    ensureOwner: owners.ensureOwner,
    issueOwnerToken: owners.issueOwnerToken,
    async clearCache() {
      tokenCache.clear()
      if (deps.isShared) await Bun.sleep(cacheTtl_ms)
    },
    async flush() {
      if (lastUsed.size === 0) return
      const times = lastUsed
      lastUsed = new Map()
      try {
        await access.recordTokenUse(times)
      } catch (error) {
        lastUsed = new Map([...times, ...lastUsed])
        throw error
      }
    },
  }

  /** Every request does the same lookup, so that timing does not reveal whether the text is a well-formed token. */
  async function findToken(token: string, hash: Uint8Array): Promise<CachedToken> {
    const remember = tokenCache.beginLookup()
    const key = hash.toHex()
    let stored: StoredToken | null
    try {
      stored = await access.findToken(hash)
    } catch (error) {
      return tokenCache.findStale(key, error)
    }
    const found = verifyToken(isToken(token) ? stored : null, now())
    remember(key, found)
    return found
  }

  function useToken({ id, account, resource: resources }: CachedToken, resource: OAuthResource): Account {
    if (resources !== null && !resources.split(' ').includes(resource))
      throw new ApiError('auth_invalid', `This token is for /${resources}, not for /${resource}.`)
    lastUsed.set(id, now().getTime())
    return account
  }
}

/** Creates the methods that create the owner and its tokens. */
function createOwnerMethods(
  { access, people }: Pick<Store, 'access' | 'people'>,
  { now, randomBytes }: Deps,
): Pick<AccountManager, 'ensureOwner' | 'issueOwnerToken'> & { isEphemeral(hash: string): boolean } {
  let ephemeralHash: string | null = null
  return {
    isEphemeral: (hash) => hash === ephemeralHash,
    async ensureOwner(givenToken) {
      try {
        const isNew = await addOwner()
        if (givenToken !== null) await addOwnerToken('FIELDSTONE_TOKEN', null, givenToken)
        return isNew && givenToken === null ? await addOwnerToken('first token', null) : null
      } catch (error) {
        if (!(error instanceof StorageError && error.reason === 'read_only')) throw error
        return acceptEphemeralToken(givenToken)
      }
    },
    async issueOwnerToken(name) {
      await addOwner()
      return addOwnerToken(name, now().getTime() + defaultLifetime_days * day_ms)
    },
  }

  function addOwner(): Promise<boolean> {
    return people.addAccount({ id: ownerId, name: 'owner', created_at: now().getTime(), scopes: null })
  }

  /** On a read-only database, accepts a token as the owner's until the process ends. */
  async function acceptEphemeralToken(givenToken: string | null): Promise<string | null> {
    if (givenToken === null && (await people.findAccount(ownerId))) return null
    const token = givenToken ?? makeToken('pat', randomBytes)
    ephemeralHash = tokenHash(token).toHex()
    return givenToken === null ? token : null
  }

  async function addOwnerToken(
    name: string,
    expires_at: number | null,
    token = makeToken('pat', randomBytes),
  ): Promise<string> {
    const created_at = now().getTime()
    await access.addToken({
      account_id: ownerId,
      hash: tokenHash(token),
      last_four: token.slice(-4),
      name,
      scopes: allScopes.join(' '),
      created_at,
      expires_at,
      parent_id: null,
    })
    return token
  }
}

type CacheEntry = { token: CachedToken; at: Times; failedAt: Times | null }

/**
 * Creates a cache of tokens by hash. An entry is used for one second from the start of its lookup, also when the clock
 * is set. If the next lookup fails because the database does not answer, it may be used longer, for reading.
 */
function createTokenCache({ now, monotonic_ms = () => performance.now(), tokens_stale_s = 0 }: Deps) {
  const entries = new Map<string, CacheEntry>()
  const times = () => ({ clock: now().getTime(), monotonic: monotonic_ms() })
  let clearings = 0
  return {
    find(key: string): CachedToken | null {
      const entry = entries.get(key)
      if (!entry) return null
      if (isWithin(entry.at, cacheTtl_ms)) return entry.token
      // Another lookup would make every request wait for the database.
      return entry.failedAt && isWithin(entry.failedAt, cacheTtl_ms) && isStaleAllowed(entry)
        ? unconfirmedTokenOf(entry)
        : null
    },
    /**
     * Returns a token whose lookup failed because the database does not answer. @throws the error of the lookup if the
     * token may no longer be used, or if the lookup failed for another reason.
     */
    findStale(key: string, error: unknown): CachedToken {
      const entry = entries.get(key)
      const isUnavailable = error instanceof StorageError && error.reason === 'unavailable'
      if (!isUnavailable || !entry || !isStaleAllowed(entry)) throw error
      entry.failedAt = times()
      return unconfirmedTokenOf(entry)
    },
    /** Returns the function that adds what was found. It adds nothing if the cache was cleared since. */
    beginLookup(): (key: string, token: CachedToken) => void {
      const before = clearings
      const at = times()
      return (key, token) => {
        if (clearings !== before) return
        if (entries.size >= cachedMax) entries.clear()
        entries.set(key, { token, at, failedAt: null })
      }
    },
    clear(): void {
      clearings++
      entries.clear()
    },
  }

  function isStaleAllowed({ token, at }: CacheEntry): boolean {
    const expires_at = token.account.token?.expires_at ?? null
    return isWithin(at, tokens_stale_s * 1000) && (expires_at === null || now().getTime() < expires_at)
  }

  function isWithin({ clock, monotonic }: Times, duration_ms: number): boolean {
    return Math.abs(now().getTime() - clock) < duration_ms && monotonic_ms() - monotonic < duration_ms
  }
}

function unconfirmedTokenOf({ token }: CacheEntry): CachedToken {
  return { ...token, account: { ...token.account, isUnconfirmed: true } }
}

type Times = { clock: number; monotonic: number }

/** Returns a stored token as a cache entry. Throws when it is unknown, revoked or expired. */
function verifyToken(stored: StoredToken | null, now: Date): CachedToken {
  if (!stored) throw new ApiError('auth_invalid', 'Unknown token.')
  if (stored.revoked_at !== null) throw new ApiError('auth_revoked', 'Token revoked.')
  if (stored.expires_at !== null && stored.expires_at <= now.getTime())
    throw new ApiError('auth_expired', 'Token expired. Create a new one.')
  const { id, account_id, account_name: name, kind: via, resource, expires_at } = stored
  const scopes = new Set(stored.scopes.split(' ') as Scope[])
  return {
    account: { id: account_id, name, scopes, via, token: { id, expires_at } },
    id,
    resource,
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
      'auth_missing',
      'Token missing. Send `Authorization: Bearer <token>`. The first start printed the owner token; `fieldstone token new` creates another.',
    )
  const parts = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)
  if (!parts)
    throw new ApiError('auth_malformed', 'Invalid Authorization header. Send `Authorization: Bearer <token>`.')
  return parts[1]!
}
