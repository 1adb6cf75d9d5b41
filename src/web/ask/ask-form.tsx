import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { PlaceHeader } from '../explore/place-header.tsx'
import { SearchBox } from '../explore/search-box.tsx'
import { showPlace } from '../explore/explore-query.ts'
import type { MapPoint } from '../map/geometry.ts'
import { Icon } from '../components/icons.tsx'

const maxQuestion_characters = 2000

type Props = PageProps & {
  at: MapPoint | null
  name: string | null
  text: string
  isUnderWay: boolean
  onAsk: (text: string) => void
  onStop: () => void
}

/** The form for the place and the question. Enter submits it; Shift+Enter starts a new line. */
export function AskForm({ dashboard, at, name, text: asked, isUnderWay, onAsk, onStop }: Props) {
  const [text, setText] = useState(asked)
  const [lack, setLack] = useState<string | null>(null)
  useEffect(() => setText(asked), [asked])
  useEffect(() => setLack(null), [at, text])
  const submit = (event: Event) => {
    event.preventDefault()
    if (at === null) return setLack('Choose a place first. Search for it above.')
    if (text.trim() === '') return setLack('Enter a question about the place.')
    onAsk(text.trim())
  }
  return (
    <form class="ask-form card no-print" onSubmit={submit}>
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
          aria-describedby="ask-lack"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) submit(event)
          }}
        />
      </div>
      <div class="row">
        {/* Two buttons, not one that changes: a press on Stop would end as a press on Ask. */}
        {isUnderWay ? (
          <button key="stop" type="button" class="button" onClick={onStop}>
            <Icon name="close" />
            Stop
          </button>
        ) : (
          <button key="ask" type="submit" class="button button--main">
            Ask
          </button>
        )}
        <p id="ask-lack" class="ask-form__lack" role="alert">
          {lack}
        </p>
      </div>
    </form>
  )
}
