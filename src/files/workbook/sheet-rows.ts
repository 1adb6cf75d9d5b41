import { UpstreamError } from '../../model/error.ts'
import { xmlAttributeOf, parseXmlTags, type XmlTag } from '../xml-tags.ts'

/** The limit of a sheet of a workbook. */
export const sheetColumnsMax = 1000
const rowsMax = 1_048_576
/**
 * A cell far to the right makes the reader create all cells before it. Without this limit, a small file could use all
 * memory.
 */
export const sheetCellsMax = 1_500_000

/** The parts of a workbook (ECMA-376) that list its sheets and their parts. */
export const workbookPart = 'xl/workbook.xml'
export const relationshipsPart = 'xl/_rels/workbook.xml.rels'
/** The part with the texts that several cells share. */
export const sharedStringsPart = 'xl/sharedStrings.xml'

/** A sheet: its name, and the id of the relationship that gives its part. */
export type WorkbookSheet = { name: string; id: string }

/** Returns the sheets that a workbook part lists, in order. */
export function workbookSheetsIn(workbook: string): WorkbookSheet[] {
  return startTags(workbook, 'sheet').map((tag) => ({
    name: xmlAttributeOf(tag, 'name'),
    id: xmlAttributeOf(tag, 'r:id'),
  }))
}

/** Returns the name of the part of a sheet. */
export function sheetPartOf({ id }: WorkbookSheet, relationships: string): string {
  const relationship = startTags(relationships, 'Relationship').find((tag) => xmlAttributeOf(tag, 'Id') === id)
  return relationship
    ? xmlAttributeOf(relationship, 'Target').replace(/^\/?(xl\/)?/, 'xl/')
    : 'xl/worksheets/sheet1.xml'
}

/**
 * Yields the rows of a sheet, with their cells as text. Dates remain day numbers. Empty rows may be missing from the
 * file, so the row number gives the position.
 */
export function* sheetRows(sheet: string, sharedStrings: string): Generator<string[]> {
  const shared = parseSharedStrings(sharedStrings)
  let row: string[] = []
  let rowNumber = 0
  let cell = { column: 0, type: '', value: '' }
  let cells = 0
  for (const tag of parseXmlTags(sheet)) {
    if (tag.kind === 'close') {
      if (tag.name === 't' && cell.type === 'inlineStr') cell.value += tag.text
      if (tag.name === 'v' && cell.type !== 'inlineStr') cell.value = tag.text
      if (tag.name === 'c')
        row[cell.column] = cell.type === 's' ? (shared[Number(cell.value || NaN)] ?? '') : cell.value
    } else if (tag.name === 'row') {
      const next = rowNumberOf(tag, rowNumber)
      // A row that is there twice replaces the first one.
      if (rowNumber > 0 && next > rowNumber) yield row
      for (rowNumber++; rowNumber < next; rowNumber++) yield []
      rowNumber = next
      row = []
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
  if (rowNumber > 0) yield row
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

/** The number of a row, from 1. A row without a number follows the row before it. */
function rowNumberOf(tag: XmlTag, before: number): number {
  const rowNumber = Number(/^\d+$/.exec(xmlAttributeOf(tag, 'r'))?.[0] ?? 0) || before + 1
  if (rowNumber < before)
    throw new UpstreamError(
      'bad_response',
      `Row ${rowNumber} of the sheet comes after row ${before}. The file is probably damaged. Try again later.`,
    )
  if (rowNumber > rowsMax)
    throw new UpstreamError(
      'bad_response',
      `The sheet has more than ${rowsMax} rows, which the format does not allow. The file is probably damaged. Try again later.`,
    )
  return rowNumber
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
