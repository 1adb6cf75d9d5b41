import type { AreaAnswer, AreaFieldResult } from '../../areas/area-answer.ts'
import { pluralize } from '../../model/text.ts'
import { Button } from '../components/buttons.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import type { PageProps } from '../dashboard.ts'
import type { ExploreQuery } from '../explore/explore-query.ts'
import { type ShownField, hasLocalShapes } from '../explore/field-shapes.ts'
import type { RequestState } from '../request.ts'
import { selectedFields } from '../catalog-store.ts'
import { FieldLayers, Provenance, sourceFact } from '../explore/field-table.tsx'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { DrawnFeature } from '../../fetch/fetch-answer.ts'
import { Chart } from '../charts/charts.tsx'
import { Icon } from '../components/icons.tsx'
import { StatusBadge, type LabeledFact } from '../components/text.tsx'
import { colorShapes } from '../map/shape-colors.ts'
import { fieldLabel } from '../value-text.ts'
import { profileSeriesOf } from './area-profile.ts'
import { absentRows, absentTexts, areaDisplayOf, percentText, type AreaDisplay, type ShareRow } from './area-rows.ts'

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

type AreaFieldRowProps = {
  name: string
  field: CatalogField | undefined
  result: AreaFieldResult | undefined
  units: UnitSystem
  onShow: (change: Partial<ShownField>) => void
}

/** One field of an area: its main value, its parts as bars, its profile, and where it comes from. */
function AreaFieldRow({ name, field, result, units, onShow }: AreaFieldRowProps) {
  const label = fieldLabel(name, field?.unit ?? null)
  const point = () => onShow({ pointed: hasLocalShapes(result) ? name : null })
  const display = displayOf(result, { name, units, class_labels: field?.class_labels })
  const profile = result && profileSeriesOf(label, result, units)
  return (
    <article class="area-field" onMouseEnter={point} onFocusCapture={point}>
      <div class="area-field__head">
        <h4>{label}</h4>
        {!result && <span class="fact__waiting" />}
        {result?.status === 'ok' && <span>{display.main}</span>}
        {result && result.status !== 'ok' && <StatusBadge kind={result.status} word={reasonOf(result)} />}
      </div>
      {display.rows.length + display.absent.length > 0 && <ShareBars {...display} />}
      {profile && <Chart series={profile} letter="" />}
      {result && (
        <details onToggle={({ currentTarget }) => onShow({ opened: currentTarget.open ? name : null })}>
          <summary>
            <Icon name="chevron" /> Details<span class="unseen"> of {label}</span>
          </summary>
          <AreaFieldDetails name={name} field={field} result={result} facts={display.facts} />
        </details>
      )}
    </article>
  )
}

function displayOf(result: AreaFieldResult | undefined, options: Parameters<typeof areaDisplayOf>[1]): AreaDisplay {
  if (result?.status === 'ok') return areaDisplayOf(result, options)
  return { main: '', rows: [], absent: result ? absentRows(result, options.units) : [], facts: [] }
}

function reasonOf(result: Exclude<AreaFieldResult, { status: 'ok' }>): string {
  return result.status === 'absent' ? absentTexts[result.absent_reason] : 'failed'
}

const barsMax = 12

/** The parts as bars in the colors of the map, with the numbers beside them. */
function ShareBars({ rows, absent }: Pick<AreaDisplay, 'rows' | 'absent'>) {
  const colors = colorShapes([...rows, ...absent].map(featureOf))
  const rest = rows.slice(barsMax).reduce((sum, { share }) => sum + share, 0)
  const bar = (row: ShareRow) => (
    <li key={row.label}>
      <span class="share-bars__label">{row.label}</span>
      <span class="share-bars__text">
        {percentText(row.share)}
        {row.size !== '' && <span class="soft"> · {row.size}</span>}
      </span>
      <span
        class="share-bars__bar"
        style={{
          '--share': `${100 * row.share}%`,
          '--swatch': `var(${row.value === undefined ? '--line' : colors.colorOf(featureOf(row))})`,
        }}
      />
    </li>
  )
  return (
    <ul class="share-bars">
      {rows.slice(0, barsMax).map(bar)}
      {rows.length > barsMax && (
        <li class="soft">
          {rows.length - barsMax} more: {percentText(Math.min(1, rest))}
        </li>
      )}
      {absent.map(bar)}
    </ul>
  )
}

/** A part as the map draws it. */
function featureOf({ value }: ShareRow): DrawnFeature {
  return {
    type: 'Feature',
    properties: { role: value === undefined ? 'radius' : 'part', dataset: '', ...(value !== undefined && { value }) },
    geometry: { type: 'Polygon', coordinates: [] },
  }
}

type DetailsProps = Pick<AreaFieldRowProps, 'name' | 'field'> & { result: AreaFieldResult; facts: AreaDisplay['facts'] }

function AreaFieldDetails({ name, field, result, facts }: DetailsProps) {
  const { dataset_vintage, covered_share, notes } = result
  return (
    <Provenance
      name={name}
      result={result}
      facts={[
        ...facts.map(({ label, text }): LabeledFact => [label, text]),
        dataset_vintage !== null && ['Vintage', dataset_vintage],
        ['Covered', percentText(covered_share)],
        sourceFact(result),
      ]}
    >
      {field && <p>{field.description}</p>}
      {result.status === 'failed' && (
        <p class="provenance__failed">
          <Icon name="warning" /> {result.error}
        </p>
      )}
      {notes !== null && <p class="soft">{notes}</p>}
    </Provenance>
  )
}
