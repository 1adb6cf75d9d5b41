import type { Budget } from '../model/source.ts'

/** The waiting callers, in order of arrival. */
export type WaitQueue = Waiter[]

type Waiter = {
  /** Resolves the wait. The caller of `admit` has already reserved the slot. */
  admit(): void
  /** Rejects the wait. */
  reject(reason: Error): void
}

/** Waits in the queue. Rejects when the signal aborts, and with `timeoutError()` at the deadline of the budget. */
export function waitInQueue(queue: WaitQueue, { signal, until_ms }: Budget, timeoutError: () => Error): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      const index = queue.indexOf(waiter)
      if (index >= 0) queue.splice(index, 1)
      signal.removeEventListener('abort', onAbort)
      clearTimeout(timer)
    }
    const waiter: Waiter = {
      admit() {
        leave()
        resolve()
      },
      reject(reason) {
        leave()
        reject(reason)
      },
    }
    const onAbort = () => waiter.reject(signal.reason as Error)
    const timer =
      until_ms === undefined ? undefined : setTimeout(() => waiter.reject(timeoutError()), until_ms - performance.now())
    queue.push(waiter)
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
