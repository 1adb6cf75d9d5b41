import { openWorkbook, readSheetRows } from '../../../files/workbook/open-workbook.ts'
import { FileError } from '../../../files/file-error.ts'
import { UpstreamError, ValidationError } from '../../../model/error.ts'
import {
  invalidWorkbook,
  largeSheetError,
  sheetRowAsCsv,
  unreadableWorkbook,
  workbookMax_bytes,
} from '../../../runs/upload/workbook-rows.ts'
import { RequestError } from '../../request.ts'

const linesPerText = 500

/** A sheet of a workbook as CSV, and the names of all sheets. */
type SheetText = { sheets: string[]; sheet: string; texts: AsyncIterable<string> }

/**
 * Reads a sheet of a workbook as the service does; the first sheet if none is selected.
 * @throws {RequestError} if the workbook cannot be read.
 */
export async function readWorkbookSheet(file: Blob, name: string | undefined): Promise<SheetText> {
  try {
    const workbook = await openWorkbook(file)
    const { sheets } = workbook
    const selected = sheets.find((it) => it.name === name) ?? sheets[0]
    if (!selected) throw invalidWorkbook('The workbook has no sheet')
    const rows = await readSheetRows(workbook, selected)
    return { sheets: sheets.map((it) => it.name), sheet: selected.name, texts: textsOf(csvLinesOf(rows)) }
  } catch (error) {
    throw requestErrorOfWorkbook(error)
  }
}

function csvLinesOf(rows: Iterable<string[]>): string[] {
  let characters = 0
  return Array.from(rows, (row) => {
    const line = sheetRowAsCsv(row)
    characters += line.length
    if (characters > workbookMax_bytes) throw largeSheetError()
    return line
  })
}

// oxlint-disable-next-line typescript/require-await -- The CSV reader takes texts as they arrive.
async function* textsOf(lines: string[]): AsyncGenerator<string> {
  for (let from = 0; from < lines.length; from += linesPerText)
    yield `${lines.slice(from, from + linesPerText).join('\r\n')}\r\n`
}

/** What is wrong with the archive says more, for example that a sheet is too large. */
function requestErrorOfWorkbook(error: unknown): unknown {
  const known = unreadableWorkbook(
    error instanceof UpstreamError && error.cause instanceof FileError ? error.cause : error,
  )
  return known instanceof ValidationError
    ? new RequestError(0, 'file_unreadable', `${known.violations.map(({ msg }) => msg).join('. ')}.`)
    : known
}
