import { useEffect, useState } from 'preact/hooks'
import type { RunPage, RunSummary } from '../../runs/report/run-summary.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { useAction, useRequest } from '../use-request.ts'
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
  const next = cursor !== undefined ? cursor : newest.status === 'loaded' ? newest.value.next_cursor : null
  const loadOlder = useAction(
    () => api.get<RunPage>(`/v1/runs?cursor=${next}`),
    ({ items, next_cursor }) => {
      setOlder([...older, ...items])
      setCursor(next_cursor)
    },
  )
  useEffect(() => {
    if (newest.status !== 'loaded' || !newest.value.items.some(isRunActive)) return
    const timer = setTimeout(reload, refresh_ms)
    return () => clearTimeout(timer)
  }, [newest])
  if (newest.status === 'failed') return <ErrorNotice error={newest.error} retry={reload} />
  if (newest.status === 'loading') return <Skeleton lines={4} />
  const olderIds = new Set(older.map(({ run_id }) => run_id))
  const runs = [...newest.value.items.filter(({ run_id }) => !olderIds.has(run_id)), ...older]
  if (runs.length === 0)
    return <p class="soft">No runs yet. Drop a file above, or use the sample data, which takes a few seconds.</p>
  return (
    <>
      <DataTable
        label="Your runs"
        class="runs-list"
        rows={runs}
        keyOf={({ run_id }) => run_id}
        columns={[
          { heading: 'Run', kind: 'name', cell: nameCell },
          { heading: 'Status', cell: (run) => <StatusBadge {...runStatusBadge(run)} /> },
          { heading: 'Rows', kind: 'number', cell: ({ progress }) => rowsText(progress) },
          {
            heading: 'Failed',
            kind: 'number',
            cell: ({ progress: { failed } }) => (failed > 0 ? numberText(failed) : '–'),
          },
          { heading: 'Kind', cell: ({ kind }) => runKindLabels[kind] },
          {
            heading: 'Actions',
            kind: 'actions',
            cell: (run) => <RunActions dashboard={dashboard} run={run} onChange={reload} isSmall />,
          },
        ]}
      />
      {loadOlder.error && <ErrorNotice error={loadOlder.error} retry={loadOlder.start} />}
      {next !== null && (
        <p>
          <Button onClick={() => loadOlder.start()}>Show older runs</Button>
        </p>
      )}
    </>
  )
}

function nameCell({ run_id, name, created_at, retry_of }: RunSummary) {
  return (
    <>
      <a href={`/runs/${run_id}`}>{name ?? <Timestamp at={created_at} />}</a>
      {retry_of !== null && <span class="tag">retry</span>}
      {name !== null && (
        <div class="runs-list__time">
          <Timestamp at={created_at} />
        </div>
      )}
    </>
  )
}

function rowsText({ done, total }: RunSummary['progress']): string {
  return done < total ? `${numberText(done)} of ${numberText(total)}` : numberText(total)
}
