import { useEffect } from 'preact/hooks'
import type { PageProps } from '../dashboard.ts'
import { later } from '../later.tsx'
import { Fault } from '../parts/fault.tsx'
import { Icon } from '../parts/icons.tsx'
import { Link } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Fields } from './fields.tsx'
import { Presets } from './presets.tsx'

/** Its text is as long as the history of the catalog: it is loaded when somebody wants to read it. */
const Changes = later(() => import('./changes.tsx').then((it) => it.Changes))

const parts = { fields: 'Fields', presets: 'Presets', changes: 'Changes' } as const

/** All that this server can be asked for: the fields by layer, the presets, and what has changed. */
export function Catalog({ dashboard }: PageProps) {
  const { address, library } = dashboard
  useEffect(() => library.open(), [])
  const catalog = library.catalog.value
  const shown = address.at.value.query.get('show') ?? 'fields'
  return (
    <>
      <PageHead
        title="Catalog"
        actions={
          <a class="button" href="/v1/meta/fields">
            <Icon name="download" />
            As JSON
          </a>
        }
      >
        {catalog.state === 'here' ? aboutOf(catalog.value) : 'Every field and preset of this server.'}
      </PageHead>
      <nav class="tabs" aria-label="Parts of the catalog">
        {Object.entries(parts).map(([part, words]) => (
          <Link
            key={part}
            to={part === 'fields' ? '/catalog' : `/catalog?show=${part}`}
            dashboard={dashboard}
            isHere={part === shown}
          >
            {words}
          </Link>
        ))}
      </nav>
      {catalog.state === 'waiting' && <Skeleton lines={12} />}
      {catalog.state === 'failed' && <Fault fault={catalog.fault} again={() => library.open()} />}
      {catalog.state === 'here' &&
        (shown === 'presets' ? (
          <Presets dashboard={dashboard} catalog={catalog.value} />
        ) : shown === 'changes' ? (
          <Changes dashboard={dashboard} />
        ) : (
          <Fields dashboard={dashboard} catalog={catalog.value} />
        ))}
    </>
  )
}

function aboutOf({
  count,
  fields,
  version,
}: {
  count: number
  fields: { layer: string; providers: string[] }[]
  version: string
}): string {
  const here = fields.filter(({ providers }) => providers.length > 0).length
  return `${count} fields in ${new Set(fields.map(({ layer }) => layer)).size} layers; this server can answer ${here === count ? 'all of them' : `${here} of them`} now. Version ${version}.`
}
