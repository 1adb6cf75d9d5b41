import type { ComponentChildren } from 'preact'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { CopyButton } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { ExternalLink, Facts, StatusBadge, type LabeledFact } from '../components/text.tsx'
import type { PageProps } from '../dashboard.ts'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import { displayValueOf, fieldLabel, marginTextOf, type DisplayValue } from '../value-text.ts'
import { parseFailure, explainMargin, explainSource, shortReason, absenceText } from './explain.ts'
import { hasLocalShapes, type ShownField } from './field-shapes.ts'

type LayersProps = PageProps & {
  names: readonly string[]
  /** What stands beside the title of a layer. */
  noteOf?: (members: string[]) => string
  children: (members: string[]) => ComponentChildren
}

/** Fields by layer. */
export function FieldLayers({ dashboard: { catalogStore }, names, noteOf, children }: LayersProps) {
  const layers = Map.groupBy(names, (name) => catalogStore.field(name)?.layer ?? 'not in the catalog')
  return (
    <>
      {[...layers].map(([layer, members]) => (
        <section key={layer} class="layer">
          <h3>
            {humanizeName(layer)}
            {noteOf && <span class="layer__count">{noteOf(members)}</span>}
          </h3>
          {children(members)}
        </section>
      ))}
    </>
  )
}

type TableProps = PageProps & {
  names: readonly string[]
  /** One result for each place. A result that is missing is still being fetched. */
  resultsOf: (name: string) => (FieldResult | undefined)[]
  onShow?: (change: Partial<ShownField>) => void
}

/** Fields with their values, one row each. */
export function FieldTable({ dashboard: { catalogStore, units }, names, resultsOf, onShow }: TableProps) {
  return (
    <>
      {names.map((name) => (
        <FieldRow
          key={name}
          name={name}
          field={catalogStore.field(name)}
          results={resultsOf(name)}
          units={units.system.value}
          {...(onShow && { onShow })}
        />
      ))}
    </>
  )
}

type RowProps = {
  name: string
  field: CatalogField | undefined
  results: (FieldResult | undefined)[]
  units: UnitSystem
  onShow?: (change: Partial<ShownField>) => void
}

/** One field with its value, or two values side by side. Opening the row shows its meaning and its source. */
function FieldRow({ name, field, results, units, onShow }: RowProps) {
  const differ =
    results.length > 1 && results.every((it) => it !== undefined) && results[0]?.value !== results[1]?.value
  const point = () => onShow?.({ pointed: hasLocalShapes(results[0]) ? name : null })
  const onToggle = ({ currentTarget }: { currentTarget: HTMLDetailsElement }) =>
    onShow?.({ opened: currentTarget.open ? name : null })
  return (
    <details
      class={differ ? 'fact fact--differs' : 'fact'}
      onMouseEnter={point}
      onFocusCapture={point}
      onToggle={onToggle}
    >
      <summary>
        <span class="fact__name">{fieldLabel(name, field?.unit ?? null)}</span>
        {results.map((result, i) => (
          <ValueCell
            key={i}
            result={result}
            margin={result ? marginTextOf(name, result, units) : null}
            display={result && displayValueOf(name, result, { units, class_labels: field?.class_labels })}
          />
        ))}
        <Icon name="chevron" />
      </summary>
      <div class="fact__more">
        {field && <p>{field.description}</p>}
        {field && <p class="soft">{field.interpretation_hints}</p>}
        {results.map(
          (result, i) =>
            result && (
              <Provenance key={i} name={name} result={result} facts={factsOf(name, result, units)}>
                {results.length > 1 && <h4 class="small">Place {'AB'.charAt(i)}</h4>}
                {result.status === 'absent' && <p>{absenceText(result, field?.null_meaning ?? null)}</p>}
                {result.status === 'failed' && (
                  <p class="provenance__failed">
                    <Icon name="warning" /> {parseFailure(result).message} <code>{parseFailure(result).code}</code>
                    {result.retryable && ' Trying again may help.'}
                  </p>
                )}
              </Provenance>
            ),
        )}
      </div>
    </details>
  )
}

type ValueCellProps = { result: FieldResult | undefined; display: DisplayValue | undefined; margin: string | null }

function ValueCell({ result, display, margin }: ValueCellProps) {
  if (!result || !display)
    return (
      <span class="fact__value">
        <span class="fact__waiting" />
      </span>
    )
  if (result.status === 'ok')
    return (
      <span class="fact__value" title={[result.value, result.unit].join(' ').trim()}>
        {display.first}
        {margin !== null && <span class="soft"> {margin}</span>}
        {result.reliability === 'low' && <span class="fact__other soft small">low reliability</span>}
        {display.other !== null && <span class="fact__other soft small">{display.other}</span>}
      </span>
    )
  return (
    <span class="fact__value fact__value--none">
      <StatusBadge kind={result.status} word={shortReason(result)} />
    </span>
  )
}

function factsOf(name: string, result: FieldResult, units: UnitSystem): (LabeledFact | false)[] {
  // Data that changes all the time has a note instead of a date.
  const date = result.dataset_vintage ?? result.vintage_note ?? ''
  return [
    sourceFact(result),
    date !== '' && ['Vintage', date],
    result.status === 'ok' &&
      result.moe_90 !== undefined && ['Margin of error', explainMargin(result, marginTextOf(name, result, units))],
    result.status !== 'failed' && ['Origin', explainSource(result)],
  ]
}

export function sourceFact({ source, source_url }: Pick<FieldResult, 'source' | 'source_url'>): LabeledFact {
  return ['Source', <ExternalLink href={source_url}>{source}</ExternalLink>]
}

type ProvenanceProps = { name: string; result: object; facts: (LabeledFact | false)[]; children: ComponentChildren }

/** What is known about the result of a field, and a button that copies it. */
export function Provenance({ name, result, facts, children }: ProvenanceProps) {
  return (
    <div class="provenance">
      {children}
      <Facts facts={[...facts, ['Name', <code>{name}</code>]]} />
      <p class="no-print">
        <CopyButton text={() => JSON.stringify({ [name]: result }, null, 2)}>Copy as JSON</CopyButton>
      </p>
    </div>
  )
}
