import { ValidationError } from '../../model/error.ts'
import { exitCodes } from '../exit-codes.ts'
import { UsageError } from '../usage-error.ts'
import type { RowFilter } from './row-filter.ts'
import { describeRejection } from './run-report-text.ts'

/** A batch is read completely before its answer is written, so that its sender can write all and then read all. */
const batchMax_bytes = 64 * 1_048_576
const headerMax_characters = 12

type Deps = {
  /** The first line that is written. */
  ready: object
  filter: Pick<RowFilter, 'answer'>
  write(bytes: Uint8Array): Promise<void>
  /** Ends the current batch. */
  stop: AbortController
}

/**
 * Answers batches for a long-lived worker. A batch is a line with its number of bytes, and then its bytes. The answer is
 * a line of JSON with `rows`, `bytes` and `exit_code`, and then the bytes. A rejected batch has an `error` and 0 bytes.
 * @throws {UsageError} if the line of a batch is not a number.
 */
export async function serveBatches(input: AsyncIterable<Uint8Array>, deps: Deps): Promise<void> {
  const { ready, filter, write, stop } = deps
  await writeLine(ready)
  const reader = new BatchReader(input)
  for (let batch = await reader.next(); batch && !stop.signal.aborted; batch = await reader.next()) {
    const pieces: Uint8Array[] = []
    try {
      const { rows, exitCode } = await filter.answer(streamOf(batch), async (it) => void pieces.push(it), stop)
      await writeLine({ rows, bytes: pieces.reduce((sum, it) => sum + it.length, 0), exit_code: exitCode })
      for (const piece of pieces) await write(piece)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      const rejection = { exit_code: exitCodes.failure, error: describeRejection(error, 'the batch') }
      await writeLine({ rows: 0, bytes: 0, ...rejection })
    }
  }

  async function writeLine(value: object): Promise<void> {
    await write(new TextEncoder().encode(`${JSON.stringify(value)}\n`))
  }
}

// oxlint-disable-next-line typescript/require-await -- A stream is asynchronous.
async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

class BatchReader {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest = new Uint8Array()

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#pieces = input[Symbol.asyncIterator]()
  }

  /** Returns the next batch; null at the end of the input. */
  async next(): Promise<Uint8Array | null> {
    const text = await this.#readLine()
    if (text === null) return null
    const size_bytes = /^\d+$/.test(text) ? Number(text) : NaN
    if (!(size_bytes <= batchMax_bytes))
      throw new UsageError(
        `A batch begins with the line ${JSON.stringify(text)}. Write the number of its bytes, at most ${batchMax_bytes}, and a line break.`,
      )
    return this.#readBytes(size_bytes)
  }

  async #readLine(): Promise<string | null> {
    let text = ''
    for (;;) {
      const end = this.#rest.indexOf(10)
      text += new TextDecoder().decode(this.#rest.subarray(0, end < 0 ? undefined : end))
      this.#rest = end < 0 ? new Uint8Array() : this.#rest.subarray(end + 1)
      if (end >= 0 || text.length > headerMax_characters) return text.slice(0, headerMax_characters).trim()
      if (!(await this.#readPiece())) return text === '' ? null : text
    }
  }

  async #readBytes(size_bytes: number): Promise<Uint8Array> {
    const batch = new Uint8Array(size_bytes)
    let at = 0
    for (;;) {
      const piece = this.#rest.subarray(0, size_bytes - at)
      batch.set(piece, at)
      at += piece.length
      this.#rest = this.#rest.subarray(piece.length)
      if (at === size_bytes) return batch
      if (!(await this.#readPiece()))
        throw new UsageError(`Standard input ended after ${at} of the ${size_bytes} bytes of a batch.`)
    }
  }

  async #readPiece(): Promise<boolean> {
    const { value, done } = await this.#pieces.next()
    if (done) return false
    this.#rest = value as Uint8Array<ArrayBuffer>
    return true
  }
}
