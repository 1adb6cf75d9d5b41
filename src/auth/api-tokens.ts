import { ApiError } from '../model/error.ts'
import type { AccountStore, ListedToken } from '../store/accounts.ts'
import { defaultLifetime_days, type Account, type AccountManager, type Scope } from './accounts.ts'
import { requireTokenManagement } from './token-management.ts'
import { makeToken, tokenHash } from './token.ts'

/** The API tokens of an account, as itself sees and makes them. */
export type ApiTokenManager = {
  list(account: Account, cursor: string | null, limit: number): { items: ListedToken[]; next_cursor: string | null }
  /** Makes one that allows no more than the one who asks; it is shown this once. `days`: null is for ever. */
  create(
    account: Account,
    request: { name: string; scopes: Scope[]; days?: number | null },
  ): ListedToken & { token: string }
  /** Refused from the next request on. Throws `token_not_found` for another account's, in the same words. */
  revoke(account: Account, id: string): void
}

type Deps = {
  store: AccountStore
  accounts: Pick<AccountManager, 'clearCache'>
  now: () => Date
  randomBytes: (size: number) => Uint8Array
}

const day_ms = 86_400_000
const tokenIdPattern = /^tok_([1-9]\d{0,14})$/

/** What is made here is shown once; what is revoked is refused from the next request on. */
export function createApiTokenManager({ store, accounts, now, randomBytes }: Deps): ApiTokenManager {
  return {
    list(account, cursor, limit) {
      const rows = store.listTokens(
        account.id,
        cursor === null ? Number.MAX_SAFE_INTEGER : parseTokenId(cursor),
        limit + 1,
      )
      const items = rows.slice(0, limit)
      return { items, next_cursor: rows.length > limit ? formatTokenId(items.at(-1)!.id) : null }
    },
    create(account, { name, scopes, days = defaultLifetime_days }) {
      requireTokenManagement(account)
      requireGrantable(account, scopes)
      const token = makeToken('pat', randomBytes)
      const created_at = now().getTime()
      const details = {
        name,
        last4: token.slice(-4),
        scopes: [...new Set(scopes)].join(' '),
        created_at,
        expires_at: days === null ? null : created_at + days * day_ms,
      }
      const id = store.addToken({ ...details, account_id: account.id, hash: tokenHash(token) })
      return { ...details, id, last_used_at: null, token }
    },
    revoke(account, id) {
      requireTokenManagement(account)
      const isRevoked = store.revokeToken(account.id, parseTokenId(id), now().getTime())
      accounts.clearCache()
      if (!isRevoked)
        throw new ApiError(
          'token_not_found',
          'There is no such token: a token is seen by its own account only, until it is revoked.',
        )
    },
  }
}

/** The number of a token as the API writes it. */
export function formatTokenId(id: number): string {
  return `tok_${id}`
}

/** Whether a text has the form of the number of a token. */
export function isTokenId(text: string): boolean {
  return tokenIdPattern.test(text)
}

function parseTokenId(id: string): number {
  return Number(tokenIdPattern.exec(id)?.[1] ?? 0)
}

/** Nobody makes a token that allows more than the own. */
function requireGrantable({ scopes: granted }: Account, requested: Scope[]): void {
  const missing = requested.filter((scope) => !granted.has(scope))
  if (missing.length === 0) return
  throw new ApiError(
    'insufficient_scope',
    `This token does not allow ${missing.join(', ')}, and so it makes no token that does.`,
    { required: missing, granted: [...granted] },
  )
}
