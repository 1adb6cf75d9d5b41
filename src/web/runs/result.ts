import type { CatalogField } from '../../catalog/catalog-document.ts'
import { insideUs } from '../../geo/us.ts'
import { readCsvRecords } from '../../files/table/csv-records.ts'
import { decodeUpload } from '../../files/table/upload-text.ts'
import type { ApiClient } from '../api-client.ts'
import { streamBytes } from '../../async/stream-bytes.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import { valueText, fieldLabel } from '../value-text.ts'
import { parseCsvCells } from './draft/csv-cells.ts'

/** The result of a run, read from its CSV file. */
export type ResultRecords = { columns: ResultColumn[]; rows: ResultRow[] }

/**
 * `isField` is false for columns of the upload, and for margins of error: `marginOf` is the field of the margin. `at`
 * is the position in the file.
 */
export type ResultColumn = {
  name: string
  kind: 'number' | 'text'
  unit: string | null
  isField: boolean
  marginOf: string | null
  at: number
}

/**
 * One row. `at` is null outside the United States: such a row would move the map away from all others. `cells` are the
 * cells of the file; `failedFields` names the fields that failed.
 */
export type ResultRow = {
  index: number
  ok: boolean
  at: { lat: number; lng: number } | null
  error: string
  failedFields: ReadonlySet<string>
  cells: string[]
}

/** The columns before the fields; `failedColumn` follows the fields. */
const leadingColumns = ['index', 'ok', 'lat', 'lng', 'source', 'error']
const failedColumn = 'failed_fields'
const marginSuffix = '_moe'

export async function readResult(
  api: ApiClient,
  path: string,
  field: (name: string) => CatalogField | undefined,
  signal: AbortSignal,
): Promise<ResultRecords> {
  const { texts, delimiter } = await decodeUpload(streamBytes((await api.send(path, { signal })).body!))
  let header: string[] = []
  const rows: ResultRow[] = []
  for await (const { text } of readCsvRecords(texts, delimiter)) {
    const cells = parseCsvCells(text ?? '', delimiter).map(removeFormulaGuard)
    if (header.length === 0) header = cells
    else rows.push(parseRow(cells, header.indexOf(failedColumn)))
  }
  return { columns: columnsOf(header, rows, field), rows }
}

function parseRow(cells: string[], failedAt: number): ResultRow {
  const [index, ok, lat, lng, , error = ''] = cells
  const failedFields = new Set((cells[failedAt] ?? '').split(';').filter((name) => name !== ''))
  return {
    index: Number(index),
    ok: ok === 'true',
    at: positionOf(Number(lat || NaN), Number(lng || NaN)),
    error,
    failedFields,
    cells,
  }
}

function positionOf(lat: number, lng: number): ResultRow['at'] {
  return insideUs({ lat, lng }) ? { lat, lng } : null
}

function columnsOf(
  header: string[],
  rows: ResultRow[],
  field: (name: string) => CatalogField | undefined,
): ResultColumn[] {
  const failedAt = header.indexOf(failedColumn)
  return header.flatMap((name, at): ResultColumn[] => {
    if (at < leadingColumns.length || at === failedAt) return []
    const isField = at < failedAt
    const known = isField ? field(name) : undefined
    const estimate = isField || !name.endsWith(marginSuffix) ? undefined : field(name.slice(0, -marginSuffix.length))
    const marginOf = estimate?.margin_of_error ? estimate : undefined
    const isNumber = known
      ? known.type === 'float' || known.type === 'integer'
      : rows.every(({ cells }) => cells[at] === '' || cells[at] === undefined || numberPattern.test(cells[at])) &&
        rows.some(({ cells }) => cells[at])
    return [
      {
        name,
        kind: isNumber ? 'number' : 'text',
        unit: (known ?? marginOf)?.unit ?? null,
        isField,
        marginOf: marginOf?.name ?? null,
        at,
      },
    ]
  })
}

/** Excludes codes with leading zeros. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Removes the apostrophe that protects spreadsheets from formulas. */
function removeFormulaGuard(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}

/**
 * Returns the text of a table cell: empty when the row failed, `failed` when the field failed, a dash when there is no
 * value.
 */
export function cellText(
  { cells, ok, failedFields }: ResultRow,
  { at, kind, unit, name, isField }: ResultColumn,
): string {
  const cell = cells[at] ?? ''
  if (isField && cell === '') return !ok ? '' : failedFields.has(name) ? 'failed' : '–'
  if (isField && kind === 'number' && cell !== '') return valueText({ value: Number(cell), unit })
  if (isField && (cell === 'true' || cell === 'false')) return cell === 'true' ? 'yes' : 'no'
  return cell
}

/** Returns the title of a column. Columns of the upload keep their names. */
export function columnTitle({ name, unit, isField, marginOf }: ResultColumn): string {
  if (marginOf !== null) return `${fieldLabel(marginOf, unit)}, margin of error`
  return isField ? (name.includes('.') ? humanizeName(name.replace('.', ' ')) : fieldLabel(name, unit)) : name
}
