import { useCallback, useEffect, useState } from 'preact/hooks'
import type { RunProgress, RunSummary } from '../../runs/report/run-summary.ts'
import type { RunStatus } from '../../store/runs/runs.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError, runRequest, type RequestState } from '../request.ts'
import { serverEvents } from '../../async/server-events.ts'
import { sleep } from '../sleep.ts'
import { addSample, type ProgressSample, readSummary, isRunActive } from './run-progress.ts'

const reconnect_ms = 2000

/** `isReconnecting` is true after the connection was lost. */
export type LiveRun = { run: RunSummary; samples: ProgressSample[]; isReconnecting: boolean }

/** Follows a run: reads its summary, then its events, reconnecting when necessary, and the summary again at its end. */
export function useRun(api: ApiClient, run_id: string): [RequestState<LiveRun>, () => void] {
  const [live, setLive] = useState<RequestState<LiveRun>>({ status: 'loading' })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    setLive({ status: 'loading' })
    const change = (it: (before: LiveRun) => LiveRun) => {
      if (!signal.aborted)
        setLive((before) => (before.status === 'loaded' ? { status: 'loaded', value: it(before.value) } : before))
    }
    const onProgress = (event: RunStatusEvent) =>
      change(({ run, samples }) => ({
        run: { ...run, ...event },
        samples: addSample(samples, { at_ms: performance.now(), done: event.progress.done }),
        isReconnecting: false,
      }))
    const read = async () => {
      const next = await runRequest(() => readSummary(api, run_id, signal))
      if (!signal.aborted)
        setLive((before) =>
          next.status === 'loaded'
            ? {
                status: 'loaded',
                value: {
                  run: next.value,
                  samples: before.status === 'loaded' ? before.value.samples : [],
                  isReconnecting: false,
                },
              }
            : next,
        )
      return next
    }
    const follow = async () => {
      const first = await read()
      if (first.status !== 'loaded' || !isRunActive(first.value)) return
      for (let lastEventId = ''; !signal.aborted; await sleep(reconnect_ms, signal)) {
        const { last, isFinal } = await listen(api, run_id, { lastEventId, signal, onProgress })
        lastEventId = last
        if (isFinal) return void (await read())
        change((before) => ({ ...before, isReconnecting: true }))
      }
    }
    follow().catch((error: unknown) => {
      if (signal.aborted) return
      if (!(error instanceof RequestError)) throw error
      setLive({ status: 'failed', error })
    })
    return () => controller.abort()
  }, [api, run_id, attempt])
  return [live, useCallback(() => setAttempt((it) => it + 1), [])]
}

type RunStatusEvent = { status: RunStatus; progress: RunProgress }
type ListenOptions = { lastEventId: string; signal: AbortSignal; onProgress: (event: RunStatusEvent) => void }

/** Handles events until the final one, or until the connection is lost. */
async function listen(
  api: ApiClient,
  run_id: string,
  { lastEventId, signal, onProgress }: ListenOptions,
): Promise<{ last: string; isFinal: boolean }> {
  let last = lastEventId
  try {
    const response = await api.send(`/v1/runs/${run_id}/events`, {
      signal,
      headers: lastEventId === '' ? {} : { 'last-event-id': lastEventId },
    })
    if (response.status === 204) return { last, isFinal: true }
    // The final event contains the whole document, so only its name is read.
    for await (const { name, id, data } of serverEvents(response.body!, 'final')) {
      if (name === 'final') return { last, isFinal: true }
      last = id
      const { status, progress } = JSON.parse(data) as RunStatusEvent
      onProgress({ status, progress })
    }
  } catch (error) {
    const isConnectionError = error instanceof TypeError || (error instanceof RequestError && error.retryable)
    if (!isConnectionError && !signal.aborted) throw error
  }
  return { last, isFinal: false }
}
