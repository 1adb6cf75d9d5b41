import { createGarbageCollector } from '../../async/collect-garbage.ts'
import type { MaybePromise } from '../../async/maybe-promise.ts'
import { createIncrementalTask, runToEnd, type TaskSteps } from '../../async/incremental-task.ts'
import { createYieldToEventLoop } from '../../async/yield-to-event-loop.ts'
import { AdmissionQueue } from '../../fetch/admission.ts'
import { declaredSize_bytes, smallBodyMax_bytes, tinyBodyMax_bytes } from './body.ts'

/** The number of bodies above the small size that are in memory at the same time. */
export const largeBodiesMax = 32
/** The maximum for one account, so that the bodies of others are received too. */
export const largeBodiesPerAccount = 24
const queueMax = 256
const maxWait_ms = 30_000
/** Small bodies are parsed and checked for this time in one turn of the event loop. */
const slice_ms = 5
/** The same for larger bodies. A request waits for a slice in each turn, until the body is read. */
const largeSlice_ms = 1
const slicesBetweenCollections = 25
/** A body of 10,000 locations leaves garbage of 2 to 4 MB. A full collection takes 15 ms when the service is idle. */
const garbageMax_bytes = 6 * 1_048_576

/** Limits the memory and the time of the bodies of all requests except large run submissions. */
export class BodyQueue {
  readonly #queue = new AdmissionQueue(largeBodiesMax, queueMax, undefined, largeBodiesMax - largeBodiesPerAccount)
  readonly #yieldToEventLoop = createYieldToEventLoop(slice_ms)
  // Parsing creates garbage of several times its text. Collecting all of it at once would take 200 ms.
  readonly #yieldAndCollect = createYieldToEventLoop(
    largeSlice_ms,
    createGarbageCollector(slicesBetweenCollections, Infinity),
  )
  // A body that outlives one of these collections is freed only by a full one, so several submissions would add up.
  readonly #collectLargeBodies = createGarbageCollector(1, garbageMax_bytes)

  /**
   * Runs the work, which receives a body. A small body is received at once. A larger one waits for a place and is not
   * read before, so waiting takes no memory.
   * @throws {ApiError} `fetch_busy` if the queue is full or the wait is too long.
   */
  run<T>(request: Request, account: string, work: () => Promise<T>): Promise<T> {
    if (declaredSize_bytes(request) <= smallBodyMax_bytes) return work()
    const budget = { signal: request.signal, until_ms: performance.now() + maxWait_ms }
    return this.#queue.forAccount(account).run(work, budget)
  }

  /** Runs the steps of parsing and checking a body of this size, and yields to the event loop between them. */
  runSteps<T>(steps: () => TaskSteps<T>, size_bytes: number): MaybePromise<T> {
    if (size_bytes <= tinyBodyMax_bytes) return runToEnd(steps())
    if (size_bytes <= smallBodyMax_bytes) return createIncrementalTask(steps, this.#yieldToEventLoop).run()
    return createIncrementalTask(steps, this.#yieldAndCollect).run().finally(this.#collectLargeBodies)
  }
}
