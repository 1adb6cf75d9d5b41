import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type App, type AppOptions } from '../app.ts'
import { createMcpServers } from '../mcp/mcp-server.ts'
import { logProtocolErrors } from '../mcp/protocol-errors.ts'
import { StoreError } from '../store/store-error.ts'
import { bearerOf } from './bearer.ts'
import type { Credentials } from './credentials.ts'
import { exits } from './exits.ts'
import { bridge } from './mcp-bridge.ts'
import type { Fetch } from './oauth-client.ts'

/** Speaks the agent protocol on standard input and output from within this process: no server, no token, no account but the owner's. */
export async function mcpHere(options: AppOptions): Promise<number> {
  const { app, remove } = openSomewhere(options)
  await app.packs.poll()
  const agents = createMcpServers(app)
  const ended = endOfInput()
  const connection = serveStdio(() => agents.serverFor(app.access.accounts.defaultAccount!), { onerror: logProtocolErrors(app.log) })
  await ended
  await connection.close()
  app.close()
  remove()
  return 0
}

/** Speaks it on behalf of a server: with the stored login, or with a token. */
export async function mcpThere(server: string | null, token: string | null, { credentials, ask, lines, print, complain }: { credentials: Credentials; ask: Fetch; lines: AsyncIterable<string>; print(line: string): void; complain(line: string): void }): Promise<number> {
  const known = credentials.servers()
  const chosen = server ?? (known.length === 1 ? known[0]! : null)
  const login = chosen === null ? null : credentials.of(chosen)
  if (chosen === null || (token === null && !login)) {
    complain(server === null && known.length > 1
      ? `Say which server: --server ${known.join(' or --server ')}.`
      : `Log in first: fieldstone login --server ${chosen ?? '<address>'}. Or use this machine alone: fieldstone mcp --local.`)
    return exits.refused
  }
  const bearer = token === null ? bearerOf(chosen, { credentials, ask, now: () => new Date() }) : async () => token
  await bridge({ address: login?.resource ?? `${chosen}/mcp`, loginAgain: `fieldstone login --server ${chosen}`, bearer, ask, lines, print })
  return 0
}

/** Several clients may each want one at a time: the folder is the first one's, the others keep what they learn for themselves, with the same packs. */
function openSomewhere(given: AppOptions): { app: App; remove: () => void } {
  const options: AppOptions = { ...given, config: { ...given.config, auth: 'off' } }
  try {
    return { app: openApp(options), remove: () => {} }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const data = mkdtempSync(join(tmpdir(), 'fieldstone-mcp-'))
    options.log.info('mcp_temporary_data_folder', { message: error.message })
    return { app: openApp({ ...options, config: { ...options.config, data } }), remove: () => rmSync(data, { recursive: true, force: true }) }
  }
}

function endOfInput(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve())
  })
}
