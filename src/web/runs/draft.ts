import { readCsvRecords, recordMax_characters } from '../../runs/csv-records.ts'
import { uploadColumnsOf, type UploadColumns } from '../../runs/upload-columns.ts'
import { parseUploadRow } from '../../runs/upload-row.ts'
import { decodeUpload } from '../../runs/upload-text.ts'
import type { RunKind } from '../../runs/run-summary.ts'
import { ApiFault } from '../api-fault.ts'
import { bytesOf } from '../stream-reading.ts'
import { cellsOf } from './cells.ts'

const firstRows = 5
const lackingMax = 5
/** A coordinate among the inputs of a lookup: nobody has to be asked where that is. */
const coordinate = /^[-+\d.e]+, [-+\d.e]+$/i

/** A file that is to become a run, read by the rules by which the service will read it. */
export type Draft = {
  header: string[]
  /** Null where no column says where a row is. */
  columns: UploadColumns | null
  first: string[][]
  count: number
  /** How many rows are addresses, and how many different ones. */
  addresses: number
  different: number
  /** Rows that cannot be read: how many, and the first of them. */
  unreadable: number
  lacking: { line: number; why: string }[]
}

/** Reads a file up to one row more than a run may have. */
export async function readDraft(file: Blob, kind: RunKind, rowsMax: number): Promise<Draft> {
  try {
    return await draftOf(file, kind, rowsMax)
  } catch (error) {
    // What the browser cannot read it refuses with a DOMException: a folder, or a file that has gone or changed since.
    if (error instanceof DOMException)
      throw new ApiFault(0, 'file_unreadable', 'This file cannot be read: is it a folder, or was it moved or changed?')
    throw error
  }
}

async function draftOf(file: Blob, kind: RunKind, rowsMax: number): Promise<Draft> {
  const { texts, delimiter } = await decodeUpload(bytesOf(file.stream()))
  const records = readCsvRecords(texts, delimiter)
  const begun = await records.next()
  if (begun.value?.text === null)
    throw new ApiFault(
      0,
      'file_unreadable',
      `The first line of this file cannot be read: it has more than ${recordMax_characters} characters, or a quote that is not closed.`,
    )
  const header = begun.done ? [] : cellsOf(begun.value.text, delimiter)
  const columns = uploadColumnsOf(header, kind)
  const draft: Draft = { header, columns, first: [], count: 0, addresses: 0, different: 0, unreadable: 0, lacking: [] }
  const seen = new Set<string>()
  for await (const { line, text } of records) {
    const cells = text === null ? [] : cellsOf(text, delimiter)
    if (draft.first.length < firstRows) draft.first.push(cells)
    draft.count++
    if (columns)
      judge(
        line,
        text === null
          ? 'it has a quote that is not closed, or text after one that is'
          : parseUploadRow(cells, header.length, columns, kind),
      )
    if (draft.count > rowsMax) break
  }
  return { ...draft, different: seen.size }

  function judge(line: number, found: ReturnType<typeof parseUploadRow>): void {
    if (typeof found === 'string') {
      draft.unreadable++
      if (draft.lacking.length < lackingMax) draft.lacking.push({ line, why: found })
      return
    }
    const address = 'address' in found ? found.address : 'input' in found ? found.input : null
    if (address === null || coordinate.test(address)) return
    draft.addresses++
    seen.add(address.toLowerCase())
  }
}
