import { ApiError } from '../model/error.ts'
import type { AccountStore } from '../store/sqlite/accounts.ts'
import type { OAuthStore, StoredGrant } from '../store/sqlite/oauth.ts'
import type { Account, AccountManager } from './accounts.ts'
import { OAuthError } from './oauth-error.ts'
import { optionalParameter, requiredParameter, parseResources, parseScopes, resourceUrls } from './oauth-parameters.ts'
import { createDerivedBytes, isToken, makeToken, tokenHash } from './token.ts'

/** The response of the token endpoint (RFC 6749, 5.1). */
export type TokenResponse = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

/** Exchanges codes and refresh tokens for tokens, and revokes tokens. Methods throw OAuthError. */
export type GrantManager = {
  /** Issues the first tokens of a new grant. */
  issue(grant: Omit<StoredGrant, 'id' | 'created_at' | 'revoked_at'>): TokenResponse
  exchangeCode(parameters: URLSearchParams, client_id: string): TokenResponse
  exchangeRefreshToken(parameters: URLSearchParams, client_id: string): TokenResponse
  /** Returns the active logins of an account. */
  list(account: Account): StoredGrant[]
  /** Ends a login and revokes its tokens. Throws `token_not_found` for a login of another account. */
  endLogin(account: Account, id: string): void
  /** Revokes a token (RFC 7009). A refresh token revokes its whole family. */
  revokeToken(token: string, client_id: string): void
}

type Deps = {
  store: OAuthStore
  accountStore: AccountStore
  accounts: Pick<AccountManager, 'clearCache'>
  key: Uint8Array
  base_url: string
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const accessLifetime_s = 3600
const refreshLifetime_ms = 30 * 86_400_000
/** A refresh token that is sent again within this time gets the same answer, in case the first one was lost. */
const grace_ms = 10_000
const wrongVerifiersMax = 3
const listedMax = 100
const loginIdPattern = /^login_([1-9]\d{0,14})$/

/** Creates the manager. Tokens of one grant form a family, which is revoked as a whole. */
export function createGrantManager(deps: Deps): GrantManager {
  const { store, accountStore, accounts, now } = deps
  const issuer = createTokenIssuer(deps)
  const revokeFamily = (grant_id: number): void => {
    store.inTransaction(() => {
      store.revokeGrant(grant_id, now().getTime())
      accountStore.revokeTokensOfGrant(grant_id, now().getTime())
    })
    accounts.clearCache()
  }
  return {
    issue: (grant) => store.inTransaction(() => issuer.issue(grant)),
    ...createTokenExchange(deps, issuer, revokeFamily),
    list: ({ id }) => store.listGrants(id, now().getTime(), listedMax),
    endLogin(account, id) {
      const grant = store.findGrant(Number(loginIdPattern.exec(id)?.[1] ?? 0))
      if (grant?.account_id !== account.id || grant.revoked_at !== null)
        throw new ApiError('token_not_found', 'Login not found. It is unknown, ended, or belongs to another account.')
      revokeFamily(grant.id)
    },
    revokeToken(token, client_id) {
      const hash = tokenHash(token)
      const refresh = store.findRefreshToken(hash)
      const grant = refresh ? store.findGrant(refresh.grant_id) : store.findGrantByToken(hash)
      if (!grant) return
      if (grant.client_id !== client_id)
        throw new OAuthError('unauthorized_client', 'This token belongs to another client.')
      if (refresh) revokeFamily(grant.id)
      else accountStore.revokeTokenByHash(hash, now().getTime())
      accounts.clearCache()
    },
  }
}

/** Creates the two token exchanges. A reused code or refresh token revokes the family of its grant. */
function createTokenExchange(
  { store, base_url, now }: Deps,
  issuer: ReturnType<typeof createTokenIssuer>,
  revokeFamily: (grant_id: number) => void,
): Pick<GrantManager, 'exchangeCode' | 'exchangeRefreshToken'> {
  return {
    exchangeCode(parameters, client_id) {
      const hash = tokenHash(requiredParameter(parameters, 'code'))
      const verifier = requiredParameter(parameters, 'code_verifier')
      const code = store.findCode(hash)
      // A wrong client, redirect_uri or resource does not use up the code. Otherwise anybody could use up other
      // clients' codes.
      if (!code || code.client_id !== client_id)
        throw new OAuthError('invalid_grant', 'Unknown code. It may belong to another client.')
      if (optionalParameter(parameters, 'redirect_uri') !== code.redirect_uri)
        throw new OAuthError('invalid_grant', 'The redirect_uri differs from the one in the authorization request.')
      requireSameResource(parameters, code.resource)
      if (code.is_redeemed === 1) {
        if (code.grant_id !== null) revokeFamily(code.grant_id)
        throw new OAuthError('invalid_grant', 'This code was used before. Its tokens are revoked.')
      }
      if (code.expires_at <= now().getTime() || code.failed_verifications >= wrongVerifiersMax)
        throw new OAuthError('invalid_grant', 'Code expired.')
      if (!matchesChallenge(verifier, code.challenge)) {
        store.countFailedVerification(hash)
        throw new OAuthError('invalid_grant', 'The code_verifier does not match the code_challenge.')
      }
      const { account_id, client_name, scopes, resource, token_id } = code
      return store.inTransaction(() =>
        issuer.issue({ account_id, client_id, client_name, scopes, resource, token_id }, (grant_id) =>
          store.redeemCode(hash, grant_id),
        ),
      )
    },
    exchangeRefreshToken(parameters, client_id) {
      const token = requiredParameter(parameters, 'refresh_token')
      const hash = tokenHash(token)
      const stored = isToken(token) ? store.findRefreshToken(hash) : null
      const grant = stored && store.findGrant(stored.grant_id)
      if (!stored || !grant || grant.client_id !== client_id || grant.revoked_at !== null)
        throw new OAuthError('invalid_grant', 'Unknown refresh token. It was revoked, or belongs to another client.')
      requireSameResource(parameters, grant.resource)
      const scope = narrowScopes(optionalParameter(parameters, 'scope'), grant.scopes)
      if (stored.used_at !== null && !isWithinGrace(stored.used_at, stored.successor)) {
        revokeFamily(grant.id)
        throw new OAuthError(
          'invalid_grant',
          'This refresh token was used before, so all tokens of this login are revoked. Log in again.',
        )
      }
      if (stored.expires_at <= now().getTime())
        throw new OAuthError('invalid_grant', 'Refresh token expired. Log in again.')
      return store.inTransaction(() =>
        issuer.rotate(token, { ...grant, scopes: scope }, stored.used_at === null ? hash : null),
      )
    },
  }

  /**
   * Reports whether a used token may get its successors again: only if it was used recently and its successor has not
   * been used.
   */
  function isWithinGrace(used_at: number, successor: Uint8Array | null): boolean {
    const isRecent = Math.abs(now().getTime() - used_at) <= grace_ms
    return isRecent && successor !== null && store.findRefreshToken(successor)?.used_at === null
  }

  function requireSameResource(parameters: URLSearchParams, resource: string): void {
    const requested = parseResources(parameters, base_url).join(' ') || resource
    if (requested !== resource)
      throw new OAuthError(
        'invalid_target',
        `This login is for ${resourceUrls(base_url, resource)}. Send that as resource, or log in again for another resource.`,
      )
  }
}

/** Creates and stores access and refresh tokens. */
function createTokenIssuer({ store, accountStore, key, now, randomBytes }: Deps) {
  return { issue, rotate }

  function issue(
    grant: Omit<StoredGrant, 'id' | 'created_at' | 'revoked_at'>,
    onCreated: (grant_id: number) => void = () => {},
  ): TokenResponse {
    const id = store.addGrant({ ...grant, created_at: now().getTime() })
    onCreated(id)
    return storeTokens(makeToken('oat', randomBytes), makeToken('ort', randomBytes), { ...grant, id })
  }

  /**
   * Derives the new tokens from the old refresh token and a key. The same refresh token gives the same successors
   * within the grace period, although only their hashes are stored.
   */
  function rotate(
    token: string,
    grant: Omit<StoredGrant, 'created_at' | 'revoked_at'>,
    hashToSpend: Uint8Array | null,
  ): TokenResponse {
    const bytes = createDerivedBytes(key, token)
    const [access, refresh] = [makeToken('oat', bytes), makeToken('ort', bytes)]
    if (!hashToSpend) return repeatedResponse(access, refresh, grant)
    store.rotateRefreshToken(hashToSpend, tokenHash(refresh), now().getTime())
    return storeTokens(access, refresh, grant)
  }

  /** Returns the tokens of an earlier rotation again. */
  function repeatedResponse(
    access: string,
    refresh: string,
    grant: Pick<StoredGrant, 'scopes' | 'token_id'>,
  ): TokenResponse {
    const scopes = accountStore.findTokenByHash(tokenHash(access))?.scopes ?? grant.scopes
    return tokenResponseOf(access, refresh, scopes, lifetimesOf(grant.token_id, now().getTime()).access_s)
  }

  function storeTokens(
    access: string,
    refresh: string,
    { id, account_id, client_name, scopes, resource, token_id }: Omit<StoredGrant, 'created_at' | 'revoked_at'>,
  ): TokenResponse {
    const created_at = now().getTime()
    const { access_s, refresh_ms } = lifetimesOf(token_id, created_at)
    accountStore.addToken({
      account_id,
      hash: tokenHash(access),
      last_four: access.slice(-4),
      name: client_name,
      scopes,
      created_at,
      expires_at: created_at + access_s * 1000,
      kind: 'oat',
      resource,
      grant_id: id,
      parent_id: token_id,
    })
    store.addRefreshToken(tokenHash(refresh), id, created_at + refresh_ms)
    return tokenResponseOf(access, refresh, scopes, access_s)
  }

  /** Returns the lifetimes of new tokens. They end with the token of the session that allowed the login, if any. */
  function lifetimesOf(token_id: number | null, time: number): { access_s: number; refresh_ms: number } {
    if (token_id === null) return { access_s: accessLifetime_s, refresh_ms: refreshLifetime_ms }
    const parent = accountStore.findActiveToken(token_id, time)
    if (!parent)
      throw new OAuthError('invalid_grant', 'The token that allowed this login expired or was revoked. Log in again.')
    const remaining_ms = (parent.expires_at ?? Infinity) - time
    return {
      access_s: Math.min(accessLifetime_s, Math.floor(remaining_ms / 1000)),
      refresh_ms: Math.min(refreshLifetime_ms, remaining_ms),
    }
  }
}

function tokenResponseOf(
  access_token: string,
  refresh_token: string,
  scope: string,
  expires_in: number,
): TokenResponse {
  return { access_token, token_type: 'Bearer', expires_in, refresh_token, scope }
}

function narrowScopes(requested: string | null, granted: string): string {
  if (requested === null) return granted
  const scopes = parseScopes(requested)
  if (scopes.every((scope) => granted.split(' ').includes(scope))) return scopes.join(' ')
  throw new OAuthError('invalid_scope', `Scope not granted. This login has: ${granted}.`)
}

function matchesChallenge(verifier: string, challenge: string): boolean {
  return (
    /^[\w.~-]{43,128}$/.test(verifier) &&
    new Bun.CryptoHasher('sha256').update(verifier).digest('base64url') === challenge
  )
}
