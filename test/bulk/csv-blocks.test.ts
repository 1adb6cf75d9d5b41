import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCsvBlocks, recordsOfText } from '../../src/files/table/csv-records.ts'
import { readUpload } from '../../src/runs/upload/upload.ts'
import { createUploadRowReader, openUploadText, readUploadHeader } from '../../src/runs/upload/upload-table.ts'
import { ValidationError } from '../../src/model/error.ts'
import { unpackLocations } from '../../src/store/runs/packed-locations.ts'

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

type Limits = { rows: number; characters: number }

/** Reads a file in blocks, each by itself, as a bulk run does. */
async function rowsInBlocks(text: string, size: number, { rows, characters }: Limits) {
  const { texts, delimiter, firstLine } = await openUploadText(piecesOf(text, size), {})
  const blocks = readCsvBlocks(texts, delimiter, { rowsAt: () => rows, characters })
  const header = await blocks.next()
  const [record] = header.done ? [] : recordsOfText(header.value.text, delimiter, header.value.line)
  const columns = await readUploadHeader(record, [], { delimiter, kind: 'fetch_batch', format: {} })
  const found: { input: unknown; cells: string[]; line: unknown }[] = []
  for await (const block of blocks) {
    const readRow = createUploadRowReader({ kind: 'fetch_batch', columns, delimiter, firstLine })
    const records = [...recordsOfText(block.text, delimiter, block.line)]
    expect(records).toHaveLength(block.rows)
    for (const record of records) {
      const row = await readRow(record)
      if ('input' in row) found.push({ input: row.input, cells: row.cells, line: undefined })
      else found.push({ input: {}, cells: row.cells, line: row.error.context.line })
    }
  }
  return found
}

async function rowsOfUpload(text: string, size: number) {
  const options = { kind: 'fetch_batch', now: new Date(0), rowsMax: Infinity }
  const { locations } = await readUpload(piecesOf(text, size), options).catch((error: unknown) => {
    if (error instanceof ValidationError && error.violations[0]?.type === 'too_short') return { locations: null }
    throw error
  })
  if (locations === null) return []
  return [...unpackLocations(locations)].map(({ input, passthrough, errorEntry }) => ({
    input: JSON.parse(input) as unknown,
    cells: JSON.parse(passthrough!) as string[],
    line: errorEntry === undefined ? undefined : (JSON.parse(errorEntry) as { error: { line: number } }).error.line,
  }))
}

const cell = fc.oneof(
  fc.constantFrom(
    '39.7392',
    '-104.9903',
    '"39.7"',
    '""',
    '"a\nb"',
    '"a""b"',
    '"open',
    'x"y',
    '"x"y',
    ' ',
    '',
    'ñ',
    '\uFEFF',
  ),
  fc.string({ unit: fc.constantFrom('a', '"', '\n', '\r', ',', ' ', '1'), maxLength: 6 }),
)
const lineBreak = fc.constantFrom('\n', '\r\n', '\r', '\n\n')
const line = fc
  .tuple(fc.array(cell, { minLength: 1, maxLength: 4 }), lineBreak)
  .map(([cells, end]) => cells.join() + end)
/** The first row decides how the columns are read. */
const text = fc.array(line, { maxLength: 12 }).map((lines) => `lat,lng,note\n39.7,-105,\n${lines.join('')}`)

test('rows that are read in blocks are those of the upload parser, wherever the borders of the blocks are', async () => {
  const sizes = fc.record({ rows: fc.integer({ min: 1, max: 5 }), characters: fc.integer({ min: 1, max: 40 }) })
  await fc.assert(
    fc.asyncProperty(text, sizes, fc.integer({ min: 1, max: 30 }), async (it, limits, size) => {
      expect(await rowsInBlocks(it, size, limits)).toEqual(await rowsOfUpload(it, 1000))
    }),
    { numRuns: 600 },
  )
})

test('the blocks of a text do not depend on the pieces in which it arrives', async () => {
  const blocksOf = (it: string, size: number) =>
    Array.fromAsync(
      readCsvBlocks(
        (async function* () {
          for (let at = 0; at < it.length; at += size) yield it.slice(at, at + size)
        })(),
        ',',
        { rowsAt: () => 3, characters: 30 },
      ),
    )
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (it, size) => {
      const blocks = await blocksOf(it, size)
      expect(blocks).toEqual(await blocksOf(it, 10_000))
      expect(it.startsWith(blocks.map((block) => block.text).join(''))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

test('a line of 2 million characters is one row of its block, wherever it is split', async () => {
  const long = `lat,lng,note\n39,-105,a\n39,-105,"${'x'.repeat(2_000_000)}"\n39,-105,b\n`
  const rows = await rowsOfUpload(long, 100_000)
  expect(rows).toHaveLength(3)
  for (const limits of [
    { rows: 2, characters: 1_000_000 },
    { rows: 5, characters: 100 },
  ])
    expect(await rowsInBlocks(long, 100_000, limits)).toEqual(rows)
})
