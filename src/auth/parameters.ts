import { isScope, resources, scopes, type Resource, type Scope } from './accounts.ts'
import { OAuthError } from './oauth-error.ts'

/** A parameter that may stand once; an empty one is one that was left out: RFC 6749, 3.1. */
export function only(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `The parameter ${name} stands more than once.`)
  return values[0] || null
}

/** A parameter that must be there. */
export function required(parameters: URLSearchParams, name: string): string {
  const value = only(parameters, name)
  if (value === null) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}

/** What is given to a client that names no scopes: all but what costs money or rules the house. */
const usual: readonly Scope[] = scopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')

/** The scopes that are asked for. */
export function scopesOf(text: string | null): Scope[] {
  if (text === null) return [...usual]
  const names = [...new Set(text.split(' ').filter((name) => name !== ''))]
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length > 0 || names.length === 0) throw new OAuthError('invalid_scope', `There are the scopes ${scopes.join(', ')}.`)
  return names.filter(isScope)
}

/** Which resource the tokens are to be for: RFC 8707. */
export function resourceOf(parameters: URLSearchParams, base_url: string, otherwise: Resource): Resource {
  const named = [...new Set(parameters.getAll('resource').filter((it) => it !== ''))]
  if (named.length === 0) return otherwise
  const found = resources.find((it) => named[0]!.replace(/\/$/, '') === resourceUrl(base_url, it))
  if (found && named.length === 1) return found
  throw new OAuthError('invalid_target', `The resource is ${resources.map((it) => resourceUrl(base_url, it)).join(' or ')}.`)
}

/** The address that stands for a resource. */
export function resourceUrl(base_url: string, resource: Resource): string {
  return `${base_url.replace(/\/$/, '')}/${resource}`
}
