import { isRecord } from '../model/record.ts'
import type { AccessTokenProvider } from './access-token.ts'
import { describeConnectionFailure } from './connection-failure.ts'
import { LoginError, type HttpFetch } from './oauth-client.ts'

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
const serverError = -32_000
const versionMember = 'io.modelcontextprotocol/protocolVersion'

/**
 * Forwards each message from standard input to the server, and each response back. Works with every protocol version.
 */
export async function runMcpBridge({
  address,
  loginHint,
  getAccessToken,
  httpFetch,
  lines,
  print,
}: McpBridgeDeps): Promise<void> {
  const inFlight = new Map<unknown, AbortController>()
  const pending = new Set<Promise<void>>()
  let negotiatedVersion: string | null = null

  for await (const line of lines) {
    const message = parseMessage(line)
    if (message === null)
      writeMessage({
        jsonrpc: '2.0',
        id: null,
        error: { code: -32_700, message: 'Parse error: the line is not a JSON-RPC message.' },
      })
    else if (message.method === 'notifications/cancelled') inFlight.get(paramsOf(message).requestId)?.abort()
    else if (pending.size >= inFlightMax)
      respondWithError(message, `More than ${inFlightMax} requests are in progress. Try again later.`)
    else {
      const work = forward(message, line).finally(() => pending.delete(work))
      pending.add(work)
      // Later messages send the protocol version that initialize negotiates.
      if (message.method === 'initialize') await work
    }
  }
  await Promise.all(pending)

  async function forward(message: Message, line: string): Promise<void> {
    const cancellation = new AbortController()
    if (message.id !== undefined) inFlight.set(message.id, cancellation)
    try {
      const response = await send(message, line, cancellation.signal)
      if (response.status === 202) return
      if (isStream(response)) for await (const data of readEventData(response)) handleResponse(data, message)
      else handleResponse(await response.text(), message, response.status)
    } catch (error) {
      if (!cancellation.signal.aborted) respondWithError(message, failureText(error, loginHint))
    } finally {
      inFlight.delete(message.id)
    }
  }

  async function send(message: Message, line: string, signal: AbortSignal): Promise<Response> {
    const token = await getAccessToken()
    const response = await sendWithToken(token)
    return response.status === 401 ? sendWithToken(await getAccessToken(token)) : response

    function sendWithToken(accessToken: string): Promise<Response> {
      return httpFetch(address, {
        method: 'POST',
        redirect: 'error',
        signal,
        body: line,
        headers: { ...headersOf(message, negotiatedVersion), authorization: `Bearer ${accessToken}` },
      })
    }
  }

  function handleResponse(text: string, request: Message, status = 200): void {
    const message = parseMessage(text)
    if (message === null || (message.id === null && message.error !== undefined && request.id !== undefined)) {
      const error = isRecord(message?.error) ? String(message.error.message) : `The server answered ${status}.`
      return respondWithError(request, error)
    }
    if (request.method === 'initialize' && isRecord(message.result))
      negotiatedVersion = typeof message.result.protocolVersion === 'string' ? message.result.protocolVersion : null
    writeMessage(message)
  }

  function respondWithError({ id }: Message, reason: string): void {
    if (id !== undefined) writeMessage({ jsonrpc: '2.0', id, error: { code: serverError, message: reason } })
  }

  function writeMessage(message: Message): void {
    print(JSON.stringify(message))
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

function parseMessage(text: string): Message | null {
  try {
    const message: unknown = JSON.parse(text)
    return isRecord(message) ? message : null
  } catch {
    return null
  }
}

function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

/** Yields the data of each server-sent event. */
async function* readEventData({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true }).replaceAll('\r', '')
    const events = rest.split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const data = event
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n')
      if (data !== '') yield data
    }
  }
}
