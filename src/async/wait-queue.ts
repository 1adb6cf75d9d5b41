import type { Budget } from '../model/source.ts'

/** The waiting callers, in order of arrival. */
export type WaitQueue = Set<Waiter>

type Waiter = {
  /** How many slots it waits for. */
  slots: number
  /** Resolves the wait. The caller of `admit` has already reserved the slot. */
  admit(): void
  /** Rejects the wait. */
  reject(reason: Error): void
}

/** The errors of a wait that ends early. By default an abort rejects with the reason of the signal. */
type WaitErrors = { onTimeout?: () => Error; onAbort?: (signal: AbortSignal) => Error }

/** Waits in the queue until it is admitted or rejected. Rejects when the signal aborts, and at `until_ms`. */
export function waitInQueue(
  queue: WaitQueue,
  { signal, until_ms }: Pick<Budget, 'signal' | 'until_ms'>,
  { onTimeout = () => new Error('The wait timed out.'), onAbort = ({ reason }) => reason as Error }: WaitErrors = {},
  slots = 1,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      queue.delete(waiter)
      signal.removeEventListener('abort', abort)
      clearTimeout(timer)
    }
    const waiter: Waiter = {
      slots,
      admit() {
        leave()
        resolve()
      },
      reject(reason) {
        leave()
        reject(reason)
      },
    }
    const abort = () => waiter.reject(onAbort(signal))
    const timer =
      until_ms === undefined ? undefined : setTimeout(() => waiter.reject(onTimeout()), until_ms - performance.now())
    queue.add(waiter)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** The slots that the first caller waits for; 0 if the queue is empty. */
export function slotsOfFirst(queue: WaitQueue): number {
  const [first] = queue
  return first?.slots ?? 0
}

/** Admits the first caller. Its slots must be reserved. */
export function admitFirst(queue: WaitQueue): void {
  const [first] = queue
  first!.admit()
}
