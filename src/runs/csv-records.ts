/**
 * A record of a CSV text: its first line number, from 1, and its text; null if the record is malformed, and then `raw`
 * is its line.
 */
export type CsvRecord = { line: number; text: string | null; raw?: string }

/** The maximum length of a record. A longer record has an unclosed quote. */
export const recordMax_characters = 65_536

/**
 * Splits a CSV stream into records. A line break in quotes belongs to the cell. A line with an unclosed quote, or with
 * text after a closing quote, is a malformed record by itself; parsing continues on the next line. Skips empty lines.
 */
export async function* readCsvRecords(
  texts: AsyncIterable<string>,
  delimiter: string,
  yieldToEventLoop: () => Promise<void> | null = () => null,
): AsyncGenerator<CsvRecord> {
  let rest = ''
  let line = 1
  const scan: QuoteScan = { until: 0, state: 'begin' }
  for await (const text of texts) {
    // A text of empty lines has no record at which the caller would yield.
    await yieldToEventLoop()
    rest += text
    // A carriage return at the end of the text may be half of a line break.
    for (
      let cut = cutNextRecord(rest, delimiter, 'more', scan);
      cut;
      cut = cutNextRecord(rest, delimiter, 'more', scan)
    )
      yield* takeRecord(cut)
  }
  for (let cut = cutNextRecord(rest, delimiter, 'end', scan); cut; cut = cutNextRecord(rest, delimiter, 'end', scan))
    yield* takeRecord(cut)

  function* takeRecord({ text, end }: RecordCut): Generator<CsvRecord> {
    const startLine = line
    // Without this, millions of empty lines would be millions of records.
    const next = text === '' ? endOfEmptyLines(rest, end) : end
    line += countLineBreaks(rest, next)
    const raw = text === null ? rest.slice(0, Math.min(end, recordMax_characters)).replace(/\r?\n$|\r$/, '') : ''
    rest = rest.slice(next)
    scan.until = Math.max(0, scan.until - next)
    if (text !== '') yield text === null ? { line: startLine, text, raw } : { line: startLine, text }
  }
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

function cutNextRecord(rest: string, delimiter: string, after: 'more' | 'end', scan: QuoteScan): RecordCut | null {
  if (rest === '') return null
  let state: State = 'begin'
  let i = 0
  for (; i < rest.length && i < recordMax_characters; i++) {
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
  if (!hasTextAfterQuote && rest.length < recordMax_characters && (after === 'more' || state !== 'quoted'))
    return after === 'end' ? { text: rest, end: rest.length } : null
  scan.until = i
  scan.state = state
  return cutUnreadableLine(rest, after)
}

/** Whether blanks are allowed before and after quotes, as in the cell parser. */
function isBlank(character: string): boolean {
  return /\s/.test(character)
}

/** Removes the first line from the input and treats it as a malformed record. */
function cutUnreadableLine(rest: string, after: 'more' | 'end'): RecordCut | null {
  const lineBreak = /\r\n|\n|\r/.exec(rest)
  const isComplete = lineBreak
    ? lineBreak[0] !== '\r' || lineBreak.index + 1 < rest.length
    : rest.length >= recordMax_characters
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
