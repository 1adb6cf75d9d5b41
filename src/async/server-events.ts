import { streamLines } from './stream-lines.ts'

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
    const [, part, value = ''] = /^(event|id|data): ?(.*?)\r?$/.exec(line) ?? []
    if (line === '' || line === '\r') {
      if (event.data !== '') yield event
      event = emptyEvent()
    } else if (part === 'event') event.name = value
    else if (part === 'id') event.id = value
    else if (part === 'data') event.data += event.data === '' ? value : `\n${value}`
    if (event.name === lastEvent) return void (yield event)
  }
}

function emptyEvent(): ServerEvent {
  return { name: 'message', id: '', data: '' }
}
