import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { pluralize } from '../../model/text.ts'
import { ExternalLink } from '../components/text.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText, unitText } from '../value-text.ts'
import { evidenceLabels } from './evidence-labels.ts'

type Props = { field: CatalogField; source: SourceStatus | undefined }

/** Describes the values of a field, their origin and their coverage. */
export function FieldFacts({ field, source }: Props) {
  return (
    <>
      <ValueFacts field={field} />
      <OriginFacts field={field} source={source} />
    </>
  )
}

function ValueFacts({ field }: Pick<Props, 'field'>) {
  const { type, unit, valid_range, null_meaning, derivation, presets } = field
  return (
    <section class="card">
      <h2>Values</h2>
      <dl class="facts">
        <dt>Type</dt>
        <dd>
          {typeLabels[type]}
          {unitText(unit) === '' ? '' : `, in ${unitText(unit)}`}
        </dd>
        {valid_range && (
          <>
            <dt>Range</dt>
            <dd>{rangeOf(valid_range)}</dd>
          </>
        )}
        {field.margin_of_error && (
          <>
            <dt>Margin of error</dt>
            <dd>With each value, at 90% confidence</dd>
          </>
        )}
        <dt>No value</dt>
        <dd>{null_meaning ?? 'Never: every covered place has a value.'}</dd>
        {derivation !== null && (
          <>
            <dt>Derivation</dt>
            <dd>{derivation}</dd>
          </>
        )}
        {field.enum && (
          <>
            <dt>Allowed values</dt>
            <dd>
              <ul class="catalog-values">
                {field.enum.map((value) => (
                  <li key={String(value)} class="tag">
                    {String(value)}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
        {presets.length > 0 && (
          <>
            <dt>In presets</dt>
            <dd class="catalog-presets">
              {presets.map((preset) => (
                <a key={preset} class="chip" href={`/?at=39.7392,-104.9903&preset=${preset}`}>
                  {humanizeName(preset)}
                </a>
              ))}
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function OriginFacts({ field, source }: Omit<Props, 'dashboard'>) {
  const { source_url, vintage, vintage_note, evidence, coverage, ttl_seconds } = field
  return (
    <section class="card">
      <h2>Source</h2>
      <dl class="facts">
        {source && (
          <>
            <dt>Dataset</dt>
            <dd>
              {source.title} <code class="soft small">{source.dataset}</code>
            </dd>
          </>
        )}
        {source && (
          <>
            <dt>Publisher</dt>
            <dd>{source.publisher}</dd>
          </>
        )}
        <dt>Service</dt>
        <dd>
          <ExternalLink href={source_url}>{field.source}</ExternalLink>
        </dd>
        {source && (
          <>
            <dt>License</dt>
            <dd>{source.license}</dd>
          </>
        )}
        {source?.attribution && (
          <>
            <dt>Attribution</dt>
            <dd>{source.attribution}</dd>
          </>
        )}
        <dt>Vintage</dt>
        <dd>{vintage ?? vintage_note}</dd>
        <dt>Evidence</dt>
        <dd>
          {evidenceLabels[evidence.kind]}: {evidence.source}
          {evidence.date === null ? '' : ` (${evidence.date})`}
        </dd>
        <dt>Coverage</dt>
        <dd>
          {coverage.regions.map((it) => regionLabels[it] ?? it).join(', ')}
          {coverage.note === null ? '' : `. ${coverage.note}`}
        </dd>
        <dt>Cached for</dt>
        <dd>{durationText(ttl_seconds)} at most</dd>
      </dl>
    </section>
  )
}

const typeLabels: Record<CatalogField['type'], string> = {
  float: 'number',
  integer: 'integer',
  string: 'text',
  boolean: 'boolean',
  list: 'list',
}
const regionLabels: Record<string, string> = {
  everywhere: 'everywhere',
  conus: 'the 48 contiguous states and DC',
  ak: 'Alaska',
  hi: 'Hawaii',
  pr: 'Puerto Rico',
  vi: 'US Virgin Islands',
  gu: 'Guam',
  as: 'American Samoa',
  mp: 'Northern Mariana Islands',
}

function rangeOf([least, most]: [number | null, number | null]): string {
  if (least === null) return `at most ${numberText(most!)}`
  return most === null ? `at least ${numberText(least)}` : `${numberText(least)} to ${numberText(most)}`
}

function durationText(seconds: number): string {
  const [count, word]: [number, string] =
    seconds >= 86_400
      ? [Math.round(seconds / 86_400), 'day']
      : seconds >= 3600
        ? [Math.round(seconds / 3600), 'hour']
        : [Math.round(seconds / 60), 'minute']
  return pluralize(count, word)
}
