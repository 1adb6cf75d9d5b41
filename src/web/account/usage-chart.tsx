import { numberText } from '../value-text.ts'

type Props = { days: string[]; countOf: (day: string) => number; label: string }

const height = 120
const step = 10
const gap = 2
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/**
 * A bar chart with one bar per day. Tooltips give the counts, and a visually hidden table gives them to screen readers.
 */
export function UsageChart({ days, countOf, label }: Props) {
  const max = Math.max(1, ...days.map(countOf))
  const total = days.reduce((sum, day) => sum + countOf(day), 0)
  const first = days[0]
  const last = days.at(-1)
  return (
    <figure class="card account-chart stack stack--3">
      <figcaption>
        <strong>{numberText(total)}</strong> {label.toLowerCase()}
        <span class="soft small">, at most {numberText(Math.max(0, ...days.map(countOf)))} per day</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${days.length * step} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        focusable="false"
      >
        {days.map((day, i) => {
          const barHeight = (countOf(day) / max) * height
          return (
            <g key={day}>
              <title>{`${formatDay(day)}: ${numberText(countOf(day))}`}</title>
              <rect class="account-chart__day" x={i * step} y={0} width={step} height={height} />
              <rect
                class="account-chart__bar"
                x={i * step + gap / 2}
                y={height - barHeight}
                width={step - gap}
                height={barHeight}
              />
            </g>
          )
        })}
      </svg>
      {first !== undefined && last !== undefined && (
        <p class="account-chart__ends soft small" aria-hidden="true">
          <span>{formatDay(first)}</span>
          <span>{formatDay(last)}</span>
        </p>
      )}
      <table class="unseen">
        <caption>{label} by day</caption>
        <tbody>
          {days
            .filter((day) => countOf(day) > 0)
            .map((day) => (
              <tr key={day}>
                <th scope="row">{formatDay(day)}</th>
                <td>{numberText(countOf(day))}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  )
}

function formatDay(day: string): string {
  return dayFormat.format(new Date(day))
}
