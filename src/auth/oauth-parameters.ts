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

/** Parses the one resource that the tokens are for (RFC 8707). */
export function parseResource(parameters: URLSearchParams, base_url: string, fallback: OAuthResource): OAuthResource {
  const [resource = fallback, another] = parseResources(parameters, base_url)
  if (another === undefined) return resource
  throw new OAuthError('invalid_target', 'More than one resource. Send one.')
}

/** Parses the resources that the tokens are for (RFC 8707), none if the parameter is not given. */
export function parseResources(parameters: URLSearchParams, base_url: string): OAuthResource[] {
  const requested = parameters
    .getAll('resource')
    .filter((it) => it !== '')
    .map((it) => it.replace(/\/$/, ''))
  const resources = oauthResources.filter((it) => requested.includes(resourceUrl(base_url, it)))
  if (new Set(requested).size === resources.length) return resources
  throw new OAuthError(
    'invalid_target',
    `Unknown resource. Use ${oauthResources.map((it) => resourceUrl(base_url, it)).join(' or ')}.`,
  )
}

/** Returns the URLs of stored resources, separated by spaces as the resources are. */
export function resourceUrls(base_url: string, resources: string): string {
  return resources
    .split(' ')
    .map((it) => resourceUrl(base_url, it as OAuthResource))
    .join(' ')
}

/** Returns the URL of a resource. */
export function resourceUrl(base_url: string, resource: OAuthResource): string {
  return `${base_url.replace(/\/$/, '')}/${resource}`
}
