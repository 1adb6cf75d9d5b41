import type { Citation } from '../../ask/ask-answer.ts'
import type { Lighting } from './lighting.ts'
import { linesOf } from './answer-lines.ts'

type Props = { text: string; citations: Citation[]; lighting: Lighting }

/** The answer, with the number of a source behind what it stands for. Under the pointer or pressed, a number shows the fields; what a chosen source stands for is lit. */
export function AnswerText({ text, citations, lighting }: Props) {
  const names = new Map(citations.map(({ id, source_name }) => [id, source_name]))
  return (
    <div class="ask-text">
      {linesOf(text).map((pieces, i) => (
        <p key={i}>
          {pieces.map((piece, k) => (
            <span key={k} class={piece.cites.some((id) => id === lighting.lit) ? 'ask-text__lit' : undefined}>
              {piece.text}
              {piece.cites.map((id) => (
                <Mark key={id} id={id} name={names.get(id)} lighting={lighting} />
              ))}
            </span>
          ))}
        </p>
      ))}
    </div>
  )
}

/** Before the answer is whole, its sources are not told yet. */
function Mark({ id, name, lighting }: { id: number; name: string | undefined; lighting: Lighting }) {
  if (name === undefined) return <span class="ask-mark">{id}</span>
  return (
    <button
      type="button"
      class="ask-mark"
      aria-label={`Source ${id}: ${name}`}
      title={name}
      aria-pressed={lighting.pressed === id}
      {...lighting.pointing(id)}
      onClick={() => lighting.press(id, 'fields')}
    >
      {id}
    </button>
  )
}
