import { setImmediate as nextTurn } from 'node:timers/promises'
import type { GeocodedAddress } from '../place/geocode-audit.ts'
import type { InputBlock } from './bulk-job.ts'
import { AnswerCounter, type AnswerCounts } from './unanswered-rows.ts'
import { createGarbageCollector } from '../async/collect-garbage.ts'

/** Blocks between two collections of their garbage, which the engine itself collects too late. */
const blocksBetweenCollections = 16
/** A larger heap makes a run a few percent faster, but each thread has one. */
const heapGrowthMax_bytes = 8 * 1_048_576

/**
 * The answers of a block: the text of its rows with the separators between them, or of each row if `only` was given.
 */
export type AnsweredBlock = {
  first: number
  rows: number
  text: Uint8Array
  only?: number[]
  rowTexts?: string[]
  counts: AnswerCounts
  /** The rows that a worker thread left open, in order, and where their text belongs. */
  open?: { index: number; at_byte: number }[]
  /** The addresses that were geocoded, for the audit. */
  geocodes?: GeocodedAddress[]
}

/** Answers blocks of rows. */
export type AnswerBlock = (block: InputBlock) => Promise<AnsweredBlock>

/** Answers blocks, several at a time. */
export type BlockAnswers = { answer: AnswerBlock; rowsPerBlock: number; blocksAtATime: number; close(): void }

/** Rows in blocks, what answers them, and where the answers go. */
type BlockRun<Block extends InputBlock> = {
  blocks: AsyncIterable<Block>
  /** Returns what answers a block. */
  answersFor(block: Block): Promise<Pick<BlockAnswers, 'answer' | 'blocksAtATime'>>
  /** Writes an answered block. Called in the order of the rows, one at a time. */
  write(answered: AnsweredBlock, block: Block): Promise<void>
  /** Ends the reading when an answer cannot be given or written. */
  stop?(): void
  signal: AbortSignal
}

/**
 * Answers rows. Each block is written as soon as it and those before it are answered, also what was read before an
 * error. When the signal aborts, no block is begun, and those in progress are written up to the first that rejects.
 */
export async function answerBlocks<Block extends InputBlock>(run: BlockRun<Block>): Promise<void> {
  const { blocks, answersFor, write, stop, signal } = run
  const collectGarbage = createBlockGarbageCollector()
  const writing: Promise<void>[] = []
  let last = Promise.resolve()
  let hasEnded = false
  const end = () => {
    hasEnded = true
    stop?.()
  }
  try {
    for await (const block of blocks) {
      // The last row of a stream that was stopped may be half of a row.
      if (signal.aborted || hasEnded) break
      const { answer, blocksAtATime } = await answersFor(block)
      const answering = block.rows === 0 ? Promise.resolve(noAnswers(block)) : answer(block)
      last = writeInTurn(block, answering, last)
      last.catch(end)
      writing.push(last)
      // Otherwise the answers of threads would not arrive while this thread answers blocks.
      await nextTurn()
      if (writing.length >= blocksAtATime) await writing.shift()
    }
  } finally {
    await last
  }

  async function writeInTurn(block: Block, answering: Promise<AnsweredBlock>, previous: Promise<void>): Promise<void> {
    const [answered] = await Promise.all([answering.catch(nullIfAborted), previous])
    if (!answered) hasEnded = true
    if (!answered || hasEnded) return
    await write(answered, block)
    collectGarbage()
  }

  function nullIfAborted(error: unknown): null {
    if (signal.aborted) return null
    throw error
  }
}

/** The answer to a block without rows, which only says what the columns are. */
function noAnswers({ first }: InputBlock): AnsweredBlock {
  return { first, rows: 0, text: new Uint8Array(), counts: new AnswerCounter().counts() }
}

/** Returns a function that each thread of a run calls after each block. */
export function createBlockGarbageCollector(): () => void {
  return createGarbageCollector(blocksBetweenCollections, heapGrowthMax_bytes)
}
