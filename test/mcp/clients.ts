import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** The common interface of the MCP clients of both package generations. */
export type AgentClient = {
  revision: string
  tools(): Promise<{ name: string; annotations?: { readOnlyHint?: boolean }; outputSchema?: unknown }[]>
  call(name: string, args: Record<string, unknown>, progress?: (message: string) => void): Promise<Called>
  resource(uri: string): Promise<unknown>
  prompts(): Promise<string[]>
  /** The text of a prompt. */
  prompt(name: string): Promise<string>
  close(): Promise<void>
}
type Called = { isError: boolean; structured: Record<string, unknown> | null; said: Record<string, unknown> }

export type CommandLine = { command: string; args: string[]; env: Record<string, string>; cwd: string }

const about = { name: 'fieldstone-test', version: '1.0.0' }
const wrapped = (client: OldClient | NewClient, revision: string): AgentClient => ({
  revision,
  tools: async () => (await client.listTools()).tools as never,
  async call(name, args, progress) {
    const params = { name, arguments: args }
    const options = {
      timeout: 120_000,
      ...(progress && { onprogress: ({ message }: { message?: string | undefined }) => progress(message ?? '') }),
    }
    const result =
      client instanceof OldClient
        ? await client.callTool(params, undefined, options)
        : await client.callTool(params, options)
    const [first] = result.content as { text: string }[]
    return {
      isError: result.isError === true,
      structured: (result.structuredContent as Record<string, unknown> | undefined) ?? null,
      said: plainOf(first!.text),
    }
  },
  async resource(uri) {
    const { contents } = await client.readResource({ uri })
    return JSON.parse((contents[0] as { text: string }).text) as unknown
  },
  prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
  async prompt(name) {
    const { messages } = await client.getPrompt({ name })
    return (messages[0]!.content as { text: string }).text
  },
  close: () => client.close(),
})

function plainOf(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return { text }
  }
}

/** Connects the 2025 or the 2026 client over HTTP. */
export async function connectOverHttp(which: 'old' | 'new', url: string, token: string): Promise<AgentClient> {
  const at = new URL(`${url}/mcp`)
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  if (which === 'old') {
    const client = new OldClient(about)
    await client.connect(new OldHttp(at, { requestInit }))
    return wrapped(client, '2025')
  }
  const client = new NewClient(about, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new NewHttp(at, { requestInit }))
  return wrapped(client, client.getNegotiatedProtocolVersion() ?? 'none')
}

/** Connects the 2025 or the 2026 client over standard input and output. */
export async function connectOverStdio(which: 'old' | 'new', line: CommandLine): Promise<AgentClient> {
  if (which === 'old') {
    const client = new OldClient(about)
    await client.connect(new OldStdio({ ...line, stderr: 'ignore' }))
    return wrapped(client, '2025')
  }
  const client = new NewClient(about, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new NewStdio({ ...line, stderr: 'ignore' }))
  return wrapped(client, client.getNegotiatedProtocolVersion() ?? 'none')
}
