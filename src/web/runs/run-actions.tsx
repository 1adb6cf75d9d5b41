import { useState } from 'preact/hooks'
import type { RunSummary } from '../../runs/run-summary.ts'
import type { ApiFault } from '../api-fault.ts'
import { asked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Icon } from '../parts/icons.tsx'
import { hasRows, isUnderWay } from './status-words.ts'

type Props = PageProps & { run: RunSummary; onChange: () => void; isSmall?: boolean }

/** What can be done with a run: cancel it while it goes on; take its files, and try again what failed, once it is over. */
export function RunActions({ dashboard, run, onChange, isSmall = false }: Props) {
  const { api, address } = dashboard
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const act = async (what: 'cancel' | 'retry') => {
    setBusy(true)
    setFault(null)
    const answer = await asked(() => api.post<{ run_id: string }>(`/v1/runs/${run.run_id}/${what}`, {}))
    setBusy(false)
    if (answer.state === 'failed') setFault(answer.fault)
    else if (what === 'retry' && answer.state === 'here') address.go(`/runs/${answer.value.run_id}`)
    else onChange()
  }
  const look = isSmall ? 'button button--small' : 'button'
  return (
    <div class="row runs-actions">
      {/* Each with a key: a press on one would otherwise end on another that took its place. */}
      {isUnderWay(run) && (
        <button key="cancel" type="button" class={look} disabled={isBusy} onClick={() => void act('cancel')}>
          Cancel
        </button>
      )}
      {hasRows(run) && !isSmall && <Download href={run.links.csv} words="CSV" />}
      {hasRows(run) && !isSmall && <Download href={run.links.geojson} words="GeoJSON" />}
      {hasRows(run) && run.retryable_locations > 0 && (
        <button
          key="retry"
          type="button"
          class={look}
          disabled={isBusy}
          title="A new run of what failed in a way that may pass"
          onClick={() => void act('retry')}
        >
          <Icon name="refresh" />
          Retry failed
        </button>
      )}
      {fault && (
        <span class="runs-actions__fault" role="alert">
          {fault.message}
        </span>
      )}
    </div>
  )
}

function Download({ href, words }: { href: string; words: string }) {
  return (
    <a class="button" href={href} download>
      <Icon name="download" />
      {words}
    </a>
  )
}
