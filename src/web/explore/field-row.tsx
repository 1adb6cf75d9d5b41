import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { CopyButton } from '../components/buttons.tsx'
import { Icon } from '../components/icons.tsx'
import { ExternalLink } from '../components/text.tsx'
import { StatusBadge } from '../components/text.tsx'
import type { UnitSystem } from '../../ask/answer/display-units.ts'
import { displayValueOf, fieldLabel, marginTextOf, type DisplayValue } from '../value-text.ts'
import { parseFailure, explainMargin, explainSource, shortReason, absenceText } from './explain.ts'
import { hasLocalShapes, type ShownField } from './field-shapes.ts'

type Props = {
  name: string
  field: CatalogField | undefined
  results: (FieldResult | undefined)[]
  units: UnitSystem
  onShow?: (change: Partial<ShownField>) => void
}

/** One field with its value, or two values side by side. Opening the row shows its meaning and its source. */
export function FieldRow({ name, field, results, units, onShow }: Props) {
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
              <FieldProvenance
                key={i}
                name={name}
                field={field}
                result={result}
                units={units}
                letter={results.length > 1 ? 'AB'.charAt(i) : null}
              />
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

function FieldProvenance({
  name,
  field,
  result,
  units,
  letter,
}: {
  name: string
  field: CatalogField | undefined
  result: FieldResult
  units: UnitSystem
  letter: string | null
}) {
  // Data that changes all the time has a note instead of a date.
  const date = result.dataset_vintage ?? result.vintage_note
  return (
    <div class="provenance">
      {letter && <h4>Place {letter}</h4>}
      {result.status === 'absent' && <p>{absenceText(result, field?.null_meaning ?? null)}</p>}
      {result.status === 'failed' && (
        <p class="provenance__failed">
          <Icon name="warning" /> {parseFailure(result).message} <code>{parseFailure(result).code}</code>
          {result.retryable && ' Trying again may help.'}
        </p>
      )}
      <dl class="facts">
        <dt>Source</dt>
        <dd>
          <ExternalLink href={result.source_url}>{result.source}</ExternalLink>
        </dd>
        {date && (
          <>
            <dt>Vintage</dt>
            <dd>{date}</dd>
          </>
        )}
        {result.status === 'ok' && result.moe_90 !== undefined && (
          <>
            <dt>Margin of error</dt>
            <dd>{explainMargin(result, marginTextOf(name, result, units))}</dd>
          </>
        )}
        {result.status !== 'failed' && (
          <>
            <dt>Origin</dt>
            <dd>{explainSource(result)}</dd>
          </>
        )}
        <dt>Name</dt>
        <dd>
          <code>{name}</code>
        </dd>
      </dl>
      <p class="no-print">
        <CopyButton text={() => JSON.stringify({ [name]: result }, null, 2)}>Copy as JSON</CopyButton>
      </p>
    </div>
  )
}
