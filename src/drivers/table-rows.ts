import { parseString } from '@fast-csv/parse'
import { UpstreamError } from '../model/error.ts'
import type { Properties } from '../model/source.ts'
import { compileJsonPath } from '../model/json-path.ts'
import { isRecord } from '../model/record.ts'
import type { TableEdition } from './table-file.ts'
import { readSheet } from './xlsx.ts'

/** How the rows stand in a file. */
export type TableFormat = {
  json_path?: string
  encoding?: 'windows-1252'
  header_lines?: number
  preamble_rows?: number
  sheet?: string
  columns?: string[]
  key_columns?: string[]
  key_digits?: number
  key_of_names?: boolean
}

const rowsPerYield = 5000
const fipsColumn = /^(county_)?fips( ?code|_code)?$/i
const countyDigits = 5

/** The rows of all editions by key, each as JSON: text by the ten thousand costs the collector nothing. Columns of the editions before end in `_prior`. */
export async function joinEditions(
  editions: TableEdition[],
  asset: string,
  format: TableFormat,
): Promise<Map<string, string>> {
  const [newest, ...earlier] = await Promise.all(editions.map(({ bytes }) => parseRowsByKey(bytes, asset, format)))
  const jsonByKey = new Map<string, string>()
  for (const [key, rows] of newest!) {
    const prior = Object.fromEntries(
      Object.entries(earlier[0]?.get(key)?.[0] ?? {}).map(([name, value]) => [`${name}_prior`, value]),
    )
    if (earlier.length === 0 || Object.keys(prior).length > 0)
      jsonByKey.set(key, JSON.stringify(rows.map((row) => ({ ...row, ...prior }))))
    else
      jsonByKey.set(
        key,
        JSON.stringify(
          rows.map((row) => ({
            ...row,
            ...Object.fromEntries(Object.keys(row).map((name) => [`${name}_prior`, null])),
          })),
        ),
      )
    if (jsonByKey.size % rowsPerYield === 0) await Bun.sleep(0)
  }
  return jsonByKey
}

/** A key as it is compared. */
export function normalizeKey(key: string, { key_of_names = false }: TableFormat): string {
  if (!key_of_names) return key
  return key
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\bst\b\.?/g, 'saint')
    .replace(/[^a-z0-9|]/g, '')
}

/** The rows of a file by their key. A file without rows, or without the columns of the key, is not the table that was expected. */
export async function parseRowsByKey(
  bytes: Uint8Array,
  asset: string,
  format: TableFormat,
): Promise<Map<string, Properties[]>> {
  const rows = await parseRows(bytes, asset, format)
  const columns = format.key_columns ?? Object.keys(rows[0] ?? {}).filter((name) => fipsColumn.test(name.trim()))
  const missing = columns.filter((name) => rows[0] && !Object.hasOwn(rows[0], name))
  if (rows.length === 0 || columns.length === 0 || missing.length > 0) {
    throw new UpstreamError(
      'bad_response',
      `The table has no key: ${missing.join(', ') || 'a county code'} was expected among ${
        Object.keys(rows[0] ?? {})
          .slice(0, 20)
          .join(', ') || 'no columns'
      }.`,
    )
  }
  return Map.groupBy(rows, (row) => normalizeKey(rowKeyOf(row, columns, format), format))
}

/** Codes lose their leading zeros in tables that hold them as numbers: state and county parts, and whole county codes, get them back. */
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

/** The rows of a file, by the ending of its name: CSV or text with commas, JSON, or a sheet of a workbook. All values are text but those of JSON. */
async function parseRows(bytes: Uint8Array, asset: string, format: TableFormat): Promise<Properties[]> {
  if (/\.json\b/i.test(asset)) return parseJsonRows(bytes, format)
  if (/\.xlsx\b/i.test(asset))
    return nameColumns(readSheet(bytes, format.sheet).slice(format.preamble_rows ?? 0), format)
  const lines = await parseCsvLines(new TextDecoder(format.encoding ?? 'utf-8').decode(bytes), format.header_lines ?? 0)
  return nameColumns(lines, format)
}

function parseJsonRows(bytes: Uint8Array, { json_path = '$[*]' }: TableFormat): Properties[] {
  const document = parseJson(new TextDecoder().decode(bytes))
  const rows = compileJsonPath(json_path)(document)
  if (!rows || !rows.every(isRecord))
    throw new UpstreamError('bad_response', 'The table was expected to hold a list of records, and it does not.')
  return rows as Properties[]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new UpstreamError('bad_response', 'The table was expected to be JSON, and it cannot be read as that.', {
      cause,
    })
  }
}

function parseCsvLines(text: string, skipLines: number): Promise<string[][]> {
  return new Promise((resolve, reject) => {
    const lines: string[][] = []
    parseString<string[], string[]>(text, { headers: false, skipLines, ignoreEmpty: true })
      .on('data', (line: string[]) => lines.push(line))
      .on('error', (cause) =>
        reject(
          new UpstreamError(
            'bad_response',
            'The table was expected to be text with commas, and it cannot be read as that.',
            { cause },
          ),
        ),
      )
      .on('end', () => resolve(lines))
  })
}

function nameColumns(lines: string[][], { columns }: TableFormat): Properties[] {
  const names = columns ?? lines[0]?.map((name) => name.trim()) ?? []
  return lines
    .slice(columns ? 0 : 1)
    .map((line) => Object.fromEntries(names.map((name, i) => [name, line[i]?.trim() || null])))
}
