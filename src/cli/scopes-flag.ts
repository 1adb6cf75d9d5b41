import { isScope, allScopes, type Scope } from '../auth/accounts.ts'
import { UsageError } from './usage-error.ts'

/** Parses --scopes. Null if the flag was not given. @throws {UsageError} for an unknown scope. */
export function parseScopesFlag(flag: string | boolean | undefined): Scope[] | null {
  if (typeof flag !== 'string') return null
  const names = flag.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined)
    throw new UsageError(
      `Unknown scope ${JSON.stringify(unknown)} in --scopes. The scopes are ${allScopes.join(',')}, separated by commas.`,
    )
  return names.filter(isScope)
}
