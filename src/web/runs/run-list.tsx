import { useEffect, useState } from 'preact/hooks'
import type { RunPage, RunSummary } from '../../runs/report/run-summary.ts'
import { DataTable } from '../components/data-table.tsx'
import { type RequestError, runRequest } from '../request.ts'
import { useRequest } from '../use-request.ts'
import type { PageProps } from '../dashboard.ts'
import { ErrorNotice, Skeleton } from '../components/notices.tsx'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { RunActions } from './run-actions.tsx'
import { isRunActive, runKindLabels, runStatusBadge } from './run-status-text.ts'

const refresh_ms = 2000

/** Lists the runs of the user, newest first. It refreshes while a run is active. */
export function RunList({ dashboard }: PageProps) {
  const { api } = dashboard
  const [newest, reload] = useRequest((signal) => api.get<RunPage>('/v1/runs', signal), [])
  const [older, setOlder] = useState<RunSummary[]>([])
  const [cursor, setCursor] = useState<string | null | undefined>(undefined)
  const [error, setError] = useState<RequestError | null>(null)
  useEffect(() => {
    if (newest.status !== 'loaded' || !newest.value.items.some(isRunActive)) return
    const timer = setTimeout(reload, refresh_ms)
    return () => clearTimeout(timer)
  }, [newest])
  if (newest.status === 'failed') return <ErrorNotice error={newest.error} retry={reload} />
  if (newest.status === 'loading') return <Skeleton lines={4} />
  const next = cursor === undefined ? newest.value.next_cursor : cursor
  const loadOlder = async () => {
    const result = await runRequest(() => api.get<RunPage>(`/v1/runs?cursor=${next}`))
    if (result.status === 'failed') setError(result.error)
    if (result.status !== 'loaded') return
    setOlder([...older, ...result.value.items])
    setCursor(result.value.next_cursor)
  }
  const olderIds = new Set(older.map(({ run_id }) => run_id))
  const runs = [...newest.value.items.filter(({ run_id }) => !olderIds.has(run_id)), ...older]
  if (runs.length === 0)
    return <p class="soft">No runs yet. Drop a file above, or use the sample data, which takes a few seconds.</p>
  return (
    <>
      <DataTable
        label="Your runs"
        class="runs-list"
        headings={['Run', 'Status', { number: 'Rows' }, { number: 'Failed' }, 'Kind', { unseen: 'Actions' }]}
      >
        {runs.map((run) => (
          <RunRow key={run.run_id} dashboard={dashboard} run={run} reload={reload} />
        ))}
      </DataTable>
      {error && <ErrorNotice error={error} retry={() => void loadOlder()} />}
      {next !== null && (
        <p>
          <button type="button" class="button" onClick={() => void loadOlder()}>
            Show older runs
          </button>
        </p>
      )}
    </>
  )
}

function RunRow({ dashboard, run, reload }: PageProps & { run: RunSummary; reload: () => void }) {
  const { run_id, name, kind, created_at, progress, retry_of } = run
  const { total, done, failed } = progress
  return (
    <tr>
      <th scope="row">
        <a href={`/runs/${run_id}`}>{name ?? <Timestamp at={created_at} />}</a>
        {retry_of !== null && <span class="tag">retry</span>}
        {name !== null && (
          <div class="runs-list__time">
            <Timestamp at={created_at} />
          </div>
        )}
      </th>
      <td>
        <StatusBadge {...runStatusBadge(run)} />
      </td>
      <td class="number">{done < total ? `${numberText(done)} of ${numberText(total)}` : numberText(total)}</td>
      <td class="number">{failed > 0 ? numberText(failed) : '–'}</td>
      <td>{runKindLabels[kind]}</td>
      <td class="runs-list__actions">
        <RunActions dashboard={dashboard} run={run} onChange={reload} isSmall />
      </td>
    </tr>
  )
}
