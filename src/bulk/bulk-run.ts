/**
 * Runs without a server: `fieldstone run` reads a file in blocks, answers them in threads, and writes the result in
 * order. A journal lets a run that was killed continue.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { resultTextOf } from '../runs/artifacts/result-text.ts'
import type { Answerable } from '../runs/report/missing-values.ts'
import type { AnswerBlock } from './block-answerer.ts'
import type { BulkInput } from './bulk-input.ts'
import type { BulkJob, InputBlock } from './bulk-job.ts'
import { writeJournal, type BulkFingerprint, type BulkJournal, type WorkFiles } from './bulk-journal.ts'
import { createBlockGarbageCollector } from './collect-block-garbage.ts'
import { answersWithEarlier } from './earlier-result.ts'
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

/** Answers blocks, several at a time. */
export type BlockAnswers = { answer: AnswerBlock; rowsPerBlock: number; blocksAtATime: number; close(): void }

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
  const written = continued?.rows ?? 0
  let checkpointAt_ms = performance.now() + checkpoint_ms
  const blocks = answeredBlocks(run, run.range.from + written)
  const progress = await writeBlocks(blocks, run, {
    sink,
    counter,
    written,
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
  const blocks = answeredBlocks(run, run.range.from, (block) => ({ ...block, only: indexesIn(block, ranges) }))
  const progress = await writeBlocks(answersWithEarlier(blocks, path, run.job), run, { sink, counter, written: 0 })
  const retriedRows = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  return { ...progress, retriedRows }
}

type WriteOptions = {
  sink: ResultSink
  counter: AnswerCounter
  /** The rows that the sink already has. */
  written: number
  onBlock?(rows: number): void
}

/** Writes the text of blocks between the start and the end of a result. */
async function writeBlocks(
  blocks: AsyncIterable<{ rows: number; text: Uint8Array; counts: AnswerCounts }>,
  { range, job, onProgress }: BulkRun,
  { sink, counter, written, onBlock }: WriteOptions,
): Promise<BulkProgress> {
  const { start, separator, end } = resultTextOf(job.format, job.shape)
  const total = range.to - range.from
  const collectGarbage = createBlockGarbageCollector()
  let rows = written
  if (rows === 0) await sink.write(encoder.encode(start))
  onProgress(rows, total)
  for await (const { text, counts, ...block } of blocks) {
    if (rows > 0 && separator !== '') await sink.write(encoder.encode(separator))
    await sink.write(text)
    counter.merge(counts)
    rows += block.rows
    onProgress(rows, total)
    onBlock?.(rows)
    collectGarbage()
    await nextTurn()
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

/**
 * Yields the answered blocks in order, while the next ones are answered. When the signal aborts, no block is begun, and
 * the blocks in progress are yielded up to the first that rejects.
 */
async function* answeredBlocks(run: BulkRun, from: number, prepare = (block: InputBlock) => block) {
  const { input, range, job, signal } = run
  const answers = await run.openAnswers(job)
  const answering: ReturnType<AnswerBlock>[] = []
  try {
    for await (const block of input.blocks({ from, to: range.to }, answers.rowsPerBlock)) {
      if (signal.aborted) break
      const answer = answers.answer(prepare(block))
      // A failure is thrown when the turn of the block comes.
      answer.catch(() => {})
      answering.push(answer)
      // Otherwise the answers of threads would not arrive while this thread answers blocks.
      await nextTurn()
      if (answering.length >= answers.blocksAtATime) yield await answering.shift()!
    }
    while (answering.length > 0) yield await answering.shift()!
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    answers.close()
  }
}

/** The indexes of a block that are in ranges, which are in order. */
function indexesIn({ first, rows }: InputBlock, ranges: [first: number, last: number][]): number[] {
  const indexes: number[] = []
  for (const [from, to] of ranges)
    for (let index = Math.max(first, from); index <= Math.min(first + rows - 1, to); index++) indexes.push(index)
  return indexes
}
