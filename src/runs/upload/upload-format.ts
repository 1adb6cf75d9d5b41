import { validationErrorAt } from '../../model/error.ts'
import { mappedColumns, type ColumnMapping, type ColumnOptions } from '../../files/table/upload-columns.ts'

/** How to read a file. What is not given is detected. */
export type UploadFormat = Omit<ColumnOptions, 'toDegrees'> & {
  encoding?: string | undefined
  delimiter?: string | undefined
  /** The line with the names of the columns, from 1; 0: there is none. */
  header_row?: number | undefined
  /** The sheet of a workbook that has several. */
  sheet?: string | undefined
}

/** The names of the options that describe a file. */
export const uploadOptions = [...mappedColumns, 'encoding', 'delimiter', 'header_row', 'sheet', 'crs', 'west'] as const
const delimiterNames: Readonly<Record<string, string>> = {
  tab: '\t',
  '\\t': '\t',
  comma: ',',
  semicolon: ';',
  pipe: '|',
}
const headerRowMax = 1000

/** Returns the format that named options describe. @throws {ValidationError} for a value that is not valid. */
export function uploadFormatOf(
  option: (name: (typeof uploadOptions)[number]) => string | null | undefined,
): UploadFormat {
  const given = Object.fromEntries(uploadOptions.flatMap((name) => (option(name) ? [[name, option(name)!]] : [])))
  const { encoding, sheet, crs, west, delimiter, header_row } = given
  const names = mappedColumns.flatMap((part) => (given[part] === undefined ? [] : [[part, given[part]]]))
  const mapping: ColumnMapping = Object.fromEntries(names)
  const character = delimiter && (delimiterNames[delimiter] ?? delimiter)
  if (character !== undefined && !/^[^"\r\n\uFEFF]$/.test(character))
    throw validationErrorAt(
      ['query', 'delimiter'],
      `${JSON.stringify(delimiter)} is not one character. Use , ; | or tab`,
    )
  if (header_row !== undefined && !(/^\d{1,4}$/.test(header_row) && Number(header_row) <= headerRowMax))
    throw validationErrorAt(['query', 'header_row'], `Use the number of a line, from 0 to ${headerRowMax}`)
  if (west !== undefined && west !== 'true' && west !== 'false')
    throw validationErrorAt(['query', 'west'], 'Use true or false')
  return {
    ...(names.length > 0 && { mapping }),
    ...(encoding !== undefined && { encoding }),
    ...(character !== undefined && { delimiter: character }),
    ...(header_row !== undefined && { header_row: Number(header_row) }),
    ...(sheet !== undefined && { sheet }),
    ...(crs !== undefined && { crs: /^\d{4,6}$/.test(crs) ? `EPSG:${crs}` : crs }),
    ...(west === 'true' && { west: true }),
  }
}
