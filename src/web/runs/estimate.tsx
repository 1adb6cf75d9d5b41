import type { SourcesDocument } from '../../catalog/sources-document.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { numberText } from '../parts/value.ts'
import type { Draft } from './draft.ts'
import { meteredCalls } from './estimate.ts'
import type { Selected } from './selected.ts'

/** What a run may cost, before it is started. */
export function Estimate({
  dashboard: { api, library },
  draft,
  selected,
}: PageProps & { draft: Draft; selected: Selected }) {
  const [sources] = useAsked((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = library.catalog.value
  if (sources.state === 'failed')
    return <p class="soft small">What this may cost could not be told: {sources.fault.message}</p>
  if (sources.state !== 'here' || catalog.state !== 'here')
    return <p class="soft small">Looking what this may cost …</p>
  const metered = meteredCalls(draft, selected, sources.value, catalog.value.presets)
  const geocoders = sources.value.geocoders.map(({ name }) => name)
  return (
    <div class={metered.length > 0 ? 'notice notice--warn small runs-estimate' : 'notice small runs-estimate'}>
      {metered.length === 0 && <p>No call of this run is billed.</p>}
      {metered.map(({ calls, of, for: why }) => (
        <p key={of}>
          At most{' '}
          <b>
            {numberText(calls)} billed {calls === 1 ? 'call' : 'calls'}
          </b>{' '}
          to {of}, for {why}. What is known already is not asked again.
        </p>
      ))}
      {draft.addresses > 0 && (
        <p>
          {numberText(draft.addresses)} addresses have to be found first
          {geocoders.length > 0
            ? `, by ${geocoders.join(', then ')}`
            : '. This server has nobody to ask for addresses: they will fail'}
          .
        </p>
      )}
    </div>
  )
}
