import type { Properties, Value } from '../../model/source.ts'
import { FileError } from '../file-error.ts'
import { decoderOfTable, type TableDecoder } from './code-pages.ts'
import { viewOfBytes, type ByteSource } from '../byte-source.ts'

/** A dBASE table, read row by row. `nextRow` returns `null` for a deleted row. */
export type DbfTable = { columns: string[]; rows: number; nextRow(): Properties | null; close(): void }

type Field = { name: string; type: string; from: number; length: number; decimals: number }

const header_bytes = 32
const field_bytes = 32
const endOfFields = 0x0d
const deletedMark = 0x2a

/** How values become properties. `keepsText`: numbers keep their text, such as `1.50`. */
type Reading = { decoder: TableDecoder; keepsText: boolean }

/** Reads a dBASE table. `codePage` is the content of its .cpg file. `keepsText`: numbers keep their text. */
export function readDbf(bytes: ByteSource, name: string, codePage: string | null, keepsText: boolean): DbfTable {
  const header = viewOfBytes(bytes.take(header_bytes))
  const rows = header.getUint32(4, true)
  const length = header.getUint16(8, true)
  const row_bytes = header.getUint16(10, true)
  if (length < header_bytes + 1 || row_bytes < 1)
    throw new FileError(
      `${name} is not a dBASE table: it declares a header of ${length} bytes and rows of ${row_bytes} bytes.`,
    )
  const reading = { decoder: decoderOfTable(codePage, header.getUint8(29)), keepsText }
  const fields = fieldsOf(bytes.take(length - header_bytes), reading.decoder)
  return {
    columns: fields.map((field) => field.name),
    rows,
    nextRow() {
      const row = bytes.take(row_bytes)
      if (row[0] === deletedMark) return null
      const properties: Properties = {}
      for (const field of fields) properties[field.name] = valueOf(row, field, reading)
      return properties
    },
    close: bytes.close,
  }
}

function fieldsOf(bytes: Uint8Array, decoder: TableDecoder): Field[] {
  const fields: Field[] = []
  let from = 1
  for (let at = 0; at + field_bytes <= bytes.length && bytes[at] !== endOfFields; at += field_bytes) {
    const nameEnd = bytes.indexOf(0, at)
    const name = decoder.decode(bytes.subarray(at, nameEnd >= at && nameEnd < at + 11 ? nameEnd : at + 11)).trim()
    const type = String.fromCharCode(bytes[at + 11]!)
    // A text field uses the byte for decimals as the high byte of its length.
    const length = type === 'C' ? viewOfBytes(bytes).getUint16(at + 16, true) : bytes[at + 16]!
    fields.push({ name, type, from, length, decimals: type === 'C' ? 0 : bytes[at + 17]! })
    from += length
  }
  return fields
}

function valueOf(row: Uint8Array, { type, from, length }: Field, { decoder, keepsText }: Reading): Value {
  if (type === 'I' && length === 4) return viewOfBytes(row).getInt32(from, true)
  if ((type === 'O' || type === 'B') && length === 8) return viewOfBytes(row).getFloat64(from, true)
  const text = textOf(row, from, from + length, decoder)
  if (text === '') return null
  if (type === 'C') return text
  if (type === 'N' || type === 'F') return numberOf(text, keepsText)
  if (type === 'D')
    return /^\d{8}$/.test(text) && text !== '00000000'
      ? `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`
      : null
  if (type === 'L') return /[YyTt]/.test(text) ? true : /[NnFf]/.test(text) ? false : null
  return null
}

/** Null if the text is not a number. dBASE writes asterisks for a number that does not fit. */
function numberOf(text: string, keepsText: boolean): number | string | null {
  const number = Number(text)
  if (!Number.isFinite(number)) return null
  return keepsText || (Number.isInteger(number) && !Number.isSafeInteger(number)) ? text.trim() : number
}

function textOf(row: Uint8Array, from: number, end: number, decoder: TableDecoder): string {
  while (end > from && (row[end - 1] === 0x20 || row[end - 1] === 0)) end--
  let isPlain = true
  for (let i = from; i < end && isPlain; i++) isPlain = row[i]! < 0x80 && row[i] !== 0
  const text = isPlain
    ? String.fromCharCode(...row.subarray(from, end))
    : decoder.decode(row.subarray(from, end)).replace(/\0[\s\S]*$/, '')
  return text.trimStart() === '' ? '' : text
}
