import type { Budget } from '../model/source.ts'

/** Those who wait, in the order they came. */
export type WaitQueue = Waiter[]

type Waiter = {
  /** Lets this one in; who calls it has made room. */
  admit(): void
  /** Sends this one away. */
  reject(reason: Error): void
}

/** Stands in the line until it is let in or sent away; who gives up, or has no time left (`late` says so), leaves it. */
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
