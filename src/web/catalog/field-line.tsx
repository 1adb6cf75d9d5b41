import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { PageProps } from '../dashboard.ts'
import { Link } from '../parts/link.tsx'
import { Status } from '../parts/status.tsx'
import { titleOf, unitText, wordsOf } from '../parts/value.ts'

/** A field in a list: what it is called, what it says, and whether it is answered here. */
export function FieldLine({
  dashboard,
  field,
  isLayerShown = false,
}: PageProps & { field: CatalogField; isLayerShown?: boolean }) {
  const { name, unit, description, layer, lifecycle, providers } = field
  return (
    <li class="catalog-line">
      <div class="catalog-line__name">
        <Link to={`/catalog/${name}`} dashboard={dashboard}>
          {wordsOf(name, unit)}
        </Link>
        {unitText(unit) !== '' && <span class="soft small">{unitText(unit)}</span>}
        {lifecycle !== 'stable' && (
          <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{lifecycle}</span>
        )}
        {isLayerShown && <span class="tag">{titleOf(layer)}</span>}
      </div>
      <p class="catalog-line__about">{description}</p>
      {providers.length > 0 ? <Status kind="ok" word="here" /> : <Status kind="absent" word="not here" />}
    </li>
  )
}
