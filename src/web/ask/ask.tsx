import { useEffect, useMemo, useState, useRef } from 'preact/hooks'
import { coordinatesIn, parseCoordinates } from '../../geo/text/parse-coordinates.ts'
import type { Point } from '../../model/place.ts'
import { PageHeader } from '../components/headings.tsx'
import type { PageProps } from '../dashboard.ts'
import { parseExploreQuery, showPlace } from '../explore/explore-query.ts'
import { AskAnswerView } from './answer.tsx'
import { pointParameter } from '../map/geometry.ts'
import { Icon } from '../components/icons.tsx'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { ApiClient } from '../api-client.ts'
import { RequestError } from '../request.ts'
import { serverEvents } from '../../async/server-events.ts'
import { applyEvent, initialProgress, type AskProgress } from './ask-progress.ts'
import { Button, UnitSwitch } from '../components/buttons.tsx'
import { PlaceHeader } from '../explore/place-header.tsx'
import { SearchBox } from '../explore/search-box.tsx'

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
  const ask = (question: string, point: Point) =>
    question === text && at ? retry() : router.pushQuery({ q: question, at: pointParameter(point) })
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

const maxQuestion_characters = 2000

type AskFormProps = PageProps & {
  at: Point | null
  name: string | null
  text: string
  isRunning: boolean
  onAsk: (text: string, at: Point) => void
  onStop: () => void
}

/** The form for the place and the question. Enter submits it; Shift+Enter starts a new line. */
function AskForm({ dashboard, at, name, text: submittedText, isRunning, onAsk, onStop }: AskFormProps) {
  const [text, setText] = useQuestionText(submittedText)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => setProblem(null), [at, text])
  const submit = (event: Event) => {
    event.preventDefault()
    const place = at ?? placeIn(text)
    if (typeof place === 'string') return setProblem(place)
    if (text.trim() === '') return setProblem('Enter a question about the place.')
    onAsk(text.trim(), place)
  }
  return (
    <form class="ask-form stack card no-print" onSubmit={submit}>
      {at ? (
        <PlaceHeader
          dashboard={dashboard}
          at={at}
          kind="a"
          isCompared={false}
          name={name}
          onClose={() => dashboard.router.pushQuery({ at: null, name: null })}
        />
      ) : (
        <div>
          <p class="ask-form__label" aria-hidden="true">
            Place
          </p>
          <SearchBox
            dashboard={dashboard}
            label="Place"
            onFound={(point, found) => showPlace(dashboard.router, point, found)}
          />
        </div>
      )}
      <div class="field">
        <label for="ask-question">Question</label>
        <textarea
          id="ask-question"
          class="textarea ask-form__text"
          rows={2}
          maxLength={maxQuestion_characters}
          placeholder="How far is the coast, and can it flood here?"
          aria-describedby="ask-problem"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
          }}
        />
      </div>
      <div class="row">
        {/* Separate buttons, because a click that starts on Stop must not end on Ask. */}
        {isRunning ? (
          <Button key="stop" icon="close" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <button key="ask" type="submit" class="button button--main">
            Ask
          </button>
        )}
        <UnitSwitch dashboard={dashboard} />
        <p id="ask-problem" class="fault" role="alert">
          {problem}
        </p>
      </div>
    </form>
  )
}

/** Returns the coordinate in a question, or what is wrong. */
function placeIn(question: string): Point | string {
  const found = parseCoordinates(coordinatesIn(question)[0] ?? '')
  if (found === null) return 'Choose a place first. Search for it above.'
  return found.kind === 'coordinates'
    ? found
    : `The coordinate has the longitude first. Did you mean ${found.suggestion}?`
}

/** The text of the question. It follows the submitted question, as when the user goes back. */
function useQuestionText(submittedText: string): [string, (text: string) => void] {
  const [text, setText] = useState(submittedText)
  const shownText = useRef(submittedText)
  useEffect(() => {
    // Not at first: what the user types before this effect runs stays.
    if (shownText.current !== submittedText) setText(submittedText)
    shownText.current = submittedText
  }, [submittedText])
  return [text, setText]
}
