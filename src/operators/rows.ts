import { UpstreamError } from '../model/error.ts'
import { plainPropertiesOf } from '../model/record.ts'
import type { Properties } from '../model/source.ts'

/**
 * Returns the rows of a document: a list of records, one record, or a header row and lists (the format of the Census
 * Bureau). `table` selects one of several tables. null and undefined have no rows. /
 */
export function rowsOf(document: unknown, table?: string): Properties[] {
  if (document === null || document === undefined) return []
  if (typeof document !== 'object')
    throw new UpstreamError('bad_value', `The source returned ${typeof document}. Expected rows.`)
  if (!Array.isArray(document)) return rowsOfRecord(document, table)
  return document.some(Array.isArray) ? rowsOfTable(document) : document.map(plainPropertiesOf)
}

function rowsOfRecord(document: object, table: string | undefined): Properties[] {
  if (table === undefined || !Object.hasOwn(document, table)) return [plainPropertiesOf(document)]
  return rowsOf((document as Record<string, unknown>)[table])
}

function rowsOfTable([names, ...rows]: unknown[]): Properties[] {
  if (!Array.isArray(names)) throw new UpstreamError('bad_value', 'The source returned a table without a header row.')
  return rows.map((row) => {
    if (!Array.isArray(row) || row.length !== names.length)
      throw new UpstreamError('bad_value', `The source returned a row that does not have ${names.length} columns.`)
    return plainPropertiesOf(Object.fromEntries(names.map((name, i) => [String(name), row[i]])))
  })
}
