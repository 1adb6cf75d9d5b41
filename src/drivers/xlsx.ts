import { UpstreamError } from '../model/error.ts'
import { unzipFiles } from './unzip.ts'
import { xmlAttributeOf, parseXmlTags, type XmlTag } from './xml-tags.ts'

const partMax_bytes = 256 * 2 ** 20
const columnsMax = 1000
const rowsMax = 1_048_576
/** A cell far to the right stands for all before it: without this a small file would make a table larger than the memory. */
const cellsMax = 8_000_000

/** The cells of a sheet of a workbook (ECMA-376), as text, row by row; of the first sheet when none is named. Dates stay numbers of days. */
export function readSheet(bytes: Uint8Array, name?: string): string[][] {
  const readBookPart = unzipParts(bytes, ['xl/workbook.xml', 'xl/_rels/workbook.xml.rels'])
  const sheets = startTags(readBookPart('xl/workbook.xml') ?? '', 'sheet').map((tag) => ({
    name: xmlAttributeOf(tag, 'name'),
    id: xmlAttributeOf(tag, 'r:id'),
  }))
  const selected = name === undefined ? sheets[0] : sheets.find((sheet) => sheet.name === name)
  if (!selected)
    throw new UpstreamError(
      'bad_response',
      `The workbook was expected to have a sheet ${name ?? ''}, and it has ${sheets.map((sheet) => sheet.name).join(', ') || 'none'}.`,
    )
  const relationship = startTags(readBookPart('xl/_rels/workbook.xml.rels') ?? '', 'Relationship').find(
    (tag) => xmlAttributeOf(tag, 'Id') === selected.id,
  )
  const target = relationship
    ? xmlAttributeOf(relationship, 'Target').replace(/^\/?(xl\/)?/, 'xl/')
    : 'xl/worksheets/sheet1.xml'
  const readSheetPart = unzipParts(bytes, [target, 'xl/sharedStrings.xml'])
  const sheet = readSheetPart(target)
  if (sheet === null) throw new UpstreamError('bad_response', `The workbook names ${target}, which it does not hold.`)
  return parseRows(sheet, parseSharedStrings(readSheetPart('xl/sharedStrings.xml') ?? ''))
}

function unzipParts(bytes: Uint8Array, paths: readonly string[]): (path: string) => string | null {
  try {
    const parts = unzipFiles(bytes, paths, partMax_bytes)
    return (path) => (parts.has(path) ? new TextDecoder().decode(parts.get(path)) : null)
  } catch (cause) {
    throw new UpstreamError('bad_response', 'A workbook (.xlsx) was expected, and the file cannot be unpacked.', {
      cause,
    })
  }
}

function startTags(xml: string, name: string): XmlTag[] {
  return parseXmlTags(xml)
    .filter((tag) => tag.name === name && tag.kind !== 'ends')
    .toArray()
}

/** A text may be in several runs of one look each. */
function parseSharedStrings(xml: string): string[] {
  const texts: string[] = []
  let runs = ''
  for (const { name, kind, text } of parseXmlTags(xml)) {
    if (name === 't' && kind === 'ends') runs += text
    if (name !== 'si') continue
    if (kind !== 'begins') texts.push(kind === 'ends' ? runs : '')
    runs = ''
  }
  return texts
}

/** Rows without cells may be left out of the file: the number of a row says where it stands. */
function parseRows(xml: string, shared: string[]): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  let cell = { column: 0, type: '', value: '' }
  let cells = 0
  for (const tag of parseXmlTags(xml)) {
    if (tag.kind === 'ends') {
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
      if (cells > cellsMax) throw new UpstreamError('too_large', `The sheet has more than ${cellsMax} cells.`)
    }
  }
  return rows
}

function startRow(rows: string[][], tag: XmlTag): string[] {
  const rowNumber = Number(/^\d+$/.exec(xmlAttributeOf(tag, 'r'))?.[0] ?? 0) || rows.length + 1
  if (rowNumber > rowsMax) throw new UpstreamError('bad_response', `The sheet has more than ${rowsMax} rows.`)
  while (rows.length < rowNumber) rows.push([])
  return (rows[rowNumber - 1] = [])
}

/** Makes room in the row up to the column; gives how many cells that took. */
function extendRow(row: string[], column: number): number {
  if (column >= columnsMax) throw new UpstreamError('bad_response', `The sheet has more than ${columnsMax} columns.`)
  const oldLength = row.length
  while (row.length <= column) row.push('')
  return row.length - oldLength
}

/** `AB12` is column 27, counted from 0. */
function columnIndexOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  return letters === undefined
    ? null
    : [...letters].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0) - 1
}
