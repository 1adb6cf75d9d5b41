import { useEffect, useRef, useState } from 'preact/hooks'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { Point } from '../../model/place.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError } from '../request.ts'
import { serverEvents } from '../server-events.ts'
import { applyEvent, initialProgress, type AskProgress } from './ask-progress.ts'

export type AskQuestion = { text: string; at: Point; units: UnitSystem }

/**
 * Asks a question and returns its progress; null when there is no question. A new `attempt` asks again, and `stop`
 * aborts.
 */
export function useAnswer(
  api: ApiClient,
  question: AskQuestion | null,
  attempt: number,
): { progress: AskProgress | null; stop: () => void } {
  const [progress, setProgress] = useState<AskProgress | null>(null)
  const activeController = useRef<AbortController | null>(null)
  const key = JSON.stringify([question, attempt])
  useEffect(() => {
    if (!question) return setProgress(null)
    const controller = new AbortController()
    activeController.current = controller
    const update = (change: (before: AskProgress) => AskProgress) => {
      if (activeController.current === controller) setProgress((before) => before && change(before))
    }
    setProgress(initialProgress)
    const ask = async () => {
      try {
        for await (const event of serverEvents(await openAnswerStream(api, question, controller.signal)))
          update((before) => applyEvent(before, event))
        update((before) => (before.end ? before : { ...before, end: { status: 'failed', error: connectionLost } }))
      } catch (error) {
        if (controller.signal.aborted)
          return update((before) => ({ ...before, end: before.end ?? { status: 'stopped' } }))
        update((before) => ({
          ...before,
          end: { status: 'failed', error: error instanceof RequestError ? error : connectionLost },
        }))
        if (!(error instanceof RequestError || error instanceof TypeError)) throw error
      }
    }
    void ask()
    return () => {
      activeController.current = null
      controller.abort()
    }
  }, [key])
  return { progress, stop: () => activeController.current?.abort() }
}

const connectionLost = new RequestError(0, 'unreachable', 'The connection was lost before the answer was complete.')

async function openAnswerStream(
  api: ApiClient,
  { text, at, units }: AskQuestion,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const body = JSON.stringify({ question: text, lat: at.lat, lng: at.lng, units, include_trace: true })
  const response = await api.send('/v1/ask/stream', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal,
  })
  return response.body!
}
