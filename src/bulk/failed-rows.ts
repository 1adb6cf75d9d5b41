import { artifactColumnsOf } from '../runs/artifacts/artifact-columns.ts'
import { okCellOf, rowOfCells, type ArtifactRow } from '../runs/artifacts/artifact-row.ts'
import { resultTextOf } from '../runs/artifacts/result-text.ts'
import { recordsOfText } from '../files/table/csv-records.ts'
import { createUploadRowReader } from '../runs/upload/upload-table.ts'
import type { BulkJob } from './bulk-job.ts'
import type { BulkRun, RowsToAnswer } from './bulk-run.ts'
import { resultRecordsOf, UnreadableResultError } from './earlier-result.ts'
import { addRange, AnswerCounter } from './unanswered-rows.ts'

const rowsPerBlock = 1_024

/**
 * Finds the rows of an earlier CSV result to answer again: those that failed, those with a failed field, and those
 * whose cells are others in the input now.
 * @throws {UnreadableResultError} if the file is not a result with the columns and the number of rows of this run.
 */
export async function findFailedRows(
  path: string,
  { input, range, job }: Pick<BulkRun, 'input' | 'range' | 'job'>,
): Promise<RowsToAnswer> {
  const ranges: RowsToAnswer['ranges'] = []
  const counter = new AnswerCounter()
  const readInput = createUploadRowReader(job.table)
  const earlier = earlierRowsOf(path, job)
  for await (const { first, text, line } of input.blocks(range, rowsPerBlock)) {
    let index = first
    for (const record of recordsOfText(text, job.table.delimiter, line)) {
      const { cells } = await readInput(record)
      const { value: row, done } = await earlier.next()
      if (done) throw new UnreadableResultError(`${path} has fewer rows than the input.`)
      if (row.isComplete && cells.every((cell, i) => withoutNul(cell) === row.passthrough[i]))
        counter.add({ ...row, index }, job.shape.fields)
      else addRange(ranges, [index, index])
      index++
    }
  }
  if (!(await earlier.next()).done) throw new UnreadableResultError(`${path} has more rows than the input.`)
  return { ranges, rest: counter.counts() }
}

/** A row of a result. `isComplete`: neither it nor one of its fields failed. */
type EarlierRow = ArtifactRow & { isComplete: boolean }

async function* earlierRowsOf(path: string, { table, shape, fieldTypes }: BulkJob): AsyncGenerator<EarlierRow> {
  const { fields, inputColumns } = shape
  const header = artifactColumnsOf(shape).map(({ name }) => name)
  // The columns of the input are first, so that their positions are the same.
  const readCells = createUploadRowReader({
    ...table,
    columns: { ...table.columns, header },
    delimiter: ',',
    firstLine: null,
  })
  const records = resultRecordsOf(path)
  if (`${(await records.next()).value}\r\n` !== resultTextOf('csv', shape).start)
    throw new UnreadableResultError(`${path} has other columns than the result of this command.`)
  const own = inputColumns.length
  const [okAt, fieldsAt] = [own + 1, own + 6]
  for await (const text of records) {
    const { cells } = await readCells({ line: 0, text })
    const values = fields.map((field, i) => valueOfCell(cells[fieldsAt + i]!, fieldTypes[field] ?? 'string'))
    const row = rowOfCells({ index: 0, lat: 0, lng: 0 }, values.map(okCellOf), fields)
    for (const [i, value] of values.entries())
      if (value === null) row.reasons[i] = { ...row.reasons[i]!, status: 'absent' }
    const isComplete = cells[okAt] === 'true' && cells[fieldsAt + fields.length] === ''
    yield { ...row, passthrough: cells.slice(0, own), isComplete }
  }
}

/** Only texts are counted by their value. */
function valueOfCell(cell: string, type: string): unknown {
  if (cell === '') return null
  return type === 'string' ? cell.replace(/^'(?=[=+\-@\t\r])/, '') : Number(cell)
}

/** A result has no such character. */
function withoutNul(cell: string): string {
  return cell.replaceAll('\0', '')
}
