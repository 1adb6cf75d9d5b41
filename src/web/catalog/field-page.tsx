import { useEffect } from 'preact/hooks'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import { fieldTitle } from '../catalog-store.ts'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorNotice } from '../components/error-notice.tsx'
import { Link } from '../components/link.tsx'
import { PageHeader } from '../components/page-header.tsx'
import { Skeleton } from '../components/skeleton.tsx'
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
  if (catalog.status === 'loaded' && !field) return <UnknownField dashboard={dashboard} name={name} />
  return (
    <>
      <p class="catalog-back small">
        <Link to="/catalog" dashboard={dashboard}>
          Catalog
        </Link>
        {field && (
          <>
            {' '}
            /{' '}
            <Link to={`/catalog?layer=${field.layer}`} dashboard={dashboard}>
              {humanizeName(field.layer)}
            </Link>
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
              <div class="notice notice--warn">
                <p>
                  This field is deprecated. Use{' '}
                  <Link to={`/catalog/${field.replaced_by}`} dashboard={dashboard}>
                    {field.replaced_by}
                  </Link>
                  .
                </p>
              </div>
            )}
            <p>{field.interpretation_hints}</p>
            {sources.status === 'failed' && <ErrorNotice error={sources.error} retry={reload} />}
            {sources.status === 'loading' && <Skeleton lines={2} />}
            {sources.status === 'loaded' && (
              <FieldAvailability
                field={field}
                source={sources.value.sources.find(({ fields }) => fields.includes(name))}
              />
            )}
            <FieldFacts
              dashboard={dashboard}
              field={field}
              source={
                sources.status === 'loaded'
                  ? sources.value.sources.find(({ fields }) => fields.includes(name))
                  : undefined
              }
            />
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

function UnknownField({ dashboard, name }: PageProps & { name: string }) {
  return (
    <>
      <h1 class="unseen">Field not found</h1>
      <EmptyState title={`There is no field named “${name}”`}>
        <p>
          It may have a different name.{' '}
          <Link to={`/catalog?q=${encodeURIComponent(name.replaceAll('_', ' ').slice(0, 300))}`} dashboard={dashboard}>
            Search for it
          </Link>
          .
        </p>
      </EmptyState>
    </>
  )
}
