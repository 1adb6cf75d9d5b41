import { UpstreamError } from '../../model/error.ts'
import { readZipMembers } from '../../files/zip/zip.ts'
import {
  relationshipsPart,
  sharedStringsPart,
  sheetPartOf,
  sheetRows,
  workbookPart,
  workbookSheetsIn,
} from './workbook-sheet.ts'

const partMax_bytes = 64 * 2 ** 20

/** All rows of a workbook sheet. */
export function readSheet(bytes: Uint8Array, name?: string): string[][] {
  return [...readSheetRows(bytes, name)]
}

/**
 * Yields the rows of a workbook sheet (ECMA-376), with their cells as text; of the first sheet if `name` is undefined.
 * Dates remain day numbers. A part of the workbook can have at most `part_bytes`.
 */
export function readSheetRows(bytes: Uint8Array, name?: string, part_bytes = partMax_bytes): Generator<string[]> {
  const readBookPart = unzipParts(bytes, [workbookPart, relationshipsPart], part_bytes)
  const sheets = workbookSheetsIn(readBookPart(workbookPart) ?? '')
  const selected = name === undefined ? sheets[0] : sheets.find((sheet) => sheet.name === name)
  if (!selected)
    throw new UpstreamError(
      'bad_response',
      `The workbook has no sheet ${name ?? ''}; its sheets are ${sheets.map((sheet) => sheet.name).join(', ') || 'none'}. Check \`sheet\` in the dataset.`,
    )
  const part = sheetPartOf(selected, readBookPart(relationshipsPart) ?? '')
  const readSheetPart = unzipParts(bytes, [part, sharedStringsPart], part_bytes)
  const sheet = readSheetPart(part)
  if (sheet === null) throw new UpstreamError('bad_response', `The workbook lacks its part ${part}. Try again later.`)
  return sheetRows(sheet, readSheetPart(sharedStringsPart) ?? '')
}

/** The names of the sheets of a workbook, in order. */
export function sheetNamesOf(bytes: Uint8Array): string[] {
  return workbookSheetsIn(unzipParts(bytes, [workbookPart], partMax_bytes)(workbookPart) ?? '').map(({ name }) => name)
}

function unzipParts(bytes: Uint8Array, paths: readonly string[], part_bytes: number): (path: string) => string | null {
  try {
    const parts = readZipMembers(bytes, paths, part_bytes)
    return (path) => {
      const part = parts.get(path)
      if (!part) return null
      parts.delete(path)
      const text = new TextDecoder().decode(part)
      // Up to 64 MB, which would stay until the next full collection.
      if (part.buffer instanceof ArrayBuffer && part.buffer.byteLength === part.length) part.buffer.transfer(0)
      return text
    }
  } catch (cause) {
    throw new UpstreamError('bad_response', 'The file is not a valid workbook (.xlsx). Try again later.', {
      cause,
    })
  }
}
