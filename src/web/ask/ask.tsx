import { useEffect, useMemo, useState, useRef } from 'preact/hooks'
import type { Point } from '../../model/place.ts'
import { PageHeader } from '../components/page-header.tsx'
import type { PageProps } from '../dashboard.ts'
import { parseExploreQuery } from '../explore/explore-query.ts'
import { AskAnswerView } from './answer.tsx'
import { AskForm } from './ask-form.tsx'
import { Icon } from '../components/icons.tsx'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError } from '../request.ts'
import { serverEvents } from '../server-events.ts'
import { applyEvent, initialProgress, type AskProgress } from './ask-progress.ts'

/**
 * The ask page: a question about a place, and its answer as it arrives. Place and question are in the URL, so opening a
 * link asks the question.
 */
export function AskPage({ dashboard }: PageProps) {
  const { router, api, catalogStore } = dashboard
  const { query } = router.location.value
  const { at, name } = useMemo(() => parseExploreQuery(query), [query])
  const text = query.get('q') ?? ''
  const [attempt, setAttempt] = useState(0)
  const units = dashboard.units.system.value
  const question = at && text !== '' ? { text, at, units } : null
  const { progress, stop } = useAnswer(api, question, attempt)
  const retry = () => setAttempt(attempt + 1)
  useEffect(() => catalogStore.load(), [])
  const ask = (question: string) => (question === text ? retry() : router.pushQuery({ q: question }))
  const askAt = (question: string, point: Point, place: string) =>
    router.pushQuery({ q: question, at: `${point.lat},${point.lng}`, name: place })
  return (
    <>
      <PageHeader title="Ask">Ask a question about a place. The answer cites its sources.</PageHeader>
      <AskForm
        dashboard={dashboard}
        at={at}
        name={name}
        text={text}
        isRunning={progress !== null && progress.end === null}
        onAsk={ask}
        onStop={stop}
      />
      {question === null && (
        <>
          <AskHint dashboard={dashboard} />
          <AskExamples onAsk={askAt} />
        </>
      )}
      {question !== null && progress && (
        <>
          <h2 class="ask-asked">{text}</h2>
          <AskAnswerView
            key={`${attempt} ${text} ${at!.lat},${at!.lng} ${units}`}
            dashboard={dashboard}
            progress={progress}
            retry={retry}
          />
        </>
      )}
    </>
  )
}

const examples: { text: string; place: string; at: Point }[] = [
  {
    text: 'What county is this in, how far is the coast, and which airport is nearest?',
    place: 'Miami Beach, Florida',
    at: { lat: 25.7907, lng: -80.13 },
  },
  {
    text: 'What time zone is it, and how far is the next town?',
    place: 'Moab, Utah',
    at: { lat: 38.5733, lng: -109.5498 },
  },
  { text: 'Could this house flood?', place: 'Paradise, California', at: { lat: 39.7596, lng: -121.6219 } },
  {
    text: 'How steep is the ground, and how high is it?',
    place: 'Boulder, Colorado',
    at: { lat: 40.015, lng: -105.2705 },
  },
]

/** Example questions, each with its place. */
function AskExamples({ onAsk }: { onAsk: (text: string, at: Point, place: string) => void }) {
  return (
    <section class="ask-examples stack stack--3">
      <h2>Example questions</h2>
      <ul>
        {examples.map(({ text, place, at }) => (
          <li key={text}>
            <button type="button" class="ask-example" onClick={() => onAsk(text, at, place)}>
              <span>{text}</span>
              <span class="soft small">
                <Icon name="pin" /> {place}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Explains what can be asked. */
function AskHint({ dashboard }: PageProps) {
  const catalog = dashboard.catalogStore.catalog.value
  const count = catalog.status === 'loaded' ? `${catalog.value.count} fields` : 'fields'
  return (
    <p class="ask-hint">
      Ask about one place at a time, in your own words. The answer is based on up to 15 of the {count} in the catalog of
      this server. Every number in the answer is one of the values shown beside it.
    </p>
  )
}

type AskQuestion = { text: string; at: Point; units: UnitSystem }

/**
 * Asks a question and returns its progress; null when there is no question. A new `attempt` asks again, and `stop`
 * aborts.
 */
function useAnswer(
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
