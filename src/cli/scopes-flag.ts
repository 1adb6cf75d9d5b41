import { isScope, allScopes, type Scope } from '../auth/accounts.ts'
import { UsageError } from './usage-error.ts'

/** What --scopes names; null when it was not given. */
export function parseScopesFlag(flag: string | boolean | undefined): Scope[] | null {
  if (typeof flag !== 'string') return null
  const names = flag.split(',').map((name) => name.trim())
  const unknown = names.find((name) => !isScope(name))
  if (unknown !== undefined)
    throw new UsageError(
      `--scopes names ${JSON.stringify(unknown)}, which is none: it takes some of ${allScopes.join(',')}, with commas between.`,
    )
  return names.filter(isScope)
}
