import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { PackStatus } from '../../packs/check/pack-status.ts'
import { StatusBadge, type StatusKind } from '../components/status-badge.tsx'
import { DataTable } from '../components/data-table.tsx'
import { numberText } from '../value-text.ts'

/** The files of the packs folder: their states, and the problems of rejected ones. */
export function PackList({ packs, areas }: Pick<SourcesDocument, 'packs' | 'areas'>) {
  return (
    <section class="stack">
      <h2>Packs</h2>
      {packs.length === 0 && (
        <p class="soft">
          None. Packs are preferred to online sources and work without a network. Run{' '}
          <code>fieldstone pack list --all</code> to see which packs you can install.
        </p>
      )}
      {packs.length > 0 && (
        <DataTable label="Packs" headings={['State', 'File', 'Datasets', 'Vintage', 'License', { number: 'Size' }]}>
          {packs.map(({ file, state, reason, notes, datasets, area, vintage, license, bytes }) => (
            <tr key={file}>
              <td>
                <StatusBadge kind={badgeKinds[state]} word={state} />
              </td>
              <th scope="row">
                {file}
                {area !== null && <span class="soft"> {area}</span>}
                {[...(reason === null ? [] : [reason]), ...notes].map((it) => (
                  <p key={it} class="sources-problem">
                    {it}
                  </p>
                ))}
              </th>
              <td>{datasets.join(', ')}</td>
              <td>{vintage ?? '—'}</td>
              <td>{license ?? '—'}</td>
              <td class="number">{numberText(bytes / 1e6)} MB</td>
            </tr>
          ))}
        </DataTable>
      )}
      {areas.map(({ area, presets }) => (
        <p key={area}>
          {presets.length === 0
            ? `Local data answers no preset completely in ${area}.`
            : `Local data answers these presets completely in ${area}: ${presets.join(', ')}.`}
        </p>
      ))}
    </section>
  )
}

const badgeKinds: Record<PackStatus['state'], StatusKind> = { checking: 'busy', live: 'ok', rejected: 'failed' }
