import { hasLocationName } from './upload-columns.ts'

/** The line with the names of the columns: where it begins in the text, its number from 1, and the delimiter. */
type HeaderLine = { at: number; line: number; delimiter: string }

/** A header further down is named by the user. */
const searchedLines = 40
const delimiters = [',', ';', '\t', '|']
/** Delimits a file of one column, whose cells may have commas: no text has this character. */
const noDelimiter = '\u001F'

/**
 * Finds the header of a delimited text from its beginning. Comments and titles above it are skipped: lines with `#`,
 * and lines with fewer cells than a header that names a location. `given` are the choices of the user.
 */
export function findHeaderLine(
  head: string,
  given: { delimiter?: string | undefined; header_row?: number | undefined },
): HeaderLine {
  const lines = linesOf(head, Math.max(searchedLines, given.header_row ?? 0))
  const delimiterOf = ({ text }: TextLine) => given.delimiter ?? detectDelimiter(text)
  const headerAt = (line: TextLine | undefined): HeaderLine =>
    line
      ? { at: line.at, line: line.line, delimiter: delimiterOf(line) }
      : { at: 0, line: 1, delimiter: given.delimiter ?? ',' }
  if (given.header_row === 0) return headerAt(lines[0])
  if (given.header_row !== undefined) return headerAt(lines.find(({ line }) => line === given.header_row))
  let most = 0
  const candidates: TextLine[] = []
  for (const line of lines.filter(({ text }) => text.trim() !== '' && !text.startsWith('#'))) {
    // A quote that is not closed in its line can have the lines after it.
    if ((line.text.split('"').length - 1) % 2 === 1) break
    candidates.push(line)
    const cells = cellsOf(line.text, delimiterOf(line))
    const filled = cells.filter((cell) => cell !== '').length
    if (filled > most && hasLocationName(cells)) return headerAt(line)
    most = Math.max(most, filled)
  }
  const [first, second] = candidates
  const commented = lines.find(({ text }) => text.startsWith('#'))
  if (commented && hasLocationName(cellsOf(commented.text.slice(1), delimiterOf(commented)))) return headerAt(commented)
  const isTitle =
    first &&
    second &&
    cellsOf(first.text, delimiterOf(second)).filter((cell) => cell !== '').length === 1 &&
    cellsOf(second.text, delimiterOf(second)).length > 2
  return headerAt(isTitle ? second : (first ?? lines[0]))
}

/** The most frequent delimiter of a line. */
function detectDelimiter(line: string): string {
  const unquoted = line.replace(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => unquoted.split(delimiter).length)
  const most = Math.max(...counts)
  return most > 1 ? delimiters[counts.indexOf(most)]! : noDelimiter
}

type TextLine = { text: string; at: number; line: number }

function linesOf(head: string, max: number): TextLine[] {
  const lines: TextLine[] = []
  for (const match of head.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    if (lines.length === max || match[0] === '') break
    lines.push({ text: match[1]!, at: match.index, line: lines.length + 1 })
  }
  return lines
}

/** The names of a location are among the first columns. Reading one takes some microseconds. */
const cellsMax = 2_000

/** The first cells of a line without line breaks in quotes. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= line.length && cells.length < cellsMax;) {
    const quoted = line[at] === '"' ? /^"((?:[^"]|"")*)"/.exec(line.slice(at)) : null
    const end = line.indexOf(delimiter, at + (quoted?.[0].length ?? 0))
    const cell = quoted ? quoted[1]!.replaceAll('""', '"') : line.slice(at, end < 0 ? line.length : end)
    cells.push(cell.trim())
    at = end < 0 ? line.length + 1 : end + 1
  }
  return cells
}
