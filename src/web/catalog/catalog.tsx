import { useEffect } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { lazyPage } from '../lazy.tsx'
import { Loaded } from '../components/notices.tsx'
import { Icon } from '../components/icons.tsx'
import { PageHeader } from '../components/headings.tsx'
import { FieldsTab } from './fields.tsx'
import { answeredText } from '../../catalog/answered-text.ts'
import type { CatalogDocument } from '../../catalog/catalog-document.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { fieldLabel } from '../value-text.ts'

/** Loaded on demand, because the changelog grows with every version. */
const ChangesTab = lazyPage(() => import('./changes.tsx'), 'ChangeLog')

const tabs = { fields: 'Fields', presets: 'Presets', changes: 'Changes' } as const

/** The catalog page: fields by layer, presets and changes. */
export function CatalogPage({ dashboard }: PageProps) {
  const { router, catalogStore } = dashboard
  useEffect(() => catalogStore.load(), [])
  const catalog = catalogStore.catalog.value
  const currentTab = router.location.value.query.get('show') ?? 'fields'
  return (
    <>
      <PageHeader
        title="Catalog"
        actions={
          <a class="button" href="/v1/meta/fields">
            <Icon name="download" />
            Download JSON
          </a>
        }
      >
        {catalog.status === 'loaded' ? summaryOf(catalog.value) : 'Every field and preset of this server.'}
      </PageHeader>
      <nav class="tabs" aria-label="Catalog sections">
        {Object.entries(tabs).map(([tab, label]) => (
          <a
            key={tab}
            href={tab === 'fields' ? '/catalog' : `/catalog?show=${tab}`}
            aria-current={tab === currentTab ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
      <Loaded state={catalog} retry={() => catalogStore.load()} lines={12}>
        {(document) =>
          currentTab === 'presets' ? (
            <PresetsTab dashboard={dashboard} catalog={document} />
          ) : currentTab === 'changes' ? (
            <ChangesTab dashboard={dashboard} />
          ) : (
            <FieldsTab dashboard={dashboard} catalog={document} />
          )
        }
      </Loaded>
    </>
  )
}

function summaryOf(catalog: CatalogDocument): string {
  const { count, fields, version } = catalog
  const layers = new Set(fields.map(({ layer }) => layer))
  return `${count} fields in ${layers.size} layers. ${answeredText(catalog, humanizeName)} Version ${version}.`
}

/** Lists the presets with their fields. */
function PresetsTab({ dashboard, catalog }: PageProps & { catalog: CatalogDocument }) {
  return (
    <div class="stack">
      {Object.entries(catalog.presets).map(([name, members]) => {
        const details = catalog.preset_details[name]
        return (
          <section key={name} class="card catalog-preset stack stack--3">
            <div class="catalog-preset__head">
              <h2>
                {humanizeName(name)} <code class="soft small">{name}</code>
              </h2>
              <span class="soft small">
                {details &&
                  `${details.answered_now} of ${members.length} fields have a source here, ${details.answered_offline} without a network, ${details.answered_online_without_keys} with a network and no keys`}
              </span>
            </div>
            {details && <p>{details.reason}</p>}
            <ul class="chips">
              {members.map((member) => (
                <li key={member}>
                  <a class="chip" href={`/catalog/${member}`}>
                    {fieldLabel(member, dashboard.catalogStore.field(member)?.unit ?? null)}
                  </a>
                </li>
              ))}
            </ul>
            <p>
              <a href={`/?at=39.7392,-104.9903&preset=${name}`}>Show in Denver</a>
            </p>
          </section>
        )
      })}
    </div>
  )
}
