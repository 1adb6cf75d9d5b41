import type { SourceStatus } from '../../catalog/meta-documents.ts'
import type { PageProps } from '../dashboard.ts'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { sourceStateOf, sourceStates, sourceStateBadges, driverLabel } from './source-state.ts'

type Props = PageProps & { sources: SourceStatus[]; onOpen: (dataset: string) => void }

const columns = [
  { name: 'state', label: 'State', sortKey: (it: SourceStatus) => sourceStates.indexOf(sourceStateOf(it)) },
  { name: 'dataset', label: 'Dataset', sortKey: (it: SourceStatus) => it.title.toLowerCase() },
  { name: 'publisher', label: 'Publisher', sortKey: (it: SourceStatus) => it.publisher.toLowerCase() },
  { name: 'way', label: 'Read from', sortKey: (it: SourceStatus) => activeDriver(it) },
  { name: 'vintage', label: 'Vintage', sortKey: (it: SourceStatus) => it.vintage ?? '' },
  { name: 'success', label: 'Last success', sortKey: (it: SourceStatus) => it.last_success ?? '' },
  { name: 'latency', label: 'Latency', sortKey: (it: SourceStatus) => it.latency_ms ?? -1 },
] as const

/**
 * A table of datasets. Clicking a column heading sorts by it, and clicking again reverses the order, which is kept in
 * the URL.
 */
export function SourceTable({ dashboard: { router }, sources, onOpen }: Props) {
  const { query } = router.location.value
  const order = columns.find(({ name }) => name === query.get('sort')) ?? null
  const isDescending = query.get('down') === '1'
  const sort = (name: string) =>
    router.replaceQuery({ sort: name, down: order?.name === name && !isDescending ? '1' : null })
  if (sources.length === 0)
    return (
      <p class="notice" role="status">
        No datasets match. Change the search or choose another status.
      </p>
    )
  return (
    <div class="table-frame sources-table" tabIndex={0} role="region" aria-label="Datasets">
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ name, label }) => (
              <th
                key={name}
                scope="col"
                class={name === 'latency' ? 'number' : undefined}
                aria-sort={order?.name === name ? (isDescending ? 'descending' : 'ascending') : undefined}
              >
                <button type="button" onClick={() => sort(name)}>
                  {label}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sortSources(sources, order, isDescending).map((source) => (
            <SourceRow key={source.dataset} source={source} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function SourceRow({ source, onOpen }: Pick<Props, 'onOpen'> & { source: SourceStatus }) {
  const { dataset, title, publisher, vintage, vintage_note, last_success, latency_ms } = source
  const { kind, word } = sourceStateBadges[sourceStateOf(source)]
  return (
    <tr>
      <td>
        <StatusBadge kind={kind} word={word} />
      </td>
      <th scope="row">
        <button type="button" class="plain-button" onClick={() => onOpen(dataset)}>
          {title}
        </button>
      </th>
      <td>{publisher}</td>
      <td>{activeDriver(source)}</td>
      <td>{vintage ?? <span class="soft">{vintage_note ?? '—'}</span>}</td>
      <td>{last_success === null ? '—' : <Timestamp at={last_success} isRelative />}</td>
      <td class="number">{latency_ms === null ? '—' : `${numberText(Math.round(latency_ms))} ms`}</td>
    </tr>
  )
}

/** Returns the label of the driver that is used first. */
function activeDriver({ drivers }: SourceStatus): string {
  const first = drivers.find(({ available }) => available)
  return first ? driverLabel(first.driver) : '—'
}

function sortSources(
  sources: SourceStatus[],
  order: (typeof columns)[number] | null,
  isDescending: boolean,
): SourceStatus[] {
  if (!order) return sources
  const sign = isDescending ? -1 : 1
  return sources.toSorted((a, b) => {
    const [x, y] = [order.sortKey(a), order.sortKey(b)]
    return x < y ? -sign : x > y ? sign : 0
  })
}
