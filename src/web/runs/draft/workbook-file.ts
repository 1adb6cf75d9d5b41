import {
  parseSheet,
  relationshipsPart,
  sharedStringsPart,
  sheetPartOf,
  workbookPart,
  workbookSheetsIn,
} from '../../../drivers/table/workbook-sheet.ts'
import { ValidationError } from '../../../model/error.ts'
import { listZipEntries, type ZipEntry, type ZipSource } from '../../../files/zip/zip-directory.ts'
import { inflateInChunks, zipSourceOf } from '../../../files/zip/zip-stream.ts'
import {
  invalidWorkbook,
  largeSheetError,
  sheetMax_bytes,
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
    const source = zipSourceOf(new Uint8Array(await file.arrayBuffer()), 'The file')
    const entries = new Map(listZipEntries(source).map((entry) => [entry.path, entry]))
    const read = async (path: string) => {
      const entry = entries.get(path)
      return entry ? readText(source, entry) : ''
    }
    const sheets = workbookSheetsIn(await read(workbookPart))
    const selected = sheets.find((it) => it.name === name) ?? sheets[0]
    if (!selected) throw invalidWorkbook('The workbook has no sheet')
    const part = sheetPartOf(selected, await read(relationshipsPart))
    const rows = parseSheet(await read(part), await read(sharedStringsPart))
    return { sheets: sheets.map((it) => it.name), sheet: selected.name, texts: textsOf(csvLinesOf(rows)) }
  } catch (error) {
    throw requestErrorOfWorkbook(error)
  }
}

/** Inflates a part of the workbook, up to the size limit of the service. */
async function readText(source: ZipSource, entry: ZipEntry): Promise<string> {
  const decoder = new TextDecoder()
  let [text, size_bytes] = ['', 0]
  for await (const chunk of inflateInChunks(source, entry)) {
    size_bytes += chunk.length
    if (size_bytes > sheetMax_bytes)
      throw invalidWorkbook(`The sheet has more than ${sheetMax_bytes / 2 ** 20} MB when it is unpacked`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function csvLinesOf(rows: string[][]): string[] {
  let characters = 0
  return rows.map((row) => {
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

/** `DecompressionStream` throws a TypeError for damaged bytes. */
function requestErrorOfWorkbook(error: unknown): unknown {
  const known = error instanceof TypeError ? invalidWorkbook('The workbook is damaged') : unreadableWorkbook(error)
  return known instanceof ValidationError
    ? new RequestError(0, 'file_unreadable', `${known.violations.map(({ msg }) => msg).join('. ')}.`)
    : known
}
