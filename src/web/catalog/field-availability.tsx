import type { SourceStatus } from '../../catalog/sources-document.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import { Icon } from '../components/icons.tsx'
import { StatusBadge } from '../components/status-badge.tsx'
import { driverDescription } from '../sources/source-state.ts'

/** Whether this server can answer a field now, and by which ways in which order; if not, what it would take. */
export function FieldAvailability({ field, source }: { field: CatalogField; source: SourceStatus | undefined }) {
  const isAvailable = field.providers.length > 0
  return (
    <section class={isAvailable ? 'notice' : 'notice notice--warn'} aria-label="On this server">
      <p>
        {isAvailable ? (
          <StatusBadge kind="ok" word="This server can answer it now." />
        ) : (
          <>
            <Icon name="warning" /> This server cannot answer it yet.{' '}
            {source?.unavailable_reason ??
              'It is worked out from other fields, and not all of those can be answered here: the example says which is missing.'}
          </>
        )}
      </p>
      {source && (
        <ol class="catalog-ways" aria-label="How it is asked, in this order">
          {sourceOptionsOf(field, source).map(({ driver, isAvailable, vintage }) => (
            <li key={driver}>
              <StatusBadge
                kind={isAvailable ? 'ok' : 'absent'}
                word={`${driverDescription(driver)}${isAvailable ? '' : ', not at hand'}${isAvailable && vintage !== null ? `, ${vintage}` : ''}`}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** The ways of its dataset in their order, and after them those of the datasets that stand in for it. */
function sourceOptionsOf({ providers }: CatalogField, { drivers }: SourceStatus) {
  const ownOptions = drivers.map(({ driver, available, vintage }) => ({ driver, isAvailable: available, vintage }))
  const otherDrivers = providers.filter((driver) => !drivers.some((it) => it.driver === driver && it.available))
  return [
    ...ownOptions.filter(({ driver }) => !otherDrivers.includes(driver)),
    ...otherDrivers.map((driver) => ({ driver, isAvailable: true, vintage: null })),
  ]
}
