import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { scopes, type Resource } from '../auth/accounts.ts'
import { resourceUrl } from '../auth/parameters.ts'

/** What clients find out before they ask: RFC 8414 of the authorization server, RFC 9728 of the resources. */
export const wellKnownRoutes = (app: App) => {
  const issuer = app.config.base_url.replace(/\/$/, '')
  const server = serverDocument(issuer, app)
  const base = new URL(issuer).pathname.replace(/\/$/, '')
  const routes = new Elysia()
    .get('/.well-known/oauth-authorization-server', () => document(server))
    .get('/.well-known/oauth-protected-resource', () => document(resourceDocument(issuer, 'mcp')))
    .get('/.well-known/oauth-protected-resource/mcp', () => document(resourceDocument(issuer, 'mcp')))
    .get('/.well-known/oauth-protected-resource/v1', () => document(resourceDocument(issuer, 'v1')))
  // A server that lives below a path is looked for at the root of its host, with the path behind.
  return base === '' ? routes : routes
    .get(`/.well-known/oauth-authorization-server${base}`, () => document(server))
    .get(`/.well-known/oauth-protected-resource${base}/mcp`, () => document(resourceDocument(issuer, 'mcp')))
    .get(`/.well-known/oauth-protected-resource${base}/v1`, () => document(resourceDocument(issuer, 'v1')))
}

function serverDocument(issuer: string, { net }: App) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    registration_endpoint: `${issuer}/oauth/register`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    scopes_supported: scopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: net !== null,
    protected_resources: [resourceUrl(issuer, 'mcp'), resourceUrl(issuer, 'v1')],
    service_documentation: `${issuer}/v1/docs`,
  }
}

function resourceDocument(issuer: string, resource: Resource) {
  return {
    resource: resourceUrl(issuer, resource),
    authorization_servers: [issuer],
    scopes_supported: scopes.filter((scope) => scope !== 'admin'),
    bearer_methods_supported: ['header'],
    resource_name: resource === 'mcp' ? 'Fieldstone for agents' : 'Fieldstone',
    resource_documentation: `${issuer}/v1/docs`,
  }
}

function document(body: unknown): Response {
  return Response.json(body, { headers: { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' } })
}
