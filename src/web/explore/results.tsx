import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FetchAnswer, FieldResult } from '../../fetch/fetch-answer.ts'
import type { Asked } from '../asked.ts'
import type { PageProps } from '../dashboard.ts'
import { Fault } from '../parts/fault.tsx'
import { titleOf } from '../parts/value.ts'
import { failureOf } from './explain.ts'
import type { Near } from './near.ts'
import { FieldRow } from './field-row.tsx'
import type { Wanted } from './wanted.ts'

type Props = PageProps & {
  wanted: Wanted
  answers: Asked<FetchAnswer>[]
  again: () => void
  onNear: (near: Near | null) => void
}

/** The fields by layer, a row for each: the names stand before the values are there, so that nothing jumps. */
export function Results({ dashboard, wanted, answers, again, onNear }: Props) {
  const failed = answers.find((answer) => answer.state === 'failed')
  if (failed?.state === 'failed') return <Fault fault={failed.fault} again={again} />
  const catalog = dashboard.library.catalog.value
  if (catalog.state === 'failed') return <Fault fault={catalog.fault} again={() => dashboard.library.open()} />
  const names =
    catalog.state === 'here'
      ? [...new Set([...(catalog.value.presets[wanted.preset ?? ''] ?? []), ...wanted.fields])]
      : []
  const lacking = names.filter((name) => answers.some((answer) => isLacking(resultIn(answer, name)))).length
  const layers = Map.groupBy(names, (name) => dashboard.library.field(name)?.layer ?? 'not in the catalog')
  return (
    <div
      class={answers.length > 1 ? 'results results--two' : 'results'}
      aria-busy={answers.some(({ state }) => state === 'waiting')}
      onMouseLeave={() => onNear(null)}
    >
      <p class="unseen" role="status">
        {saidOf(answers, names)}
      </p>
      {lacking > 0 && (
        <p class="notice notice--warn small">
          {lacking === names.length ? 'None of these fields is' : `${lacking} of ${names.length} fields are not`} on
          this server. Open one to see which pack or setting would answer it.
        </p>
      )}
      {[...layers].map(([layer, members]) => (
        <section key={layer} class="layer">
          <h3>
            {titleOf(layer)}
            <span class="layer__count">{countOf(answers, members)}</span>
          </h3>
          {members.map((name) => (
            <FieldRow
              key={name}
              name={name}
              field={dashboard.library.field(name)}
              results={answers.map((answer) => resultIn(answer, name))}
              onNear={onNear}
            />
          ))}
        </section>
      ))}
    </div>
  )
}

function resultIn(answer: Asked<FetchAnswer>, name: CatalogField['name']) {
  return answer.state === 'here' ? answer.value.fields[name] : undefined
}

/** Whether a field could not be asked for want of something that the owner of the server can add. */
function isLacking(result: FieldResult | undefined): boolean {
  return result?.status === 'failed' && ['offline_no_data', 'key_missing'].includes(failureOf(result).code)
}

/** How many of a layer have a value, once that is known. */
function countOf(answers: Asked<FetchAnswer>[], names: string[]): string {
  const [first] = answers
  if (first?.state !== 'here' || answers.length > 1) return ''
  const count = names.filter((name) => first.value.fields[name]?.status === 'ok').length
  return count === names.length ? '' : `${count} of ${names.length} have a value`
}

function saidOf(answers: Asked<FetchAnswer>[], names: string[]): string {
  if (answers.some(({ state }) => state === 'waiting')) return 'Asking …'
  return `${names.length} fields are answered.`
}
