import type { CatalogContents, Dataset, Field } from '../../src/catalog/records.ts'
import { markdownTable } from './markdown-table.ts'

/**
 * One row for each dataset: publisher, license, drivers in order of preference, key, and the evidence for its fields.
 */
export function datasetsTable({ datasets, fields }: CatalogContents): string {
  const fieldsOf = Map.groupBy(fields, ({ read }) => read.dataset)
  return markdownTable(
    ['dataset', 'publisher', 'license', 'drivers', 'key', 'evidence'],
    Object.entries(datasets).map(([id, dataset]) => [
      id,
      dataset.publisher,
      licenseOf(dataset),
      driversOf(dataset),
      keyOf(dataset),
      evidenceOf(fieldsOf.get(id) ?? []),
    ]),
  )
}

function licenseOf({ license }: Dataset): string {
  return license === 'US government work, public domain' ? 'public domain' : license
}

function driversOf({ serve }: Dataset): string {
  return [...new Set(serve.map(({ driver }) => driver))].join(', ')
}

function keyOf({ needs_key }: Dataset): string {
  if (!needs_key?.env) return ''
  return needs_key.required ? needs_key.env : `${needs_key.env} (optional)`
}

/** A summary of the evidence of the fields that read the dataset first. */
function evidenceOf(fields: Field[]): string {
  if (fields.length === 0) return 'fallback only'
  const open = fields.filter(({ evidence }) => evidence.startsWith('open point'))
  const checked = fields.filter(({ evidence }) => /^(checked|pure)/.test(evidence))
  const confirmed = checked.length === fields.length ? 'checked' : 'public material'
  if (open.length === 0) return confirmed
  const names = open.map(({ name }) => name).join(', ')
  return open.length === fields.length ? `open: ${names}` : `${confirmed}, open: ${names}`
}
