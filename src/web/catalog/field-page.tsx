import { useEffect } from 'preact/hooks'
import type { SourcesDocument } from '../../catalog/sources-document.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import { useAsked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Empty } from '../parts/empty.tsx'
import { Fault } from '../parts/fault.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { titleOf } from '../parts/value.ts'
import { Example } from './example.tsx'
import { FieldFacts } from './field-facts.tsx'
import { fieldTitle } from './field-title.ts'
import { Standing } from './standing.tsx'

/** Everything that is known of one field. */
export function FieldPage({ dashboard }: PageProps) {
  const { address, library, api } = dashboard
  useEffect(() => library.open(), [])
  const name = address.at.value.parts.field ?? ''
  const [sources, again] = useAsked((signal) => api.get<SourcesDocument>('/v1/meta/sources', signal), [])
  const catalog = library.catalog.value
  if (catalog.state === 'failed') return <Fault fault={catalog.fault} again={() => library.open()} />
  const field = library.field(name)
  if (catalog.state === 'here' && !field) return <Unknown dashboard={dashboard} name={name} />
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
              {titleOf(field.layer)}
            </Link>
          </>
        )}
      </p>
      <PageHead title={fieldTitle(dashboard)}>{field?.description ?? ''}</PageHead>
      {!field && <Skeleton lines={10} />}
      {field && (
        <div class="catalog-field">
          <div class="stack">
            <p class="row">
              <code class="catalog-field__name">{name}</code>
              {tagOf(field)}
            </p>
            {field.replaced_by !== undefined && (
              <div class="notice notice--warn">
                <p>
                  It goes away: use{' '}
                  <Link to={`/catalog/${field.replaced_by}`} dashboard={dashboard}>
                    {field.replaced_by}
                  </Link>
                  .
                </p>
              </div>
            )}
            <p>{field.interpretation_hints}</p>
            {sources.state === 'failed' && <Fault fault={sources.fault} again={again} />}
            {sources.state === 'waiting' && <Skeleton lines={2} />}
            {sources.state === 'here' && (
              <Standing field={field} source={sources.value.sources.find(({ fields }) => fields.includes(name))} />
            )}
            <FieldFacts
              dashboard={dashboard}
              field={field}
              source={
                sources.state === 'here' ? sources.value.sources.find(({ fields }) => fields.includes(name)) : undefined
              }
            />
          </div>
          <Example key={name} dashboard={dashboard} field={field} />
        </div>
      )}
    </>
  )
}

function tagOf({ lifecycle }: CatalogField) {
  if (lifecycle === 'stable') return null
  const words = {
    beta: 'beta: a point about its source is open',
    experimental: 'experimental: it may change',
    deprecated: 'deprecated',
  }
  return <span class={lifecycle === 'deprecated' ? 'tag tag--bad' : 'tag tag--warn'}>{words[lifecycle]}</span>
}

function Unknown({ dashboard, name }: PageProps & { name: string }) {
  return (
    <>
      <h1 class="unseen">No such field</h1>
      <Empty title={`There is no field ${name}`}>
        <p>
          It may have another name.{' '}
          <Link to={`/catalog?q=${encodeURIComponent(name.replaceAll('_', ' ').slice(0, 300))}`} dashboard={dashboard}>
            Search for it
          </Link>
          .
        </p>
      </Empty>
    </>
  )
}
