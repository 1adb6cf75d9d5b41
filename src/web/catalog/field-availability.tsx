import type { SourceStatus } from '../../catalog/meta-documents.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import { Icon } from '../components/icons.tsx'
import { ReasonText, StatusBadge } from '../components/text.tsx'
import { FailingNotice, SourceOptionBadge } from '../sources/source-notices.tsx'

/** Shows whether this server can answer a field and by which source options, in order; if not, what is missing. */
export function FieldAvailability({ field, source }: { field: CatalogField; source: SourceStatus | undefined }) {
  const isAvailable = field.providers.length > 0
  const failing = source?.failing ?? null
  if (source && failing)
    return (
      <section aria-label="On this server">
        <FailingNotice failing={failing} />
        <SourceOptions field={field} source={source} />
      </section>
    )
  return (
    <section class={isAvailable ? 'notice' : 'notice notice--warn'} aria-label="On this server">
      <p>
        {isAvailable ? (
          <StatusBadge kind="ok" word="Can be answered here." />
        ) : (
          <>
            <Icon name="warning" /> Not available on this server.{' '}
            <ReasonText
              text={
                source?.unavailable_reason ??
                'This field is computed from other fields, and some of them are not available. Send the example request to see which.'
              }
            />
          </>
        )}
      </p>
      {source && <SourceOptions field={field} source={source} />}
    </section>
  )
}

function SourceOptions({ field, source }: { field: CatalogField; source: SourceStatus }) {
  return (
    <ol class="catalog-ways" aria-label="Source options, in order of preference">
      {sourceOptionsOf(field, source).map((option) => (
        <li key={option.driver}>
          <SourceOptionBadge source={source} {...option} />
        </li>
      ))}
    </ol>
  )
}

/** Returns the source options of the dataset in order, then those of its fallback datasets. */
function sourceOptionsOf({ providers }: CatalogField, { drivers }: SourceStatus) {
  const ownOptions = drivers.map(({ driver, available, vintage }) => ({ driver, isAvailable: available, vintage }))
  const otherDrivers = providers.filter((driver) => !drivers.some((it) => it.driver === driver && it.available))
  return [
    ...ownOptions.filter(({ driver }) => !otherDrivers.includes(driver)),
    ...otherDrivers.map((driver) => ({ driver, isAvailable: true, vintage: null })),
  ]
}
