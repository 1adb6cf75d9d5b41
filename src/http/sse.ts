/** A stream of server-sent events to one client. What is written after its end is let go. */
export type Events = {
  event(name: string, id: number, data: string): void
  /** The last event, in pieces, as fast as the client takes them; then the stream ends. */
  last(name: string, id: number, data: Iterator<string>): void
  end(): void
}

const retry_ms = 2000
const pingEvery_ms = 15_000
/** A client that takes nothing while this much waits for it has gone, or might as well. */
const waitingMax = 1000

const encoder = new TextEncoder()

/** Answers with a stream of events. `begin` starts the telling and gives what stops it; a client that vanishes stops it too. */
export function eventStream({ signal }: Request, begin: (events: Events) => () => void): Response {
  let stop: (() => void) | null = null
  let rest: Iterator<string> | null = null
  let ping: ReturnType<typeof setInterval> | undefined
  let isOver = false

  const over = (): boolean => {
    if (isOver) return false
    isOver = true
    clearInterval(ping)
    stop?.()
    return true
  }
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        if (isOver) return
        if ((controller.desiredSize ?? 0) < -waitingMax) return void (over() && controller.error(new Error('The client takes nothing.')))
        controller.enqueue(encoder.encode(text))
      }
      const events: Events = {
        event: (name, id, data) => write(`event: ${name}\nid: ${id}\ndata: ${data}\n\n`),
        last(name, id, data) {
          write(`event: ${name}\nid: ${id}\ndata: `)
          rest = data
        },
        end() {
          if (over()) controller.close()
        },
      }
      write(`retry: ${retry_ms}\n\n`)
      ping = setInterval(() => (rest ? undefined : write(': ping\n\n')), pingEvery_ms)
      stop = begin(events)
      if (isOver) stop()
      signal.addEventListener('abort', () => over(), { once: true })
    },
    pull(controller) {
      if (!rest || isOver) return
      const { value, done } = rest.next()
      controller.enqueue(encoder.encode(done ? '\n\n' : value))
      if (done && over()) controller.close()
    },
    cancel() {
      over()
    },
  })
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' } })
}
