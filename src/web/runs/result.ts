import { readCsvRecords } from '../../runs/csv-records.ts'
import { decodeUpload } from '../../runs/upload-text.ts'
import type { CatalogField } from '../../catalog/catalog-document.ts'
import type { Api } from '../api.ts'
import { bytesOf } from '../stream-reading.ts'
import { cellsOf } from './cells.ts'

/** What came out of a run, as its CSV file says it: a row for each location. */
export type Result = { columns: Column[]; rows: Row[] }

/** `isField`: a value of the service, not a column that came along. */
export type Column = { name: string; kind: 'number' | 'text'; unit: string | null; isField: boolean; at: number }

/** `cells` are those of the file; `failed`: the fields that could not be asked. */
export type Row = {
  index: number
  ok: boolean
  at: { lat: number; lng: number } | null
  error: string
  failed: ReadonlySet<string>
  cells: string[]
}

/** The columns before the fields, and the one behind them. */
const before = ['index', 'ok', 'lat', 'lng', 'source', 'error']
const failedColumn = 'failed_fields'

export async function readResult(
  api: Api,
  path: string,
  field: (name: string) => CatalogField | undefined,
  signal: AbortSignal,
): Promise<Result> {
  const { texts, delimiter } = await decodeUpload(bytesOf((await api.send(path, { signal })).body!))
  let header: string[] = []
  const rows: Row[] = []
  for await (const { text } of readCsvRecords(texts, delimiter)) {
    const cells = cellsOf(text ?? '', delimiter).map(unguarded)
    if (header.length === 0) header = cells
    else rows.push(rowOf(cells, header.indexOf(failedColumn)))
  }
  return { columns: columnsOf(header, rows, field), rows }
}

function rowOf(cells: string[], failedAt: number): Row {
  const [index, ok, lat, lng, , error = ''] = cells
  const failed = new Set((cells[failedAt] ?? '').split(';').filter((name) => name !== ''))
  return {
    index: Number(index),
    ok: ok === 'true',
    at: lat && lng ? { lat: Number(lat), lng: Number(lng) } : null,
    error,
    failed,
    cells,
  }
}

function columnsOf(header: string[], rows: Row[], field: (name: string) => CatalogField | undefined): Column[] {
  const failedAt = header.indexOf(failedColumn)
  return header.flatMap((name, at): Column[] => {
    if (at < before.length || at === failedAt) return []
    const isField = at < failedAt
    const known = isField ? field(name) : undefined
    const isNumber = known
      ? known.type === 'float' || known.type === 'integer'
      : rows.every(({ cells }) => cells[at] === '' || cells[at] === undefined || plainNumber.test(cells[at])) &&
        rows.some(({ cells }) => cells[at])
    return [{ name, kind: isNumber ? 'number' : 'text', unit: known?.unit ?? null, isField, at }]
  })
}

/** No code with a leading zero, which is a name. */
const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** A text that a spreadsheet would take for a formula stands in the file behind an apostrophe. */
function unguarded(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}
