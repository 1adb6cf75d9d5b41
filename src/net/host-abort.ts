import { UpstreamError } from '../model/error.ts'
import { abortable } from '../async/abortable.ts'

/** The promise, or why the signal was given up when that comes first, in the words of the host. */
export function abortableForHost<T>(promise: Promise<T>, signal: AbortSignal, host: string): Promise<T> {
  return abortable(promise, signal, (abortedSignal) => hostAbortError(abortedSignal, host))
}

/** Why a signal was given up: `timeout` when its time was up, else its own reason (the client went away) as it is. */
export function hostAbortError({ reason }: AbortSignal, host: string): Error {
  const isTimeUp = reason instanceof DOMException && reason.name === 'TimeoutError'
  return isTimeUp ? new UpstreamError('timeout', `${host} did not answer in the time there was.`) : (reason as Error)
}

/** Resolves after so many milliseconds; the signal ends it sooner. */
export type Wait = (ms: number, signal: AbortSignal, host: string) => Promise<void>

/** Waits by the clock of the machine. */
export const waitByTimer: Wait = async (ms, signal, host) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  try {
    await abortableForHost(promise, signal, host)
  } finally {
    clearTimeout(timer)
  }
}
