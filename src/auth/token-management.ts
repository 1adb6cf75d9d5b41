import { ApiError } from '../model/error.ts'
import type { Account } from './accounts.ts'

/** Refuses a program that was let in, unless it may rule the house: it makes no token that outlasts it, and turns out nobody else. */
export function requireTokenManagement({ via, scopes }: Account): void {
  if (via !== 'oat' || scopes.has('admin')) return
  throw new ApiError(
    'insufficient_scope',
    'A program that was let in manages no tokens, logins and sessions: that takes admin.',
    { required: ['admin'], granted: [...scopes] },
  )
}
