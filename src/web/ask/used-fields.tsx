import type { AskAnswer, Citation } from '../../ask/answer/ask-answer.ts'
import type { FieldResult } from '../../fetch/fetch-answer.ts'
import { ExternalLink } from '../components/text.tsx'
import type { PageProps } from '../dashboard.ts'
import { FieldTable } from '../explore/field-table.tsx'
import type { Highlight } from './highlight.ts'

/**
 * The fields of an answer: grouped by cited source, then the fetched fields that are not cited, then the fields without
 * a value.
 */
export function UsedFields({ dashboard, answer, highlight }: PageProps & { answer: AskAnswer; highlight: Highlight }) {
  const { fields, citations } = answer
  const used = new Set(citations.flatMap((it) => it.fields))
  const others = Object.keys(fields).filter((name) => !used.has(name))
  const gaps = others.filter((name) => fields[name]!.status !== 'ok')
  const uncited = others.filter((name) => fields[name]!.status === 'ok')
  return (
    <>
      {citations.map((citation) => (
        <CitedSource
          key={citation.id}
          dashboard={dashboard}
          citation={citation}
          fields={fields}
          highlight={highlight}
        />
      ))}
      {uncited.length > 0 && (
        <section class="ask-source">
          <h3 class="small">Also fetched</h3>
          <FieldRows dashboard={dashboard} names={uncited} fields={fields} />
        </section>
      )}
      {gaps.length > 0 && (
        <section class="ask-source ask-source--gaps">
          <h3 class="small">No value</h3>
          <p class="soft small">Open a field to see why it has no value and what would provide one.</p>
          <FieldRows dashboard={dashboard} names={gaps} fields={fields} />
        </section>
      )}
    </>
  )
}

function CitedSource({
  dashboard,
  citation,
  fields,
  highlight,
}: PageProps & { citation: Citation; fields: Record<string, FieldResult>; highlight: Highlight }) {
  const { id, source_name, source_url, dataset_vintage } = citation
  return (
    <section
      class={highlight.source === id ? 'ask-source ask-source--lit' : 'ask-source'}
      data-source={id}
      aria-label={`Source ${id}`}
      onMouseEnter={highlight.hoverProps(id).onMouseEnter}
      onMouseLeave={highlight.hoverProps(id).onMouseLeave}
    >
      <div class="ask-source__head">
        <button
          type="button"
          class="ask-mark"
          aria-pressed={highlight.pressed === id}
          aria-label={`Highlight the parts of the answer that cite source ${id}`}
          {...highlight.hoverProps(id)}
          onClick={() => highlight.toggle(id, 'text')}
        >
          {id}
        </button>
        <p>
          <ExternalLink href={source_url}>{source_name}</ExternalLink>
          {dataset_vintage !== null && <span class="soft"> · {dataset_vintage}</span>}
        </p>
      </div>
      <FieldRows dashboard={dashboard} names={citation.fields} fields={fields} />
    </section>
  )
}

/** Field rows as on the Explore page. Fields without a result are still being fetched. */
export function FieldRows({ dashboard, names, fields }: PageProps & { names: string[]; fields: FieldResults }) {
  return (
    <div>
      <FieldTable dashboard={dashboard} names={names} resultsOf={(name) => [fields[name]]} />
    </div>
  )
}

type FieldResults = Record<string, FieldResult>
