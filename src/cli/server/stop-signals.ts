import type { ServerProcess, StopSignal } from '../../server-process.ts'
import { exitCodes } from '../exit-codes.ts'
import { createWorkFolder } from '../../store/work-folder.ts'

/** The signals that stop the service. */
export type StopSignals = {
  /** Resolves with the first signal. */
  requested: Promise<StopSignal>
  /** Aborted by the second signal: the service waits for nothing more. The third one kills the process. */
  forced: AbortSignal
}

/**
 * Listens for the signals, which otherwise kill the process. A process of `serve --processes` listens to its supervisor
 * instead: a terminal or a service manager sends a signal to both.
 */
export function listenForStop(serverProcess: Pick<ServerProcess, 'onStop'> | null = null): StopSignals {
  const { promise: requested, resolve } = Promise.withResolvers<StopSignal>()
  const forced = new AbortController()
  let isRequested = false
  const receive = (name: StopSignal) => {
    if (isRequested) {
      if (!serverProcess) handlers.forEach(([other, handler]) => process.off(other, handler))
      return forced.abort(new Error('A second signal to stop arrived.'))
    }
    isRequested = true
    resolve(name)
  }
  const names: StopSignal[] = ['SIGTERM', 'SIGINT']
  const handlers = names.map((name) => [name, serverProcess ? () => {} : () => receive(name)] as const)
  for (const [name, handler] of handlers) process.on(name, handler)
  serverProcess?.onStop(receive)
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

/** Aborts the signal on SIGINT or SIGTERM; the next one kills the process. `remove` restores the default behavior. */
export function abortOnInterrupt(): { signal: AbortSignal; remove(): void } {
  const interruption = new AbortController()
  const onSignal = () => interruption.abort(new Error('The run was interrupted.'))
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  return { signal: interruption.signal, remove: () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal) }
}

/** On SIGINT or SIGTERM, calls `cleanUp` and exits with 130. `remove` restores the default behavior. */
export function onInterrupt(cleanUp: () => void): { remove(): void } {
  const onSignal = () => {
    cleanUp()
    process.exit(exitCodes.interrupted)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    remove() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

/** Calls `use` with a folder for unfinished files, which is removed at the end, also when the command is interrupted. */
export async function withWorkFolder<T>(parent: string, use: (folder: string) => Promise<T>): Promise<T> {
  const work = createWorkFolder(parent)
  const interruptHandler = onInterrupt(work.remove)
  try {
    return await use(work.path)
  } finally {
    interruptHandler.remove()
    work.remove()
  }
}
