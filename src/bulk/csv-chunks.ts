const rowsPerChunk = 1024
const chunkMax_characters = 1_000_000

/** Yields rows as CSV. */
export async function* csvChunks(
  columns: string[],
  rows: AsyncIterable<unknown[]> | Iterable<unknown[]>,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  // The first line names the delimiter, so that it is not detected.
  let text = `sep=,\n${csvRecordOf(columns)}`
  let count = 0
  for await (const row of rows) {
    text += csvRecordOf(row)
    if (++count % rowsPerChunk !== 0 && text.length < chunkMax_characters) continue
    yield encoder.encode(text)
    text = ''
  }
  yield encoder.encode(text)
}

/** Returns the cells as a record of CSV with commas, with its line break. */
export function csvRecordOf(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join()}\n`
}

/** A text is quoted unless it is simple, so that no row is an empty line. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '""'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.+-]+$/.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}
