import { isRecord } from '../model/record.ts'
import type { Bearer } from './bearer.ts'
import { noAnswer } from './no-answer.ts'
import { LoginRefused, type Fetch } from './oauth-client.ts'

/** What a bridge leads between: lines of JSON-RPC on this side, a server on the other. `loginAgain`: what a person types whose login has ended. */
export type BridgeMeans = { address: string; loginAgain: string; bearer: Bearer; ask: Fetch; lines: AsyncIterable<string>; print(line: string): void }

type Message = Record<string, unknown>

const inFlightMax = 64
const serverError = -32_000
const versionMember = 'io.modelcontextprotocol/protocolVersion'

/** Hands on what a client says on its standard input to a server, and what the server says back, message by message, whatever revision the two speak. */
export async function bridge({ address, loginAgain, bearer, ask, lines, print }: BridgeMeans): Promise<void> {
  const inFlight = new Map<unknown, AbortController>()
  const under = new Set<Promise<void>>()
  let agreed: string | null = null

  for await (const line of lines) {
    const message = messageIn(line)
    if (message === null) say({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'The line is no message of JSON-RPC.' } })
    else if (message.method === 'notifications/cancelled') inFlight.get(paramsOf(message).requestId)?.abort()
    else if (under.size >= inFlightMax) refuse(message, 'Too many calls are under way.')
    else {
      const work = handedOn(message, line).finally(() => under.delete(work))
      under.add(work)
      // What is agreed upon at the beginning holds for all that follows.
      if (message.method === 'initialize') await work
    }
  }
  await Promise.all(under)

  async function handedOn(message: Message, line: string): Promise<void> {
    const over = new AbortController()
    if (message.id !== undefined) inFlight.set(message.id, over)
    try {
      const response = await sent(message, line, over.signal)
      if (response.status === 202) return
      if (isStream(response)) for await (const data of eventsIn(response)) heard(data, message)
      else heard(await response.text(), message, response.status)
    } catch (error) {
      if (!over.signal.aborted) refuse(message, wordsOf(error, loginAgain))
    } finally {
      inFlight.delete(message.id)
    }
  }

  async function sent(message: Message, line: string, signal: AbortSignal): Promise<Response> {
    const token = await bearer()
    const response = await once(token)
    return response.status === 401 ? once(await bearer(token)) : response

    function once(bearerToken: string): Promise<Response> {
      return ask(address, { method: 'POST', redirect: 'error', signal, body: line, headers: { ...headersOf(message, agreed), authorization: `Bearer ${bearerToken}` } })
    }
  }

  function heard(text: string, asked: Message, status = 200): void {
    const message = messageIn(text)
    if (message === null || (message.id === null && message.error !== undefined && asked.id !== undefined)) {
      const error = isRecord(message?.error) ? String(message.error.message) : `The server answered ${status}.`
      return refuse(asked, error)
    }
    if (asked.method === 'initialize' && isRecord(message.result)) agreed = typeof message.result.protocolVersion === 'string' ? message.result.protocolVersion : null
    say(message)
  }

  function refuse({ id }: Message, words: string): void {
    if (id !== undefined) say({ jsonrpc: '2.0', id, error: { code: serverError, message: words } })
  }

  function say(message: Message): void {
    print(JSON.stringify(message))
  }
}

/** Of a server that cannot be reached no login is to blame. */
function wordsOf(error: unknown, loginAgain: string): string {
  if (!(error instanceof LoginRefused)) return `The server cannot be reached: ${noAnswer(error)}.`
  return error.code === 'unreachable' || error.code === 'not_understood' ? error.message : `${error.message} Log in again: ${loginAgain}`
}

/** What the transport says beside the message: which revision, and since that of 2026 also what is asked. */
function headersOf(message: Message, agreed: string | null): Record<string, string> {
  const { _meta: meta, name, uri } = paramsOf(message)
  const claimed = isRecord(meta) && typeof meta[versionMember] === 'string' ? meta[versionMember] : null
  const version = claimed ?? agreed
  const target = typeof name === 'string' ? name : typeof uri === 'string' ? uri : null
  return {
    'content-type': 'application/json', accept: 'application/json, text/event-stream',
    ...(version !== null && { 'mcp-protocol-version': version }),
    ...(claimed !== null && typeof message.method === 'string' && { 'mcp-method': message.method, ...(target !== null && { 'mcp-name': plain(target) }) }),
  }
}

/** A header holds ASCII alone: anything else goes in the form that the protocol has for it. */
function plain(text: string): string {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?') ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}

function paramsOf({ params }: Message): Message {
  return isRecord(params) ? params : {}
}

function messageIn(text: string): Message | null {
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

/** The data of server-sent events, one by one. */
async function* eventsIn({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true }).replaceAll('\r', '')
    const events = rest.split('\n\n')
    rest = events.pop()!
    for (const event of events) {
      const data = event.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).replace(/^ /, '')).join('\n')
      if (data !== '') yield data
    }
  }
}
