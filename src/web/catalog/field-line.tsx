import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { PageProps } from '../dashboard.ts'
import { Link } from '../components/link.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { humanizeName, unitText, fieldLabel } from '../value-text.ts'

/** A field in a list: its name, its description, and whether this server can answer it. */
export function FieldListItem({
  dashboard,
  field,
  showsLayer = false,
}: PageProps & { field: CatalogField; showsLayer?: boolean }) {
  const { name, unit, description, layer, lifecycle, providers } = field
  return (
    <li class="catalog-line">
      <div class="catalog-line__name">
        <Link to={`/catalog/${name}`} dashboard={dashboard}>
          {fieldLabel(name, unit)}
        </Link>
        {unitText(unit) !== '' && <span class="soft small">{unitText(unit)}</span>}
        {lifecycle !== 'stable' && (
          <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{lifecycle}</span>
        )}
        {showsLayer && <span class="tag">{humanizeName(layer)}</span>}
      </div>
      <p class="catalog-line__about">{description}</p>
      {providers.length > 0 ? (
        <StatusBadge kind="ok" word="available" />
      ) : (
        <StatusBadge kind="absent" word="not available" />
      )}
    </li>
  )
}
