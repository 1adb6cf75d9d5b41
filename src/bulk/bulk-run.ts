/**
 * Runs without a server: `fieldstone run` reads a file in blocks, answers them in threads, and writes the result in
 * order. A journal lets a run that was killed continue.
 */
import { resultTextOf } from '../runs/artifacts/result-text.ts'
import type { Answerable } from '../runs/report/missing-values.ts'
import { type AnswerBlock, type AnsweredBlock, type BlockAnswers, answerBlocks } from './answer-blocks.ts'
import type { BulkInput } from './bulk-input.ts'
import type { BulkJob, InputBlock } from './bulk-job.ts'
import { writeJournal, type BulkFingerprint, type BulkJournal, type WorkFiles } from './bulk-journal.ts'
import { createEarlierRowMerger } from './earlier-result.ts'
import type { ResultSink } from './result-sink.ts'
import { AnswerCounter, mayBeAnswered, type AnswerCounts } from './unanswered-rows.ts'

/** The rows of a bulk run, and what answers them. */
export type BulkRun = {
  input: BulkInput
  /** The indexes of the rows: all rows, or those of a shard. */
  range: { from: number; to: number }
  job: BulkJob
  fingerprint: BulkFingerprint
  /** Called once with what the answers need, before the first block. */
  openAnswers(job: BulkJob): Promise<BlockAnswers>
  onProgress(done: number, total: number): void
  signal: AbortSignal
}

/** How far a run came. */
export type BulkProgress = { rows: number; total: number; counts: AnswerCounts; isInterrupted: boolean }

/** Where the text goes: the sink, what it already has, and the files of the journal, if the run can be continued. */
export type BulkTarget = { sink: ResultSink; continued: BulkJournal | null; files: WorkFiles | null }

/** The journal is written at most this often, because the output is synced to the disk first. */
const checkpoint_ms = 250

const encoder = new TextEncoder()

/**
 * Answers the rows in blocks and writes their text in order. Interrupted by the signal, it stops after a whole block.
 */
export async function answerRows(given: BulkRun, { sink, continued, files }: BulkTarget): Promise<BulkProgress> {
  const run = continued ? { ...given, job: { ...given.job, now_ms: continued.now_ms } } : given
  const counter = new AnswerCounter()
  if (continued) counter.merge(continued.counts)
  let checkpointAt_ms = performance.now() + checkpoint_ms
  const progress = await writeRows(run, {
    sink,
    counter,
    written: continued?.rows ?? 0,
    onBlock(rows) {
      if (performance.now() >= checkpointAt_ms) checkpoint(rows)
    },
  })
  checkpoint(progress.rows)
  return progress

  function checkpoint(rows: number): void {
    if (files) {
      const { fingerprint, job } = run
      const place = { fingerprint, now_ms: job.now_ms, rows, ...sink.sync(), counts: counter.counts() }
      writeJournal(files.journal, { format: 1, state: 'partial', ...place })
    }
    checkpointAt_ms = performance.now() + checkpoint_ms
  }
}

/** The rows of an earlier result that are answered again, in order, and the counts of the others. */
export type RowsToAnswer = { ranges: [first: number, last: number][]; rest: AnswerCounts }

/** Answers rows of an earlier result again, and writes the result anew. */
export async function answerAgain(
  run: BulkRun,
  sink: ResultSink,
  { path, ranges, rest }: RowsToAnswer & { path: string },
): Promise<BulkProgress & { retriedRows: number }> {
  const counter = new AnswerCounter()
  counter.merge(rest)
  const textOf = createEarlierRowMerger(path, run.job)
  const progress = await writeRows(run, { sink, counter, written: 0, again: { ranges, textOf } })
  const retriedRows = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  return { ...progress, retriedRows }
}

type WriteOptions = {
  sink: ResultSink
  counter: AnswerCounter
  /** The rows that the sink already has. */
  written: number
  /** The rows that are answered, and what adds the others (default: all are answered). */
  again?: Pick<RowsToAnswer, 'ranges'> & { textOf(answered: AnsweredBlock): Promise<Uint8Array> }
  onBlock?(rows: number): void
}

/** Writes the text of the answered rows between the start and the end of a result. */
async function writeRows(
  { input, range, job, openAnswers, onProgress, signal }: BulkRun,
  { sink, counter, written, again, onBlock }: WriteOptions,
): Promise<BulkProgress> {
  const { start, separator, end } = resultTextOf(job.format, job.shape)
  const total = range.to - range.from
  let rows = written
  if (rows === 0) await sink.write(encoder.encode(start))
  onProgress(rows, total)
  const answers = await openAnswers(job)
  const answerAgain: AnswerBlock = (block) => answers.answer({ ...block, only: indexesIn(block, again!.ranges) })
  try {
    await answerBlocks({
      blocks: input.blocks({ from: range.from + written, to: range.to }, answers.rowsPerBlock),
      answersFor: () => Promise.resolve(again ? { ...answers, answer: answerAgain } : answers),
      async write(answered) {
        if (rows > 0 && separator !== '') await sink.write(encoder.encode(separator))
        await sink.write(again ? await again.textOf(answered) : answered.text)
        counter.merge(answered.counts)
        rows += answered.rows
        onProgress(rows, total)
        onBlock?.(rows)
      },
      signal,
    })
  } finally {
    answers.close()
  }
  const isInterrupted = rows < total
  if (!isInterrupted && end !== '') await sink.write(encoder.encode(end))
  return { rows, total, counts: counter.counts(), isInterrupted }
}

/** Returns the rows of an earlier result that may be answered better now. */
export function answerableRowsOf(counts: AnswerCounts, answerable: Answerable): RowsToAnswer {
  const again = counts.unanswered.filter((group) => mayBeAnswered(group, answerable))
  const unanswered = counts.unanswered.filter((group) => !again.includes(group))
  const ranges = again.flatMap((group) => group.ranges).toSorted(([a], [b]) => a - b)
  return { ranges, rest: { ...counts, unanswered } }
}

/** The indexes of a block that are in ranges, which are in order. */
function indexesIn({ first, rows }: InputBlock, ranges: [first: number, last: number][]): number[] {
  const indexes: number[] = []
  for (const [from, to] of ranges)
    for (let index = Math.max(first, from); index <= Math.min(first + rows - 1, to); index++) indexes.push(index)
  return indexes
}
