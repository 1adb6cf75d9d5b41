/** The promise, or the reason of the signal when that comes first, as `told` puts it. What comes after that is let go. */
export function untilGivenUp<T>(promise: Promise<T>, signal: AbortSignal, told: (signal: AbortSignal) => Error = reasonOf): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(told(signal))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason as Error
}
