import { ApiError } from '../model/error.ts'
import type { AccountStore } from '../store/accounts.ts'
import type { OAuthStore, StoredGrant } from '../store/oauth.ts'
import type { Account, Accounts, Resource } from './accounts.ts'
import { mustManage } from './managing.ts'
import { OAuthError } from './oauth-error.ts'
import { only, required, resourceOf, scopesOf } from './parameters.ts'
import { bytesAfter, isToken, makeToken, tokenHash } from './token.ts'

/** What the token endpoint answers: RFC 6749, 5.1. */
export type TokenAnswer = { access_token: string; token_type: 'Bearer'; expires_in: number; refresh_token: string; scope: string }

/** The back of OAuth: codes and refresh tokens become tokens, and tokens end. Throws OAuthErrors. */
export type Grants = {
  /** A family of tokens for a client that was let in. */
  begin(grant: Omit<StoredGrant, 'id' | 'created_at' | 'revoked_at'>): TokenAnswer
  ofCode(parameters: URLSearchParams, client_id: string): TokenAnswer
  ofRefreshToken(parameters: URLSearchParams, client_id: string): TokenAnswer
  /** The programs that a person let in and that are in still. */
  list(account: Account): StoredGrant[]
  /** Turns one of them out, with all its tokens. Throws `token_not_found` for another account's. */
  turnOut(account: Account, id: string): void
  /** RFC 7009. A refresh token takes its family with it. */
  revoke(token: string, client_id: string): void
}

type Means = { store: OAuthStore; accountStore: AccountStore; accounts: Pick<Accounts, 'forget'>; key: Uint8Array; base_url: string; now: () => Date; randomBytes: (size: number) => Uint8Array }

const access_s = 3600
const refresh_ms = 30 * 86_400_000
/** An answer that was lost on its way is given once more within this. */
const grace_ms = 10_000
const wrongMax = 3
const listedMax = 100
const loginForm = /^login_([1-9]\d{0,14})$/

/** Gives out tokens by families: whatever ends one ends as a whole. */
export function openGrants({ store, accountStore, accounts, key, base_url, now, randomBytes }: Means): Grants {
  return {
    begin: (grant) => store.whole(() => begun(grant)),
    ofCode(parameters, client_id) {
      const hash = tokenHash(required(parameters, 'code'))
      const verifier = required(parameters, 'code_verifier')
      const code = store.code(hash)
      // Who has the wrong client, address or resource spends nothing: else anybody could spend the codes of others.
      if (!code || code.client_id !== client_id) throw new OAuthError('invalid_grant', 'This code is not known, or was given to another client.')
      if (only(parameters, 'redirect_uri') !== code.redirect_uri) throw new OAuthError('invalid_grant', 'The redirect_uri is not that of the authorization request.')
      mustBeSame(parameters, code.resource as Resource)
      if (code.used === 1) {
        if (code.grant_id !== null) end(code.grant_id)
        throw new OAuthError('invalid_grant', 'This code was used before: what came of it is revoked.')
      }
      if (code.expires_at <= now().getTime() || code.wrong >= wrongMax) throw new OAuthError('invalid_grant', 'This code is good no more.')
      if (!isVerifierOf(verifier, code.challenge)) {
        store.wrongVerifier(hash)
        throw new OAuthError('invalid_grant', 'The code_verifier does not belong to the code_challenge.')
      }
      const { account_id, client_name, scopes, resource } = code
      return store.whole(() => begun({ account_id, client_id, client_name, scopes, resource }, (grant_id) => store.spendCode(hash, grant_id)))
    },
    ofRefreshToken(parameters, client_id) {
      const token = required(parameters, 'refresh_token')
      const hash = tokenHash(token)
      const it = isToken(token) ? store.refresh(hash) : null
      const grant = it && store.grant(it.grant_id)
      if (!it || !grant || grant.client_id !== client_id || grant.revoked_at !== null) throw new OAuthError('invalid_grant', 'This refresh token is not known, was revoked, or belongs to another client.')
      mustBeSame(parameters, grant.resource as Resource)
      const scope = narrowed(only(parameters, 'scope'), grant.scopes)
      if (it.used_at !== null && !isGrace(it.used_at, it.successor)) {
        end(grant.id)
        throw new OAuthError('invalid_grant', 'This refresh token was used before: all that came of this login is revoked.')
      }
      if (it.expires_at <= now().getTime()) throw new OAuthError('invalid_grant', 'This refresh token is past its time: log in again.')
      return store.whole(() => successors(token, { ...grant, scopes: scope }, it.used_at === null ? hash : null))
    },
    list: ({ id }) => store.grantsOf(id, now().getTime(), listedMax),
    turnOut(account, id) {
      mustManage(account)
      const grant = store.grant(Number(loginForm.exec(id)?.[1] ?? 0))
      if (grant?.account_id !== account.id || grant.revoked_at !== null) throw new ApiError('token_not_found', 'There is no such login: a login is seen by its own account only, until it is ended.')
      end(grant.id)
    },
    revoke(token, client_id) {
      const hash = tokenHash(token)
      const refresh = store.refresh(hash)
      const grant = refresh ? store.grant(refresh.grant_id) : store.grantOfToken(hash)
      if (!grant) return
      if (grant.client_id !== client_id) throw new OAuthError('unauthorized_client', 'This token was given to another client.')
      if (refresh) end(grant.id)
      else accountStore.revokeByHash(hash, now().getTime())
      accounts.forget()
    },
  }

  function begun(grant: Omit<StoredGrant, 'id' | 'created_at' | 'revoked_at'>, also: (grant_id: number) => void = () => {}): TokenAnswer {
    const id = store.addGrant({ ...grant, created_at: now().getTime() })
    also(id)
    return kept(makeToken('oat', randomBytes), makeToken('ort', randomBytes), { ...grant, id })
  }

  /** They follow from the token that was shown and a key: shown again within the grace, it gives the same, though none of it was kept. */
  function successors(token: string, grant: Omit<StoredGrant, 'created_at' | 'revoked_at'>, spent: Uint8Array | null): TokenAnswer {
    const bytes = bytesAfter(key, token)
    const [access, refresh] = [makeToken('oat', bytes), makeToken('ort', bytes)]
    if (!spent) return answerOf(access, refresh, accountStore.tokenByHash(tokenHash(access))?.scopes ?? grant.scopes)
    store.spendRefresh(spent, tokenHash(refresh), now().getTime())
    return kept(access, refresh, grant)
  }

  function kept(access: string, refresh: string, { id, account_id, client_name, scopes, resource }: Omit<StoredGrant, 'created_at' | 'revoked_at'>): TokenAnswer {
    const created_at = now().getTime()
    accountStore.addToken({
      account_id, hash: tokenHash(access), last4: access.slice(-4), name: client_name, scopes, created_at, expires_at: created_at + access_s * 1000, kind: 'oat', resource, grant_id: id,
    })
    store.addRefresh(tokenHash(refresh), id, created_at + refresh_ms)
    return answerOf(access, refresh, scopes)
  }

  /** The same tokens again, as long as nobody has used the new one. */
  function isGrace(used_at: number, successor: Uint8Array | null): boolean {
    const isRecent = Math.abs(now().getTime() - used_at) <= grace_ms
    return isRecent && successor !== null && store.refresh(successor)?.used_at === null
  }

  function end(grant_id: number): void {
    store.whole(() => {
      store.revokeGrant(grant_id, now().getTime())
      accountStore.revokeOfGrant(grant_id, now().getTime())
    })
    accounts.forget()
  }

  function mustBeSame(parameters: URLSearchParams, resource: Resource): void {
    if (resourceOf(parameters, base_url, resource) !== resource) throw new OAuthError('invalid_target', 'This was granted for another resource.')
  }
}

function answerOf(access_token: string, refresh_token: string, scope: string): TokenAnswer {
  return { access_token, token_type: 'Bearer', expires_in: access_s, refresh_token, scope }
}

function narrowed(asked: string | null, granted: string): string {
  if (asked === null) return granted
  const wanted = scopesOf(asked)
  if (wanted.every((scope) => granted.split(' ').includes(scope))) return wanted.join(' ')
  throw new OAuthError('invalid_scope', `This login was granted ${granted}, and no more.`)
}

function isVerifierOf(verifier: string, challenge: string): boolean {
  return /^[\w.~-]{43,128}$/.test(verifier) && new Bun.CryptoHasher('sha256').update(verifier).digest('base64url') === challenge
}
