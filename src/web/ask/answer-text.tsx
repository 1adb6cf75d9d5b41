import type { Citation } from '../../ask/ask-answer.ts'
import type { Highlight } from './highlight.ts'
import { parseAnswerLines } from './answer-lines.ts'

type Props = { text: string; citations: Citation[]; highlight: Highlight }

/** The answer, with the number of a source behind what it stands for. Under the pointer or pressed, a number shows the fields; what a chosen source stands for is lit. */
export function AnswerText({ text, citations, highlight }: Props) {
  const names = new Map(citations.map(({ id, source_name }) => [id, source_name]))
  return (
    <div class="ask-text">
      {parseAnswerLines(text).map((segments, i) => (
        <p key={i}>
          {segments.map((segment, k) => (
            <span
              key={k}
              class={segment.citationIds.some((id) => id === highlight.source) ? 'ask-text__lit' : undefined}
            >
              {segment.text}
              {segment.citationIds.map((id) => (
                <CitationMark key={id} id={id} name={names.get(id)} highlight={highlight} />
              ))}
            </span>
          ))}
        </p>
      ))}
    </div>
  )
}

/** Before the answer is whole, its sources are not told yet. */
function CitationMark({ id, name, highlight }: { id: number; name: string | undefined; highlight: Highlight }) {
  if (name === undefined) return <span class="ask-mark">{id}</span>
  return (
    <button
      type="button"
      class="ask-mark"
      aria-label={`Source ${id}: ${name}`}
      title={name}
      aria-pressed={highlight.pressed === id}
      {...highlight.hoverProps(id)}
      onClick={() => highlight.toggle(id, 'fields')}
    >
      {id}
    </button>
  )
}
