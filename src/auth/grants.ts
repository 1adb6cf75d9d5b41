import { ApiError } from '../model/error.ts'
import type { ParentToken } from '../store/accounts/access.ts'
import type { NewGrant, NewGrantTokens, StoredGrant } from '../store/accounts/grant-issuance.ts'
import type { CodeDecision, RotationDecision, StoredCode, StoredRefreshToken } from '../store/accounts/grants.ts'
import type { Store } from '../store/store.ts'
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
  /**
   * Returns a new grant with its first tokens, which a store adds, and the response that reports them. `parent`: the
   * active token of the session in which the user allowed the client.
   */
  createGrant(
    grant: Omit<NewGrant['grant'], 'created_at'>,
    parent: ParentToken | null,
  ): { issue: NewGrant; response: TokenResponse }
  exchangeCode(parameters: URLSearchParams, client_id: string): Promise<TokenResponse>
  exchangeRefreshToken(parameters: URLSearchParams, client_id: string): Promise<TokenResponse>
  /** Returns the active logins of an account. */
  list(account: Account): Promise<StoredGrant[]>
  /** Ends a login and revokes its tokens. Throws `token_not_found` for a login of another account. */
  endLogin(account: Account, id: string): Promise<void>
  /** Revokes a token (RFC 7009). A refresh token revokes its whole family. */
  revokeToken(token: string, client_id: string): Promise<void>
}

type Deps = {
  store: Pick<Store, 'access' | 'grants'>
  accounts: Pick<AccountManager, 'clearCache'>
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
const keyName = 'oauth_successors'
const key_bytes = 32

/** Creates the manager. Tokens of one grant form a family, which is revoked as a whole. */
export function createGrantManager(deps: Deps): GrantManager {
  const { store, accounts, now, randomBytes } = deps
  const createGrant: GrantManager['createGrant'] = (grant, parent) => {
    const created_at = now().getTime()
    const [access, refresh] = [makeToken('oat', randomBytes), makeToken('ort', randomBytes)]
    const { tokens, response } = createTokens({ access, refresh }, grant, parent, created_at)
    return { issue: { grant: { ...grant, created_at }, tokens }, response }
  }
  return {
    createGrant,
    exchangeCode: createCodeExchange(deps, createGrant),
    exchangeRefreshToken: createRefreshTokenExchange(deps),
    list: ({ id }) => store.grants.listGrants(id, now().getTime(), listedMax),
    async endLogin(account, id) {
      const grant_id = Number(loginIdPattern.exec(id)?.[1] ?? 0)
      const isRevoked = await store.grants.revokeGrant(account.id, grant_id, now().getTime())
      await accounts.clearCache()
      if (!isRevoked)
        throw new ApiError('token_not_found', 'Login not found. It is unknown, ended, or belongs to another account.')
    },
    async revokeToken(token, client_id) {
      const result = await store.grants.revokeTokenOfClient(tokenHash(token), client_id, now().getTime())
      await accounts.clearCache()
      if (result === 'of_other_client')
        throw new OAuthError('unauthorized_client', 'This token belongs to another client.')
    },
  }
}

/** Creates the exchange of codes. A reused code revokes the tokens that it was exchanged for. */
function createCodeExchange(
  { store, accounts, base_url, now }: Deps,
  createGrant: GrantManager['createGrant'],
): GrantManager['exchangeCode'] {
  return async (parameters, client_id) => {
    const hash = tokenHash(requiredParameter(parameters, 'code'))
    const verifier = requiredParameter(parameters, 'code_verifier')
    const time = now().getTime()
    let response: TokenResponse | undefined
    const { action } = await store.grants.redeemCode(hash, time, (code): CodeDecision => {
      const { parent, ...known } = requireOwnCode(code, parameters, client_id)
      if (known.isRedeemed) return { action: 'revoke' }
      if (known.expires_at <= time || known.failed_verifications >= wrongVerifiersMax)
        throw new OAuthError('invalid_grant', 'Code expired.')
      if (!matchesChallenge(verifier, known.challenge)) return { action: 'count_failure' }
      const { account_id, client_name, scopes, resource, token_id } = known
      const created = createGrant({ account_id, client_id, client_name, scopes, resource, token_id }, parent)
      response = created.response
      return { action: 'redeem', issue: created.issue }
    })
    if (action === 'count_failure')
      throw new OAuthError('invalid_grant', 'The code_verifier does not match the code_challenge.')
    if (action === 'redeem') return response!
    await accounts.clearCache()
    throw new OAuthError('invalid_grant', 'This code was used before. Its tokens are revoked.')
  }

  /**
   * A wrong client, redirect_uri or resource does not use up the code. Otherwise anybody could use up other clients'
   * codes.
   */
  function requireOwnCode(code: StoredCode | null, parameters: URLSearchParams, client_id: string): StoredCode {
    if (!code || code.client_id !== client_id)
      throw new OAuthError('invalid_grant', 'Unknown code. It may belong to another client.')
    if (optionalParameter(parameters, 'redirect_uri') !== code.redirect_uri)
      throw new OAuthError('invalid_grant', 'The redirect_uri differs from the one in the authorization request.')
    requireSameResource(parameters, code.resource, base_url)
    return code
  }
}

/** Creates the exchange of refresh tokens. A reused refresh token revokes all tokens of its grant. */
function createRefreshTokenExchange({
  store,
  accounts,
  base_url,
  now,
  randomBytes,
}: Deps): GrantManager['exchangeRefreshToken'] {
  return async (parameters, client_id) => {
    const token = requiredParameter(parameters, 'refresh_token')
    if (!isToken(token)) throw unknownRefreshToken()
    const successors = await deriveSuccessors(token)
    const time = now().getTime()
    let response: TokenResponse | undefined
    const { action } = await store.grants.rotateRefreshToken(tokenHash(token), time, (stored): RotationDecision => {
      const { grant, parent, ...known } = requireOwnToken(stored, parameters, client_id)
      const scopes = narrowScopes(optionalParameter(parameters, 'scope'), grant.scopes)
      const isUsed = known.used_at !== null
      if (isUsed && !isWithinGrace(known, time)) return { action: 'revoke' }
      if (known.expires_at <= time) throw new OAuthError('invalid_grant', 'Refresh token expired. Log in again.')
      const created = createTokens(successors, { ...grant, scopes }, parent, time)
      response = created.response
      return isUsed ? { action: 'repeat' } : { action: 'rotate', tokens: created.tokens }
    })
    if (action === 'rotate') return response!
    if (action === 'repeat') return repeatResponse(response!)
    await accounts.clearCache()
    throw new OAuthError(
      'invalid_grant',
      'This refresh token was used before, so all tokens of this login are revoked. Log in again.',
    )
  }

  /**
   * Derives the new tokens from the old refresh token and a key. The same refresh token gives the same successors
   * within the grace period, although only their hashes are stored.
   */
  async function deriveSuccessors(token: string): Promise<{ access: string; refresh: string }> {
    const bytes = createDerivedBytes(await store.access.secret(keyName, randomBytes(key_bytes)), token)
    return { access: makeToken('oat', bytes), refresh: makeToken('ort', bytes) }
  }

  function requireOwnToken(
    stored: StoredRefreshToken | null,
    parameters: URLSearchParams,
    client_id: string,
  ): StoredRefreshToken {
    if (!stored || stored.grant.client_id !== client_id || stored.grant.revoked_at !== null) throw unknownRefreshToken()
    requireSameResource(parameters, stored.grant.resource, base_url)
    return stored
  }

  /** Returns the response of an earlier rotation again. The access token keeps the scopes that it was issued with. */
  async function repeatResponse(response: TokenResponse): Promise<TokenResponse> {
    const stored = await store.access.findToken(tokenHash(response.access_token))
    return { ...response, scope: stored?.scopes ?? response.scope }
  }
}

function unknownRefreshToken(): OAuthError {
  return new OAuthError('invalid_grant', 'Unknown refresh token. It was revoked, or belongs to another client.')
}

/**
 * Reports whether a used token may get its successors again: only if it was used recently and its successor has not
 * been used.
 */
function isWithinGrace(
  { used_at, isSuccessorUnused }: Pick<StoredRefreshToken, 'used_at' | 'isSuccessorUnused'>,
  time: number,
): boolean {
  return used_at !== null && Math.abs(time - used_at) <= grace_ms && isSuccessorUnused
}

function requireSameResource(parameters: URLSearchParams, resource: string, base_url: string): void {
  const requested = parseResources(parameters, base_url).join(' ') || resource
  if (requested !== resource)
    throw new OAuthError(
      'invalid_target',
      `This login is for ${resourceUrls(base_url, resource)}. Send that as resource, or log in again for another resource.`,
    )
}

/** Returns what is stored of new tokens, and the response with them. */
function createTokens(
  { access, refresh }: { access: string; refresh: string },
  { scopes, token_id }: Pick<StoredGrant, 'scopes' | 'token_id'>,
  parent: ParentToken | null,
  created_at: number,
): { tokens: NewGrantTokens; response: TokenResponse } {
  const { access_s, refresh_ms } = lifetimesOf(token_id, parent, created_at)
  return {
    tokens: {
      access: {
        hash: tokenHash(access),
        last_four: access.slice(-4),
        scopes,
        created_at,
        expires_at: created_at + access_s * 1000,
      },
      refresh: { hash: tokenHash(refresh), expires_at: created_at + refresh_ms },
    },
    response: {
      access_token: access,
      token_type: 'Bearer',
      expires_in: access_s,
      refresh_token: refresh,
      scope: scopes,
    },
  }
}

/** Returns the lifetimes of new tokens. They end with the token of the session that allowed the login, if any. */
function lifetimesOf(
  token_id: number | null,
  parent: ParentToken | null,
  time: number,
): { access_s: number; refresh_ms: number } {
  if (token_id === null) return { access_s: accessLifetime_s, refresh_ms: refreshLifetime_ms }
  if (!parent)
    throw new OAuthError('invalid_grant', 'The token that allowed this login expired or was revoked. Log in again.')
  const remaining_ms = (parent.expires_at ?? Infinity) - time
  return {
    access_s: Math.min(accessLifetime_s, Math.floor(remaining_ms / 1000)),
    refresh_ms: Math.min(refreshLifetime_ms, remaining_ms),
  }
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
