import type { AreaAnswer } from '../../areas/area-answer.ts'
import { pluralize } from '../../model/text.ts'
import { Button } from '../components/buttons.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import type { PageProps } from '../dashboard.ts'
import type { ExploreQuery } from '../explore/explore-query.ts'
import type { ShownField } from '../explore/field-shapes.ts'
import type { RequestState } from '../request.ts'
import { selectedFields } from '../catalog-store.ts'
import { FieldLayers } from '../explore/field-table.tsx'
import { AreaFieldRow } from './area-field-row.tsx'

type Props = PageProps & {
  selection: ExploreQuery
  state: RequestState<AreaAnswer | null>
  reload: () => void
  onShow: (change: Partial<ShownField>) => void
}

/** The fields of an area by layer. */
export function AreaResults({ dashboard, selection, state, reload, onShow }: Props) {
  const { catalogStore, units } = dashboard
  if (state.status === 'failed') return <ErrorNotice error={state.error} retry={reload} />
  const catalog = catalogStore.catalog.value
  if (catalog.status === 'failed') return <ErrorNotice error={catalog.error} retry={() => catalogStore.load()} />
  const answer = state.status === 'loaded' ? state.value : null
  const names = selectedFields(catalog, selection)
  const isRetryable = answer?.partial_failures.some(({ retryable }) => retryable) === true
  return (
    <div class="results" aria-busy={answer === null} onMouseLeave={() => onShow({ pointed: null })}>
      <p class="unseen" role="status">
        {answer ? `${pluralize(names.length, 'field')} loaded.` : 'Fetching…'}
      </p>
      {isRetryable && (
        <p class="notice notice--warn">
          Some sources did not answer.{' '}
          <Button look="small" icon="refresh" onClick={reload}>
            Try again
          </Button>
        </p>
      )}
      <FieldLayers dashboard={dashboard} names={names}>
        {(members) =>
          members.map((name) => (
            <AreaFieldRow
              key={name}
              name={name}
              field={catalogStore.field(name)}
              result={answer?.fields[name]}
              units={units.system.value}
              onShow={onShow}
            />
          ))
        }
      </FieldLayers>
    </div>
  )
}
