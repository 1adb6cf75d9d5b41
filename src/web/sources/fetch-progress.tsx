import { useEffect } from 'preact/hooks'
import type { PackFetchStatus } from '../../catalog/pack-fetch-document.ts'
import { megabytes, pluralize } from '../../model/text.ts'
import { Button } from '../components/buttons.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { StatusBadge, type StatusKind } from '../components/text.tsx'
import { DataTable } from '../components/data-table.tsx'
import type { PageProps } from '../dashboard.ts'
import { useAction } from '../use-request.ts'

/** The answer of GET /v1/packs/fetch. */
export type PackFetchAnswer = { fetch: PackFetchStatus | null }

const poll_ms = 2_000

type Props = PageProps & { status: PackFetchStatus; reload: () => void }

/** The datasets of the last fetch and their states. Asks for news while the fetch is running. */
export function FetchProgress({ dashboard: { api }, status, reload }: Props) {
  const cancel = useAction(() => api.post('/v1/packs/fetch/cancel', {}), reload)
  const isRunning = status.status === 'running'
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(reload, poll_ms)
    return () => clearInterval(timer)
  }, [isRunning])
  return (
    <>
      <p role="status">{statusText(status)}</p>
      {status.datasets.length > 0 && <DatasetTable datasets={status.datasets} />}
      {isRunning && (
        <p>
          <Button onClick={() => cancel.start()}>Cancel</Button>
        </p>
      )}
      {cancel.error && <ErrorNotice error={cancel.error} />}
    </>
  )
}

function statusText(fetch: PackFetchStatus): string {
  const { status, area, presets, between, datasets, answered, fields, message } = fetch
  const what = `${presets.join(', ')} in ${area}`
  if (status === 'cancelled') return `Cancelled: ${what}. Start it again to continue.`
  if (status === 'failed') return `Failed: ${what}. ${message ?? ''} Start it again to continue.`
  const counts =
    answered === null || fields === null ? '' : ` ${answered} of ${pluralize(fields, 'field')} answered there.`
  if (status === 'succeeded') return `Finished: ${what}.${counts}`
  if (datasets.length === 0) return `Planning: ${what}.`
  const done = datasets.filter(({ state }) => state === 'done').length
  if (done === datasets.length) return `Comparing with the services: ${what}.`
  const hours = between === undefined ? '' : ` only in the hours ${between}`
  return `Fetching${hours}: ${what}. ${done} of ${pluralize(datasets.length, 'dataset')} done.`
}

function DatasetTable({ datasets }: Pick<PackFetchStatus, 'datasets'>) {
  return (
    <DataTable
      label="Datasets of the fetch"
      class="sources-fetch"
      rows={datasets}
      keyOf={({ dataset }) => dataset}
      columns={[
        { heading: 'State', cell: ({ state }) => <StatusBadge kind={badgeKinds[state]} word={state} /> },
        {
          heading: 'Dataset',
          kind: 'name',
          cell: ({ title, message }) => [title, message !== null && <p class="sources-problem">{message}</p>],
        },
        {
          heading: 'Done',
          kind: 'number',
          cell: ({ state, done }) => (state === 'done' ? '100 %' : `${Math.floor(done * 100)} %`),
        },
        { heading: 'Requests', kind: 'number', cell: ({ requests }) => requests },
        { heading: 'Size', kind: 'number', cell: ({ bytes }) => megabytes(bytes) },
      ]}
    />
  )
}

const badgeKinds: Record<PackFetchStatus['datasets'][number]['state'], StatusKind> = {
  waiting: 'absent',
  running: 'busy',
  done: 'ok',
  failed: 'failed',
}
