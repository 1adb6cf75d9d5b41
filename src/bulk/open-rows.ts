import type { GeocodedAddress } from '../place/geocode-audit.ts'
import { AnswerCounter } from './unanswered-rows.ts'
import type { AnswerBlock, AnsweredBlock } from './answer-blocks.ts'

type Deps = {
  /** Answers the rows of a block that were left open. */
  answerRows: AnswerBlock
  /** Receives the addresses that worker threads geocoded. */
  onGeocodes(geocodes: readonly GeocodedAddress[]): Promise<void>
}

const encoder = new TextEncoder()

/**
 * Completes the blocks that worker threads answer. A thread leaves a row open if another geocoder may know its address.
 * The open rows are answered here, one block at a time.
 */
export function withOpenRows(answerInThread: AnswerBlock, { answerRows, onGeocodes }: Deps): AnswerBlock {
  let previous: Promise<unknown> = Promise.resolve()
  return async (block) => {
    const answered = await answerInThread(block)
    const { open = [], geocodes = [] } = answered
    await onGeocodes(geocodes)
    if (open.length === 0) return answered
    const turn = previous.then(() => answerRows({ ...block, only: open.map(({ index }) => index) }))
    previous = turn.catch(() => {})
    return insertRows(answered, open, await turn)
  }
}

function insertRows(
  answered: AnsweredBlock,
  open: NonNullable<AnsweredBlock['open']>,
  { rowTexts = [], counts }: AnsweredBlock,
): AnsweredBlock {
  const counter = new AnswerCounter()
  counter.merge(answered.counts)
  counter.merge(counts)
  const merged = { ...answered, counts: counter.counts(), open: [] }
  if (answered.only) {
    const texts = new Map(open.map(({ index }, i) => [index, rowTexts[i]!]))
    return { ...merged, rowTexts: answered.rowTexts!.map((text, i) => texts.get(answered.only![i]!) ?? text) }
  }
  const pieces: Uint8Array[] = []
  let from = 0
  for (const [i, { at_byte }] of open.entries()) {
    pieces.push(answered.text.subarray(from, at_byte), encoder.encode(rowTexts[i]))
    from = at_byte
  }
  return { ...merged, text: Buffer.concat([...pieces, answered.text.subarray(from)]) }
}
