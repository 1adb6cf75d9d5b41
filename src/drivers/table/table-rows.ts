import { UpstreamError, schemaChangedError } from '../../model/error.ts'
import type { Properties } from '../../model/source.ts'
import { compileJsonPath } from '../../model/json-path.ts'
import { jsonDepthOf } from '../../net/content.ts'
import { isRecord, parseJson } from '../../model/record.ts'
import { createCellsReader } from '../../files/table/csv-cells.ts'
import { recordMax_characters, recordsOfText } from '../../files/table/csv-records.ts'
import { openWorkbook, readSheetRows } from '../../files/workbook/open-workbook.ts'
import type { TableEdition } from './table-edition.ts'

/** The format of a table file. */
export type TableFormat = {
  json_path?: string
  encoding?: 'windows-1252'
  header_lines?: number
  preamble_rows?: number
  sheet?: string
  columns?: string[]
  has_notes?: true
  key_columns?: string[]
  key_digits?: number
  key_of_names?: boolean
}

const rowsPerYield = 5000
/** A deeper document fills the memory of the parser. */
const jsonDepthMax = 32
/** Each cell takes about 100 bytes of memory. */
const tableCellsMax = 1_500_000
/** Parsing this much JSON, or so many records, takes less than 50 ms. */
const [keyMax_characters, keyMax_rows] = [8 * 2 ** 20, 50_000]
const tableMax_characters = 128 * 2 ** 20
/** Quotes, a colon and a comma. */
const punctuation_characters = 6
const fipsColumn = /^(county_)?fips( ?code|_code)?$/i
const countyDigits = 5

/**
 * The rows of all editions by key, as JSON text, which is cheaper for the garbage collector than objects. Columns of
 * earlier editions end in `_prior`.
 */
export async function joinEditions(
  editions: TableEdition[],
  asset: string,
  format: TableFormat,
): Promise<Map<string, string>> {
  const [newest, ...earlier] = await Promise.all(editions.map(({ bytes }) => parseRowsByKey(bytes, asset, format)))
  const jsonByKey = new Map<string, string>()
  let characters = 0
  for (const [key, rows] of newest!) {
    const prior = Object.fromEntries(
      Object.entries(earlier[0]?.get(key)?.[0] ?? {}).map(([name, value]) => [`${name}_prior`, value]),
    )
    const isMissingPrior = earlier.length > 0 && Object.keys(prior).length === 0
    const priorOf = (row: Properties) => (isMissingPrior ? nullPriorOf(row) : prior)
    const joined = rows.map((row) => ({ ...row, ...priorOf(row) }))
    characters += requireSmallKey(key, joined)
    if (characters > tableMax_characters)
      throw new UpstreamError(
        'too_large',
        `The table is too large: its rows have more than ${tableMax_characters} characters, because the column names are repeated in each row. Use a table with shorter column names.`,
      )
    jsonByKey.set(key, JSON.stringify(joined))
    if (jsonByKey.size % rowsPerYield === 0) await Bun.sleep(0)
  }
  return jsonByKey
}

/**
 * The approximate size of the rows of a key as JSON, in characters. They are read at once in the main thread.
 * @throws {UpstreamError} `too_large` above a limit.
 */
export function requireSmallKey(key: string, rows: readonly Properties[]): number {
  let characters = 0
  for (const row of rows) {
    for (const [name, value] of Object.entries(row))
      characters += name.length + lengthOf(value) + punctuation_characters
    if (characters > keyMax_characters || rows.length > keyMax_rows)
      throw new UpstreamError(
        'too_large',
        `The table has more than ${keyMax_rows} rows or ${keyMax_characters} characters for the key ${key.slice(0, 100)}. Check key_columns of the dataset.`,
      )
  }
  return characters
}

function lengthOf(value: unknown): number {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value).length
  return String(value).length
}

/** The `_prior` columns of a row that the earlier edition lacks. */
function nullPriorOf(row: Properties): Properties {
  return Object.fromEntries(Object.keys(row).map((name) => [`${name}_prior`, null]))
}

/** A key normalized for comparison. */
export function normalizeKey(key: string, { key_of_names = false }: TableFormat): string {
  if (!key_of_names) return key
  return key
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\bst\b\.?/g, 'saint')
    .replace(/[^a-z0-9|]/g, '')
}

/**
 * The rows of a file by key. Throws `schema_changed` if the file lacks the key columns, `bad_response` if it has no
 * rows.
 */
export async function parseRowsByKey(
  bytes: Uint8Array,
  asset: string,
  format: TableFormat,
): Promise<Map<string, Properties[]>> {
  const rows = await parseRows(bytes, asset, format)
  const columns = format.key_columns ?? Object.keys(rows[0] ?? {}).filter((name) => fipsColumn.test(name.trim()))
  const missing = columns.filter((name) => rows[0] && !Object.hasOwn(rows[0], name))
  if (missing.length > 0) throw schemaChangedError(missing, Object.keys(rows[0]!))
  if (rows.length === 0 || columns.length === 0) throw keyColumnError(rows[0] ?? {})
  const rowsByKey = Map.groupBy(rows, (row) => normalizeKey(rowKeyOf(row, columns, format), format))
  if (!format.key_of_names && !rowsByKey.keys().some((key) => /^\d+$/.test(key)))
    throw new UpstreamError('bad_response', `The table has no code in ${columns.join(' and ')}. Try again later.`)
  return rowsByKey
}

function keyColumnError(row: Properties): UpstreamError {
  const names = Object.keys(row).slice(0, 20).join(', ') || 'none'
  return new UpstreamError(
    'bad_response',
    `The table has no rows, or no column with county codes. Its columns: ${names}. Check key_columns of the dataset.`,
  )
}

/**
 * The key of a row. Leading zeros are restored where a table stores codes as numbers: in state and county parts, and in
 * whole county codes.
 */
function rowKeyOf(
  row: Properties,
  columns: string[],
  { key_of_names, key_digits = countyDigits }: TableFormat,
): string {
  const parts = columns.map((name) => String(row[name] ?? '').trim())
  if (key_of_names) return parts.join('|')
  if (parts.length === 2) return parts[0]!.padStart(2, '0') + parts[1]!.padStart(3, '0')
  return parts.join('').padStart(key_digits, '0')
}

/** Parses a file by its extension: CSV, JSON, or a sheet of a workbook. All values are text except in JSON. */
async function parseRows(bytes: Uint8Array, asset: string, format: TableFormat): Promise<Properties[]> {
  if (/\.json\b/i.test(asset)) return parseJsonRows(bytes, format)
  if (/\.xlsx\b/i.test(asset))
    return nameColumns((await readSheet(bytes, format.sheet)).slice(format.preamble_rows ?? 0), format)
  const lines = await parseCsvLines(new TextDecoder(format.encoding ?? 'utf-8').decode(bytes), format.header_lines ?? 0)
  return nameColumns(lines, format)
}

function parseJsonRows(bytes: Uint8Array, { json_path = '$[*]' }: TableFormat): Properties[] {
  if (jsonDepthOf(bytes) > jsonDepthMax)
    throw new UpstreamError(
      'bad_response',
      `The table is JSON nested deeper than ${jsonDepthMax} levels. Try again later.`,
    )
  const document = parseJson(
    new TextDecoder().decode(bytes),
    (cause) => new UpstreamError('bad_response', 'The table is not valid JSON. Try again later.', { cause }),
  )
  const rows = compileJsonPath(json_path)(document)
  if (rows.length === 0 || !rows.every(isRecord))
    throw new UpstreamError('bad_response', 'The table is not a list of records. Check json_path of the dataset.')
  return rows as Properties[]
}

async function parseCsvLines(text: string, skipLines: number): Promise<string[][]> {
  let start = 0
  for (let i = 0; i < skipLines; i++) start = text.indexOf('\n', start) + 1 || text.length
  const readCells = createCellsReader(',')
  const lines: string[][] = []
  let [cells, records] = [0, 0]
  for (const { text: record, raw = '' } of recordsOfText(text.slice(start), ',', 1)) {
    const line = record === null ? null : await readCells(record)
    if (!line)
      throw raw.length >= recordMax_characters
        ? new UpstreamError('too_large', `The table has a line of more than ${recordMax_characters} characters.`)
        : new UpstreamError('bad_response', 'The table is not valid CSV: it has an unclosed quote. Try again later.')
    cells += line.length
    if (cells > tableCellsMax) throw tooManyCellsError()
    if (line.some((cell) => cell.trim() !== '')) lines.push(line)
    if (++records % rowsPerYield === 0) await Bun.sleep(0)
  }
  return lines
}

function tooManyCellsError(): UpstreamError {
  return new UpstreamError(
    'too_large',
    `The table has too many cells. The maximum is ${tableCellsMax}. Use a smaller table.`,
  )
}

function nameColumns(allLines: string[][], { columns, has_notes }: TableFormat): Properties[] {
  const isNarrow = (line: string[]) => columns !== undefined && line.length < columns.length
  const lines = has_notes ? allLines.filter((line) => !isNarrow(line)) : allLines
  const narrow = columns && lines.find(isNarrow)
  if (narrow)
    throw new UpstreamError(
      'bad_response',
      `The table has a row with ${narrow.length} of the ${columns.length} columns. Check \`columns\` in the dataset.`,
    )
  const names = columns ?? lines[0]?.map((name) => name.trim()) ?? []
  return lines
    .slice(columns ? 0 : 1)
    .map((line) => Object.fromEntries(names.map((name, i) => [name, line[i]?.trim() || null])))
}

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
