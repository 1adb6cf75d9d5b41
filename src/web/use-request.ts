import { useCallback, useEffect, useState } from 'preact/hooks'
import { runRequest, type RequestState } from './request.ts'

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
