import { oauthResources, type OAuthResource } from './accounts.ts'
import { isScope, allScopes, type Scope } from './scope.ts'
import { OAuthError } from './oauth-error.ts'

/** Returns a parameter that may occur once. An empty value counts as missing (RFC 6749, 3.1). */
export function optionalParameter(parameters: URLSearchParams, name: string): string | null {
  const values = parameters.getAll(name)
  if (values.length > 1) throw new OAuthError('invalid_request', `Duplicate parameter ${name}. Send it once.`)
  return values[0] || null
}

/** Returns a parameter, and throws `invalid_request` when it is missing. */
export function requiredParameter(parameters: URLSearchParams, name: string): string {
  const value = optionalParameter(parameters, name)
  if (value === null) throw new OAuthError('invalid_request', `Missing parameter ${name}.`)
  return value
}

/** The scopes of a client that requests none: all except billed calls and administration. */
const defaultScopes: readonly Scope[] = allScopes.filter((scope) => scope !== 'admin' && scope !== 'parcel')

/** Parses the scope parameter. */
export function parseScopes(text: string | null): Scope[] {
  if (text === null) return [...defaultScopes]
  const names = [...new Set(text.split(' ').filter((name) => name !== ''))]
  const unknownNames = names.filter((name) => !isScope(name))
  if (unknownNames.length > 0 || names.length === 0)
    throw new OAuthError('invalid_scope', `Unknown or empty scope. Use ${allScopes.join(', ')}.`)
  return names.filter(isScope)
}

/** Parses the resource that the tokens are for (RFC 8707). */
export function parseResource(parameters: URLSearchParams, base_url: string, fallback: OAuthResource): OAuthResource {
  const requested = [...new Set(parameters.getAll('resource').filter((it) => it !== ''))]
  if (requested.length === 0) return fallback
  const resource = oauthResources.find((it) => requested[0]!.replace(/\/$/, '') === resourceUrl(base_url, it))
  if (resource && requested.length === 1) return resource
  throw new OAuthError(
    'invalid_target',
    `Unknown resource. Use ${oauthResources.map((it) => resourceUrl(base_url, it)).join(' or ')}.`,
  )
}

/** Returns the URL of a resource. */
export function resourceUrl(base_url: string, resource: OAuthResource): string {
  return `${base_url.replace(/\/$/, '')}/${resource}`
}
