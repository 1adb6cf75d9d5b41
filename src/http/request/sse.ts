import type { PacedReader } from '../runs/paced-stream.ts'

/** A stream of server-sent events to one client. Writes after its end are ignored. */
export type EventStream = {
  send(name: string, id: number, data: string): void
  /** Sends the last event in pieces, as fast as the client reads, then ends the stream. */
  sendFinal(name: string, id: number, data: AsyncGenerator<Uint8Array, void>): void
  end(): void
}

const retry_ms = 2000
/** Shorter than the time after which a stalled reader is disconnected. */
const pingInterval_ms = 15_000
/** A client that leaves more than this unread is disconnected. */
const unreadMax_bytes = 131_072

const encoder = new TextEncoder()

/**
 * Returns a stream of events. `subscribe` starts it and returns a stop function, also called on disconnect.
 * @throws {ApiError} `rate_limited` if the reader has no free slot.
 */
export function eventStreamResponse(
  { signal }: Request,
  { takeSlot }: Pick<PacedReader, 'takeSlot'>,
  subscribe: (events: EventStream) => () => void,
): Response {
  const freeSlot = takeSlot()
  let stop: (() => void) | null = null
  let finalData: AsyncGenerator<Uint8Array, void> | null = null
  let ping: ReturnType<typeof setInterval> | undefined
  let isClosed = false

  const closeOnce = (): boolean => {
    if (isClosed) return false
    isClosed = true
    clearInterval(ping)
    freeSlot()
    stop?.()
    return true
  }
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string) => {
          if (isClosed) return
          // The high-water mark of the queue is 0, so `desiredSize` is minus the number of unread bytes.
          if ((controller.desiredSize ?? 0) < -unreadMax_bytes)
            return void (closeOnce() && controller.error(new Error('The client stopped reading the stream.')))
          controller.enqueue(encoder.encode(text))
        }
        const events: EventStream = {
          send: (name, id, data) => write(`event: ${name}\nid: ${id}\ndata: ${data}\n\n`),
          sendFinal(name, id, data) {
            write(`event: ${name}\nid: ${id}\ndata: `)
            finalData = data
          },
          end() {
            if (closeOnce()) controller.close()
          },
        }
        write(`retry: ${retry_ms}\n\n`)
        ping = setInterval(() => (finalData ? undefined : write(': ping\n\n')), pingInterval_ms)
        stop = subscribe(events)
        if (isClosed) stop()
        signal.addEventListener('abort', () => closeOnce(), { once: true })
      },
      async pull(controller) {
        if (!finalData) return
        const { value, done } = await finalData.next().catch((error: unknown) => {
          closeOnce()
          throw error
        })
        if (isClosed) return
        controller.enqueue(done ? encoder.encode('\n\n') : value)
        if (done && closeOnce()) controller.close()
      },
      async cancel() {
        closeOnce()
        await finalData?.return()
      },
    },
    { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
  )
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  })
}
