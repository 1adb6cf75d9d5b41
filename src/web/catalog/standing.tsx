import type { SourceStatus } from '../../catalog/sources-document.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import { Icon } from '../parts/icons.tsx'
import { Status } from '../parts/status.tsx'
import { wayInFull } from '../sources/source.ts'

/** Whether this server can answer a field now, and by which ways in which order; if not, what it would take. */
export function Standing({ field, source }: { field: CatalogField; source: SourceStatus | undefined }) {
  const isHere = field.providers.length > 0
  return (
    <section class={isHere ? 'notice' : 'notice notice--warn'} aria-label="On this server">
      <p>
        {isHere ? (
          <Status kind="ok" word="This server can answer it now." />
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
          {waysOf(field, source).map(({ driver, isAtHand, vintage }) => (
            <li key={driver}>
              <Status
                kind={isAtHand ? 'ok' : 'absent'}
                word={`${wayInFull(driver)}${isAtHand ? '' : ', not at hand'}${isAtHand && vintage !== null ? `, ${vintage}` : ''}`}
              />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

/** The ways of its dataset in their order, and after them those of the datasets that stand in for it. */
function waysOf({ providers }: CatalogField, { drivers }: SourceStatus) {
  const own = drivers.map(({ driver, available, vintage }) => ({ driver, isAtHand: available, vintage }))
  const more = providers.filter((driver) => !drivers.some((it) => it.driver === driver && it.available))
  return [
    ...own.filter(({ driver }) => !more.includes(driver)),
    ...more.map((driver) => ({ driver, isAtHand: true, vintage: null })),
  ]
}
