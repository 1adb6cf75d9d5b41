import { useEffect, useState } from 'preact/hooks'
import type { RunPage, RunSummary } from '../../runs/run-summary.ts'
import type { ApiFault } from '../api-fault.ts'
import { asked, useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { numberText } from '../parts/value.ts'
import { RunActions } from './run-actions.tsx'
import { isUnderWay, kindWords, statusOf } from './status-words.ts'

const lookAgain_ms = 2000

/** Your runs, the newest first; looked at again while one of them goes on. */
export function RunList({ dashboard }: PageProps) {
  const { api } = dashboard
  const [newest, again] = useAsked((signal) => api.get<RunPage>('/v1/runs', signal), [])
  const [older, setOlder] = useState<RunSummary[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const [fault, setFault] = useState<ApiFault | null>(null)
  useEffect(() => {
    if (newest.state !== 'here' || !newest.value.items.some(isUnderWay)) return
    const timer = setTimeout(again, lookAgain_ms)
    return () => clearTimeout(timer)
  }, [newest])
  if (newest.state === 'failed') return <Fault fault={newest.fault} again={again} />
  if (newest.state === 'waiting') return <Skeleton lines={4} />
  const next = cursor === undefined ? newest.value.next_cursor : cursor
  const more = async () => {
    const answer = await asked(() => api.get<RunPage>(`/v1/runs?cursor=${next}`))
    if (answer.state === 'failed') setFault(answer.fault)
    if (answer.state !== 'here') return
    setOlder([...older, ...answer.value.items])
    setCursor(answer.value.next_cursor)
  }
  const seen = new Set(older.map(({ run_id }) => run_id))
  const runs = [...newest.value.items.filter(({ run_id }) => !seen.has(run_id)), ...older]
  if (runs.length === 0)
    return (
      <p class="soft">
        No run yet. Drop a file above, or try the sample: it takes a few seconds, and shows what comes out.
      </p>
    )
  return (
    <>
      <div class="table-frame">
        <table class="table runs-list">
          <thead>
            <tr>
              <th scope="col">Run</th>
              <th scope="col">What</th>
              <th scope="col">Status</th>
              <th scope="col" class="number">
                Rows
              </th>
              <th scope="col" class="number">
                Failed
              </th>
              <th scope="col">
                <span class="unseen">What can be done</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <Row key={run.run_id} dashboard={dashboard} run={run} again={again} />
            ))}
          </tbody>
        </table>
      </div>
      {fault && <Fault fault={fault} again={() => void more()} />}
      {next !== null && (
        <p>
          <button type="button" class="button" onClick={() => void more()}>
            Show older ones
          </button>
        </p>
      )}
    </>
  )
}

function Row({ dashboard, run, again }: PageProps & { run: RunSummary; again: () => void }) {
  const { run_id, kind, created_at, progress, retry_of } = run
  const { total, done, failed } = progress
  return (
    <tr>
      <th scope="row">
        <Link to={`/runs/${run_id}`} dashboard={dashboard}>
          <Time at={created_at} />
        </Link>
        {retry_of !== null && <span class="tag">retry</span>}
      </th>
      <td>{kindWords[kind]}</td>
      <td>
        <Status {...statusOf(run)} />
      </td>
      <td class="number">{done < total ? `${numberText(done)} of ${numberText(total)}` : numberText(total)}</td>
      <td class="number">{failed > 0 ? numberText(failed) : '–'}</td>
      <td class="runs-list__actions">
        <RunActions dashboard={dashboard} run={run} onChange={again} isSmall />
      </td>
    </tr>
  )
}
