/**
 * Settles like the promise, or rejects when the signal aborts first. `toError` makes the error from the signal; by
 * default it is the reason of the signal. The promise itself continues, and its result is dropped.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  toError: (signal: AbortSignal) => Error = reasonOf,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(toError(signal))
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason as Error
}
