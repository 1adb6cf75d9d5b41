import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import { ValidationError } from '../../model/error.ts'
import type { ErrorResponse } from '../request/errors.ts'
import { accountOf } from '../request/guard.ts'
import { parseErrorResponse, readMcpMessage } from './mcp-body.ts'
import type { openMcpHandler } from './mcp-handler.ts'

/** JSON-RPC: an implementation-defined server error. */
const serverError = -32_000

/** Serves MCP, the 2025 revisions and 2026-07-28. It is stateless: no session carries authority. */
export const mcpRoutes = (app: App) => {
  let loadedHandler: Promise<ReturnType<typeof openMcpHandler>> | undefined
  const loadHandler = () => (loadedHandler ??= import('./mcp-handler.ts').then((it) => it.openMcpHandler(app)))
  return new Elysia().all('/mcp', async ({ request }) => {
    const account = accountOf(request)
    const authInfo = {
      token: '',
      clientId: account.id,
      scopes: [...account.scopes],
      resourceMetadataUrl: metadataUrl(app),
      extra: { account },
    }
    try {
      const parsedBody = await readMcpMessage(request)
      return await (await loadHandler()).fetch(request, { authInfo, parsedBody })
    } catch (error) {
      if (error instanceof ValidationError) return parseErrorResponse(error)
      throw error
    }
  })
}

/** Converts an error response to JSON-RPC. A challenge points to the resource metadata (RFC 9728). */
export function mcpErrorResponse({ status, body, headers }: ErrorResponse, app: App): ErrorResponse {
  const challenge = headers['www-authenticate']
  const { error, message } = body.detail as { error?: string; message?: string }
  return {
    status,
    body: {
      jsonrpc: '2.0',
      id: null,
      error: { code: serverError, message: `${error}: ${message}`, data: body.detail },
    } as never,
    headers: {
      ...headers,
      ...(challenge && { 'www-authenticate': `${challenge}, resource_metadata="${metadataUrl(app)}"` }),
    },
  }
}

function metadataUrl({ config }: App): string {
  const { origin, pathname } = new URL(config.base_url)
  return `${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/$/, '')}/mcp`
}
