import type { Citation } from '../../ask/answer/ask-answer.ts'
import type { Highlight } from './highlight.ts'
import { parseAnswerLines } from './answer-lines.ts'

type Props = { text: string; citations: Citation[]; highlight: Highlight }

/**
 * The answer text with its citation numbers. Hovering over a number, or selecting it, highlights the text it supports
 * and the fields of that source.
 */
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

/** A citation number. Its source is unknown, and the number not clickable, until the answer is complete. */
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
