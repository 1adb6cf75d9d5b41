import type { SourceStatus } from '../../catalog/sources-document.ts'

/** The datasets that nothing here can ask, under what they lack in common, which is said once. */
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
        No dataset is left: take a word away, or choose another state.
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
          <div class="table-frame" tabIndex={0} role="region" aria-label={settingHeading(setting)}>
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">Dataset</th>
                  <th scope="col">Publisher</th>
                  {setting !== '' && <th scope="col">Host</th>}
                  <th scope="col">Pack</th>
                </tr>
              </thead>
              <tbody>
                {members.map((source) => (
                  <UnavailableSourceRow key={source.dataset} source={source} hasHost={setting !== ''} onOpen={onOpen} />
                ))}
              </tbody>
            </table>
          </div>
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
  if (setting === '') return 'Answered from a pack alone'
  return setting === 'FIELDSTONE_OFFLINE' ? 'The network is switched off' : `${setting} is not set`
}

function settingAdvice(setting: string) {
  if (setting === '')
    return (
      <>
        No other server is asked for them. Each answers once its pack lies in the packs folder:{' '}
        <code>fieldstone pack list --all</code> tells how it is made.
      </>
    )
  if (setting === 'FIELDSTONE_OFFLINE')
    return (
      <>
        While <code>FIELDSTONE_OFFLINE=1</code> is set, no other server is asked. Without it each is asked at its host;
        with its pack in the packs folder it answers all the same.
      </>
    )
  if (setting === 'FIELDSTONE_OVERPASS')
    return <>It names an Overpass server that you may ask. With its pack in the packs folder, each answers without.</>
  return (
    <>It is the key of the provider. With a pack in the packs folder, where there can be one, it answers without.</>
  )
}
