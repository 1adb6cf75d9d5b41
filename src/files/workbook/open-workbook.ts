import { listZipEntries, requireWithinLimits, type ZipEntry } from '../zip/zip.ts'
import { UpstreamError } from '../../model/error.ts'
import {
  relationshipsPart,
  sharedStringsPart,
  sheetPartOf,
  sheetRows,
  workbookPart,
  workbookSheetsIn,
  type WorkbookSheet,
} from './sheet-rows.ts'

const partMax_bytes = 64 * 2 ** 20

/** A workbook (.xlsx, ECMA-376) whose directory has been read. */
export type Workbook = { sheets: WorkbookSheet[]; readPart(path: string): Promise<string | null> }

/** Opens a workbook, in a browser or on a server. Each part that is read can have at most 64 MB when it is inflated. */
export async function openWorkbook(archive: Blob): Promise<Workbook> {
  const name = 'The archive'
  const entries = new Map<string, ZipEntry>()
  const readPart = async (path: string) => {
    const entry = entries.get(path)
    if (!entry) return null
    requireWithinLimits({ size: archive.size, name }, [entry], partMax_bytes)
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of entry.inflate()) text += decoder.decode(chunk, { stream: true })
    return text + decoder.decode()
  }
  const valid = <T>(read: () => Promise<T>) =>
    read().catch((cause: unknown) => {
      throw new UpstreamError('bad_response', 'The file is not a valid workbook (.xlsx). Try again later.', { cause })
    })
  return valid(async () => {
    for (const entry of await listZipEntries(archive, name)) entries.set(entry.path, entry)
    const sheets = workbookSheetsIn((await readPart(workbookPart)) ?? '')
    return { sheets, readPart: (path) => valid(() => readPart(path)) }
  })
}

/** Returns the rows of a sheet, with their cells as text. Dates remain day numbers. */
export async function readSheetRows({ readPart }: Workbook, sheet: WorkbookSheet): Promise<Generator<string[]>> {
  const part = sheetPartOf(sheet, (await readPart(relationshipsPart)) ?? '')
  const rows = await readPart(part)
  if (rows === null) throw new UpstreamError('bad_response', `The workbook lacks its part ${part}. Try again later.`)
  return sheetRows(rows, (await readPart(sharedStringsPart)) ?? '')
}
