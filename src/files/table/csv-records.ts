/**
 * A record of a CSV text: its first line number, from 1, and its text; null if the record is malformed, and then `raw`
 * is its line.
 */
export type CsvRecord = { line: number; text: string | null; raw?: string }

/** The maximum length of a record. The largest shape fits. A longer record likely has an unclosed quote. */
export const recordMax_characters = 524_288

/**
 * Splits a CSV stream into records. A line break in quotes belongs to the cell. A line with an unclosed quote, or with
 * text after a closing quote, is a malformed record by itself; parsing continues on the next line. Skips empty lines.
 */
export async function* readCsvRecords(
  texts: AsyncIterable<string>,
  delimiter: string,
  yieldToEventLoop: () => Promise<void> | null = () => null,
  longest_characters = recordMax_characters,
): AsyncGenerator<CsvRecord> {
  const splitter = new CsvSplitter(delimiter, 1, longest_characters)
  for await (const text of texts) {
    // A text of empty lines has no record at which the caller would yield.
    await yieldToEventLoop()
    splitter.add(text)
    for (let record = splitter.next('more'); record; record = splitter.next('more')) yield record
    splitter.take()
  }
  for (let record = splitter.next('end'); record; record = splitter.next('end')) yield record
}

/** Consecutive records of a CSV text. `line` is the number of the line that the text begins with. */
export type CsvBlock = { text: string; line: number; rows: number }

/**
 * How much a block holds at most: it ends with the record that reaches one of these. `rowsAt` receives the
 * number of rows before the block, without the header. `endsWithPiece`: it also ends with the text that has arrived.
 */
export type CsvBlockLimits = { rowsAt(row: number): number; characters: number; endsWithPiece?: boolean }

/**
 * Splits a CSV stream into blocks of whole records. The first block has the header only. Without `endsWithPiece`, the
 * blocks depend on the text alone, not on the pieces in which it arrives.
 */
export async function* readCsvBlocks(
  texts: AsyncIterable<string>,
  delimiter: string,
  limits: CsvBlockLimits,
): AsyncGenerator<CsvBlock> {
  const splitter = new CsvSplitter(delimiter)
  let maxRows = 1
  let row = -1
  let rows = 0
  let line = 1
  for await (const text of texts) {
    splitter.add(text)
    yield* takeBlocks('more')
    if (limits.endsWithPiece === true) yield* takeBlock()
  }
  yield* takeBlocks('end')
  yield* takeBlock()

  function* takeBlocks(after: 'more' | 'end'): Generator<CsvBlock> {
    while (splitter.skip(after)) {
      rows++
      if (rows >= maxRows || splitter.taken_characters >= limits.characters) yield* takeBlock()
    }
  }

  function* takeBlock(): Generator<CsvBlock> {
    if (rows === 0) return
    yield { text: splitter.take(), line, rows }
    row += rows
    line = splitter.line
    rows = 0
    maxRows = limits.rowsAt(row)
  }
}

/** Returns the records of a text that holds whole records, such as that of a block. */
export function* recordsOfText(text: string, delimiter: string, line: number): Generator<CsvRecord> {
  const splitter = new CsvSplitter(delimiter, line)
  splitter.add(text)
  for (let record = splitter.next('end'); record; record = splitter.next('end')) yield record
}

/** Splits a CSV text that arrives in pieces. */
class CsvSplitter {
  readonly #delimiter: string
  readonly #longest_characters: number
  readonly #scan: QuoteScan = { until: 0, state: 'begin' }
  /** The text from the last cut on; the next record begins at `#at`. */
  #text = ''
  #at = 0
  /** Where the text that `take` returns begins, and the part of it that is no longer in `#text`. */
  #takenFrom = 0
  #takenBefore = ''
  /** The next quote and the next carriage return from an index on that was asked for; -1 if they are not known. */
  #quote = -1
  #carriageReturn = -1
  /** Whether the line at `#at` is too long for a record: the rest of it is not kept. */
  #isTooLong = false
  /** The number of the line that the next record begins with. */
  line: number

  constructor(delimiter: string, line = 1, longest_characters = recordMax_characters) {
    this.#delimiter = delimiter
    this.#longest_characters = longest_characters
    this.line = line
  }

  add(text: string): void {
    this.#forget()
    const from = this.#isTooLong ? text.search(/[\r\n]/) : 0
    if (from < 0) return
    this.#isTooLong = false
    this.#text += text.slice(from)
    this.#quote = -1
    this.#carriageReturn = -1
  }

  /** Returns the next record, or null if there is none yet. `end`: no text will be added. */
  next(after: 'more' | 'end'): CsvRecord | null {
    for (let end = this.#endOfPlainLine(); end >= 0; end = this.#endOfPlainLine()) {
      const text = this.#text.slice(this.#at, end)
      const line = this.line++
      this.#advance(end + 1 - this.#at)
      if (text === '' || text === '\r') continue
      return { line, text: text.endsWith('\r') ? text.slice(0, -1) : text }
    }
    this.#forget()
    for (;;) {
      const cut = this.#cutNextRecord(after)
      if (!cut) {
        if (after === 'more') this.#shortenLine()
        return null
      }
      const record = this.#takeRecord(cut)
      if (record) return record
    }
  }

  /** Passes the next record, as `next` does, without creating it. Returns false if there is none yet. */
  skip(after: 'more' | 'end'): boolean {
    for (let end = this.#endOfPlainLine(); end >= 0; end = this.#endOfPlainLine()) {
      const isEmpty = end === this.#at || (end === this.#at + 1 && this.#text[this.#at] === '\r')
      this.line++
      this.#advance(end + 1 - this.#at)
      if (!isEmpty) return true
    }
    return this.next(after) !== null
  }

  /** The number of characters that `take` would return. */
  get taken_characters(): number {
    return this.#takenBefore.length + this.#at - this.#takenFrom
  }

  /** Returns the text of the records since the last call, with their line breaks. */
  take(): string {
    const text = this.#takenBefore + this.#text.slice(this.#takenFrom, this.#at)
    this.#takenBefore = ''
    this.#takenFrom = this.#at
    return text
  }

  /**
   * Returns the index of the line break after a line that is a record by itself, because it has no quote; -1 if the
   * next line is not so simple.
   */
  #endOfPlainLine(): number {
    const end = this.#text.indexOf('\n', this.#at)
    if (end < 0 || end - this.#at >= this.#longest_characters) return -1
    if (this.#quote < this.#at) this.#quote = indexOrEnd(this.#text, '"', this.#at)
    if (this.#quote < end) return -1
    if (this.#carriageReturn < this.#at) this.#carriageReturn = indexOrEnd(this.#text, '\r', this.#at)
    return this.#carriageReturn < end - 1 ? -1 : end
  }

  #cutNextRecord(after: 'more' | 'end'): RecordCut | null {
    const [rest, delimiter, scan, longest] = [this.#text, this.#delimiter, this.#scan, this.#longest_characters]
    if (rest === '') return null
    let state: State = 'begin'
    let i = 0
    for (; i < rest.length && i < longest; i++) {
      const character = rest[i]!
      if (state === 'quoted') {
        if ((character === '\n' || character === '\r') && i < scan.until) {
          i = scan.until - 1
          state = scan.state
        }
        if (character !== '"') continue
        if (rest[i + 1] === '"') i++
        else if (i + 1 === rest.length && after === 'more') return null
        else state = 'closed'
      } else if (character === '\n' || character === '\r') {
        if (character === '\r' && i + 1 === rest.length && after === 'more') return null
        return { text: rest.slice(0, i), end: character === '\r' && rest[i + 1] === '\n' ? i + 2 : i + 1 }
      } else if (character === delimiter) state = 'begin'
      else if (character === '"' && state === 'begin') state = 'quoted'
      else if (state === 'closed' && !isBlank(character)) break
      else if (state === 'begin' && !isBlank(character)) state = 'plain'
    }
    const hasTextAfterQuote = state === 'closed' && i < rest.length
    if (!hasTextAfterQuote && rest.length < longest && (after === 'more' || state !== 'quoted'))
      return after === 'end' ? { text: rest, end: rest.length } : null
    scan.until = i
    scan.state = state
    return cutUnreadableLine(rest, after)
  }

  /** Cuts a line that is too long. What is left of it is still too long. */
  #shortenLine(): void {
    this.#isTooLong = this.#text.length >= this.#longest_characters && !/[\r\n]/.test(this.#text)
    if (this.#isTooLong) this.#text = this.#text.slice(0, this.#longest_characters)
  }

  #takeRecord({ text, end }: RecordCut): CsvRecord | null {
    const line = this.line
    // Without this, millions of empty lines would be millions of records.
    const next = text === '' ? endOfEmptyLines(this.#text, end) : end
    this.line += countLineBreaks(this.#text, next)
    const raw = text === null ? this.#text.slice(0, Math.min(end, recordMax_characters)).replace(/\r?\n$|\r$/, '') : ''
    this.#advance(next)
    this.#forget()
    if (text === '') return null
    return text === null ? { line, text, raw } : { line, text }
  }

  #advance(length: number): void {
    this.#at += length
    this.#scan.until = Math.max(0, this.#scan.until - length)
  }

  /** Drops the text before the next record. */
  #forget(): void {
    this.#takenBefore += this.#text.slice(this.#takenFrom, this.#at)
    this.#text = this.#text.slice(this.#at)
    this.#quote = Math.max(-1, this.#quote - this.#at)
    this.#carriageReturn = Math.max(-1, this.#carriageReturn - this.#at)
    this.#at = 0
    this.#takenFrom = 0
  }
}

/** Returns the index of a character from an index on; the length of the text if there is none. */
function indexOrEnd(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from)
  return index < 0 ? text.length : index
}

/** The text of a record, and the offset of the next one. */
type RecordCut = { text: string | null; end: number }

type State = 'begin' | 'plain' | 'quoted' | 'closed'

/**
 * How far the last malformed record was scanned, and the state there. It was inside quotes at every line break before
 * `until`. A later record that is inside quotes at one of these line breaks reaches the same state, so its scan skips
 * to `until`. Without this, each line would scan the whole text again.
 */
type QuoteScan = { until: number; state: State }

/** Whether blanks are allowed before and after quotes, as in the cell parser. */
function isBlank(character: string): boolean {
  return /\s/.test(character)
}

/** Removes the first line from the input and treats it as a malformed record. */
function cutUnreadableLine(rest: string, after: 'more' | 'end'): RecordCut | null {
  const lineBreak = /\r\n|\n|\r/.exec(rest)
  const isComplete = lineBreak && (lineBreak[0] !== '\r' || lineBreak.index + 1 < rest.length)
  if (!isComplete && after === 'more') return null
  return { text: null, end: lineBreak ? lineBreak.index + lineBreak[0].length : rest.length }
}

/** Returns the end of the empty lines from here on. A carriage return at the end may be half of a line break. */
function endOfEmptyLines(text: string, start: number): number {
  let end = start
  while (text[end] === '\n' || (text[end] === '\r' && end + 1 < text.length)) end++
  return end
}

/** Counts the line breaks up to an index. */
function countLineBreaks(text: string, end: number): number {
  let count = 0
  for (let i = 0; i < end; i++) if (text[i] === '\r' || (text[i] === '\n' && text[i - 1] !== '\r')) count++
  return count
}
