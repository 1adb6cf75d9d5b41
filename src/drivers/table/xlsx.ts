import { openWorkbook, readSheetRows } from '../../files/workbook/open-workbook.ts'
import { UpstreamError } from '../../model/error.ts'

/** Returns all rows of a workbook sheet; of the first one if `name` is undefined. */
export async function readSheet(bytes: Uint8Array, name?: string): Promise<string[][]> {
  const workbook = await openWorkbook(new Blob([bytes]))
  const selected = workbook.sheets.find((sheet) => name === undefined || sheet.name === name)
  if (!selected)
    throw new UpstreamError(
      'bad_response',
      `The workbook has no sheet ${name ?? ''}; its sheets are ${workbook.sheets.map((sheet) => sheet.name).join(', ') || 'none'}. Check \`sheet\` in the dataset.`,
    )
  return [...(await readSheetRows(workbook, selected))]
}
