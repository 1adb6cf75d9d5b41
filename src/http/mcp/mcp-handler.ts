import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { App } from '../../app.ts'
import { createMcpServers, logProtocolErrors } from '../../mcp/mcp-server.ts'
import { bodyMax_bytes } from '../request/body.ts'

/** Creates the MCP handler. mcp.ts imports this file on the first request, because the MCP package takes 25 MB. */
export function openMcpHandler(app: App): McpHttpHandler {
  const agentServers = createMcpServers(app)
  return createMcpHandler(({ authInfo }) => agentServers.serverFor(authInfo!.extra!.account as never), {
    maxRequestBodySize: bodyMax_bytes,
    onerror: logProtocolErrors(app.log),
  })
}
