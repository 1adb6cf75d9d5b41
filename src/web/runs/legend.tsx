import { numberText } from '../parts/value.ts'
import type { Colouring } from './colouring.ts'

/** What the colours mean. A press shows the rows of one alone, for who cannot tell the colours apart too. */
export function Legend({
  colouring,
  chosen,
  onChoose,
}: {
  colouring: Colouring
  chosen: number | null
  onChoose: (chosen: number | null) => void
}) {
  return (
    <ul class="runs-legend" aria-label="What the colours mean">
      {colouring.classes.map(
        ({ label, colour, count }, i) =>
          count > 0 && (
            <li key={label}>
              <button
                type="button"
                class="chip"
                aria-pressed={chosen === i}
                onClick={() => onChoose(chosen === i ? null : i)}
              >
                <span class="runs-swatch" style={{ background: `var(${colour})` }} />
                <span class="runs-legend__words">{label}</span>
                <span class="soft">{numberText(count)}</span>
              </button>
            </li>
          ),
      )}
    </ul>
  )
}
