import { useState } from 'preact/hooks'
import type { RunSummary } from '../../runs/report/run-summary.ts'
import { type RequestError, runRequest } from '../request.ts'
import type { PageProps } from '../dashboard.ts'
import { ShareButton } from '../components/share-dialog.tsx'
import { Icon } from '../components/icons.tsx'
import { hasResult, isRunActive } from './run-status-text.ts'

type Props = PageProps & { run: RunSummary; onChange: () => void; isSmall?: boolean }

/**
 * The actions for a run: cancel while it is active; download or share the result and retry failed rows when it has
 * ended.
 */
export function RunActions({ dashboard, run, onChange, isSmall = false }: Props) {
  const { api, router } = dashboard
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<RequestError | null>(null)
  const send = async (action: 'cancel' | 'retry') => {
    setBusy(true)
    setError(null)
    const result = await runRequest(() => api.post<{ run_id: string }>(`/v1/runs/${run.run_id}/${action}`, {}))
    setBusy(false)
    if (result.status === 'failed') setError(result.error)
    else if (action === 'retry' && result.status === 'loaded') router.navigate(`/runs/${result.value.run_id}`)
    else onChange()
  }
  const className = isSmall ? 'button button--small' : 'button'
  return (
    <div class="row runs-actions">
      {/* Keys keep a click on one button from ending on another that replaced it. */}
      {isRunActive(run) && (
        <button key="cancel" type="button" class={className} disabled={isBusy} onClick={() => void send('cancel')}>
          Cancel
        </button>
      )}
      {hasResult(run) &&
        !isSmall &&
        downloads.map(([format, label]) => (
          <DownloadLink key={format} href={`${run.links[format]}?include=retries&columns=input_first`} label={label} />
        ))}
      {hasResult(run) && !isSmall && <ShareButton api={api} content={{ run_id: run.run_id }} />}
      {hasResult(run) && run.retryable_locations > 0 && (
        <button
          key="retry"
          type="button"
          class={className}
          disabled={isBusy}
          title="Retries the locations that failed with a retryable error"
          onClick={() => void send('retry')}
        >
          <Icon name="refresh" />
          Retry failed
        </button>
      )}
      {error && (
        <span class="runs-actions__fault" role="alert">
          {error.message}
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

/** The files contain the rows of the original run, merged with what its retries found. */
function DownloadLink({ href, label }: { href: string; label: string }) {
  return (
    <a class="button" href={href} download>
      <Icon name="download" />
      {label}
    </a>
  )
}
