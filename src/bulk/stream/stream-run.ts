import type { UploadTable } from '../../runs/upload/upload-table.ts'
import type { AnsweredBlock } from '../block-answerer.ts'
import type { InputBlock } from '../bulk-job.ts'
import type { BlockAnswers } from '../bulk-run.ts'
import { createBlockGarbageCollector } from '../collect-block-garbage.ts'
import type { StreamBlock } from './stream-rows.ts'
import { AnswerCounter, type AnswerCounts } from '../unanswered-rows.ts'

/** The rows of a stream, what answers them, and where the result goes. */
export type StreamRun<Block extends StreamBlock> = {
  blocks: AsyncIterable<Block>
  /** Returns what answers rows with these columns. */
  answersFor(table: UploadTable): Promise<BlockAnswers>
  /** Writes an answered block. Called in the order of the rows, one at a time. */
  write(answered: AnsweredBlock, block: Block): Promise<void>
  /** Ends the reading when an answer cannot be given or written. */
  stop(): void
  signal: AbortSignal
}

/** Answers the rows of a stream. Each block is written as soon as it and those before it are answered. */
export async function answerStream<Block extends StreamBlock>(
  run: StreamRun<Block>,
): Promise<{ rows: number; counts: AnswerCounts }> {
  const { blocks, answersFor, write, stop, signal } = run
  const counter = new AnswerCounter()
  const collectGarbage = createBlockGarbageCollector()
  const writing: Promise<void>[] = []
  let last = Promise.resolve()
  let rows = 0
  let hasFailed = false
  const fail = () => {
    hasFailed = true
    stop()
  }
  for await (const it of blocks) {
    // The last row of a stream that was stopped may be half of a row.
    if (signal.aborted || hasFailed) break
    const answers = await answersFor(it.table)
    const answering = it.block.rows === 0 ? Promise.resolve(noAnswers(it.block)) : answers.answer(it.block)
    const previous = last
    last = writeInTurn(it, answering, previous)
    last.catch(fail)
    writing.push(last)
    if (writing.length >= answers.blocksAtATime) await writing.shift()
  }
  await last
  return { rows, counts: counter.counts() }

  async function writeInTurn(block: Block, answering: Promise<AnsweredBlock>, previous: Promise<void>): Promise<void> {
    const [answered] = await Promise.all([answering, previous])
    await write(answered, block)
    counter.merge(answered.counts)
    rows += answered.rows
    collectGarbage()
  }
}

/** The answer to a block without rows, which only says what the columns are. */
function noAnswers({ first }: InputBlock): AnsweredBlock {
  return { first, rows: 0, text: new Uint8Array(), counts: new AnswerCounter().counts() }
}
