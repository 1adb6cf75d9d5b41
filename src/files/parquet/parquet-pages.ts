import type { AsyncBuffer, ColumnMetaData, FileMetaData, PageHeader, SchemaTree } from 'hyparquet'
import { parquetHeader } from 'hyparquet/src/column.js'
import { getMaxDefinitionLevel, getMaxRepetitionLevel, getSchemaPath } from 'hyparquet/src/schema.js'
import { parquetDecompressors, parquetPageMax_bytes } from './parquet-decompressors.ts'

/** Most headers are small. Statistics about large values make a header large. */
const headerWindows_bytes = [64 * 1024, 32 * 1024 ** 2]

/**
 * Checks that the pages of a file have the values that their headers and run lengths declare. The reader allocates and
 * loops by these numbers: a run of a few bytes can declare a billion values.
 * @throws {Error} that continues the sentence "The file cannot be read as Parquet:".
 */
export async function checkParquetPages(file: AsyncBuffer, { row_groups, schema }: FileMetaData): Promise<void> {
  for (const { columns } of row_groups)
    for (const { meta_data } of columns)
      if (meta_data) await checkColumn(file, meta_data, getSchemaPath(schema, meta_data.path_in_schema))
}

async function checkColumn(file: AsyncBuffer, column: ColumnMetaData, path: SchemaTree[]): Promise<void> {
  const start = Number(column.dictionary_page_offset || column.data_page_offset)
  const end = start + Number(column.total_compressed_size)
  let valuesLeft = Number(column.num_values)
  for (let at = start; at < end - 1;) {
    const { header, headerSize_bytes } = await readHeader(file, at, end)
    const pageSize_bytes = header.compressed_page_size
    requirePageSize(header.uncompressed_page_size, parquetPageMax_bytes)
    requirePageSize(pageSize_bytes, Math.min(end - at - headerSize_bytes, parquetPageMax_bytes))
    const values = requireValueCount(header, valuesLeft)
    const bytes = await file.slice(at + headerSize_bytes, at + headerSize_bytes + pageSize_bytes)
    checkRunLengths(new Uint8Array(bytes), header, { column, path, values })
    valuesLeft -= header.type === 'DICTIONARY_PAGE' ? 0 : values
    at += headerSize_bytes + pageSize_bytes
  }
}

async function readHeader(
  file: AsyncBuffer,
  at: number,
  end: number,
): Promise<{ header: PageHeader; headerSize_bytes: number }> {
  for (const [i, window_bytes] of headerWindows_bytes.entries()) {
    const reader = { view: new DataView(await file.slice(at, Math.min(end, at + window_bytes))), offset: 0 }
    try {
      return { header: parquetHeader(reader), headerSize_bytes: reader.offset }
    } catch (error) {
      if (i === headerWindows_bytes.length - 1 || at + window_bytes >= end) throw error
    }
  }
  throw new Error('a page has no header')
}

function requirePageSize(size_bytes: number, max_bytes: number): void {
  if (size_bytes < 0 || size_bytes > max_bytes)
    throw new Error(`a page declares ${size_bytes} bytes, and the maximum is ${max_bytes}`)
}

/** The number of values of a page. */
function requireValueCount(header: PageHeader, valuesLeft: number): number {
  const { data_page_header: v1, data_page_header_v2: v2, dictionary_page_header: dictionary } = header
  const values = v1?.num_values ?? v2?.num_values ?? dictionary?.num_values ?? 0
  // A value of a dictionary takes at least a bit.
  const valuesMax = dictionary ? 8 * header.uncompressed_page_size : valuesLeft
  if (values < 0 || values > valuesMax)
    throw new Error(`a page declares ${values} values, but can have ${Math.max(0, valuesMax)}`)
  return values
}

type PageContext = { column: ColumnMetaData; path: SchemaTree[]; values: number }

function checkRunLengths(packed: Uint8Array, header: PageHeader, { column, path, values }: PageContext): void {
  const { data_page_header: v1, data_page_header_v2: v2, uncompressed_page_size } = header
  const levels = [getMaxRepetitionLevel(path), getMaxDefinitionLevel(path)]
  if (v1) {
    const page = decompress(packed, column, uncompressed_page_size)
    let at = 0
    for (const level of levels.filter((it) => it > 0)) {
      const length = lengthAt(page, at)
      checkRuns(page.subarray(at + 4, at + 4 + length), bitsOf(level), values)
      at += 4 + length
    }
    checkValueRuns(page.subarray(at), v1.encoding, column, values)
  }
  if (v2) {
    const lengths = [v2.repetition_levels_byte_length, v2.definition_levels_byte_length]
    let at = 0
    for (const [i, length] of lengths.entries()) {
      if (levels[i]! > 0) checkRuns(packed.subarray(at, at + length), bitsOf(levels[i]!), values)
      at += length
    }
    const rest = packed.subarray(at)
    const page = v2.is_compressed === false ? rest : decompress(rest, column, uncompressed_page_size - at)
    checkValueRuns(page, v2.encoding, column, values)
  }
}

function decompress(packed: Uint8Array, { codec }: ColumnMetaData, size_bytes: number): Uint8Array {
  if (codec === 'UNCOMPRESSED' || packed.length === 0) return packed
  const decompressor = parquetDecompressors[codec]
  if (!decompressor) throw new Error(`it has the unknown compression ${codec}`)
  return decompressor(packed, size_bytes)
}

/** Checks the runs of positions in a dictionary, and of booleans. Other encodings have no runs. */
function checkValueRuns(page: Uint8Array, encoding: string, { type }: ColumnMetaData, values: number): void {
  if (page.length === 0) return
  if (encoding === 'RLE' && type === 'BOOLEAN') checkRuns(page.subarray(4, 4 + lengthAt(page, 0)), 1, values)
  else if (encoding.endsWith('DICTIONARY')) checkRuns(page.subarray(1), page[0]!, values)
}

/** The last group of packed values may be padded to eight values. */
const paddingMax = 7

function checkRuns(bytes: Uint8Array, bits: number, values: number): void {
  let at = 0
  for (let seen = 0; seen < values && at < bytes.length;) {
    let header = 0
    for (let shift = 0, more = true; more && at < bytes.length; shift += 7) {
      header += (bytes[at]! & 127) * 2 ** shift
      more = bytes[at++]! > 127
    }
    const isPacked = header % 2 === 1
    const count = Math.floor(header / 2) * (isPacked ? 8 : 1)
    if (count > values - seen + (isPacked ? paddingMax : 0))
      throw new Error(`a run declares ${count} values, but its page can have ${values - seen}`)
    at += isPacked ? (count / 8) * bits : Math.ceil(bits / 8)
    seen += count
  }
}

function lengthAt(page: Uint8Array, at: number): number {
  return new DataView(page.buffer, page.byteOffset, page.byteLength).getUint32(at, true)
}

function bitsOf(level: number): number {
  return 32 - Math.clz32(level)
}
