import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { DataTable } from '../components/data-table.tsx'

/** The datasets that this server cannot read, grouped by the missing setting. */
export function UnavailableSources({
  sources,
  onOpen,
}: {
  sources: SourceStatus[]
  onOpen: (dataset: string) => void
}) {
  if (sources.length === 0)
    return (
      <p class="notice" role="status">
        No datasets match. Change the search or choose another status.
      </p>
    )
  return (
    <>
      {[...Map.groupBy(sources, ({ missing }) => missing?.setting ?? '')].map(([setting, members]) => (
        <section key={setting} class="sources-off">
          <h2>
            {settingHeading(setting)} <span class="soft small">{members.length}</span>
          </h2>
          <p class="soft">{settingAdvice(setting)}</p>
          <DataTable
            label={settingHeading(setting)}
            headings={['Dataset', 'Publisher', ...(setting === '' ? [] : ['Host']), 'Pack']}
          >
            {members.map((source) => (
              <UnavailableSourceRow key={source.dataset} source={source} hasHost={setting !== ''} onOpen={onOpen} />
            ))}
          </DataTable>
        </section>
      ))}
    </>
  )
}

function UnavailableSourceRow({
  source: { dataset, title, publisher, missing },
  hasHost,
  onOpen,
}: {
  source: SourceStatus
  hasHost: boolean
  onOpen: (dataset: string) => void
}) {
  return (
    <tr>
      <th scope="row">
        <button type="button" class="plain-button" onClick={() => onOpen(dataset)}>
          {title}
        </button>
      </th>
      <td>{publisher}</td>
      {hasHost && <td>{missing?.hosts.join(', ')}</td>}
      <td>{missing && missing.packs.length > 0 ? missing.packs.map((file) => <code key={file}>{file}</code>) : '—'}</td>
    </tr>
  )
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
