/** A record of a CSV text: the line it begins at (the first is 1), and its text; null when it has no form that can be read. */
export type CsvRecord = { line: number; text: string | null }

/** Longer than any row of cells that people make; what goes on without an end is a quote that nobody closed. */
export const recordMax_characters = 65_536

/**
 * Cuts a CSV text into records as it comes in: a line break in quotes belongs to the cell. A line with a quote that is never closed, or goes on
 * after it was closed, is a record by itself that cannot be read; the next line is begun anew. Empty lines are left out.
 */
export async function* readCsvRecords(texts: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  let rest = ''
  let line = 1
  const followed: Followed = { until: 0, state: 'begin' }
  for await (const text of texts) {
    rest += text
    // A carriage return at the end may be half a line break.
    for (
      let cut = cutNextRecord(rest, delimiter, 'more', followed);
      cut;
      cut = cutNextRecord(rest, delimiter, 'more', followed)
    )
      yield* takeRecord(cut)
  }
  for (
    let cut = cutNextRecord(rest, delimiter, 'end', followed);
    cut;
    cut = cutNextRecord(rest, delimiter, 'end', followed)
  )
    yield* takeRecord(cut)

  function* takeRecord({ text, end }: RecordCut): Generator<CsvRecord> {
    const startLine = line
    line += countLineBreaks(rest.slice(0, end))
    rest = rest.slice(end)
    followed.until = Math.max(0, followed.until - end)
    if (text !== '') yield { line: startLine, text }
  }
}

/** `end`: where the next record begins. */
type RecordCut = { text: string | null; end: number }

type State = 'begin' | 'plain' | 'quoted' | 'closed'

/**
 * How far the last record that cannot be read was followed, and the state there. It was inside quotes at every line break before `until`, so a later
 * record that is inside quotes at one of them comes to the same state: it goes on from `until`, and no text is followed once for every line.
 */
type Followed = { until: number; state: State }

function cutNextRecord(rest: string, delimiter: string, after: 'more' | 'end', followed: Followed): RecordCut | null {
  if (rest === '') return null
  let state: State = 'begin'
  let i = 0
  for (; i < rest.length && i < recordMax_characters; i++) {
    const character = rest[i]!
    if (state === 'quoted') {
      if ((character === '\n' || character === '\r') && i < followed.until) {
        i = followed.until - 1
        state = followed.state
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
  const isBroken = state === 'closed' && i < rest.length
  if (!isBroken && rest.length < recordMax_characters && (after === 'more' || state !== 'quoted'))
    return after === 'end' ? { text: rest, end: rest.length } : null
  followed.until = i
  followed.state = state
  return cutUnreadableLine(rest, after)
}

/** Blanks before and after quotes are let be, as the parser of the cells lets them be. */
function isBlank(character: string): boolean {
  return /\s/.test(character)
}

/** The first line alone; nothing is known of what comes after it. */
function cutUnreadableLine(rest: string, after: 'more' | 'end'): RecordCut | null {
  const lineBreak = /\r\n|\n|\r/.exec(rest)
  const isComplete = lineBreak
    ? lineBreak[0] !== '\r' || lineBreak.index + 1 < rest.length
    : rest.length >= recordMax_characters
  if (!isComplete && after === 'more') return null
  return { text: null, end: lineBreak ? lineBreak.index + lineBreak[0].length : rest.length }
}

function countLineBreaks(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
