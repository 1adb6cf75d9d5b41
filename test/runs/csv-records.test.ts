import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCsvRecords, recordMax_characters, type CsvRecord } from '../../src/files/table/csv-records.ts'

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

/** A slow reference implementation that scans every record from its beginning. */
function recordsSlowly(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  for (let [at, line] = [0, 1]; at < text.length;) {
    const rest = text.slice(at)
    // Cells are plain, or in quotes with blanks around them; a record ends at a line break outside quotes.
    const [record, end = ''] =
      /^(?:(?:[^\S\n\r,]*"(?:[^"]|"")*"[^\S\n\r,]*|[^\S\n\r,]*(?![^\S\n\r,]|")[^,\n\r]*)(?:,|(?=\r\n|[\n\r]|$)))*?(\r\n|[\n\r]|$)/.exec(
        rest,
      ) ?? []
    const taken = record ?? /^[^\n\r]*(?:\r\n|[\n\r]|$)/.exec(rest)![0]
    const found = record === undefined ? null : record.slice(0, record.length - end.length)
    const raw = taken.replace(/[\r\n]+$/, '')
    if (found !== '') records.push(found === null ? { line, text: null, raw } : { line, text: found })
    line += taken.match(/\r\n|\n|\r/g)?.length ?? 0
    at += taken.length
  }
  return records
}

test('records are the same as when each is scanned from its beginning, wherever the quotes are and the text is split', async () => {
  const unit = fc.constantFrom('a', ',', '"', '"', '\n', '\n', '\r', ' ', 'a","\n', '""')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 40 }), fc.integer({ min: 1, max: 50 }), async (text, size) => {
      expect(await Array.fromAsync(readCsvRecords(piecesOf(text, size), ','))).toEqual(recordsSlowly(text))
    }),
    { numRuns: 4_000 },
  )
})

test('ten thousand lines with unclosed quotes are ten thousand malformed records', async () => {
  const records = await Array.fromAsync(readCsvRecords(piecesOf('a","\n'.repeat(10_000), 65_536), ','))
  expect(records.length).toBe(10_000)
  expect(records.every(({ text }) => text === null)).toBe(true)
  expect(records.at(-1)!.line).toBe(10_000)
})

test('a text of line breaks yields to the event loop at each piece, and its lines are counted', async () => {
  let yields = 0
  const records = readCsvRecords(piecesOf(`a\n${'\r\n'.repeat(50_000)}${'\n'.repeat(50_000)}b\r`, 1001), ',', () => {
    yields++
    return null
  })
  expect(await Array.fromAsync(records)).toEqual([
    { line: 1, text: 'a' },
    { line: 100_002, text: 'b' },
  ])
  expect(yields).toBe(150)
})

test.each([
  ['in quotes', '"', '"\n'],
  ['without a quote', '', '\r\n'],
  ['with an unclosed quote', '"', '\n'],
])('a line of 2 million characters %s is one malformed record, wherever it is split', async (_name, begin, end) => {
  const text = `a\n${begin}${'x'.repeat(2_000_000)}${end}b\n`
  for (const size of [65_536, 700_000, 524_288, 3_000_000])
    for (const cut of [text, text.slice(0, 2_000_000)]) {
      const records = await Array.fromAsync(readCsvRecords(piecesOf(cut, size), ','))
      const found = records.map((record) => [record.line, record.text, record.raw?.length ?? 0])
      const after = cut === text ? [[3, 'b', 0]] : []
      expect(found).toEqual([[1, 'a', 0], [2, null, recordMax_characters], ...after])
    }
})
