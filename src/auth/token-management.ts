import { ApiError } from '../model/error.ts'
import type { Account } from './accounts.ts'

/**
 * Rejects an OAuth client without the admin scope. Otherwise it could create tokens that outlive its own login, or end
 * other logins.
 */
export function requireTokenManagement({ via, scopes }: Account): void {
  if (via !== 'oat' || scopes.has('admin')) return
  throw new ApiError(
    'insufficient_scope',
    'OAuth clients need the admin scope to manage tokens, logins and sessions.',
    { required: ['admin'], granted: [...scopes] },
  )
}
