import { unzipSync } from 'fflate'
import { UpstreamError } from '../model/error.ts'

const sheetMax_bytes = 256 * 2 ** 20
const columnsMax = 1000
const rowsMax = 1_048_576

/** The cells of a sheet of a workbook (ECMA-376), as text, row by row; of the first sheet when none is named. Dates stay numbers of days. */
export function sheetOf(bytes: Uint8Array, name?: string): string[][] {
  const parts = unzipped(bytes)
  const part = (path: string) => (parts[path] ? new TextDecoder().decode(parts[path]) : null)
  const sheets = [...(part('xl/workbook.xml') ?? '').matchAll(/<sheet\b[^>]*>/g)].map(([tag]) => ({ name: attribute(tag, 'name'), id: attribute(tag, 'r:id') }))
  const wanted = name === undefined ? sheets[0] : sheets.find((sheet) => sheet.name === name)
  if (!wanted) throw new UpstreamError('bad_response', `The workbook was expected to have a sheet ${name ?? ''}, and it has ${sheets.map((sheet) => sheet.name).join(', ') || 'none'}.`)
  const relation = [...(part('xl/_rels/workbook.xml.rels') ?? '').matchAll(/<Relationship\b[^>]*>/g)].find(([tag]) => attribute(tag, 'Id') === wanted.id)
  const target = relation ? attribute(relation[0], 'Target').replace(/^\/?(xl\/)?/, 'xl/') : 'xl/worksheets/sheet1.xml'
  const sheet = part(target)
  if (sheet === null) throw new UpstreamError('bad_response', `The workbook names ${target}, which it does not hold.`)
  return rowsOf(sheet, sharedTexts(part('xl/sharedStrings.xml') ?? ''))
}

function unzipped(bytes: Uint8Array): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter: ({ name, originalSize }) => name.startsWith('xl/') && originalSize <= sheetMax_bytes })
  } catch (cause) {
    throw new UpstreamError('bad_response', 'A workbook (.xlsx) was expected, and the file cannot be unpacked.', { cause })
  }
}

function sharedTexts(xml: string): string[] {
  return [...xml.matchAll(/<si>(.*?)<\/si>/gs)].map(([, item]) => textOf(item!))
}

/** Rows without cells may be left out of the file: the number of a row says where it stands. */
function rowsOf(xml: string, shared: string[]): string[][] {
  const rows: string[][] = []
  for (const [, head, cells] of xml.matchAll(/<row\b([^>]*?)(?:\/>|>(.*?)<\/row>)/gs)) {
    const place = Number(attribute(`<row ${head}>`, 'r')) || rows.length + 1
    if (place > rowsMax) throw new UpstreamError('bad_response', `The sheet has more than ${rowsMax} rows.`)
    while (rows.length < place) rows.push([])
    rows[place - 1] = cellsOf(cells ?? '', shared)
  }
  return rows
}

function cellsOf(cells: string, shared: string[]): string[] {
  const row: string[] = []
  for (const [, head, content] of cells.matchAll(/<c\b([^>]*?)(?:\/>|>(.*?)<\/c>)/gs)) {
    const column = columnOf(attribute(`<c ${head}>`, 'r')) ?? row.length
    if (column >= columnsMax) throw new UpstreamError('bad_response', `The sheet has more than ${columnsMax} columns.`)
    while (row.length < column) row.push('')
    row[column] = valueOf(attribute(`<c ${head}>`, 't'), content ?? '', shared)
  }
  return row
}

function valueOf(type: string, content: string, shared: string[]): string {
  if (type === 'inlineStr') return textOf(content)
  const value = unescaped(/<v\b[^>]*>(.*?)<\/v>/s.exec(content)?.[1] ?? '')
  return type === 's' ? (shared[Number(value)] ?? '') : value
}

/** `AB12` is column 27, counted from 0. */
function columnOf(reference: string): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  return letters === undefined ? null : [...letters].reduce((column, letter) => 26 * column + letter.charCodeAt(0) - 64, 0) - 1
}

function textOf(xml: string): string {
  return [...xml.matchAll(/<t\b[^>]*>(.*?)<\/t>/gs)].map(([, text]) => unescaped(text!)).join('')
}

function attribute(tag: string, name: string): string {
  return unescaped(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return entities[name] ?? whole
    return String.fromCodePoint(decimal === undefined ? parseInt(hex!, 16) : Number(decimal))
  })
}
