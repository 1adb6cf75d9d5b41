import { useState } from 'preact/hooks'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Empty } from '../parts/empty.tsx'
import { Fault } from '../parts/fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { numberText } from '../parts/value.ts'
import { counts, daysBetween, summed, type Count, type UsageDocument, type Row } from './usage-sums.ts'
import { UsageChart } from './usage-chart.tsx'

const spans = [7, 30, 90] as const
const day_ms = 86_400_000

/** What was asked for, day by day: as a picture, by endpoint and by source. */
export function Usage({ dashboard: { api } }: PageProps) {
  const [days, setDays] = useState<number>(30)
  const [count, setCount] = useState<Count>('requests')
  const from = new Date(Date.now() - (days - 1) * day_ms).toISOString().slice(0, 10)
  const [answer, again] = useAsked(
    (signal) => api.get<UsageDocument>(`/v1/users/me/usage?from=${from}`, signal),
    [from],
  )
  const items = answer.state === 'here' ? answer.value.items : []
  const byDay = new Map(summed(items.map((it) => ({ ...it, name: it.day }))).map((it) => [it.name, it[count]]))
  return (
    <section class="stack" aria-label="Usage">
      <div class="account-head">
        <div class="chips" role="group" aria-label="What is counted">
          {Object.entries(counts).map(([name, words]) => (
            <button
              key={name}
              type="button"
              class="chip"
              aria-pressed={count === name}
              onClick={() => setCount(name as Count)}
            >
              {words}
            </button>
          ))}
        </div>
        <div class="chips" role="group" aria-label="How far back">
          {spans.map((span) => (
            <button key={span} type="button" class="chip" aria-pressed={days === span} onClick={() => setDays(span)}>
              {span} days
            </button>
          ))}
        </div>
      </div>
      {answer.state === 'failed' && <Fault fault={answer.fault} again={again} />}
      {answer.state === 'waiting' && <Skeleton lines={6} />}
      {answer.state === 'here' && items.length === 0 && (
        <Empty title="Nothing was asked for in these days">
          <p>
            Every request that is made in your name is counted here, with its fields, and with each call that its
            provider bills.
          </p>
        </Empty>
      )}
      {answer.state === 'here' && items.length > 0 && (
        <>
          <UsageChart
            days={daysBetween(answer.value.from, answer.value.to)}
            countOf={(day) => byDay.get(day) ?? 0}
            words={counts[count]}
          />
          <div class="account-sums">
            <Sums title="By endpoint" rows={summed(items.map((it) => ({ ...it, name: it.endpoint })))} />
            <Sums
              title="By source"
              rows={summed(items.flatMap(({ sources }) => sources.map((it) => ({ ...it, name: it.source }))))}
            />
          </div>
          <p class="soft small">
            Days are those of UTC. A billed call is written down before it is made, the rest every ten seconds.
          </p>
        </>
      )}
    </section>
  )
}

function Sums({ title, rows }: { title: string; rows: Row[] }) {
  return (
    <section class="stack">
      <h2>{title}</h2>
      {rows.length === 0 && <p class="soft">No source was asked.</p>}
      {rows.length > 0 && (
        <div class="table-frame" tabIndex={0} role="region" aria-label={title}>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                {Object.values(counts).map((words) => (
                  <th key={words} scope="col" class="number">
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.name}>
                  <th scope="row">{row.name}</th>
                  {(Object.keys(counts) as Count[]).map((name) => (
                    <td key={name} class="number">
                      {numberText(row[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}
