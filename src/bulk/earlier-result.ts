import { streamLines } from '../async/stream-lines.ts'
import { isTextFormat, resultTextOf } from '../runs/artifacts/result-text.ts'
import { readCsvRecords } from '../files/table/csv-records.ts'
import type { BulkJob } from './bulk-job.ts'
import type { AnsweredBlock } from './answer-blocks.ts'

const encoder = new TextEncoder()

/** A result file does not have the rows of its input, or a row is too long to be read. */
export class UnreadableResultError extends Error {}

/**
 * Creates a function that returns the text of all rows of a block, the next one at each call. Those that were not
 * answered again are taken from an earlier result. @throws {UnreadableResultError}
 */
export function createEarlierRowMerger(path: string, job: BulkJob): (block: AnsweredBlock) => Promise<Uint8Array> {
  const { separator } = resultTextOf(job.format, job.shape)
  const earlier = rowTextsOf(path, job)
  return async ({ first, rows, rowTexts = [], only = [] }) => {
    const texts: string[] = []
    for (let i = 0; i < rows; i++) {
      const { value, done } = await earlier.next()
      if (done) throw new UnreadableResultError(`${path} has fewer rows than the input.`)
      texts.push(value)
    }
    for (const [i, index] of only.entries()) texts[index - first] = rowTexts[i]!
    return encoder.encode(texts.join(separator))
  }
}

/** Yields the text of each row of a result file, without the separators. */
async function* rowTextsOf(path: string, { format, shape }: BulkJob): AsyncGenerator<string> {
  if (!isTextFormat(format)) throw new UnreadableResultError(`${path} is not text.`)
  if (format === 'csv') {
    const records = resultRecordsOf(path)
    await records.next()
    for await (const record of records) yield `${record}\r\n`
    return
  }
  const { start, separator, end } = resultTextOf(format, shape)
  const lineEnd = new RegExp(`${separator.trimEnd()}$`)
  for await (const line of streamLines(Bun.file(path).stream()))
    if (format === 'ndjson') yield `${line}\n`
    else if (!start.startsWith(line) && !end.includes(line)) yield line.replace(lineEnd, '')
}

/** Yields the records of a CSV result, first its header. @throws {UnreadableResultError} */
export async function* resultRecordsOf(path: string): AsyncGenerator<string> {
  for await (const { text, line } of readCsvRecords(
    Bun.file(path).stream().pipeThrough(new TextDecoderStream()),
    ',',
  )) {
    if (text === null) throw new UnreadableResultError(`Line ${line} of ${path} cannot be read.`)
    yield text
  }
}
