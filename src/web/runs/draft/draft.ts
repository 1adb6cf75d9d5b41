import { insideUs } from '../../../geo/us.ts'
import { outsideUsMessage } from '../../../place/coordinate-mistakes.ts'
import { readCsvRecords, recordMax_characters } from '../../../files/table/csv-records.ts'
import { takeRecords, withSample } from '../../../files/table/csv-sample.ts'
import {
  sampleRows,
  uploadColumnsOf,
  type ColumnMapping,
  type UploadColumns,
} from '../../../files/table/upload-columns.ts'
import { parseUploadRow } from '../../../runs/upload/upload-row.ts'
import { decodeUpload, startAtHeader, type DecodedUpload } from '../../../files/table/upload-text.ts'
import type { RunKind } from '../../../runs/report/run-summary.ts'
import { RequestError } from '../../request.ts'
import { streamBytes } from '../../../async/stream-bytes.ts'
import { parseCsvCells } from './csv-cells.ts'

/** The signature of a ZIP archive, which a workbook is. */
const zipSignature = 'PK\u0003\u0004'
const previewRows = 5
const maxRowErrors = 5
/** A coordinate among the inputs of a lookup needs no geocoding. */
const coordinate = /^[-+\d.e]+, [-+\d.e]+$/i

/** A file to upload, parsed by the rules of the service. */
export type Draft = {
  /** The sheets of a workbook, and the one that was read; none and null for other files. */
  sheets: string[]
  sheet: string | null
  header: string[]
  /** Null when no column gives a location, or several could. `problem` says which. */
  columns: UploadColumns | null
  problem: string | null
  preview: string[][]
  count: number
  /** The number of addresses, and of distinct ones. */
  addresses: number
  distinctAddresses: number
  /** The number of invalid rows, the number of rows outside the United States, and details of the first ones. */
  unreadable: number
  outside: number
  rowErrors: { line: number; reason: string }[]
}

/** How to read a file: the kind of run, the most rows that it may have, and the selected columns and sheet. */
export type DraftOptions = { kind: RunKind; maxRows: number; mapping?: ColumnMapping; sheet?: string | undefined }

/** Parses a file, up to one row more than a run may have. */
export async function readDraft(file: Blob, options: DraftOptions): Promise<Draft> {
  try {
    return await parseDraft(await readFileText(file, options), options)
  } catch (error) {
    // The browser throws a DOMException for a folder, and for a file that was deleted or changed.
    if (error instanceof DOMException)
      throw new RequestError(
        0,
        'file_unreadable',
        'The file cannot be read. It may be a folder, or it was moved or changed.',
      )
    throw error
  }
}

/** The text of a file as CSV. A workbook has sheets; `sheet` is the one that was read. */
type FileText = Omit<DecodedUpload, 'encoding'> & Pick<Draft, 'sheets' | 'sheet'>

async function readFileText(file: Blob, { sheet }: DraftOptions): Promise<FileText> {
  if (!(await isWorkbook(file))) return { ...(await decodeUpload(streamBytes(file.stream()))), sheets: [], sheet: null }
  const { readWorkbookSheet } = await import('./workbook-file.ts')
  const workbook = await readWorkbookSheet(file, sheet)
  return { ...workbook, ...(await startAtHeader(workbook.texts, {})) }
}

/** Whether a file is a workbook (.xlsx), by its first bytes. */
async function isWorkbook(file: Blob): Promise<boolean> {
  return (await file.slice(0, zipSignature.length).text()) === zipSignature
}

async function parseDraft(
  { texts, delimiter, firstLine, sheets, sheet }: FileText,
  { kind, maxRows, mapping = {} }: DraftOptions,
): Promise<Draft> {
  const records = readCsvRecords(texts, delimiter)
  const headerRecord = await records.next()
  if (headerRecord.value?.text === null)
    throw new RequestError(
      0,
      'file_unreadable',
      `The first line of the file cannot be read. It has more than ${recordMax_characters} characters or an unclosed quote.`,
    )
  const header = headerRecord.done ? [] : parseCsvCells(headerRecord.value.text, delimiter)
  const sample = await takeRecords(records, sampleRows)
  const sampleCells = sample.flatMap(({ text }) => (text === null ? [] : [parseCsvCells(text, delimiter)]))
  const found = uploadColumnsOf(header, kind, { mapping }, sampleCells)
  const [columns, problem] = typeof found === 'string' ? [null, found] : [found, null]
  const draft: Draft = {
    sheets,
    sheet,
    header,
    columns,
    problem,
    preview: [],
    count: 0,
    addresses: 0,
    distinctAddresses: 0,
    unreadable: 0,
    outside: 0,
    rowErrors: [],
  }
  const seen = new Set<string>()
  for await (const { line, text } of withSample(sample, records)) {
    const cells = text === null ? [] : parseCsvCells(text, delimiter)
    if (draft.preview.length < previewRows) draft.preview.push(cells)
    draft.count++
    if (columns)
      countRow(
        line + firstLine - 1,
        text === null ? 'unclosed quote, or text after a closing quote' : parseUploadRow(cells, columns, kind),
      )
    if (draft.count > maxRows) break
  }
  return { ...draft, distinctAddresses: seen.size }

  function countRow(line: number, row: ReturnType<typeof parseUploadRow>): void {
    const isOutside = typeof row === 'object' && 'lat' in row && !insideUs(row)
    if (isOutside) draft.outside++
    if (typeof row === 'string') draft.unreadable++
    const reason = isOutside ? outsideUsMessage(row) : typeof row === 'string' ? row : null
    if (reason !== null && draft.rowErrors.length < maxRowErrors) draft.rowErrors.push({ line, reason })
    if (typeof row === 'string') return
    const address = 'address' in row ? row.address : 'input' in row ? row.input : null
    if (address === null || coordinate.test(address)) return
    draft.addresses++
    seen.add(address.toLowerCase())
  }
}
