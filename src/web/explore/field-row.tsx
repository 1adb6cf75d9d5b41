import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { Copy } from '../parts/copy.tsx'
import { Icon } from '../parts/icons.tsx'
import { Status } from '../parts/status.tsx'
import { valueAlone, wordsOf } from '../parts/value.ts'
import { failureOf, howAnswered, standIn, whyAbsent } from './explain.ts'
import { nearOf, type Near } from './near.ts'

type Props = {
  name: string
  field: CatalogField | undefined
  results: (FieldResult | undefined)[]
  onNear: (near: Near | null) => void
}

/** One field: its value, or two side by side; opened, what it means, where it is from and how it was come by. */
export function FieldRow({ name, field, results, onNear }: Props) {
  const near = nearOf(name, results[0])
  const differ =
    results.length > 1 && results.every((it) => it !== undefined) && results[0]?.value !== results[1]?.value
  const pointing = near ? { onMouseEnter: () => onNear(near), onFocusCapture: () => onNear(near) } : {}
  return (
    <details class={differ ? 'fact fact--differs' : 'fact'} {...pointing}>
      <summary>
        <span class="fact__name">{wordsOf(name, field?.unit ?? null)}</span>
        {results.map((result, i) => (
          <ValueCell key={i} result={result} />
        ))}
        <Icon name="chevron" />
      </summary>
      <div class="fact__more">
        {field && <p>{field.description}</p>}
        {field && <p class="soft">{field.interpretation_hints}</p>}
        {results.map(
          (result, i) =>
            result && (
              <Provenance
                key={i}
                name={name}
                field={field}
                result={result}
                letter={results.length > 1 ? 'AB'.charAt(i) : null}
              />
            ),
        )}
      </div>
    </details>
  )
}

function ValueCell({ result }: { result: FieldResult | undefined }) {
  if (!result)
    return (
      <span class="fact__value">
        <span class="fact__waiting" />
      </span>
    )
  if (result.status === 'ok')
    return (
      <span class="fact__value" title={[result.value, result.unit].join(' ').trim()}>
        {valueAlone(result)}
      </span>
    )
  return (
    <span class="fact__value fact__value--none">
      <Status kind={result.status} word={standIn(result)} />
    </span>
  )
}

function Provenance({
  name,
  field,
  result,
  letter,
}: {
  name: string
  field: CatalogField | undefined
  result: FieldResult
  letter: string | null
}) {
  return (
    <div class="provenance">
      {letter && <h4>Place {letter}</h4>}
      {result.status === 'absent' && <p>{whyAbsent(result, field)}</p>}
      {result.status === 'failed' && (
        <p class="provenance__failed">
          <Icon name="warning" /> {failureOf(result).words} <code>{failureOf(result).code}</code>
          {result.retryable && ' Asking again may help.'}
        </p>
      )}
      <dl class="facts">
        <dt>Source</dt>
        <dd>
          <a href={result.source_url} target="_blank" rel="noopener noreferrer">
            {result.source} <Icon name="out" />
            <span class="unseen">(opens another site)</span>
          </a>
        </dd>
        {result.vintage !== null && (
          <>
            <dt>Vintage</dt>
            <dd>{result.vintage}</dd>
          </>
        )}
        {result.status !== 'failed' && (
          <>
            <dt>How</dt>
            <dd>{howAnswered(result)}</dd>
          </>
        )}
        <dt>Name</dt>
        <dd>
          <code>{name}</code>
        </dd>
      </dl>
      <p class="no-print">
        <Copy text={() => JSON.stringify({ [name]: result }, null, 2)}>Copy as JSON</Copy>
      </p>
    </div>
  )
}
