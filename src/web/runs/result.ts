import { readCsvRecords } from '../../runs/csv-records.ts'
import { decodeUpload } from '../../runs/upload-text.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { ApiClient } from '../api-client.ts'
import { streamBytes } from '../stream-bytes.ts'
import { parseCsvCells } from './csv-cells.ts'

/** What came out of a run, as its CSV file says it: a row for each location. */
export type ResultRecords = { columns: ResultColumn[]; rows: ResultRow[] }

/** `isField`: a value of the service, not a column that came along. */
export type ResultColumn = { name: string; kind: 'number' | 'text'; unit: string | null; isField: boolean; at: number }

/** `cells` are those of the file; `failed`: the fields that could not be asked. */
export type ResultRow = {
  index: number
  ok: boolean
  at: { lat: number; lng: number } | null
  error: string
  failedFields: ReadonlySet<string>
  cells: string[]
}

/** The columns before the fields, and the one behind them. */
const leadingColumns = ['index', 'ok', 'lat', 'lng', 'source', 'error']
const failedColumn = 'failed_fields'

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
    at: lat && lng ? { lat: Number(lat), lng: Number(lng) } : null,
    error,
    failedFields,
    cells,
  }
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
    const isNumber = known
      ? known.type === 'float' || known.type === 'integer'
      : rows.every(({ cells }) => cells[at] === '' || cells[at] === undefined || numberPattern.test(cells[at])) &&
        rows.some(({ cells }) => cells[at])
    return [{ name, kind: isNumber ? 'number' : 'text', unit: known?.unit ?? null, isField, at }]
  })
}

/** No code with a leading zero, which is a name. */
const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A text that a spreadsheet would take for a formula stands in the file behind an apostrophe. */
function removeFormulaGuard(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}
