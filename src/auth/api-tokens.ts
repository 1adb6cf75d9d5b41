import { ApiError, ValidationError } from '../model/error.ts'
import { formatTimestamp } from '../model/text.ts'
import type { AccessStore, ListedToken } from '../store/accounts/access.ts'
import { defaultLifetime_days, type Account, type AccountManager } from './accounts.ts'
import type { Scope } from './scope.ts'
import { makeToken, tokenHash } from './token.ts'

/** Lists, creates and revokes the API tokens of an account. */
export type ApiTokenManager = {
  list(
    account: Account,
    cursor: string | null,
    limit: number,
  ): Promise<{ items: ListedToken[]; next_cursor: string | null }>
  /**
   * Creates a token. `days: null` means that it never expires. A token that `account.token` makes has at most its
   * scopes and its lifetime, and is revoked with it.
   */
  create(
    account: Account,
    request: { name: string; scopes: Scope[]; days?: number | null },
  ): Promise<ListedToken & { token: string }>
  /**
   * Revokes a token, and all that was made with it, with immediate effect.
   * @throws ApiError token_not_found, with one message for unknown tokens and for those of other accounts.
   */
  revoke(account: Account, id: string): Promise<void>
}

type Deps = {
  store: AccessStore
  accounts: Pick<AccountManager, 'clearCache'>
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const day_ms = 86_400_000
const tokenIdPattern = /^tok_([1-9]\d{0,14})$/

/** Creates the manager of API tokens. It stores only the hash of a token. */
export function createApiTokenManager({ store, accounts, now, randomBytes }: Deps): ApiTokenManager {
  return {
    async list(account, cursor, limit) {
      const rows = await store.listTokens(
        account.id,
        cursor === null ? Number.MAX_SAFE_INTEGER : parseTokenId(cursor),
        limit + 1,
      )
      const items = rows.slice(0, limit)
      return { items, next_cursor: rows.length > limit ? formatTokenId(items.at(-1)!.id) : null }
    },
    async create(account, { name, scopes, days }) {
      requireGrantable(account, scopes)
      const token = makeToken('pat', randomBytes)
      const created_at = now().getTime()
      const details = {
        name,
        last_four: token.slice(-4),
        scopes: [...new Set(scopes)].join(' '),
        created_at,
        expires_at: expiryOf(days, created_at, account.token?.expires_at ?? null),
      }
      const parent_id = account.token?.id ?? null
      const id = await store.addToken({ ...details, account_id: account.id, hash: tokenHash(token), parent_id })
      if (id === null) throw new ApiError('auth_revoked', 'Token revoked.')
      return { ...details, id, last_used_at: null, token }
    },
    async revoke(account, id) {
      const isRevoked = await store.revokeToken(account.id, parseTokenId(id), now().getTime())
      await accounts.clearCache()
      if (!isRevoked)
        throw new ApiError('token_not_found', 'Token not found. It is unknown, revoked, or belongs to another account.')
    },
  }
}

/** Returns the id of a token as the API shows it. */
export function formatTokenId(id: number): string {
  return `tok_${id}`
}

/** Reports whether a text has the form of a token id. */
export function isTokenId(text: string): boolean {
  return tokenIdPattern.test(text)
}

function parseTokenId(id: string): number {
  return Number(tokenIdPattern.exec(id)?.[1] ?? 0)
}

/**
 * Returns when a new token expires; null for never. The default lifetime ends with the parent; a longer requested one
 * is rejected.
 */
function expiryOf(days: number | null | undefined, created_at: number, parentExpiry: number | null): number | null {
  const requested = days === null ? null : created_at + (days ?? defaultLifetime_days) * day_ms
  if (parentExpiry === null || (requested !== null && requested <= parentExpiry)) return requested
  if (days === undefined) return parentExpiry
  throw new ValidationError([
    {
      type: 'value_error',
      loc: ['body', 'expires_in_days'],
      msg: `Value error, a token cannot outlive the token that creates it, which expires at ${formatTimestamp(parentExpiry)}`,
      input: days ?? 'never',
    },
  ])
}

/** Throws `insufficient_scope` if a new token would have a scope that its creator does not have. */
function requireGrantable({ scopes: granted }: Account, requested: Scope[]): void {
  const missing = requested.filter((scope) => !granted.has(scope))
  if (missing.length === 0) return
  throw new ApiError(
    'insufficient_scope',
    `A new token can have only scopes that you have. You do not have: ${missing.join(', ')}.`,
    { required: missing, granted: [...granted] },
  )
}
