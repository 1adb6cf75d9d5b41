import { textsOf } from './stream-reading.ts'

/** One event of a stream of the service; `data` is JSON. */
export type ServerEvent = { name: string; id: string; data: string }

/** The events of a stream as they come. `large`: an event too large to wait for: it is told without its data, and is the last. */
export async function* serverEvents(
  stream: ReadableStream<Uint8Array>,
  large: string | null = null,
): AsyncGenerator<ServerEvent> {
  let event = begun()
  for await (const line of linesOf(stream)) {
    const colon = line.indexOf(': ')
    const [part, value] = [line.slice(0, colon), line.slice(colon + 2)]
    if (line === '') {
      if (event.data !== '') yield event
      event = begun()
    } else if (part === 'event' || part === 'id') event = { ...event, [part === 'event' ? 'name' : 'id']: value }
    else if (part === 'data') event = { ...event, data: value }
    if (event.name === large) return void (yield event)
  }
}

function begun(): ServerEvent {
  return { name: 'message', id: '', data: '' }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of textsOf(stream)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    yield* lines
  }
}
