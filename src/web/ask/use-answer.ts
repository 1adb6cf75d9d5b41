import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiFault } from '../api-fault.ts'
import type { Api } from '../api.ts'
import type { Point } from '../map/point.ts'
import { serverEvents } from '../server-events.ts'
import { afterEvent, begun, type Answering } from './answering.ts'

export type Question = { text: string; at: Point }

/** The answer to a question as it comes, again with each `turn`; null while nothing is asked. `stop` gives it up. */
export function useAnswer(
  api: Api,
  question: Question | null,
  turn: number,
): { answering: Answering | null; stop: () => void } {
  const [answering, setAnswering] = useState<Answering | null>(null)
  const given = useRef<AbortController | null>(null)
  const key = JSON.stringify([question, turn])
  useEffect(() => {
    if (!question) return setAnswering(null)
    const own = new AbortController()
    given.current = own
    const tell = (change: (before: Answering) => Answering) => {
      if (given.current === own) setAnswering((before) => before && change(before))
    }
    setAnswering(begun)
    const ask = async () => {
      try {
        for await (const event of serverEvents(await opened(api, question, own.signal)))
          tell((before) => afterEvent(before, event))
        tell((before) => (before.end ? before : { ...before, end: { state: 'failed', fault: brokenOff } }))
      } catch (error) {
        if (own.signal.aborted) return tell((before) => ({ ...before, end: before.end ?? { state: 'stopped' } }))
        tell((before) => ({
          ...before,
          end: { state: 'failed', fault: error instanceof ApiFault ? error : brokenOff },
        }))
        if (!(error instanceof ApiFault || error instanceof TypeError)) throw error
      }
    }
    void ask()
    return () => {
      given.current = null
      own.abort()
    }
  }, [key])
  return { answering, stop: () => given.current?.abort() }
}

const brokenOff = new ApiFault(0, 'unreachable', 'The connection broke off before the answer was whole.')

async function opened(api: Api, { text, at }: Question, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const body = JSON.stringify({ question: text, lat: at.lat, lng: at.lng, include_trace: true })
  const response = await api.send('/v1/ask/stream', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal,
  })
  return response.body!
}
