import { useCallback, useEffect, useState } from 'preact/hooks'
import { runRequest, type RequestError, type RequestState } from './request.ts'

const loading = { status: 'loading' } as const

/**
 * Sends a request when the component mounts and whenever `dependencies` change, and aborts it when it is no longer
 * needed. During a reload the previous result stays.
 */
export function useRequest<T>(
  send: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): [RequestState<T>, () => void] {
  const key = JSON.stringify(dependencies)
  const [entry, setEntry] = useState<{ key: string; state: RequestState<T> }>({ key, state: loading })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const setState = (state: RequestState<T>) => setEntry({ key, state })
    setEntry((before) => (before.state.status === 'failed' ? { key, state: loading } : before))
    const load = async () => {
      try {
        const state = await runRequest(() => send(controller.signal))
        if (!controller.signal.aborted) setState(state)
      } catch (error) {
        if (!controller.signal.aborted) throw error
      }
    }
    void load()
    return () => controller.abort()
  }, [key, attempt])
  const reload = useCallback(() => setAttempt((it) => it + 1), [])
  // A result of other dependencies is not shown.
  return [entry.key === key ? entry.state : loading, reload]
}

/** A request that a user starts: whether it is under way, its error, and its result. */
export type Action<T, Input extends unknown[]> = {
  start: (...input: Input) => void
  isBusy: boolean
  error: RequestError | null
  value: T | null
}

/** Sends a request when the user starts it. `onDone` gets its result. An error of other dependencies is not shown. */
export function useAction<T, Input extends unknown[] = []>(
  send: (...input: Input) => Promise<T>,
  onDone: (value: T) => void = () => {},
  dependencies: readonly unknown[] = [],
): Action<T, Input> {
  const [state, setState] = useState<RequestState<T> | null>(null)
  useEffect(() => setState(null), dependencies)
  const run = async (input: Input) => {
    setState(loading)
    const next = await runRequest(() => send(...input))
    setState(next)
    if (next.status === 'loaded') onDone(next.value)
  }
  return {
    start: (...input) => void run(input),
    isBusy: state?.status === 'loading',
    error: state?.status === 'failed' ? state.error : null,
    value: state?.status === 'loaded' ? state.value : null,
  }
}
