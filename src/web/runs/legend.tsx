import { numberText } from '../value-text.ts'
import type { Coloring } from './coloring.ts'

/** What the colours mean. A press shows the rows of one alone, for who cannot tell the colours apart too. */
export function ColorLegend({
  coloring,
  selected,
  onSelect,
}: {
  coloring: Coloring
  selected: number | null
  onSelect: (selected: number | null) => void
}) {
  return (
    <ul class="runs-legend" aria-label="What the colours mean">
      {coloring.classes.map(
        ({ label, color, count }, i) =>
          count > 0 && (
            <li key={label}>
              <button
                type="button"
                class="chip"
                aria-pressed={selected === i}
                onClick={() => onSelect(selected === i ? null : i)}
              >
                <span class="runs-swatch" style={{ background: `var(${color})` }} />
                <span class="runs-legend__words">{label}</span>
                <span class="soft">{numberText(count)}</span>
              </button>
            </li>
          ),
      )}
    </ul>
  )
}
