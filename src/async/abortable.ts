/** The promise, or the reason of the signal when that comes first, as `told` puts it. What comes after that is let go. */
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
