import { fullGC } from 'bun:jsc'
import { createAdmissionQueue } from '../fetch/admission.ts'

/** A submission that comes in. Its body is received first, and then taken: read, and stored. */
type Incoming<Body, T> = { account: string; size_bytes: number; receive(): Promise<Body>; take(body: Body): Promise<T>; signal: AbortSignal }

/** The way in of submissions: however many come at once, they take no more memory than a few. Throws `fetch_busy` when the queue is full, or when it took too long. */
export type Intake = <Body, T>(incoming: Incoming<Body, T>) => Promise<T>

/** What is no larger is received at once, as the bodies of all other endpoints are. */
const small_bytes = 1_048_576
/** So many of the larger are received at once: their senders may be slow, and need not stand in each other's way. */
const receivedAtOnce = 4
/** One after the other is taken: what a body says takes many times the room of its text. A small one does not wait for a large one. */
const takenAtOnce = 1
const queueMax = 64
const wait_ms = 30_000

export function openIntake(): Intake {
  const receiving = createAdmissionQueue(receivedAtOnce, queueMax)
  const small = createAdmissionQueue(takenAtOnce, queueMax)
  const large = createAdmissionQueue(takenAtOnce, queueMax)
  return async ({ account, size_bytes, receive, take, signal }) => {
    const budget = () => ({ signal, until_ms: performance.now() + wait_ms })
    const received = async (gate: typeof small) => {
      const body = await receive()
      return gate.forAccount(account).run(() => take(body), budget())
    }
    if (size_bytes <= small_bytes) return received(small)
    // What it came in as is garbage when it is stored, and old by then: a collection of the young alone would leave it.
    return receiving.forAccount(account).run(() => received(large).finally(() => setImmediate(fullGC)), budget())
  }
}
