import { useEffect } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { lazyPage } from '../lazy.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Icon } from '../components/icons.tsx'
import { Link } from '../components/link.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { FieldsTab } from './fields.tsx'
import { PresetsTab } from './presets.tsx'

/** Its text is as long as the history of the catalog: it is loaded when somebody wants to read it. */
const ChangesTab = lazyPage(() => import('./changes.tsx').then((it) => it.ChangeLog))

const tabs = { fields: 'Fields', presets: 'Presets', changes: 'Changes' } as const

/** All that this server can be asked for: the fields by layer, the presets, and what has changed. */
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
            As JSON
          </a>
        }
      >
        {catalog.status === 'loaded' ? summaryOf(catalog.value) : 'Every field and preset of this server.'}
      </PageHeader>
      <nav class="tabs" aria-label="Parts of the catalog">
        {Object.entries(tabs).map(([tab, label]) => (
          <Link
            key={tab}
            to={tab === 'fields' ? '/catalog' : `/catalog?show=${tab}`}
            dashboard={dashboard}
            isCurrent={tab === currentTab}
          >
            {label}
          </Link>
        ))}
      </nav>
      {catalog.status === 'loading' && <Skeleton lines={12} />}
      {catalog.status === 'failed' && <ErrorNotice error={catalog.error} retry={() => catalogStore.load()} />}
      {catalog.status === 'loaded' &&
        (currentTab === 'presets' ? (
          <PresetsTab dashboard={dashboard} catalog={catalog.value} />
        ) : currentTab === 'changes' ? (
          <ChangesTab dashboard={dashboard} />
        ) : (
          <FieldsTab dashboard={dashboard} catalog={catalog.value} />
        ))}
    </>
  )
}

function summaryOf({
  count,
  fields,
  version,
}: {
  count: number
  fields: { layer: string; providers: string[] }[]
  version: string
}): string {
  const availableCount = fields.filter(({ providers }) => providers.length > 0).length
  return `${count} fields in ${new Set(fields.map(({ layer }) => layer)).size} layers; this server can answer ${availableCount === count ? 'all of them' : `${availableCount} of them`} now. Version ${version}.`
}
