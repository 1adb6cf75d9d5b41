import { useEffect } from 'preact/hooks'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { FetchAnswer } from '../../fetch/fetch-answer.ts'
import { pluralize } from '../../model/text.ts'
import { packFetchCommand, placesFlags } from '../../catalog/missing-data.ts'
import { errorGroupOf, missingGroupsOf, needsOtherMachine } from '../../runs/report/missing-sources.ts'
import { Charts } from '../charts/charts.tsx'
import { seriesOf } from '../charts/series.ts'
import { ErrorNotice } from '../components/notices.tsx'
import { Button } from '../components/buttons.tsx'
import { GetDataCommand, MissingNotice } from '../components/missing-notice.tsx'
import type { PageProps } from '../dashboard.ts'
import type { RequestState } from '../request.ts'
import { useRequest } from '../use-request.ts'
import { selectedFields } from '../catalog-store.ts'
import { namesFirst } from '../../catalog/field-title.ts'
import type { ExploreQuery } from './explore-query.ts'
import { FieldLayers, FieldTable } from './field-table.tsx'
import type { ShownField } from './field-shapes.ts'

type Props = PageProps & {
  exploreQuery: ExploreQuery
  answers: RequestState<FetchAnswer>[]
  reload: () => void
  onShow: (change: Partial<ShownField>) => void
}

/** The fields by layer, one row each. Names are shown before their values arrive, so that the page does not jump. */
export function FieldResults({ dashboard, exploreQuery, answers, reload, onShow }: Props) {
  const failed = answers.find((answer) => answer.status === 'failed')
  if (failed?.status === 'failed') return <ErrorNotice error={failed.error} retry={reload} />
  const catalog = dashboard.catalogStore.catalog.value
  if (catalog.status === 'failed')
    return <ErrorNotice error={catalog.error} retry={() => dashboard.catalogStore.load()} />
  const names = selectedFields(catalog, exploreQuery)
  const incomplete = answers
    .flatMap((answer) => (answer.status === 'loaded' ? answer.value : []))
    .filter((answer) => answer.partial_failures.length > 0)
  return (
    <div
      class={answers.length > 1 ? 'results results--two' : 'results'}
      aria-busy={answers.some(({ status }) => status === 'loading')}
      onMouseLeave={() => onShow({ pointed: null })}
    >
      <p class="unseen" role="status">
        {announcement(answers, names)}
      </p>
      {incomplete.length > 0 && (
        <MissingFields dashboard={dashboard} exploreQuery={exploreQuery} answers={incomplete} reload={reload} />
      )}
      <FieldLayers dashboard={dashboard} names={names} noteOf={(members) => valueCountText(answers, members)}>
        {(members) => (
          <FieldTable
            dashboard={dashboard}
            names={exploreQuery.fields.length > 0 ? members : namesFirst(members)}
            resultsOf={(name) => answers.map((answer) => resultOf(answer, name))}
            onShow={onShow}
          />
        )}
      </FieldLayers>
      <Charts list={chartsOf(answers)} />
    </div>
  )
}

function chartsOf(answers: RequestState<FetchAnswer>[]) {
  return answers.flatMap((answer, i) =>
    answer.status === 'loaded'
      ? [{ letter: answers.length > 1 ? 'AB'.charAt(i) : '', series: seriesOf(answer.value) }]
      : [],
  )
}

function resultOf(answer: RequestState<FetchAnswer>, name: CatalogField['name']) {
  return answer.status === 'loaded' ? answer.value.fields[name] : undefined
}

/** Returns how many fields of a layer have a value; empty while unknown or when all have one. */
function valueCountText(answers: RequestState<FetchAnswer>[], names: string[]): string {
  const [first] = answers
  if (first?.status !== 'loaded' || answers.length > 1) return ''
  const count = names.filter((name) => first.value.fields[name]?.status === 'ok').length
  return count === names.length ? '' : `${count} of ${names.length} have a value`
}

function announcement(answers: RequestState<FetchAnswer>[], names: string[]): string {
  if (answers.some(({ status }) => status === 'loading')) return 'Fetching…'
  return `${pluralize(names.length, 'field')} loaded.`
}

/** The failed fields of the answers, grouped by what gets their values. */
function MissingFields({
  dashboard,
  exploreQuery: { preset },
  answers,
  reload,
}: PageProps & { exploreQuery: ExploreQuery; answers: readonly FetchAnswer[]; reload: () => void }) {
  const { api } = dashboard
  const [sources] = useRequest(
    async (signal) => {
      const countyOf = ({ lat, lng }: FetchAnswer) =>
        api.post<FetchAnswer>('/v1/fetch', { lat, lng, fields: ['county', 'state'] }, signal)
      const [document, counties] = await Promise.all([
        api.get<SourcesDocument>('/v1/meta/sources', signal),
        Promise.all(answers.map(countyOf)),
      ])
      const places = counties.map(({ lat, lng, fields }) =>
        placesFlags({ lat, lng }, { county: fields.county?.value, state: fields.state?.value }),
      )
      return { document, places: [...new Set(places)] }
    },
    [answers.map(({ lat, lng }) => `${lat},${lng}`).join()],
  )
  useEffect(() => dashboard.catalogStore.refreshFailing(), [answers.length])
  if (sources.status !== 'loaded') return null
  const { document, places } = sources.value
  const tryAgain = (
    <Button icon="refresh" onClick={reload}>
      Try again
    </Button>
  )
  const failures = answers.flatMap((answer) => answer.partial_failures)
  return missingGroupsOf({ field_errors: failures.map(errorGroupOf) }, document).map((group) => (
    <MissingNotice
      key={`${group.remedy} ${group.titles.join()}`}
      group={group}
      tryAgain={tryAgain}
      command={places.map((it) => (
        <GetDataCommand
          key={it}
          command={packFetchCommand(preset === null ? { fields: group.fetchable_fields } : { preset }, it)}
          isOffline={needsOtherMachine(group)}
        />
      ))}
    />
  ))
}
