import { useEffect, useRef, useState } from 'preact/hooks'
import type { Point } from '../../model/place.ts'
import { Button, UnitSwitch } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { showPlace } from '../explore/explore-query.ts'
import { PlaceHeader } from '../explore/place-header.tsx'
import { SearchBox } from '../explore/search-box.tsx'

const maxQuestion_characters = 2000

type Props = PageProps & {
  at: Point | null
  name: string | null
  text: string
  isRunning: boolean
  onAsk: (text: string) => void
  onStop: () => void
}

/** The form for the place and the question. Enter submits it; Shift+Enter starts a new line. */
export function AskForm({ dashboard, at, name, text: submittedText, isRunning, onAsk, onStop }: Props) {
  const [text, setText] = useQuestionText(submittedText)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => setProblem(null), [at, text])
  const submit = (event: Event) => {
    event.preventDefault()
    if (at === null) return setProblem('Choose a place first. Search for it above.')
    if (text.trim() === '') return setProblem('Enter a question about the place.')
    onAsk(text.trim())
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
        <p id="ask-problem" class="ask-form__problem" role="alert">
          {problem}
        </p>
      </div>
    </form>
  )
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
