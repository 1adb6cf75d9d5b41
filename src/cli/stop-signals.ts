type StopSignal = 'SIGTERM' | 'SIGINT'

/** The signals that stop the service. */
export type StopSignals = {
  /** Resolves with the first signal. */
  requested: Promise<StopSignal>
  /** Aborted by the second signal: the service waits for nothing more. The third one kills the process. */
  forced: AbortSignal
}

/** Listens for the signals, which otherwise kill the process. */
export function listenForStop(): StopSignals {
  const { promise: requested, resolve } = Promise.withResolvers<StopSignal>()
  const forced = new AbortController()
  let isRequested = false
  const names: StopSignal[] = ['SIGTERM', 'SIGINT']
  const handlers = names.map((name) => {
    const onSignal = () => {
      if (isRequested) {
        handlers.forEach(([other, handler]) => process.off(other, handler))
        return forced.abort(new Error('A second signal to stop arrived.'))
      }
      isRequested = true
      resolve(name)
    }
    return [name, onSignal] as const
  })
  for (const [name, handler] of handlers) process.on(name, handler)
  return { requested, forced: forced.signal }
}

/** Resolves after this time, or when the signal aborts. The timer does not keep the process alive. */
export function waitUpTo(duration_ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, duration_ms).unref()
  if (signal.aborted) resolve()
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
