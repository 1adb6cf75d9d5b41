import { useEffect } from 'preact/hooks'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import { fieldTitle } from '../catalog-store.ts'
import { EmptyState, ErrorNotice, Loaded, Skeleton } from '../components/notices.tsx'
import { PageHeader } from '../components/page-header.tsx'
import type { PageProps } from '../dashboard.ts'
import { useRequest } from '../use-request.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { FieldExample } from './example.tsx'
import { FieldAvailability } from './field-availability.tsx'
import { FieldFacts } from './field-facts.tsx'

/** The page of one field. */
export function FieldPage({ dashboard }: PageProps) {
  const { router, catalogStore, api } = dashboard
  useEffect(() => catalogStore.load(), [])
  const name = router.location.value.parts.field ?? ''
  const [sources, reload] = useRequest((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = catalogStore.catalog.value
  if (catalog.status === 'failed') return <ErrorNotice error={catalog.error} retry={() => catalogStore.load()} />
  const field = catalogStore.field(name)
  const source = sources.status === 'loaded' ? sources.value.sources.find((it) => it.fields.includes(name)) : undefined
  if (catalog.status === 'loaded' && !field) return <UnknownField name={name} />
  return (
    <>
      <p class="catalog-back small">
        <a href="/catalog">Catalog</a>
        {field && (
          <>
            {' '}
            / <a href={`/catalog?layer=${field.layer}`}>{humanizeName(field.layer)}</a>
          </>
        )}
      </p>
      <PageHeader title={fieldTitle(name, catalogStore)}>{field?.description ?? ''}</PageHeader>
      {!field && <Skeleton lines={10} />}
      {field && (
        <div class="catalog-field">
          <div class="stack">
            <p class="row">
              <code class="catalog-field__name">{name}</code>
              {lifecycleTag(field)}
            </p>
            {field.replaced_by !== undefined && (
              <p class="notice notice--warn">
                <span>
                  This field is deprecated. Use <a href={`/catalog/${field.replaced_by}`}>{field.replaced_by}</a>.
                </span>
              </p>
            )}
            <p>{field.interpretation_hints}</p>
            <Loaded state={sources} retry={reload} lines={2}>
              {() => <FieldAvailability field={field} source={source} />}
            </Loaded>
            <FieldFacts field={field} source={source} />
          </div>
          <FieldExample key={name} dashboard={dashboard} field={field} />
        </div>
      )}
    </>
  )
}

function lifecycleTag({ lifecycle }: CatalogField) {
  if (lifecycle === 'stable') return null
  const words = {
    beta: 'beta: a detail of its source is unconfirmed',
    experimental: 'experimental: may change',
    deprecated: 'deprecated',
  }
  return <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{words[lifecycle]}</span>
}

function UnknownField({ name }: { name: string }) {
  return (
    <>
      <h1 class="unseen">Field not found</h1>
      <EmptyState title={`There is no field named “${name}”`}>
        <p>
          It may have a different name.{' '}
          <a href={`/catalog?q=${encodeURIComponent(name.replaceAll('_', ' ').slice(0, 300))}`}>Search for it</a>.
        </p>
      </EmptyState>
    </>
  )
}
