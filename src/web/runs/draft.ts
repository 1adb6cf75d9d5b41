import { readCsvRecords, recordMax_characters } from '../../runs/csv-records.ts'
import { uploadColumnsOf, type UploadColumns } from '../../runs/upload-columns.ts'
import { parseUploadRow } from '../../runs/upload-row.ts'
import { decodeUpload } from '../../runs/upload-text.ts'
import type { RunKind } from '../../runs/run-summary.ts'
import { RequestError } from '../request-error.ts'
import { streamBytes } from '../stream-bytes.ts'
import { parseCsvCells } from './csv-cells.ts'

const previewRows = 5
const maxRowErrors = 5
/** A coordinate among the inputs of a lookup: nobody has to be asked where that is. */
const coordinate = /^[-+\d.e]+, [-+\d.e]+$/i

/** A file that is to become a run, read by the rules by which the service will read it. */
export type Draft = {
  header: string[]
  /** Null where no column says where a row is. */
  columns: UploadColumns | null
  preview: string[][]
  count: number
  /** How many rows are addresses, and how many different ones. */
  addresses: number
  distinctAddresses: number
  /** Rows that cannot be read: how many, and the first of them. */
  unreadable: number
  rowErrors: { line: number; reason: string }[]
}

/** Reads a file up to one row more than a run may have. */
export async function readDraft(file: Blob, kind: RunKind, maxRows: number): Promise<Draft> {
  try {
    return await parseDraft(file, kind, maxRows)
  } catch (error) {
    // What the browser cannot read it refuses with a DOMException: a folder, or a file that has gone or changed since.
    if (error instanceof DOMException)
      throw new RequestError(
        0,
        'file_unreadable',
        'This file cannot be read: is it a folder, or was it moved or changed?',
      )
    throw error
  }
}

async function parseDraft(file: Blob, kind: RunKind, maxRows: number): Promise<Draft> {
  const { texts, delimiter } = await decodeUpload(streamBytes(file.stream()))
  const records = readCsvRecords(texts, delimiter)
  const headerRecord = await records.next()
  if (headerRecord.value?.text === null)
    throw new RequestError(
      0,
      'file_unreadable',
      `The first line of this file cannot be read: it has more than ${recordMax_characters} characters, or a quote that is not closed.`,
    )
  const header = headerRecord.done ? [] : parseCsvCells(headerRecord.value.text, delimiter)
  const columns = uploadColumnsOf(header, kind)
  const draft: Draft = {
    header,
    columns,
    preview: [],
    count: 0,
    addresses: 0,
    distinctAddresses: 0,
    unreadable: 0,
    rowErrors: [],
  }
  const seen = new Set<string>()
  for await (const { line, text } of records) {
    const cells = text === null ? [] : parseCsvCells(text, delimiter)
    if (draft.preview.length < previewRows) draft.preview.push(cells)
    draft.count++
    if (columns)
      countRow(
        line,
        text === null
          ? 'it has a quote that is not closed, or text after one that is'
          : parseUploadRow(cells, header.length, columns, kind),
      )
    if (draft.count > maxRows) break
  }
  return { ...draft, distinctAddresses: seen.size }

  function countRow(line: number, row: ReturnType<typeof parseUploadRow>): void {
    if (typeof row === 'string') {
      draft.unreadable++
      if (draft.rowErrors.length < maxRowErrors) draft.rowErrors.push({ line, reason: row })
      return
    }
    const address = 'address' in row ? row.address : 'input' in row ? row.input : null
    if (address === null || coordinate.test(address)) return
    draft.addresses++
    seen.add(address.toLowerCase())
  }
}
