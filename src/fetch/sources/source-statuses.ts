import { confidenceRuleOf } from '../../catalog/confidence.ts'
import { canCopyArea } from '../../catalog/copy-rules.ts'
import type { SourceState, SourceStatus } from '../../catalog/meta-documents.ts'
import type { Field } from '../../catalog/records.ts'
import { formatTimestamp, formatTimestampOrNull } from '../../model/text.ts'
import type { HttpClient } from '../../net/http-client.ts'
import type { CatalogSnapshot } from '../catalog/catalog-state.ts'
import { missingNamesOf, type DatasetHandle, type SourceOption } from './source-registry.ts'
import { missingRequirementsOf, type SourceConfig } from './unavailable.ts'

type StatusDeps = Pick<CatalogSnapshot, 'catalog' | 'registry'> & { config: SourceConfig; net: HttpClient | null }

/** Returns what can serve each dataset, and what it needs before it can be queried. */
export function sourceStatusesOf({ catalog, config, registry, net }: StatusDeps): SourceStatus[] {
  const fieldsOf = Map.groupBy(catalog.fields.values(), (field) => field.read.dataset)
  return [...registry.datasets()].map((handle) =>
    sourceStatusOf(handle, fieldsOf.get(handle.id) ?? [], { config, net }),
  )
}

function sourceStatusOf(
  handle: DatasetHandle,
  fields: Field[],
  { config, net }: Pick<StatusDeps, 'config' | 'net'>,
): SourceStatus {
  const { id, dataset, options } = handle
  return {
    dataset: id,
    source: dataset.service,
    title: dataset.title,
    publisher: dataset.publisher,
    license: dataset.license,
    attribution: dataset.attribution ?? null,
    source_url: dataset.source_url,
    vintage: options[0]?.vintage ?? dataset.vintage ?? null,
    vintage_note: dataset.vintage_note,
    confidence: confidenceRuleOf(dataset),
    shape: dataset.shape,
    fields: fields.map(({ name }) => name),
    drivers: dataset.serve.map((serving) => {
      const option = options.find((it) => it.driver === serving.driver)
      const state = optionStateOf(option, net)
      return {
        driver: serving.driver,
        available: state === 'ready' || state === 'cold',
        state,
        vintage: option?.vintage ?? null,
        metered: 'metered' in serving && serving.metered,
      }
    }),
    unavailable_reason: options.length === 0 ? handle.unavailableError().message : null,
    missing: options.length === 0 ? missingRequirementsOf(id, dataset, config) : null,
    fetchable: canCopyArea(dataset),
    schema_changed: missingNamesOf(handle),
    ...healthOf(options, net),
    failing: sourceFailureOf(options[0], net),
  }
}

/** Returns whether an option answers, as far as this server has tried. */
export function optionStateOf(option: Pick<SourceOption, 'remote'> | undefined, net: HttpClient | null): SourceState {
  if (!option) return 'off'
  if (!option.remote) return 'ready'
  const health = net?.health(option.remote.host)
  if (health?.failure) return 'degraded'
  return health?.last_success ? 'ready' : 'cold'
}

/** Returns why the option that is used first fails; null when it is local, has answered last or was not used. */
export function sourceFailureOf(option: Pick<SourceOption, 'remote'> | undefined, net: HttpClient | null) {
  const failure = option?.remote ? net?.health(option.remote.host)?.failure : null
  if (!failure) return null
  const { error, since, next_try } = failure
  return { error, since: formatTimestamp(since), next_try: formatTimestampOrNull(next_try) }
}

/** Returns the recent health of the first remote host; null members when there is none or it was never queried. */
function healthOf(options: SourceOption[], net: HttpClient | null) {
  const health = options.flatMap(({ remote }) => (remote ? [net?.health(remote.host)] : [])).find((it) => it)
  return {
    last_success: formatTimestampOrNull(health?.last_success ?? null),
    latency_ms: health?.latency_ms ?? null,
    circuit: health?.circuit ?? null,
  }
}
