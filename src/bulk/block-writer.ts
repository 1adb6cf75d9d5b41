import { type FieldOutcome, setItem, type OutcomeColumn, type SharedOutcomes } from '../fetch/outcome-column.ts'
import {
  cellOfOutcome,
  okCellOf,
  rowOfCells,
  type ArtifactCell,
  type ArtifactRow,
} from '../runs/artifacts/artifact-row.ts'
import type { UploadColumns } from '../files/table/upload-columns.ts'
import type { RowSegment } from '../runs/artifacts/result-text.ts'
import { ByteBuffer } from './byte-buffer.ts'
import type { RowBlock } from './row-block.ts'

type ValueSegment = Exclude<RowSegment, string>

/** A value in each row, and how its bytes are made. `before`: the bytes before it, which are the same in all rows. */
type SegmentWriter = { before: Uint8Array } & (
  | { kind: 'index' }
  | { kind: 'lat' | 'lng' | 'row'; segment: ValueSegment }
  | { kind: 'input'; segment: ValueSegment; input: number; plain: PlainCells; isDegrees: boolean }
)

/** Writes a value that the outcome of a field decides. `isValue`: it is the value of the field. */
type FieldWriter = {
  before: Uint8Array
  segment: ValueSegment
  field: number
  isValue: boolean
  plain: PlainCells
  /** By the number of writers, from this one on, whose texts are together. */
  texts: GroupTexts[]
}

/** The texts of a group of fields by the key of their outcomes, while these are in the same lists. */
type GroupTexts = { shared: SharedOutcomes[]; byKey: (Uint8Array | undefined)[] }

/** Consecutive writers of fields whose outcomes have the same keys at the places of a block. */
type FieldGroup = { kind: 'group'; writers: FieldWriter[]; keys: readonly number[]; texts: GroupTexts['byKey'] }

/** A row that is answered at a coordinate, with its position in the block and among the places of the block. */
export type PlaceRow = { index: number; row: number; place: number }

const encoder = new TextEncoder()

/**
 * Writes rows that are answered at coordinates as bytes. The text of each distinct outcome is made once. The bytes are
 * those of `textOfRow`.
 */
export class BlockWriter {
  /** The writers of consecutive fields are in one list. */
  readonly #writers: (SegmentWriter | FieldWriter[])[] = []
  /** The writers of the current block. */
  #steps: (SegmentWriter | FieldGroup)[] = []
  #columnsOfBlock: readonly OutcomeColumn[] = []
  /** The bytes after the last value. */
  readonly #end: Uint8Array
  readonly #columns: UploadColumns
  readonly #buffer = new ByteBuffer()
  /** The current row, as far as the values of columns need it. */
  readonly #scratch: ArtifactRow

  constructor(segments: readonly RowSegment[], fields: readonly string[], columns: UploadColumns) {
    this.#columns = columns
    this.#scratch = rowOfCells(
      { index: 0, lat: 0, lng: 0 },
      fields.map(() => okCellOf(null)),
      fields,
    )
    const joined = joinLiterals(segments, this.#scratch)
    for (const [i, segment] of joined.entries())
      if (typeof segment !== 'string') this.#addWriter(writerOf(segment, columns, literalBytesOf(joined[i - 1])))
    this.#end = literalBytesOf(joined.at(-1))
  }

  #addWriter(writer: SegmentWriter | FieldWriter): void {
    const last = this.#writers.at(-1)
    if ('kind' in writer) this.#writers.push(writer)
    else if (Array.isArray(last)) last.push(writer)
    else this.#writers.push([writer])
  }

  /** Writes a text before or between rows, or a row that has a text already. */
  addText(text: string): void {
    this.#buffer.addText(text)
  }

  /** Begins a block, whose fields have these outcomes. */
  beginBlock(columns: readonly OutcomeColumn[]): void {
    this.#columnsOfBlock = columns
    this.#steps = this.#writers.flatMap((it): (SegmentWriter | FieldGroup)[] =>
      Array.isArray(it) ? groupsOf(it, columns) : [it],
    )
  }

  /** Writes a row of the block. None of its fields failed. */
  addRow(at: PlaceRow, rows: RowBlock): void {
    for (let i = 0; i < this.#steps.length; i++) {
      const step = this.#steps[i]!
      if (step.kind === 'group') {
        const key = step.keys[at.place]!
        const text = key < 0 ? undefined : step.texts[key]
        if (text) this.#buffer.addAll(text)
        else this.#addOutcomes(step, at.place)
        continue
      }
      this.#buffer.addAll(step.before)
      if (step.kind === 'input') this.#addInput(step, rows, at.row)
      else if (step.kind === 'index') this.#buffer.addInteger(at.index)
      else this.#addPlace(step, rows, at)
    }
    this.#buffer.addAll(this.#end)
  }

  /** The number of bytes of all rows since the last call of `take`. */
  get length(): number {
    return this.#buffer.length
  }

  /** Returns the bytes of all rows since the last call. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#buffer.take()
  }

  /** Writes the values of a group, and keeps their text if places with the same key share it. */
  #addOutcomes({ writers, texts, keys }: FieldGroup, place: number): void {
    const begin = this.#buffer.length
    for (const writer of writers) this.#addOutcome(writer, this.#columnsOfBlock[writer.field]!.at(place))
    const key = keys[place]!
    if (key >= 0) setItem(texts, key, this.#buffer.bytesFrom(begin).slice())
  }

  #addOutcome({ before, segment, field, isValue, plain }: FieldWriter, outcome: FieldOutcome): void {
    this.#buffer.addAll(before)
    const { value: fieldValue } = outcome
    if (isValue && fieldValue !== null && this.#addPlainValue(fieldValue, plain)) return
    this.#setCell(field, cellOfOutcome(outcome))
    const value = segment.column.valueOf(this.#scratch)
    const isPlain = typeof value === 'string' && plain.addTo(this.#buffer, value)
    if (!isPlain) this.#buffer.addText(segment.textOf(value))
  }

  /** Writes a value if that is simple. Returns whether it did. */
  #addPlainValue(value: string | number | boolean, plain: PlainCells): boolean {
    if (typeof value === 'number') return this.#buffer.addNumber(value)
    return typeof value === 'string' && plain.addTo(this.#buffer, value)
  }

  #setCell(field: number, { value, margin, reason }: ArtifactCell): void {
    this.#scratch.values[field] = value
    this.#scratch.margins[field] = margin
    this.#scratch.reasons[field] = reason
  }

  #addInput(
    { segment, input, plain, isDegrees }: Extract<SegmentWriter, { kind: 'input' }>,
    rows: RowBlock,
    row: number,
  ) {
    const other = rows.otherRows.size === 0 ? undefined : rows.otherRows.get(row)
    if (!other) {
      const { from, to } = rows.cellAt(row, input)
      if (plain.has(rows.bytes, from, to, isDegrees)) {
        this.#buffer.addAll(plain.quote)
        this.#buffer.addBytes(rows.bytes, from, to)
        return this.#buffer.addAll(plain.quote)
      }
    }
    this.#scratch.passthrough[input] = other ? other.cells[input]! : rows.cellOf(row, input)
    this.#buffer.addText(this.#textOf(segment))
  }

  #addPlace(
    { kind, segment }: { kind: 'lat' | 'lng' | 'row'; segment: ValueSegment },
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
    this.#buffer.addText(this.#textOf(segment))
  }

  #textOf({ column, textOf }: ValueSegment): string {
    return textOf(column.valueOf(this.#scratch))
  }
}

/** Joins the segments that are the same in all rows. */
function joinLiterals(segments: readonly RowSegment[], anyRow: ArtifactRow): RowSegment[] {
  const joined: RowSegment[] = []
  for (const segment of segments) {
    const isSame = typeof segment !== 'string' && segment.column.variesBy === 'nothing'
    const text = isSame ? segment.textOf(segment.column.valueOf(anyRow)) : segment
    const last = joined.at(-1)
    if (typeof text === 'string' && typeof last === 'string') joined[joined.length - 1] = last + text
    else joined.push(text)
  }
  return joined
}

function literalBytesOf(segment: RowSegment | undefined): Uint8Array {
  return encoder.encode(typeof segment === 'string' ? segment : '')
}

function writerOf(segment: ValueSegment, { lat, lng }: UploadColumns, before: Uint8Array): SegmentWriter | FieldWriter {
  const { variesBy } = segment.column
  if (variesBy === 'index') return { before, kind: 'index' }
  if (variesBy === 'nothing') throw new Error('Segments that are the same in all rows are literals.')
  if (typeof variesBy === 'string') return { before, kind: variesBy, segment }
  const plain = new PlainCells(segment.textOf)
  if ('input' in variesBy) {
    const { input } = variesBy
    return { before, kind: 'input', segment, input, plain, isDegrees: input === lat || input === lng }
  }
  const isValue = 'value' in variesBy
  const field = isValue ? variesBy.value : variesBy.field
  return { before, segment, field, isValue, plain, texts: [] }
}

/** Groups the writers of a list whose outcomes have the same keys. */
function groupsOf(writers: readonly FieldWriter[], columns: readonly OutcomeColumn[]): FieldGroup[] {
  const keysOf = ({ field }: FieldWriter) => columns[field]!.keys
  const groups: FieldWriter[][] = []
  for (const writer of writers) {
    const group = groups.at(-1)
    if (group && areEqual(keysOf(group[0]!), keysOf(writer))) group.push(writer)
    else groups.push([writer])
  }
  return groups.map((group) => {
    const [first] = group as [FieldWriter]
    const shared = group.map(({ field }) => columns[field]!.shared)
    const known = first.texts[group.length]
    const isKnown = known?.shared.every((list, i) => list === shared[i])
    const texts = isKnown ? known! : (first.texts[group.length] = { shared, byKey: [] })
    return { kind: 'group', writers: group, keys: keysOf(first), texts: texts.byKey }
  })
}

function areEqual(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return a.length === b.length
}

/** The cells whose text in the result has the same bytes, between quotes or without. */
class PlainCells {
  readonly quote: Uint8Array
  readonly #isPlain: Uint8Array
  readonly #isPlainAtStart: Uint8Array

  constructor(textOf: (value: unknown) => string) {
    const quote = textOf('x').slice(0, textOf('x').indexOf('x'))
    const isSame = (text: string) => textOf(text) === `${quote}${text}${quote}`
    const characters = Array.from({ length: 256 }, (_, code) => (code < 128 ? String.fromCharCode(code) : 'é'))
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

  /** Writes a plain text with its quotes. Returns whether the text is plain; if not, nothing is written. */
  addTo(buffer: ByteBuffer, text: string): boolean {
    if (this.quote.length === 0) return buffer.addPlainText(text, this.#isPlainAtStart, this.#isPlain)
    const begin = buffer.length
    buffer.addAll(this.quote)
    if (buffer.addPlainText(text, this.#isPlainAtStart, this.#isPlain)) {
      buffer.addAll(this.quote)
      return true
    }
    buffer.cutAt(begin)
    return false
  }
}
