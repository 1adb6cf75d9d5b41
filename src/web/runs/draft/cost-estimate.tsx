import type { SourcesDocument } from '../../../catalog/meta-documents.ts'
import { useRequest } from '../../use-request.ts'
import type { PageProps } from '../../dashboard.ts'
import { numberText } from '../../value-text.ts'
import type { Draft } from './draft.ts'
import { estimateBilledCalls } from './billed-calls.ts'
import type { RunSelection } from '../run-selection.ts'

/** Shows the estimated cost of a run before it starts. */
export function CostEstimate({
  dashboard: { api, catalogStore },
  draft,
  selection,
}: PageProps & { draft: Draft; selection: RunSelection }) {
  const [sources] = useRequest((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = catalogStore.catalog.value
  if (sources.status === 'failed')
    return <p class="soft small">The cost could not be estimated: {sources.error.message}</p>
  if (sources.status !== 'loaded' || catalog.status !== 'loaded') return <p class="soft small">Estimating the cost…</p>
  const billedCalls = estimateBilledCalls(draft, selection, sources.value, catalog.value.presets)
  const geocoders = sources.value.geocoders.map(({ name }) => name)
  return (
    <div class={billedCalls.length > 0 ? 'notice notice--warn small runs-estimate' : 'notice small runs-estimate'}>
      {billedCalls.length === 0 && <p>This run makes no billed calls.</p>}
      {billedCalls.map(({ calls, provider, purpose }) => (
        <p key={provider}>
          At most{' '}
          <b>
            {numberText(calls)} billed {calls === 1 ? 'call' : 'calls'}
          </b>{' '}
          to {provider}, for {purpose}. Cached answers are not billed again.
        </p>
      ))}
      {draft.addresses > 0 && (
        <p>
          {numberText(draft.addresses)} addresses need geocoding
          {geocoders.length > 0
            ? `, by ${geocoders.join(', then ')}`
            : '. This server has no geocoding provider, so these rows will fail'}
          .
        </p>
      )}
    </div>
  )
}
