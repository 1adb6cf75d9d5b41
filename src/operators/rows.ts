import { UpstreamError } from '../model/error.ts'
import { plainPropertiesOf } from '../model/record.ts'
import type { Properties } from '../model/source.ts'

/**
 * The rows of a document: a list of records, one record, or a list of lists under a line of names (as the Census Bureau answers).
 * A document that holds several tables is asked by the name of one. Nothing at all is no row.
 */
export function rowsOf(document: unknown, table?: string): Properties[] {
  if (document === null || document === undefined) return []
  if (typeof document !== 'object')
    throw new UpstreamError('bad_value', `Rows were expected, and the source gave ${typeof document}.`)
  if (!Array.isArray(document)) return rowsOfRecord(document, table)
  return document.some(Array.isArray) ? rowsOfTable(document) : document.map(plainPropertiesOf)
}

function rowsOfRecord(document: object, table: string | undefined): Properties[] {
  if (table === undefined || !Object.hasOwn(document, table)) return [plainPropertiesOf(document)]
  return rowsOf((document as Record<string, unknown>)[table])
}

function rowsOfTable([names, ...rows]: unknown[]): Properties[] {
  if (!Array.isArray(names))
    throw new UpstreamError('bad_value', 'The first line of a table was expected to be the names of its columns.')
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length !== names.length)
      throw new UpstreamError('bad_value', `A row of ${names.length} columns was expected.`)
    return plainPropertiesOf(Object.fromEntries(names.map((name, i) => [String(name), row[i]])))
  })
}
