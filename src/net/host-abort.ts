import { UpstreamError } from '../model/error.ts'
import { abortable } from '../async/deadline.ts'

/** Returns the result of the promise. If the signal aborts first, throws the error of `hostAbortError`. */
export function abortableForHost<T>(promise: Promise<T>, signal: AbortSignal, host: string): Promise<T> {
  return abortable(promise, signal, (abortedSignal) => hostAbortError(abortedSignal, host))
}

/**
 * Returns the error for an aborted signal: `timeout` for a timeout, otherwise the reason itself (such as a disconnected
 * client).
 */
export function hostAbortError({ reason }: AbortSignal, host: string): Error {
  const isTimeUp = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isTimeUp ? new UpstreamError('timeout', `${host} did not respond in time.`) : (reason as Error)
}

/** Resolves after `ms` milliseconds. Rejects if the signal aborts first. */
export type Wait = (ms: number, signal: AbortSignal, host: string) => Promise<void>

/** Waits with a timer. */
export const waitByTimer: Wait = async (ms, signal, host) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await abortableForHost(promise, signal, host)
  } finally {
    clearTimeout(timer)
  }
}
