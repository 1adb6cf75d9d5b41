import { useState } from 'preact/hooks'
import type { UsageDocument } from '../../auth/account-document.ts'
import { Choice } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { EmptyState, Loaded } from '../components/notices.tsx'
import type { PageProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'
import { numberText } from '../value-text.ts'

const dayRanges = [7, 30, 90] as const
const day_ms = 86_400_000

/** Shows daily usage as a chart, and totals by endpoint and by source. */
export function UsageTab({ dashboard: { api } }: PageProps) {
  const [days, setDays] = useState<number>(30)
  const [measure, setMeasure] = useState<UsageMeasure>('requests')
  const from = new Date(Date.now() - (days - 1) * day_ms).toISOString().slice(0, 10)
  const [state, reload] = useRequest(
    (signal) => api.get<UsageDocument>(`/v1/users/me/usage?from=${from}`, signal),
    [from],
  )
  return (
    <section class="stack" aria-label="Usage">
      <div class="list-head">
        <Choice
          label="Measure"
          options={measureNames.map((name) => [name, usageMeasures[name]])}
          selected={measure}
          onSelect={setMeasure}
        />
        <Choice
          label="Period"
          options={dayRanges.map((range) => [range, `${range} days`])}
          selected={days}
          onSelect={setDays}
        />
      </div>
      <Loaded state={state} retry={reload} lines={6}>
        {(usage) => <UsageByDay usage={usage} measure={measure} />}
      </Loaded>
    </section>
  )
}

function UsageByDay({ usage: { items, from, to }, measure }: { usage: UsageDocument; measure: UsageMeasure }) {
  if (items.length === 0)
    return (
      <EmptyState title="No usage in this period">
        This page counts each request made in your name, its fields, and each call billed by a provider.
      </EmptyState>
    )
  const byDay = new Map(totalByName(items.map((it) => ({ ...it, name: it.day }))).map((it) => [it.name, it[measure]]))
  return (
    <>
      <UsageChart days={daysBetween(from, to)} countOf={(day) => byDay.get(day) ?? 0} label={usageMeasures[measure]} />
      <div class="account-sums">
        <UsageTotals title="By endpoint" rows={totalByName(items.map((it) => ({ ...it, name: it.endpoint })))} />
        <UsageTotals
          title="By source"
          rows={totalByName(items.flatMap(({ sources }) => sources.map((it) => ({ ...it, name: it.source }))))}
        />
      </div>
      <p class="soft small">
        Days are in UTC. A billed call appears here immediately, because it is counted just before it is made.
        Everything else appears within ten seconds.
      </p>
    </>
  )
}

function UsageTotals({ title, rows }: { title: string; rows: UsageTotal[] }) {
  return (
    <section class="stack">
      <h2>{title}</h2>
      {rows.length === 0 && <p class="soft">No sources were used.</p>}
      {rows.length > 0 && (
        <DataTable
          label={title}
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            { heading: 'Name', kind: 'name', cell: ({ name }) => name },
            ...measureNames.map((measure) => ({
              heading: usageMeasures[measure],
              kind: 'number' as const,
              cell: (row: UsageTotal) => numberText(row[measure]),
            })),
          ]}
        />
      )}
    </section>
  )
}

/** The counted measures and their labels. */
const usageMeasures = { requests: 'Requests', fields: 'Fields', metered_calls: 'Billed calls' } as const
type UsageMeasure = keyof typeof usageMeasures
const measureNames = Object.keys(usageMeasures) as UsageMeasure[]
type UsageCounts = Record<UsageMeasure, number>

type UsageTotal = UsageCounts & { name: string }

/** Adds up the rows of the same name. Rows with the most requests come first. */
function totalByName(rows: readonly UsageTotal[]): UsageTotal[] {
  const byName = [...Map.groupBy(rows, ({ name }) => name)]
  const sum = (group: UsageTotal[], measure: UsageMeasure) => group.reduce((all, it) => all + it[measure], 0)
  return byName
    .map(([name, group]) => ({
      name,
      requests: sum(group, 'requests'),
      fields: sum(group, 'fields'),
      metered_calls: sum(group, 'metered_calls'),
    }))
    .toSorted((a, b) => b.requests - a.requests)
}

/** Returns every day from the first to the last, both included, as `2026-11-21`. */
function daysBetween(from: string, to: string): string[] {
  const dayCount = Math.round((Date.parse(to) - Date.parse(from)) / day_ms) + 1
  return Array.from({ length: Math.max(0, dayCount) }, (_, i) =>
    new Date(Date.parse(from) + i * day_ms).toISOString().slice(0, 10),
  )
}

type UsageChartProps = { days: string[]; countOf: (day: string) => number; label: string }

const height = 120
const step = 10
const gap = 2
const dayFormat = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' })

/**
 * A bar chart with one bar per day. Tooltips give the counts, and a visually hidden table gives them to screen readers.
 */
function UsageChart({ days, countOf, label }: UsageChartProps) {
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
