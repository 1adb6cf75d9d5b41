import type { RunSummary } from '../../runs/report/run-summary.ts'
import { useAction } from '../use-request.ts'
import { Button } from '../components/buttons.tsx'
import type { PageProps } from '../dashboard.ts'
import { ShareButton } from '../components/share-dialog.tsx'
import { Icon } from '../components/icons.tsx'
import { hasResult, isRunActive } from './run-progress.ts'

type Props = PageProps & { run: RunSummary; onChange: () => void; isSmall?: boolean }

/**
 * The actions for a run: cancel while it is active; download or share the result and retry failed rows when it has
 * ended.
 */
export function RunActions({ dashboard, run, onChange, isSmall = false }: Props) {
  const { api, router } = dashboard
  const send = useAction(
    (action: 'cancel' | 'retry') => api.post<{ run_id: string }>(`/v1/runs/${run.run_id}/${action}`, {}),
    // A retry is a run of its own.
    ({ run_id }) => (run_id === run.run_id ? onChange() : router.navigate(`/runs/${run_id}`)),
  )
  const look = isSmall ? 'small' : 'button'
  return (
    <div class="row runs-actions">
      {/* Keys keep a click on one button from ending on another that replaced it. */}
      {isRunActive(run) && (
        <Button key="cancel" look={look} disabled={send.isBusy} onClick={() => send.start('cancel')}>
          Cancel
        </Button>
      )}
      {hasResult(run) &&
        !isSmall &&
        downloads.map(([format, label]) => (
          // The files contain the rows of the original run, merged with what its retries found.
          <a key={format} class="button" href={`${run.links[format]}?include=retries&columns=input_first`} download>
            <Icon name="download" />
            {label}
          </a>
        ))}
      {hasResult(run) && !isSmall && <ShareButton api={api} content={{ run_id: run.run_id }} />}
      {hasResult(run) && run.retryable_locations > 0 && (
        <Button
          key="retry"
          look={look}
          icon="refresh"
          disabled={send.isBusy}
          title="Retries the locations that failed with a retryable error"
          onClick={() => send.start('retry')}
        >
          Retry failed
        </Button>
      )}
      {send.error && (
        <span class="fault" role="alert">
          {send.error.message}
        </span>
      )}
    </div>
  )
}

const downloads = [
  ['csv', 'CSV'],
  ['xlsx', 'Excel'],
  ['geojson', 'GeoJSON'],
  ['gpkg', 'GeoPackage'],
  ['parquet', 'GeoParquet'],
  ['ndjson', 'JSON lines'],
] as const
