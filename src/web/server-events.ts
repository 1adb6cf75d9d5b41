import { streamBytes } from '../async/stream-bytes.ts'

/** One server-sent event; `data` is JSON. */
export type ServerEvent = { name: string; id: string; data: string }

/**
 * Yields the events of a stream as they arrive. An event named `lastEvent` ends the stream before its data is read, for
 * events that are too large to wait for.
 */
export async function* serverEvents(
  stream: ReadableStream<Uint8Array>,
  lastEvent: string | null = null,
): AsyncGenerator<ServerEvent> {
  let event = emptyEvent()
  for await (const line of streamLines(stream)) {
    const colon = line.indexOf(': ')
    const [part, value] = [line.slice(0, colon), line.slice(colon + 2)]
    if (line === '') {
      if (event.data !== '') yield event
      event = emptyEvent()
    } else if (part === 'event' || part === 'id') event = { ...event, [part === 'event' ? 'name' : 'id']: value }
    else if (part === 'data') event = { ...event, data: value }
    if (event.name === lastEvent) return void (yield event)
  }
}

function emptyEvent(): ServerEvent {
  return { name: 'message', id: '', data: '' }
}

async function* streamLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of streamText(stream)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}

/** Yields the stream as UTF-8 text. */
async function* streamText(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of streamBytes(stream)) yield decoder.decode(bytes, { stream: true })
}
