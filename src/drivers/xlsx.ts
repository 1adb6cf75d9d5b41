import { UpstreamError } from '../model/error.ts'
import { readZipMembers } from '../packs/zip.ts'
import { xmlAttributeOf, parseXmlTags, type XmlTag } from './xml-tags.ts'

const partMax_bytes = 64 * 2 ** 20
/** The limit of a sheet of a workbook. */
export const sheetColumnsMax = 1000
const rowsMax = 1_048_576
/**
 * A cell far to the right makes the reader create all cells before it. Without this limit, a small file could use all
 * memory.
 */
export const sheetCellsMax = 1_500_000

/**
 * The cells of a workbook sheet (ECMA-376) as text, row by row; of the first sheet if `name` is undefined. Dates remain
 * day numbers. A part of the workbook can have at most `part_bytes`.
 */
export function readSheet(bytes: Uint8Array, name?: string, part_bytes = partMax_bytes): string[][] {
  const readBookPart = unzipParts(bytes, ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels'], part_bytes)
  const sheets = sheetsIn(readBookPart('xl/workbook.xml') ?? '')
  const selected = name === undefined ? sheets[0] : sheets.find((sheet) => sheet.name === name)
  if (!selected)
    throw new UpstreamError(
      'bad_response',
      `The workbook has no sheet ${name ?? ''}; its sheets are ${sheets.map((sheet) => sheet.name).join(', ') || 'none'}. Check sheet of the dataset.`,
    )
  const relationship = startTags(readBookPart('xl/_rels/workbook.xml.rels') ?? '', 'Relationship').find(
    (tag) => xmlAttributeOf(tag, 'Id') === selected.id,
  )
  const target = relationship
    ? xmlAttributeOf(relationship, 'Target').replace(/^\/?(xl\/)?/, 'xl/')
    : 'xl/worksheets/sheet1.xml'
  const readSheetPart = unzipParts(bytes, [target, 'xl/sharedStrings.xml'], part_bytes)
  const sheet = readSheetPart(target)
  if (sheet === null) throw new UpstreamError('bad_response', `The workbook lacks its part ${target}. Try again later.`)
  return parseRows(sheet, parseSharedStrings(readSheetPart('xl/sharedStrings.xml') ?? ''))
}

/** The names of the sheets of a workbook, in order. */
export function sheetNamesOf(bytes: Uint8Array): string[] {
  return sheetsIn(unzipParts(bytes, ['xl/workbook.xml'], partMax_bytes)('xl/workbook.xml') ?? '').map(
    ({ name }) => name,
  )
}

function sheetsIn(workbook: string): { name: string; id: string }[] {
  return startTags(workbook, 'sheet').map((tag) => ({
    name: xmlAttributeOf(tag, 'name'),
    id: xmlAttributeOf(tag, 'r:id'),
  }))
}

function unzipParts(bytes: Uint8Array, paths: readonly string[], part_bytes: number): (path: string) => string | null {
  try {
    const parts = readZipMembers(bytes, paths, part_bytes)
    return (path) => (parts.has(path) ? new TextDecoder().decode(parts.get(path)) : null)
  } catch (cause) {
    throw new UpstreamError('bad_response', 'The file is not a valid workbook (.xlsx). Try again later.', {
      cause,
    })
  }
}

function startTags(xml: string, name: string): XmlTag[] {
  return parseXmlTags(xml)
    .filter((tag) => tag.name === name && tag.kind !== 'close')
    .toArray()
}

/** The shared strings. A string may consist of several formatted runs. */
function parseSharedStrings(xml: string): string[] {
  const texts: string[] = []
  let runs = ''
  for (const { name, kind, text } of parseXmlTags(xml)) {
    if (name === 't' && kind === 'close') runs += text
    if (name !== 'si') continue
    if (kind !== 'open') texts.push(kind === 'close' ? runs : '')
    runs = ''
  }
  return texts
}

/** The rows of a sheet. Empty rows may be missing from the file, so the row number gives the position. */
function parseRows(xml: string, shared: string[]): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = { column: 0, type: '', value: '' }
  let cells = 0
  for (const tag of parseXmlTags(xml)) {
    if (tag.kind === 'close') {
      if (tag.name === 't' && cell.type === 'inlineStr') cell.value += tag.text
      if (tag.name === 'v' && cell.type !== 'inlineStr') cell.value = tag.text
      if (tag.name === 'c')
        row[cell.column] = cell.type === 's' ? (shared[Number(cell.value || NaN)] ?? '') : cell.value
    } else if (tag.name === 'row') {
      row = startRow(rows, tag)
    } else if (tag.name === 'c') {
      cell = {
        column: columnIndexOf(xmlAttributeOf(tag, 'r')) ?? row.length,
        type: xmlAttributeOf(tag, 't'),
        value: '',
      }
      cells += extendRow(row, cell.column)
      if (cells > sheetCellsMax)
        throw new UpstreamError(
          'too_large',
          `The sheet has too many cells; the limit is ${sheetCellsMax}. Use a smaller sheet.`,
        )
    }
  }
  return rows
}

function startRow(rows: string[][], tag: XmlTag): string[] {
  const rowNumber = Number(/^\d+$/.exec(xmlAttributeOf(tag, 'r'))?.[0] ?? 0) || rows.length + 1
  if (rowNumber > rowsMax)
    throw new UpstreamError(
      'bad_response',
      `The sheet has more than ${rowsMax} rows, which the format does not allow. The file is probably damaged. Try again later.`,
    )
  while (rows.length < rowNumber) rows.push([])
  return (rows[rowNumber - 1] = [])
}

/** Extends a row to a column. Returns the number of cells that this added. */
function extendRow(row: string[], column: number): number {
  if (column >= sheetColumnsMax)
    throw new UpstreamError(
      'bad_response',
      `The sheet has too many columns; the limit is ${sheetColumnsMax}. Use a smaller sheet.`,
    )
  const oldLength = row.length
  while (row.length <= column) row.push('')
  return row.length - oldLength
}

/** The zero-based column of a cell reference: 27 for `AB12`. */
function columnIndexOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  return letters === undefined
    ? null
    : [...letters].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0) - 1
}
