import { createGarbageCollector } from '../../async/collect-garbage.ts'
import { AdmissionQueue } from '../../fetch/admission.ts'

/** A submission. Its body is received first, and then handled: parsed and stored. */
type QueuedUpload<Body, T> = {
  account: string
  size_bytes: number
  receive(): Promise<Body>
  handle(body: Body): Promise<T>
  signal: AbortSignal
}

/**
 * Limits the memory of concurrent submissions.
 * @throws {ApiError} `fetch_busy` if the queue is full or the wait is too long.
 */
export type UploadQueue = <Body, T>(upload: QueuedUpload<Body, T>) => Promise<T>

/** Bodies up to this size are received like the bodies of all other endpoints. */
const small_bytes = 1_048_576
/** The number of larger bodies that are in memory at the same time. */
export const largeUploadsMax = 2
/** The maximum for one account, so that its slow senders do not block others. */
export const largeUploadsPerAccount = 1
/**
 * Bodies are handled one at a time, because a parsed body takes many times its size. Small bodies have their own queue.
 */
const maxHandling = 1
const maxQueued = 64
const maxWait_ms = 30_000

/** Creates the upload queue. */
export function createUploadQueue(): UploadQueue {
  const receivingQueue = new AdmissionQueue(
    largeUploadsMax,
    maxQueued,
    undefined,
    largeUploadsMax - largeUploadsPerAccount,
  )
  const smallQueue = new AdmissionQueue(maxHandling, maxQueued)
  // A file of 30 MB leaves 120 MB of garbage, which the engine would keep until several files are handled.
  const largeQueue = new AdmissionQueue(maxHandling, maxQueued, createGarbageCollector(1))
  return async ({ account, size_bytes, receive, handle, signal }) => {
    const budget = () => ({ signal, until_ms: performance.now() + maxWait_ms })
    const receiveAndHandle = async (queue: typeof smallQueue) => {
      const body = await receive()
      return queue.forAccount(account).run(() => handle(body), budget())
    }
    if (size_bytes <= small_bytes) return receiveAndHandle(smallQueue)
    return receivingQueue.forAccount(account).run(() => receiveAndHandle(largeQueue), budget())
  }
}
