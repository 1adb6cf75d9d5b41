import { strToU8, Zip, ZipDeflate } from 'fflate'
import { ApiError } from '../../model/error.ts'
import { sheetRowsMax } from './artifact-columns.ts'
import { storedValueOf } from './csv-cell.ts'

/** A column of a sheet. `isCopied`: its texts are those of the input, and numbers among them are written as numbers. */
type Column = { header: string; isCopied: boolean }

/** What a sheet can have besides its rows (Excel specifications and limits). */
const cellMax_characters = 32_767
const sheetMax_bytes = 4_000_000_000
const chunk_characters = 262_144
const level = 4
/** The earliest time that a ZIP archive can have: the same rows make the same bytes. */
const mtime = new Date(1980, 0, 1)

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageNamespace = 'http://schemas.openxmlformats.org/package/2006'
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The parts of a workbook with one sheet (ECMA-376), without the sheet. */
const parts = {
  '[Content_Types].xml': `<Types xmlns="${packageNamespace}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="result" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packageNamespace}/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** Writes rows as a workbook (.xlsx) with one sheet. `write` receives its bytes in order. */
export class WorkbookRows {
  readonly #columns: readonly Column[]
  readonly #letters: string[]
  readonly #zip: Zip
  readonly #sheet = new ZipDeflate('xl/worksheets/sheet1.xml', { level })
  #text = `${declaration}<worksheet xmlns="${main}"><sheetData>`
  #rows = 0
  #sheet_bytes = 0

  constructor(columns: readonly Column[], write: (bytes: Uint8Array) => void) {
    this.#columns = columns
    this.#letters = columns.map((_, i) => lettersOf(i))
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error
      write(bytes)
    })
    for (const [name, text] of Object.entries(parts)) {
      const part = new ZipDeflate(name, { level })
      part.mtime = mtime
      this.#zip.add(part)
      part.push(strToU8(declaration + text), true)
    }
    this.#sheet.mtime = mtime
    this.#zip.add(this.#sheet)
    this.#addRow((i) => this.#textCell(i, columns[i]!.header))
  }

  /** Adds a row. @throws {ApiError} if a sheet cannot have it. */
  add(_geometry: unknown, values: readonly unknown[]): void {
    this.#addRow((i) => this.#cellOf(i, storedValueOf(values[i])))
  }

  finish(): void {
    this.#push('</sheetData></worksheet>', true)
    this.#zip.end()
  }

  close(): void {
    this.#zip.terminate()
  }

  #addRow(cellAt: (column: number) => string): void {
    if (++this.#rows > sheetRowsMax)
      throw tooLargeError(`has more than ${(sheetRowsMax - 1).toLocaleString('en-US')} rows`)
    let row = `<row r="${this.#rows}">`
    for (let i = 0; i < this.#columns.length; i++) row += cellAt(i)
    this.#text += `${row}</row>`
    if (this.#text.length >= chunk_characters) this.#push('', false)
  }

  #cellOf(column: number, value: string | number | boolean | null): string {
    if (value === null || value === '') return ''
    const at = `${this.#letters[column]}${this.#rows}`
    if (typeof value === 'boolean') return `<c r="${at}" t="b"><v>${Number(value)}</v></c>`
    const isNumber = typeof value === 'number' || (this.#columns[column]!.isCopied && isShownAsItIs(value))
    return isNumber ? `<c r="${at}"><v>${value}</v></c>` : this.#textCell(column, value)
  }

  #textCell(column: number, text: string): string {
    if (text.length > cellMax_characters)
      throw tooLargeError(
        `has a text of ${text.length.toLocaleString('en-US')} characters in the column ${this.#columns[column]!.header}. A cell can have ${cellMax_characters.toLocaleString('en-US')}`,
      )
    return `<c r="${this.#letters[column]}${this.#rows}" t="inlineStr"><is><t xml:space="preserve">${xmlTextOf(text)}</t></is></c>`
  }

  #push(text: string, isEnd: boolean): void {
    const bytes = strToU8(this.#text + text)
    this.#text = ''
    this.#sheet_bytes += bytes.length
    if (this.#sheet_bytes > sheetMax_bytes) throw tooLargeError('has more than 4 GB')
    this.#sheet.push(bytes, isEnd)
  }
}

function tooLargeError(what: string): ApiError {
  return new ApiError(
    'bad_request',
    `A workbook cannot have this result, which ${what}. Use another format, such as CSV.`,
  )
}

/** Whether a text is a number that a spreadsheet shows as the same text. Excel has 15 digits. */
function isShownAsItIs(text: string): boolean {
  return (
    /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/.test(text) && text !== '-0' && text.replaceAll(/\D/g, '').length <= shownDigits
  )
}

/** Excel shows more digits than these with an exponent or rounded. */
const shownDigits = 10

/** XML cannot have most control characters: they are written as `_x0001_` (ECMA-376, 22.4.2.4). */
function xmlTextOf(text: string): string {
  if (!/[&<>_\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text)) return text
  return text
    .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/(?![\t\n])\p{Cc}|[\p{Cs}\uFFFE\uFFFF]/gu, (it) => `_x${hex(it)}_`)
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}

/** The name of a column: A to Z, AA, AB … */
function lettersOf(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last
}
