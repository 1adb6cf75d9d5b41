import { serverEvents } from '../../async/server-events.ts'
import { isRecord, tryParseRecord } from '../../model/record.ts'
import type { AccessTokenProvider } from '../account/access-token.ts'
import { describeConnectionFailure } from '../connection-failure.ts'
import { LoginError, type HttpFetch } from '../account/oauth-client.ts'

/** The two sides of the bridge: JSON-RPC lines, and an MCP endpoint. `loginHint` is the command that logs in again. */
export type McpBridgeDeps = {
  address: string
  loginHint: string
  getAccessToken: AccessTokenProvider
  httpFetch: HttpFetch
  lines: AsyncIterable<string>
  print(line: string): void
}

type Message = Record<string, unknown>

const inFlightMax = 64
const lineMax_characters = 4 * 1024 * 1024
const serverError = -32_000
const versionMember = 'io.modelcontextprotocol/protocolVersion'

/**
 * Forwards each message from standard input to the server, and each response back. Works with every protocol version.
 * Resolves when the input has ended and all requests are answered.
 */
export function runMcpBridge(deps: McpBridgeDeps): Promise<void> {
  return new McpBridge(deps).run()
}

class McpBridge {
  readonly #deps: McpBridgeDeps
  readonly #inFlight = new Map<unknown, AbortController>()
  #negotiatedVersion: string | null = null

  constructor(deps: McpBridgeDeps) {
    this.#deps = deps
  }

  async run(): Promise<void> {
    const pending = new Set<Promise<void>>()
    for await (const line of this.#deps.lines) {
      const message = tryParseRecord(line)
      if (message === null)
        this.#writeMessage({
          jsonrpc: '2.0',
          id: null,
          error: { code: -32_700, message: 'Parse error: the line is not a JSON-RPC message.' },
        })
      else if (message.method === 'notifications/cancelled') this.#inFlight.get(paramsOf(message).requestId)?.abort()
      else if (pending.size >= inFlightMax)
        this.#respondWithError(message, `More than ${inFlightMax} requests are in progress. Try again later.`)
      else {
        const work = this.#forward(message, line).finally(() => pending.delete(work))
        pending.add(work)
        // Later messages send the protocol version that initialize negotiates.
        if (message.method === 'initialize') await work
      }
    }
    await Promise.all(pending)
  }

  async #forward(message: Message, line: string): Promise<void> {
    const cancellation = new AbortController()
    if (message.id !== undefined) this.#inFlight.set(message.id, cancellation)
    try {
      const response = await this.#send(message, line, cancellation.signal)
      if (response.status === 202) return
      if (isStream(response))
        for await (const { data } of serverEvents(response.body!)) this.#handleResponse(data, message)
      else this.#handleResponse(await response.text(), message, response.status)
    } catch (error) {
      if (!cancellation.signal.aborted) this.#respondWithError(message, failureText(error, this.#deps.loginHint))
    } finally {
      this.#inFlight.delete(message.id)
    }
  }

  async #send(message: Message, line: string, signal: AbortSignal): Promise<Response> {
    const { address, getAccessToken, httpFetch } = this.#deps
    const sendWithToken = (accessToken: string) =>
      httpFetch(address, {
        method: 'POST',
        redirect: 'error',
        signal,
        body: line,
        headers: { ...headersOf(message, this.#negotiatedVersion), authorization: `Bearer ${accessToken}` },
      })
    const token = await getAccessToken()
    const response = await sendWithToken(token)
    return response.status === 401 ? sendWithToken(await getAccessToken(token)) : response
  }

  #handleResponse(text: string, request: Message, status = 200): void {
    const message = tryParseRecord(text)
    if (message === null || (message.id === null && message.error !== undefined && request.id !== undefined)) {
      const error = isRecord(message?.error)
        ? String(message.error.message)
        : `The server answered with status ${status}, without a JSON-RPC response.`
      return this.#respondWithError(request, error)
    }
    if (request.method === 'initialize' && isRecord(message.result)) {
      const { protocolVersion } = message.result
      this.#negotiatedVersion = typeof protocolVersion === 'string' ? protocolVersion : null
    }
    this.#writeMessage(message)
  }

  #respondWithError({ id }: Message, reason: string): void {
    if (id !== undefined) this.#writeMessage({ jsonrpc: '2.0', id, error: { code: serverError, message: reason } })
  }

  #writeMessage(message: Message): void {
    this.#deps.print(JSON.stringify(message))
  }
}

/** The message for a failed request. It suggests a new login only if the login is the cause. */
function failureText(error: unknown, loginHint: string): string {
  if (!(error instanceof LoginError)) return `Cannot reach the server: ${describeConnectionFailure(error)}.`
  return error.code === 'unreachable' || error.code === 'unexpected_response'
    ? error.message
    : `${error.message} Log in again: ${loginHint}`
}

/** The HTTP headers of a message: the protocol version and, since the 2026 revision, the method and the target name. */
function headersOf(message: Message, negotiatedVersion: string | null): Record<string, string> {
  const { _meta: meta, name, uri } = paramsOf(message)
  const declaredVersion = isRecord(meta) && typeof meta[versionMember] === 'string' ? meta[versionMember] : null
  const version = declaredVersion ?? negotiatedVersion
  const target = typeof name === 'string' ? name : typeof uri === 'string' ? uri : null
  return {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version !== null && { 'mcp-protocol-version': version }),
    ...(declaredVersion !== null &&
      typeof message.method === 'string' && {
        'mcp-method': message.method,
        ...(target !== null && { 'mcp-name': encodeHeader(target) }),
      }),
  }
}

/** Encodes a header value that is not plain ASCII in Base64, as the protocol specifies. */
function encodeHeader(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function paramsOf({ params }: Message): Message {
  return isRecord(params) ? params : {}
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

/** Yields the lines of standard input, without empty ones. @throws {Error} if a line exceeds 4 Mi characters. */
export async function* readStdinLines(): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of Bun.stdin.stream()) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop()!
    if (rest.length > lineMax_characters)
      throw new Error(`A line on standard input is longer than ${lineMax_characters} characters.`)
    for (const line of lines) if (line.trim() !== '') yield line
  }
}
