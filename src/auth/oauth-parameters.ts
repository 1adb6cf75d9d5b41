import { isScope, oauthResources, allScopes, type OAuthResource, type Scope } from './accounts.ts'
import { OAuthError } from './oauth-error.ts'

/** A parameter that may stand once; an empty one is one that was left out: RFC 6749, 3.1. */
export function optionalParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `The parameter ${name} stands more than once.`)
  return values[0] || null
}

/** A parameter that must be there. */
export function requiredParameter(parameters: URLSearchParams, name: string): string {
  const value = optionalParameter(parameters, name)
  if (value === null) throw new OAuthError('invalid_request', `The parameter ${name} is missing.`)
  return value
}

/** What is given to a client that names no scopes: all but what costs money or rules the house. */
const defaultScopes: readonly Scope[] = allScopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')

/** The scopes that are asked for. */
export function parseScopes(text: string | null): Scope[] {
  if (text === null) return [...defaultScopes]
  const names = [...new Set(text.split(' ').filter((name) => name !== ''))]
  const unknownNames = names.filter((name) => !isScope(name))
  if (unknownNames.length > 0 || names.length === 0)
    throw new OAuthError('invalid_scope', `There are the scopes ${allScopes.join(', ')}.`)
  return names.filter(isScope)
}

/** Which resource the tokens are to be for: RFC 8707. */
export function parseResource(parameters: URLSearchParams, base_url: string, fallback: OAuthResource): OAuthResource {
  const requested = [...new Set(parameters.getAll('resource').filter((it) => it !== ''))]
  if (requested.length === 0) return fallback
  const resource = oauthResources.find((it) => requested[0]!.replace(/\/$/, '') === resourceUrl(base_url, it))
  if (resource && requested.length === 1) return resource
  throw new OAuthError(
    'invalid_target',
    `The resource is ${oauthResources.map((it) => resourceUrl(base_url, it)).join(' or ')}.`,
  )
}

/** The address that stands for a resource. */
export function resourceUrl(base_url: string, resource: OAuthResource): string {
  return `${base_url.replace(/\/$/, '')}/${resource}`
}
