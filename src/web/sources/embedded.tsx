import type { EmbeddedLayerStatus } from '../../catalog/meta-documents.ts'
import { ExternalLink } from '../components/link.tsx'
import { DataTable } from '../components/data-table.tsx'
import { numberText } from '../value-text.ts'

/** The layers that are compiled into the executable. */
export function EmbeddedLayers({ layers }: { layers: EmbeddedLayerStatus[] }) {
  return (
    <section class="stack">
      <h2>Built-in layers</h2>
      <DataTable
        label="Built-in layers"
        headings={['Layer', 'Publisher', 'Vintage', 'License', { number: 'Features' }]}
      >
        {layers.map(({ layer, title, publisher, vintage, licence, features, source_url }) => (
          <tr key={layer}>
            <th scope="row">{title}</th>
            <td>
              <ExternalLink href={source_url}>{publisher}</ExternalLink>
            </td>
            <td>{vintage}</td>
            <td>{licence}</td>
            <td class="number">{numberText(features)}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  )
}
