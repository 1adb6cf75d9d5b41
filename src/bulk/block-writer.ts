import { setAt, type OutcomeColumn } from '../fetch/outcome-column.ts'
import { cellOfOutcome, okCellOf, rowOfCells, type ArtifactCell, type ArtifactRow } from '../runs/artifact-row.ts'
import type { UploadColumns } from '../runs/upload-columns.ts'
import type { RowPart } from '../runs/row-layout.ts'
import { ByteBuffer } from './byte-buffer.ts'
import type { RowBlock } from './row-block.ts'

type ValuePart = Exclude<RowPart, string>

/** A part as bytes, or how its bytes are made. */
type PartWriter =
  | { kind: 'literal'; bytes: Uint8Array }
  | { kind: 'index' }
  | { kind: 'lat' | 'lng' | 'row'; part: ValuePart }
  | { kind: 'field'; part: ValuePart; field: number; plain: PlainCells; texts: OutcomeTexts }
  | { kind: 'input'; part: ValuePart; input: number; plain: PlainCells; isDegrees: boolean }

/** The texts of the outcomes of a column by key. They are valid while the column has the same `outcomesByKey`. */
type OutcomeTexts = { outcomesByKey: OutcomeColumn['outcomesByKey']; textsByKey: (Uint8Array | undefined)[] }

/** A row that is answered at a coordinate, with its position in the block and among the places of the block. */
export type PlaceRow = { index: number; row: number; place: number }

const encoder = new TextEncoder()

/**
 * Writes rows that are answered at coordinates as bytes. The text of each distinct outcome is made once. The bytes are
 * those of `textOfRow`.
 */
export class BlockWriter {
  readonly #writers: PartWriter[]
  readonly #columns: UploadColumns
  readonly #buffer = new ByteBuffer()
  /** The current row, as far as the values of columns need it. */
  readonly #scratch: ArtifactRow

  constructor(parts: readonly RowPart[], fields: readonly string[], columns: UploadColumns) {
    this.#columns = columns
    this.#scratch = rowOfCells(
      { index: 0, lat: 0, lng: 0 },
      fields.map(() => okCellOf(null)),
      fields,
    )
    this.#writers = joinLiterals(parts, this.#scratch).map((part) => writerOf(part, columns))
  }

  /** Writes a text before or between rows, or a row that has a text already. */
  addText(text: string): void {
    this.#buffer.addText(text)
  }

  /** Writes a row. None of its fields failed. */
  addRow(at: PlaceRow, rows: RowBlock, columns: readonly OutcomeColumn[]): void {
    for (const writer of this.#writers) {
      switch (writer.kind) {
        case 'literal':
          this.#buffer.addBytes(writer.bytes, 0, writer.bytes.length)
          break
        case 'index':
          this.#buffer.addInteger(at.index)
          break
        case 'field':
          this.#addOutcome(writer, columns[writer.field]!, at.place)
          break
        case 'input':
          this.#addInput(writer, rows, at.row)
          break
        default:
          this.#addPlace(writer, rows, at)
      }
    }
  }

  /** The number of bytes of all rows since the last call of `take`. */
  get length(): number {
    return this.#buffer.length
  }

  /** Returns the bytes of all rows since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#buffer.take()
  }

  #addOutcome(
    { part, field, plain, texts }: Extract<PartWriter, { kind: 'field' }>,
    column: OutcomeColumn,
    place: number,
  ): void {
    const key = column.keys[place]!
    if (texts.outcomesByKey !== column.outcomesByKey) {
      texts.outcomesByKey = column.outcomesByKey
      texts.textsByKey = []
    }
    const known = key >= 0 ? texts.textsByKey[key] : undefined
    if (known) return this.#buffer.addBytes(known, 0, known.length)
    const outcome = column.sharedOutcomeAt(place)
    this.#setCell(field, outcome ? cellOfOutcome(outcome) : okCellOf(column.ownValues[place]!))
    const value = part.column.valueOf(this.#scratch)
    const text = typeof value === 'string' && plain.hasText(value) ? plain.around(value) : part.textOf(value)
    if (key >= 0) setAt(texts.textsByKey, key, encoder.encode(text))
    this.#buffer.addText(text)
  }

  #setCell(field: number, { value, margin, reason }: ArtifactCell): void {
    this.#scratch.values[field] = value
    this.#scratch.margins[field] = margin
    this.#scratch.reasons[field] = reason
  }

  #addInput({ part, input, plain, isDegrees }: Extract<PartWriter, { kind: 'input' }>, rows: RowBlock, row: number) {
    const other = rows.otherRows.get(row)
    if (!other) {
      const { from, to } = rows.cellAt(row, input)
      if (plain.has(rows.bytes, from, to, isDegrees)) {
        this.#buffer.addBytes(plain.quote, 0, plain.quote.length)
        this.#buffer.addBytes(rows.bytes, from, to)
        return this.#buffer.addBytes(plain.quote, 0, plain.quote.length)
      }
    }
    this.#scratch.passthrough[input] = other ? other.cells[input]! : rows.cellOf(row, input)
    this.#buffer.addText(this.#textOf(part))
  }

  #addPlace(
    { kind, part }: { kind: 'lat' | 'lng' | 'row'; part: ValuePart },
    rows: RowBlock,
    { index, row }: PlaceRow,
  ): void {
    if (kind !== 'row' && rows.isCanonical[kind][row] === 1) {
      const { from, to } = rows.cellAt(row, this.#columns[kind])
      return this.#buffer.addBytes(rows.bytes, from, to)
    }
    this.#scratch.index = index
    this.#scratch.lat = rows.lats[row]! + 0
    this.#scratch.lng = rows.lngs[row]! + 0
    this.#buffer.addText(this.#textOf(part))
  }

  #textOf({ column, textOf }: ValuePart): string {
    return textOf(column.valueOf(this.#scratch))
  }
}

/** Joins the parts that are the same in all rows. */
function joinLiterals(parts: readonly RowPart[], anyRow: ArtifactRow): RowPart[] {
  const joined: RowPart[] = []
  for (const part of parts) {
    const isSame = typeof part !== 'string' && part.column.variesBy === 'nothing'
    const text = isSame ? part.textOf(part.column.valueOf(anyRow)) : part
    const last = joined.at(-1)
    if (typeof text === 'string' && typeof last === 'string') joined[joined.length - 1] = last + text
    else joined.push(text)
  }
  return joined
}

function writerOf(part: RowPart, { lat, lng }: UploadColumns): PartWriter {
  if (typeof part === 'string') return { kind: 'literal', bytes: encoder.encode(part) }
  const { variesBy } = part.column
  if (variesBy === 'index') return { kind: 'index' }
  if (variesBy === 'nothing') throw new Error('Parts that are the same in all rows are literals.')
  if (typeof variesBy === 'string') return { kind: variesBy, part }
  const plain = new PlainCells(part.textOf)
  if ('field' in variesBy)
    return { kind: 'field', part, field: variesBy.field, plain, texts: { outcomesByKey: [], textsByKey: [] } }
  const { input } = variesBy
  return { kind: 'input', part, input, plain, isDegrees: input === lat || input === lng }
}

/** The cells whose text in the result has the same bytes, between quotes or without. */
class PlainCells {
  readonly quote: Uint8Array
  readonly #quoteText: string
  readonly #isPlain: Uint8Array
  readonly #isPlainAtStart: Uint8Array

  constructor(textOf: (value: unknown) => string) {
    const quote = textOf('x').slice(0, textOf('x').indexOf('x'))
    const isSame = (text: string) => textOf(text) === `${quote}${text}${quote}`
    const characters = Array.from({ length: 256 }, (_, code) => (code < 128 ? String.fromCharCode(code) : 'é'))
    this.#quoteText = quote
    this.quote = encoder.encode(quote)
    this.#isPlain = Uint8Array.from(characters, (it) => Number(isSame(`x${it}`)))
    this.#isPlainAtStart = Uint8Array.from(characters, (it) => Number(isSame(`${it}x`)))
  }

  /** Whether a cell is plain. The sign of degrees does not begin a formula. */
  has(bytes: Uint8Array, from: number, to: number, isDegrees: boolean): boolean {
    if (from < to && !isDegrees && this.#isPlainAtStart[bytes[from]!] === 0) return false
    for (let i = from; i < to; i++) if (this.#isPlain[bytes[i]!] === 0) return false
    return true
  }

  /** Whether a text of ASCII characters is plain. */
  hasText(text: string): boolean {
    if (text !== '' && this.#isPlainAtStart[text.charCodeAt(0)] !== 1) return false
    for (let i = 0; i < text.length; i++) if (this.#isPlain[text.charCodeAt(i)] !== 1) return false
    return true
  }

  /** Returns a plain text with its quotes. */
  around(text: string): string {
    return this.#quoteText === '' ? text : `${this.#quoteText}${text}${this.#quoteText}`
  }
}
