import { fullGC } from 'bun:jsc'
import { createAdmissionQueue } from '../fetch/admission.ts'

/** A submission that comes in. Its body is received first, and then taken: read, and stored. */
type QueuedUpload<Body, T> = {
  account: string
  size_bytes: number
  receive(): Promise<Body>
  handle(body: Body): Promise<T>
  signal: AbortSignal
}

/** The way in of submissions: however many come at once, they take no more memory than a few. Throws `fetch_busy` when the queue is full, or when it took too long. */
export type UploadQueue = <Body, T>(upload: QueuedUpload<Body, T>) => Promise<T>

/** What is no larger is received at once, as the bodies of all other endpoints are. */
const small_bytes = 1_048_576
/** So many of the larger are received at once: their senders may be slow, and need not stand in each other's way. */
const maxReceiving = 4
/** One after the other is taken: what a body says takes many times the room of its text. A small one does not wait for a large one. */
const maxHandling = 1
const maxQueued = 64
const maxWait_ms = 30_000

export function createUploadQueue(): UploadQueue {
  const receivingQueue = createAdmissionQueue(maxReceiving, maxQueued)
  const smallQueue = createAdmissionQueue(maxHandling, maxQueued)
  const largeQueue = createAdmissionQueue(maxHandling, maxQueued)
  return async ({ account, size_bytes, receive, handle, signal }) => {
    const budget = () => ({ signal, until_ms: performance.now() + maxWait_ms })
    const receiveAndHandle = async (queue: typeof smallQueue) => {
      const body = await receive()
      return queue.forAccount(account).run(() => handle(body), budget())
    }
    if (size_bytes <= small_bytes) return receiveAndHandle(smallQueue)
    // What it came in as is garbage when it is stored, and old by then: a collection of the young alone would leave it.
    return receivingQueue
      .forAccount(account)
      .run(() => receiveAndHandle(largeQueue).finally(() => setImmediate(fullGC)), budget())
  }
}
