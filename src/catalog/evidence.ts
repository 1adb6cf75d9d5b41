import type { Catalog } from './catalog.ts'
import { evidenceKinds, type FieldEvidence } from './catalog-document.ts'
import { readInputsOf } from './read-spec.ts'
import type { Field } from './records.ts'

/** The evidence of a field. A computed field has the weakest evidence of the fields that it is computed from. */
export function evidenceOf(
  field: Field,
  catalog: Pick<Catalog, 'fields' | 'datasets' | 'fieldEvidence'>,
): FieldEvidence {
  const group = catalog.fieldEvidence.get(field.name)
  if (group) return { kind: group.kind, source: group.source, date: group.date }
  const note = field.evidence
  if (note.startsWith('open point'))
    return { kind: 'unconfirmed', source: note.replace(/^open point: */, ''), date: null }
  const { serve, title, publisher, source_url } = catalog.datasets.get(field.read.dataset)!
  if (serve.some(({ driver }) => driver === 'embedded'))
    return { kind: 'recorded', source: `embedded data of ${publisher}: ${title}`, date: null }
  if (note === 'pure computation') {
    const inputs = readInputsOf(field.read).flatMap((input) =>
      typeof input === 'string' ? (catalog.fields.get(input) ?? []) : [],
    )
    const weakest = inputs
      .map((input) => evidenceOf(input, catalog))
      .toSorted((a, b) => evidenceKinds.indexOf(b.kind) - evidenceKinds.indexOf(a.kind))[0]
    return weakest ?? { kind: 'documented', source: field.source_url ?? source_url, date: null }
  }
  return {
    kind: 'documented',
    source: note.startsWith('checked') ? note : (field.source_url ?? source_url),
    date: null,
  }
}
