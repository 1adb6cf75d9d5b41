import { isRecord } from '../../src/model/record.ts'

/** A request to a model. `aborted` fires when the caller closes the connection early. */
type ModelCall = {
  model: string
  stream: boolean
  body: Record<string, unknown>
  key: string | null
  aborted: AbortSignal
}

/** What the fake does with one call. Planner calls are not streamed. */
export type ModelBehavior =
  | {
      says: object | string
      usage?: { cache_creation_input_tokens: number; cache_read_input_tokens: number }
      stop?: 'end_turn' | 'refusal' | 'max_tokens'
    }
  | { fails: 429 | 500 | 529 | 400 | 401 | 'hangs' | 'redirects' | 'compresses' }
  /** Sends the beginning of the stream, then an overload error. */
  | { breaksAfter: string }
  /** Sends the beginning of the stream, then nothing until the caller disconnects. */
  | { stallsAfter: string }
  /** Sends the beginning of the stream, then ends it without an error. */
  | { endsAfter: string }

/** A local fake of the Messages API. Each call uses the next behavior of its role; the last one repeats. */
export type MessagesApi = {
  url: string
  calls: ModelCall[]
  play(plan: ModelBehavior[], answer: ModelBehavior[]): void
  close(): void
}

export function openMessagesApi(): MessagesApi {
  const calls: ModelCall[] = []
  let parts: { plan: ModelBehavior[]; answer: ModelBehavior[] } = { plan: [], answer: [] }
  const server = Bun.serve({
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      const body: unknown = await request.json()
      if (!isRecord(body) || new URL(request.url).pathname !== '/v1/messages') return failure(400)
      const call = {
        model: String(body.model),
        stream: body.stream === true,
        body,
        key: request.headers.get('x-api-key') ?? request.headers.get('authorization')?.replace('Bearer ', '') ?? null,
        aborted: request.signal,
      }
      calls.push(call)
      const role = call.stream ? parts.answer : parts.plan
      const behaviour = role.length > 1 ? role.shift()! : role[0]!
      return await reply(behaviour, call)
    },
  })
  return {
    url: `http://localhost:${server.port}`,
    calls,
    play(plan, answer) {
      calls.length = 0
      parts = { plan: [...plan], answer: [...answer] }
    },
    close: () => void server.stop(true),
  }
}

async function reply(behaviour: ModelBehavior, call: ModelCall): Promise<Response> {
  if ('breaksAfter' in behaviour)
    return finishedStream([
      ...opening(call, noCacheTokens),
      textDelta(behaviour.breaksAfter),
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    ])
  if ('endsAfter' in behaviour) return finishedStream([...opening(call, noCacheTokens), textDelta(behaviour.endsAfter)])
  if ('stallsAfter' in behaviour)
    return stalledStream([...opening(call, noCacheTokens), textDelta(behaviour.stallsAfter)])
  if ('fails' in behaviour) {
    if (behaviour.fails === 'redirects')
      return new Response(null, { status: 307, headers: { location: 'http://127.0.0.1:9/v1/messages' } })
    if (behaviour.fails === 'compresses')
      return new Response(new Uint8Array(Bun.zstdCompressSync('{}')), {
        headers: { 'content-type': 'application/json', 'content-encoding': 'zstd' },
      })
    if (behaviour.fails !== 'hangs') return failure(behaviour.fails)
    await new Promise<void>((resolve) => call.aborted.addEventListener('abort', () => resolve(), { once: true }))
    return failure(500)
  }
  const { says, usage = noCacheTokens, stop = 'end_turn' } = behaviour
  const text = typeof says === 'string' ? says : JSON.stringify(says)
  if (!call.stream)
    return Response.json({ ...message(call, usage), content: [{ type: 'text', text }], stop_reason: stop })
  const pieces = text.match(/[\s\S]{1,7}/g) ?? []
  return finishedStream([
    ...opening(call, usage),
    ...pieces.map(textDelta),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ])
}

const noCacheTokens = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

function message({ model }: ModelCall, usage: typeof noCacheTokens) {
  return {
    id: 'msg_stand_in',
    type: 'message',
    role: 'assistant',
    model,
    content: [] as unknown[],
    stop_reason: null as string | null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 5, ...usage },
  }
}

type Frame = { type: string } & Record<string, unknown>

function opening(call: ModelCall, usage: typeof noCacheTokens): Frame[] {
  return [
    { type: 'message_start', message: message(call, usage) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
  ]
}

function textDelta(text: string): Frame {
  return { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
}

function finishedStream(frames: Frame[]): Response {
  return new Response(streamText(frames), { headers: eventStream })
}

function stalledStream(frames: Frame[]): Response {
  return new Response(
    new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(streamText(frames))) }),
    { headers: eventStream },
  )
}

const eventStream = { 'content-type': 'text/event-stream' }

function streamText(frames: Frame[]): string {
  return frames.map((frame) => `event: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`).join('')
}

const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

function failure(status: keyof typeof errorTypes): Response {
  return Response.json(
    { type: 'error', error: { type: errorTypes[status], message: 'The stand-in fails.' } },
    { status, headers: { 'retry-after-ms': '1' } },
  )
}
