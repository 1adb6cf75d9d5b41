import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { pluralize } from '../../model/text.ts'
import { ExternalLink, Facts } from '../components/text.tsx'
import { humanizeName } from '../../catalog/field-title.ts'
import { numberText, unitText } from '../value-text.ts'

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
      <Facts
        facts={[
          ['Type', `${typeLabels[type]}${unitText(unit) === '' ? '' : `, in ${unitText(unit)}`}`],
          valid_range && ['Range', rangeOf(valid_range)],
          field.margin_of_error && ['Margin of error', 'With each value, at 90% confidence'],
          ['No value', null_meaning ?? 'Never: every covered place has a value.'],
          derivation !== null && ['Derivation', derivation],
          field.enum && ['Allowed values', <ul class="catalog-values tags">{field.enum.map(valueItem)}</ul>],
          presets.length > 0 && ['In presets', <div class="tags">{presets.map(presetLink)}</div>],
        ]}
      />
    </section>
  )
}

function valueItem(value: string | number | boolean) {
  return (
    <li key={String(value)} class="tag">
      {String(value)}
    </li>
  )
}

function presetLink(preset: string) {
  return (
    <a key={preset} class="chip" href={`/?at=39.7392,-104.9903&preset=${preset}`}>
      {humanizeName(preset)}
    </a>
  )
}

function OriginFacts({ field, source }: Props) {
  const { source_url, vintage, vintage_note, evidence, coverage, ttl_seconds } = field
  const evidenceDate = evidence.date === null ? '' : ` (${evidence.date})`
  const coverageNote = coverage.note === null ? '' : `. ${coverage.note}`
  return (
    <section class="card">
      <h2>Source</h2>
      <Facts
        facts={[
          source && ['Dataset', [`${source.title} `, <code class="soft small">{source.dataset}</code>]],
          source && ['Publisher', source.publisher],
          ['Service', <ExternalLink href={source_url}>{field.source}</ExternalLink>],
          source && ['License', source.license],
          source?.attribution && ['Attribution', source.attribution],
          ['Vintage', vintage ?? vintage_note],
          ['Evidence', `${evidenceLabels[evidence.kind]}: ${evidence.source}${evidenceDate}`],
          ['Coverage', `${coverage.regions.map((it) => regionLabels[it] ?? it).join(', ')}${coverageNote}`],
          ['Cached for', `${durationText(ttl_seconds)} at most`],
        ]}
      />
    </section>
  )
}

/** The kinds of evidence as the pages show them, strongest first. */
export const evidenceLabels: Record<CatalogField['evidence']['kind'], string> = {
  checked_live: 'Checked live',
  recorded: 'Recorded',
  reported: 'Reported',
  names_only: 'Names only',
  documented: 'Documented',
  unconfirmed: 'Unconfirmed',
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
