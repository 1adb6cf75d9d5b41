import { ApiError } from '../model/error.ts'
import type { AccountStore, ListedToken } from '../store/accounts.ts'
import { lifetime_days, type Account, type Accounts, type Scope } from './accounts.ts'
import { mustManage } from './managing.ts'
import { makeToken, tokenHash } from './token.ts'

/** The API tokens of an account, as itself sees and makes them. */
export type Tokens = {
  list(account: Account, cursor: string | null, limit: number): { items: ListedToken[]; next_cursor: string | null }
  /** Makes one that allows no more than the one who asks; it is shown this once. `days`: null is for ever. */
  create(account: Account, wanted: { name: string; scopes: Scope[]; days?: number | null }): ListedToken & { token: string }
  /** Refused from the next request on. Throws `token_not_found` for another account's, in the same words. */
  revoke(account: Account, id: string): void
}

type Means = { store: AccountStore; accounts: Pick<Accounts, 'forget'>; now: () => Date; randomBytes: (size: number) => Uint8Array }

const day_ms = 86_400_000
const idForm = /^tok_([1-9]\d{0,14})$/

/** What is made here is shown once; what is revoked is refused from the next request on. */
export function openTokens({ store, accounts, now, randomBytes }: Means): Tokens {
  return {
    list(account, cursor, limit) {
      const found = store.tokens(account.id, cursor === null ? Number.MAX_SAFE_INTEGER : numberOf(cursor), limit + 1)
      const items = found.slice(0, limit)
      return { items, next_cursor: found.length > limit ? tokenId(items.at(-1)!.id) : null }
    },
    create(account, { name, scopes, days = lifetime_days }) {
      mustManage(account)
      mustHold(account, scopes)
      const token = makeToken('pat', randomBytes)
      const created_at = now().getTime()
      const made = { name, last4: token.slice(-4), scopes: [...new Set(scopes)].join(' '), created_at, expires_at: days === null ? null : created_at + days * day_ms }
      const id = store.addToken({ ...made, account_id: account.id, hash: tokenHash(token) })
      return { ...made, id, last_used_at: null, token }
    },
    revoke(account, id) {
      mustManage(account)
      const isRevoked = store.revoke(account.id, numberOf(id), now().getTime())
      accounts.forget()
      if (!isRevoked) throw new ApiError('token_not_found', 'There is no such token: a token is seen by its own account only, until it is revoked.')
    },
  }
}

/** The number of a token as the API writes it. */
export function tokenId(id: number): string {
  return `tok_${id}`
}

/** Whether a text has the form of the number of a token. */
export function isTokenId(text: string): boolean {
  return idForm.test(text)
}

function numberOf(id: string): number {
  return Number(idForm.exec(id)?.[1] ?? 0)
}

/** Nobody makes a token that allows more than the own. */
function mustHold({ scopes: granted }: Account, wanted: Scope[]): void {
  const lacking = wanted.filter((scope) => !granted.has(scope))
  if (lacking.length === 0) return
  throw new ApiError('insufficient_scope', `This token does not allow ${lacking.join(', ')}, and so it makes no token that does.`, { required: lacking, granted: [...granted] })
}
