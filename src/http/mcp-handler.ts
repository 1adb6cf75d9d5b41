import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import type { App } from '../app.ts'
import { openAgents } from '../mcp/agent-server.ts'
import { refusedTo } from '../mcp/refused.ts'
import { bodyMax_bytes } from './body.ts'

/** Answers one request of the agent protocol for the account that it came with. Loaded when an agent first calls: the protocol's package takes 25 MB. */
export function openMcpHandler(app: App): McpHttpHandler {
  const agents = openAgents(app)
  return createMcpHandler(({ authInfo }) => agents.serverFor(authInfo!.extra!.account as never), {
    maxRequestBodySize: bodyMax_bytes,
    onerror: refusedTo(app.log),
  })
}
