import { sourceStates, type SourceStatus } from '../../catalog/meta-documents.ts'
import type { PageProps } from '../dashboard.ts'
import { Button } from '../components/buttons.tsx'
import { DataTable, type TableColumn } from '../components/data-table.tsx'
import { StatusBadge, Timestamp } from '../components/text.tsx'
import { numberText } from '../value-text.ts'
import { sourceStateOf, sourceStateBadges, driverLabel } from './source-state.ts'

type Props = { sources: SourceStatus[]; onOpen: (dataset: string) => void }

/**
 * A table of datasets. Clicking a column heading sorts by it, and clicking again reverses the order, which is kept in
 * the URL.
 */
export function SourceTable({ dashboard: { router }, sources, onOpen }: PageProps & Props) {
  const { query } = router.location.value
  const sorted = Object.hasOwn(sortKeys, query.get('sort') ?? '') ? (query.get('sort') as SortName) : null
  const isDescending = query.get('down') === '1'
  return (
    <DataTable
      label="Datasets"
      class="sources-table"
      rows={sorted === null ? sources : sortSources(sources, sortKeys[sorted], isDescending)}
      keyOf={({ dataset }) => dataset}
      sorting={{
        by: sorted,
        isDescending,
        onSort: (sort) => router.replaceQuery({ sort, down: sorted === sort && !isDescending ? '1' : null }),
      }}
      columns={[
        {
          heading: 'State',
          sort: 'state',
          cell: (source) => <StatusBadge {...sourceStateBadges[sourceStateOf(source)]} />,
        },
        { ...titleColumn(onOpen), sort: 'dataset' },
        { ...publisherColumn, sort: 'publisher' },
        { heading: 'Read from', sort: 'way', cell: activeDriver },
        {
          heading: 'Vintage',
          sort: 'vintage',
          cell: ({ vintage, vintage_note }) => vintage ?? <span class="soft">{vintage_note ?? '—'}</span>,
        },
        {
          heading: 'Last success',
          sort: 'success',
          cell: ({ last_success }) => (last_success === null ? '—' : <Timestamp at={last_success} isRelative />),
        },
        {
          heading: 'Latency',
          sort: 'latency',
          kind: 'number',
          cell: ({ latency_ms }) => (latency_ms === null ? '—' : `${numberText(Math.round(latency_ms))} ms`),
        },
      ]}
    />
  )
}

const sortKeys = {
  state: (source: SourceStatus) => sourceStates.indexOf(sourceStateOf(source)),
  dataset: ({ title }: SourceStatus) => title.toLowerCase(),
  publisher: ({ publisher }: SourceStatus) => publisher.toLowerCase(),
  way: (source: SourceStatus) => activeDriver(source),
  vintage: ({ vintage }: SourceStatus) => vintage ?? '',
  success: ({ last_success }: SourceStatus) => last_success ?? '',
  latency: ({ latency_ms }: SourceStatus) => latency_ms ?? -1,
}
type SortName = keyof typeof sortKeys

function sortSources(sources: SourceStatus[], keyOf: (source: SourceStatus) => string | number, isDescending: boolean) {
  const sign = isDescending ? -1 : 1
  return sources.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x < y ? -sign : x > y ? sign : 0
  })
}

const publisherColumn: TableColumn<SourceStatus> = { heading: 'Publisher', cell: ({ publisher }) => publisher }

function titleColumn(onOpen: Props['onOpen']): TableColumn<SourceStatus> {
  return {
    heading: 'Dataset',
    kind: 'name',
    cell: ({ dataset, title }) => (
      <Button look="plain" onClick={() => onOpen(dataset)}>
        {title}
      </Button>
    ),
  }
}

/** Returns the label of the driver that is used first. */
function activeDriver({ drivers }: SourceStatus): string {
  const first = drivers.find(({ available }) => available)
  return first ? driverLabel(first.driver) : '—'
}

/** The datasets that this server cannot read, grouped by the missing setting. */
export function UnavailableSources({ sources, onOpen }: Props) {
  return (
    <>
      {[...Map.groupBy(sources, ({ missing }) => missing?.setting ?? '')].map(([setting, members]) => (
        <section key={setting} class="sources-off stack stack--2">
          <h2>
            {settingHeading(setting)} <span class="soft small">{members.length}</span>
          </h2>
          <p class="soft">{settingAdvice(setting)}</p>
          <DataTable
            label={settingHeading(setting)}
            rows={members}
            keyOf={({ dataset }) => dataset}
            columns={[
              titleColumn(onOpen),
              publisherColumn,
              setting !== '' && { heading: 'Host', cell: ({ missing }) => missing?.hosts.join(', ') },
              { heading: 'Pack', cell: packsCell },
            ]}
          />
        </section>
      ))}
    </>
  )
}

function packsCell({ missing }: SourceStatus) {
  return missing && missing.packs.length > 0 ? missing.packs.map((file) => <code key={file}>{file}</code>) : '—'
}

function settingHeading(setting: string): string {
  if (setting === '') return 'Available only as packs'
  return setting === 'FIELDSTONE_OFFLINE' ? 'Network access is off' : `${setting} is not set`
}

function settingAdvice(setting: string) {
  const coverage = (
    <>
      Choose a county on the <a href="/coverage">Coverage page</a>: it has the one command that gets all that is missing
      there.
    </>
  )
  if (setting === '') return <>These datasets have no online source. {coverage}</>
  if (setting === 'FIELDSTONE_OFFLINE') return <>This server has no network. {coverage}</>
  if (setting === 'FIELDSTONE_OVERPASS')
    return <>Set it to the URL of an Overpass server that you may use, or put a pack in the packs folder.</>
  return <>Set it to your API key for this provider. Datasets with a pack also work without it.</>
}
