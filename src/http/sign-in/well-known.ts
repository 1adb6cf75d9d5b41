import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { OAuthResource } from '../../auth/accounts.ts'
import { allScopes } from '../../auth/scope.ts'
import { resourceUrl } from '../../auth/oauth-parameters.ts'

/** Serves the metadata of the authorization server (RFC 8414) and of the resources (RFC 9728). */
export const wellKnownRoutes = (app: App) => {
  const issuer = app.config.base_url.replace(/\/$/, '')
  const serverMetadata = authorizationServerMetadata(issuer, app)
  const base = new URL(issuer).pathname.replace(/\/$/, '')
  const routes = new Elysia()
    .get('/.well-known/oauth-authorization-server', () => jsonResponse(serverMetadata))
    .get('/.well-known/oauth-protected-resource', () => jsonResponse(protectedResourceMetadata(issuer, 'mcp')))
    .get('/.well-known/oauth-protected-resource/mcp', () => jsonResponse(protectedResourceMetadata(issuer, 'mcp')))
    .get('/.well-known/oauth-protected-resource/v1', () => jsonResponse(protectedResourceMetadata(issuer, 'v1')))
  // With a path in the base URL, clients look at the root of the host with the path appended.
  return base === ''
    ? routes
    : routes
        .get(`/.well-known/oauth-authorization-server${base}`, () => jsonResponse(serverMetadata))
        .get(`/.well-known/oauth-protected-resource${base}/mcp`, () =>
          jsonResponse(protectedResourceMetadata(issuer, 'mcp')),
        )
        .get(`/.well-known/oauth-protected-resource${base}/v1`, () =>
          jsonResponse(protectedResourceMetadata(issuer, 'v1')),
        )
}

function authorizationServerMetadata(issuer: string, { access }: App) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    registration_endpoint: `${issuer}/oauth/register`,
    device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    scopes_supported: allScopes,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: access.clients.readsDocuments,
    protected_resources: [resourceUrl(issuer, 'mcp'), resourceUrl(issuer, 'v1')],
    service_documentation: `${issuer}/guide`,
  }
}

function protectedResourceMetadata(issuer: string, resource: OAuthResource) {
  return {
    resource: resourceUrl(issuer, resource),
    authorization_servers: [issuer],
    scopes_supported: allScopes.filter((scope) => scope !== 'admin'),
    bearer_methods_supported: ['header'],
    resource_name: resource === 'mcp' ? 'Fieldstone for agents' : 'Fieldstone',
    resource_documentation: `${issuer}/v1/docs`,
  }
}

function jsonResponse(body: unknown): Response {
  return Response.json(body, {
    headers: { 'cache-control': 'public, max-age=300', 'access-control-allow-origin': '*' },
  })
}
