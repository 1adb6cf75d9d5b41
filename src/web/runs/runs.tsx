import { useEffect, useState } from 'preact/hooks'
import type { LimitsDocument } from '../../catalog/meta-documents.ts'
import { useRequest, useAction } from '../use-request.ts'
import type { PageProps } from '../dashboard.ts'
import { Loaded, ErrorNotice, Skeleton } from '../components/notices.tsx'
import { PageHeader } from '../components/headings.tsx'
import { numberText } from '../value-text.ts'
import { DraftCard } from './draft/draft-card.tsx'
import { DropZone } from './draft/drop-zone.tsx'
import type { RunPage, RunSummary } from '../../runs/report/run-summary.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable } from '../components/data-table.tsx'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { RunActions } from './run-actions.tsx'
import { isRunActive, runKindLabels, runStatusBadge } from './run-progress.ts'

/** The runs page: upload a file to fetch data for many locations, and see your runs. */
export function RunsPage({ dashboard }: PageProps) {
  const [file, setFile] = useState<SelectedFile | null>(null)
  const [limits, reload] = useRequest((signal) => dashboard.api.get<LimitsDocument>('/v1/meta/limits', signal), [])
  useEffect(() => dashboard.catalogStore.load(), [])
  return (
    <>
      <PageHeader title="Runs">
        Fetch data for many locations at once. Runs continue when you close this page. Results are kept for{' '}
        {limits.status === 'loaded' ? limits.value.limits.run_retention!.value : 30} days.
      </PageHeader>
      <Loaded state={limits} retry={reload} lines={5}>
        {({ limits: { rows_per_run_file } }) => (
          <NewRun
            dashboard={dashboard}
            maxRows={rows_per_run_file!.value}
            file={file}
            onFile={(it, ignoredNames = []) => setFile(it && { file: it, ignoredNames, key: (file?.key ?? 0) + 1 })}
          />
        )}
      </Loaded>
      <section class="stack">
        <h2>Your runs</h2>
        <RunList dashboard={dashboard} />
      </section>
    </>
  )
}

/** The chosen file, the names of files dropped with it, and a key that changes with each choice. */
type SelectedFile = { file: File; ignoredNames: string[]; key: number }
type NewRunProps = PageProps & {
  maxRows: number
  file: SelectedFile | null
  onFile: (file: File | null, left?: string[]) => void
}

function NewRun({ dashboard, maxRows, file, onFile }: NewRunProps) {
  if (!file) return <DropZone maxRows={numberText(maxRows)} onFile={onFile} />
  return (
    <DraftCard
      key={file.key}
      dashboard={dashboard}
      file={file.file}
      ignoredNames={file.ignoredNames}
      maxRows={maxRows}
      onClose={() => onFile(null)}
    />
  )
}

const refresh_ms = 2000

/** Lists the runs of the user, newest first. It refreshes while a run is active. */
function RunList({ dashboard }: PageProps) {
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
