import type { EmbeddedLayerStatus } from '../../catalog/meta-documents.ts'
import { Icon } from '../components/icons.tsx'
import { numberText } from '../value-text.ts'

/** The layers that are compiled into the executable. */
export function EmbeddedLayers({ layers }: { layers: EmbeddedLayerStatus[] }) {
  return (
    <section class="stack">
      <h2>Built-in layers</h2>
      <div class="table-frame" tabIndex={0} role="region" aria-label="Built-in layers">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Layer</th>
              <th scope="col">Publisher</th>
              <th scope="col">Vintage</th>
              <th scope="col">License</th>
              <th scope="col" class="number">
                Features
              </th>
            </tr>
          </thead>
          <tbody>
            {layers.map(({ layer, title, publisher, vintage, licence, features, source_url }) => (
              <tr key={layer}>
                <th scope="row">{title}</th>
                <td>
                  <a href={source_url} target="_blank" rel="noopener noreferrer">
                    {publisher} <Icon name="out" />
                    <span class="unseen">(opens in a new tab)</span>
                  </a>
                </td>
                <td>{vintage}</td>
                <td>{licence}</td>
                <td class="number">{numberText(features)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
