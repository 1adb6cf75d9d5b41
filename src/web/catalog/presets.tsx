import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import type { PageProps } from '../dashboard.ts'
import { Link } from '../components/link.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { fieldLabel } from '../value-text.ts'

/** Lists the presets with their fields. */
export function PresetsTab({ dashboard, catalog }: PageProps & { catalog: CatalogDocument }) {
  return (
    <div class="stack">
      {Object.entries(catalog.presets).map(([name, members]) => {
        const details = catalog.preset_details[name]
        return (
          <section key={name} class="card catalog-preset">
            <div class="catalog-preset__head">
              <h2>
                {humanizeName(name)} <code class="soft small">{name}</code>
              </h2>
              <span class="soft small">
                {details &&
                  `${details.answered_now} of ${members.length} fields can answer here, ${details.answered_offline} without a network, ${details.answered_online_without_keys} with a network and no keys`}
              </span>
            </div>
            {details && <p>{details.reason}</p>}
            <ul class="chips">
              {members.map((member) => (
                <li key={member}>
                  <Link class="chip" to={`/catalog/${member}`} dashboard={dashboard}>
                    {fieldLabel(member, dashboard.catalogStore.field(member)?.unit ?? null)}
                  </Link>
                </li>
              ))}
            </ul>
            <p>
              <Link to={`/?at=39.7392,-104.9903&preset=${name}`} dashboard={dashboard}>
                Show in Denver
              </Link>
            </p>
          </section>
        )
      })}
    </div>
  )
}
