import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openApp, type App, type AppOptions } from '../../app.ts'
import { createMcpServers, logProtocolErrors } from '../../mcp/mcp-server.ts'
import { StoreError } from '../../store/storage-error.ts'
import { createAccessTokenProvider } from '../account/access-token.ts'
import type { CredentialStore } from '../account/credentials.ts'
import { exitCodes } from '../exit-codes.ts'
import { runMcpBridge } from './mcp-bridge.ts'
import type { HttpFetch } from '../account/oauth-client.ts'

/** `fieldstone mcp --local`: serves MCP on standard input and output in this process, as the owner account. */
export async function mcpLocalCommand(options: AppOptions): Promise<number> {
  const { app, remove } = openAppOrTemporary(options)
  await app.packs.poll()
  const agents = createMcpServers(app)
  const inputEnd = endOfInput()
  const connection = serveStdio(() => agents.serverFor(app.access.accounts.defaultAccount!), {
    onerror: logProtocolErrors(app.log),
  })
  await inputEnd
  await connection.close()
  await app.close()
  remove()
  return 0
}

/** `fieldstone mcp`: forwards MCP messages to a server, with the stored login or with a token. */
export async function mcpRemoteCommand(
  server: string | null,
  token: string | null,
  {
    credentials,
    httpFetch,
    lines,
    print,
    printError,
  }: {
    credentials: CredentialStore
    httpFetch: HttpFetch
    lines: AsyncIterable<string>
    print(line: string): void
    printError(line: string): void
  },
): Promise<number> {
  const servers = credentials.servers()
  const chosen = server ?? (servers.length === 1 ? servers[0]! : null)
  const login = chosen === null ? null : credentials.find(chosen)
  if (chosen === null || (token === null && !login)) {
    printError(
      server === null && servers.length > 1
        ? `You are logged in to several servers. Choose one: --server ${servers.join(' or --server ')}.`
        : `Not logged in. Run \`fieldstone login --server ${chosen ?? '<address>'}\`, or run \`fieldstone mcp --local\`, which needs no server.`,
    )
    return exitCodes.failure
  }
  const getAccessToken =
    token === null
      ? createAccessTokenProvider(chosen, { credentials, httpFetch, now: () => new Date() })
      : async () => token
  await runMcpBridge({
    address: login?.resource ?? `${chosen}/mcp`,
    loginHint: `fieldstone login --server ${chosen}`,
    getAccessToken,
    httpFetch,
    lines,
    print,
  })
  return 0
}

/** Opens the app. If another process has locked the data folder, uses a temporary folder with the same packs. */
function openAppOrTemporary(requested: AppOptions): { app: App; remove: () => void } {
  const options: AppOptions = { ...requested, config: { ...requested.config, auth: 'off' } }
  try {
    return { app: openApp(options), remove: () => {} }
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    const data = mkdtempSync(join(tmpdir(), 'fieldstone-mcp-'))
    options.log.info('mcp_temporary_data_folder', { message: error.message })
    return {
      app: openApp({ ...options, config: { ...options.config, data } }),
      remove: () => rmSync(data, { recursive: true, force: true }),
    }
  }
}

function endOfInput(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
    for (const event of ['end', 'close'] as const) process.stdin.once(event, () => resolve())
  })
}
