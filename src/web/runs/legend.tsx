import { numberText } from '../value-text.ts'
import type { Coloring } from './coloring.ts'

/** The color legend. Selecting an entry shows only its rows, which also helps when colors are hard to tell apart. */
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
    <ul class="runs-legend" aria-label="Color legend">
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
