/** The promise, or the reason of the signal when that comes first. What comes after that is let go. */
export function untilGivenUp<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
