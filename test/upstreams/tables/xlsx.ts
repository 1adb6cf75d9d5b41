import { strToU8, zipSync } from 'fflate'

export type SheetCell = string | number | null
/** Sheets by name, in order. Each is a list of rows. */
export type Sheets = [name: string, rows: SheetCell[][]][]

/** Returns a minimal workbook: shared strings, inline numbers, no empty cells. */
export function xlsxOf(sheets: Sheets): Uint8Array {
  const texts: string[] = []
  const bodies = sheets.map(([, rows]) => sheetOf(rows, texts))
  return zipSync({
    '[Content_Types].xml': part(
      `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${sheets.map((_sheet, nth) => `<Override PartName="/xl/worksheets/sheet${nth + 1}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>`).join('')}</Types>`,
    ),
    '_rels/.rels': part(relations([['officeDocument', 'xl/workbook.xml']])),
    'xl/workbook.xml': part(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${sheets.map(([name], nth) => `<sheet name="${escaped(name)}" sheetId="${nth + 1}" r:id="rId${nth + 1}"/>`).join('')}</sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': part(
      relations([
        ...sheets.map((_sheet, nth): [string, string] => ['worksheet', `worksheets/sheet${nth + 1}.xml`]),
        ['sharedStrings', 'sharedStrings.xml'],
      ]),
    ),
    ...Object.fromEntries(bodies.map((body, nth) => [`xl/worksheets/sheet${nth + 1}.xml`, part(body)])),
    'xl/sharedStrings.xml': part(
      `<sst xmlns="${main}" count="${texts.length}" uniqueCount="${texts.length}">${texts.map((one) => `<si><t xml:space="preserve">${escaped(one)}</t></si>`).join('')}</sst>`,
    ),
  })
}

const packages = 'http://schemas.openxmlformats.org/package/2006'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

function sheetOf(rows: SheetCell[][], texts: string[]): string {
  const cell = (value: SheetCell, column: number, row: number) => {
    if (value === null) return ''
    const at = `${letters(column)}${row + 1}`
    return typeof value === 'number'
      ? `<c r="${at}"><v>${value}</v></c>`
      : `<c r="${at}" t="s"><v>${indexOf(value, texts)}</v></c>`
  }
  const lines = rows.map((row, nth) =>
    row.length === 0
      ? ''
      : `<row r="${nth + 1}">${row.map((value, column) => cell(value, column, nth)).join('')}</row>`,
  )
  return `<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`
}

function indexOf(text: string, texts: string[]): number {
  const known = texts.indexOf(text)
  return known < 0 ? texts.push(text) - 1 : known
}

function letters(column: number): string {
  return column < 26 ? String.fromCodePoint(65 + column) : letters(Math.floor(column / 26) - 1) + letters(column % 26)
}

function relations(list: [type: string, target: string][]): string {
  return `<Relationships xmlns="${packages}/relationships">${list.map(([type, target], nth) => `<Relationship Id="rId${nth + 1}" Type="${office}/${type}" Target="${target}"/>`).join('')}</Relationships>`
}

function part(xml: string): Uint8Array {
  return strToU8(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${xml}`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
