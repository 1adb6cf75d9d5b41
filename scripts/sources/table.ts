import type { CatalogContents, Dataset, Field } from '../../src/catalog/records.ts'

/** Every dataset in a line: whose it is, under which licence, by which ways it is asked, with which key, and how its fields were confirmed. */
export function sourcesTable({ datasets, fields }: CatalogContents): string {
  const fieldsOf = Map.groupBy(fields, ({ read }) => read.dataset)
  const rows = Object.entries(datasets).map(([id, dataset]) => [
    id,
    dataset.publisher,
    licenceOf(dataset),
    waysOf(dataset),
    keyOf(dataset),
    confirmedHow(fieldsOf.get(id) ?? []),
  ])
  return [
    ['dataset', 'publisher', 'licence', 'ways', 'key', 'confirmed'],
    ['---', '---', '---', '---', '---', '---'],
    ...rows,
  ]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`)
    .join('\n')
}

function licenceOf({ licence }: Dataset): string {
  return licence === 'US government work, public domain' ? 'public domain' : licence
}

function waysOf({ serve }: Dataset): string {
  return [...new Set(serve.map(({ driver }) => driver))].join(', ')
}

function keyOf({ needs_key }: Dataset): string {
  if (!needs_key?.env) return ''
  return needs_key.required ? needs_key.env : `${needs_key.env} (optional)`
}

/** By the evidence of the fields that read it first. No source was asked over the network here: `doctor --live` does that. */
function confirmedHow(fields: Field[]): string {
  const open = fields.filter(({ evidence }) => evidence.startsWith('open point'))
  const checked = fields.filter(({ evidence }) => /^(checked|pure)/.test(evidence))
  if (fields.length === 0) return 'only as a fallback'
  const whole = checked.length === fields.length ? 'checked' : 'public material'
  return open.length === 0
    ? whole
    : `${open.length === fields.length ? 'open' : `${whole}, open`}: ${open.map(({ name }) => name).join(', ')}`
}
