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

/** Loaded on demand, because the changelog grows with every version. */
const ChangesTab = lazyPage(() => import('./changes.tsx').then((it) => it.ChangeLog))

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
  return `${count} fields in ${new Set(fields.map(({ layer }) => layer)).size} layers. ${availableCount === count ? 'All of them' : availableCount} can be answered here. Version ${version}.`
}
