import type { SourceStatus } from '../../catalog/sources-document.ts'
import type { PageProps } from '../dashboard.ts'
import { Status } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { numberText } from '../parts/value.ts'
import { stateOf, states, stateWords, wayOf } from './source.ts'

type Props = PageProps & { sources: SourceStatus[]; onOpen: (dataset: string) => void }

const columns = [
  { name: 'state', words: 'State', of: (it: SourceStatus) => states.indexOf(stateOf(it)) },
  { name: 'dataset', words: 'Dataset', of: (it: SourceStatus) => it.title.toLowerCase() },
  { name: 'publisher', words: 'Publisher', of: (it: SourceStatus) => it.publisher.toLowerCase() },
  { name: 'way', words: 'Asked by', of: (it: SourceStatus) => wayNow(it) },
  { name: 'vintage', words: 'Vintage', of: (it: SourceStatus) => it.vintage ?? '' },
  { name: 'success', words: 'Last success', of: (it: SourceStatus) => it.last_success ?? '' },
  { name: 'latency', words: 'Latency', of: (it: SourceStatus) => it.latency_ms ?? -1 },
] as const

/** The datasets, a row for each; a head sorts by its column, and again the other way. The order stands in the address. */
export function SourceTable({ dashboard: { address }, sources, onOpen }: Props) {
  const { query } = address.at.value
  const by = columns.find(({ name }) => name === query.get('sort')) ?? null
  const isDown = query.get('down') === '1'
  const sort = (name: string) => address.note({ sort: name, down: by?.name === name && !isDown ? '1' : null })
  if (sources.length === 0)
    return (
      <p class="notice" role="status">
        No dataset is left: take a word away, or choose another state.
      </p>
    )
  return (
    <div class="table-frame sources-table" tabIndex={0} role="region" aria-label="Datasets">
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ name, words }) => (
              <th
                key={name}
                scope="col"
                class={name === 'latency' ? 'number' : undefined}
                aria-sort={by?.name === name ? (isDown ? 'descending' : 'ascending') : undefined}
              >
                <button type="button" onClick={() => sort(name)}>
                  {words}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(sources, by, isDown).map((source) => (
            <Row key={source.dataset} source={source} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ source, onOpen }: Pick<Props, 'onOpen'> & { source: SourceStatus }) {
  const { dataset, title, publisher, vintage, vintage_note, last_success, latency_ms } = source
  const { kind, word } = stateWords[stateOf(source)]
  return (
    <tr>
      <td>
        <Status kind={kind} word={word} />
      </td>
      <th scope="row">
        <button type="button" class="plain-button" onClick={() => onOpen(dataset)}>
          {title}
        </button>
      </th>
      <td>{publisher}</td>
      <td>{wayNow(source)}</td>
      <td>{vintage ?? <span class="soft">{vintage_note ?? '—'}</span>}</td>
      <td>{last_success === null ? '—' : <Time at={last_success} isAgo />}</td>
      <td class="number">{latency_ms === null ? '—' : `${numberText(Math.round(latency_ms))} ms`}</td>
    </tr>
  )
}

/** The way that is asked first. */
function wayNow({ drivers }: SourceStatus): string {
  const first = drivers.find(({ available }) => available)
  return first ? wayOf(first.driver) : '—'
}

function sorted(sources: SourceStatus[], by: (typeof columns)[number] | null, isDown: boolean): SourceStatus[] {
  if (!by) return sources
  const way = isDown ? -1 : 1
  return sources.toSorted((a, b) => {
    const [x, y] = [by.of(a), by.of(b)]
    return x < y ? -way : x > y ? way : 0
  })
}
