import type { CatalogContents } from '../catalog/records.ts'
import type { EmbeddedFile } from '../packs/embedded/embedded-file.ts'
import type { BulkJob, InputBlock } from './bulk-job.ts'
import type { AnswerBlock, AnsweredBlock } from './answer-blocks.ts'

/** What a worker needs to answer blocks by itself. */
export type BulkWorkerOptions = {
  job: BulkJob
  /** The settings, from which the worker reads the configuration. */
  environment: Record<string, string | undefined>
  contents: CatalogContents
  embedded: EmbeddedFile
  version: string
  /** How addresses are geocoded: by the address packs alone, or by other geocoders too; null if there are none. */
  geocoding: 'packs' | 'packs_first' | null
}

/** A message to a worker: its options first, then blocks. */
export type BulkWorkerInput = { open: BulkWorkerOptions } | { id: number; block: InputBlock }
/** The reply of a worker to a block. */
export type BulkWorkerOutput = { id: number; answered: AnsweredBlock } | { id: number; failed: string }

/** Worker threads that answer blocks. `leastPending`: the number of blocks that the thread with the fewest has. */
export type BlockWorkers = { answer: AnswerBlock; leastPending(): number; close(): void }

type Pending = { resolve(answered: AnsweredBlock): void; reject(error: Error): void }

/** Starts the workers. Each block goes to the worker with the fewest blocks. */
export function openBlockWorkers(start: () => Worker, count: number, options: BulkWorkerOptions): BlockWorkers {
  const threads = Array.from({ length: count }, () => new BlockThread(start(), options))
  const leastBusy = () => threads.reduce((least, it) => (it.pending < least.pending ? it : least))
  return {
    answer: (block) => leastBusy().answer(block),
    leastPending: () => leastBusy().pending,
    close: () => threads.forEach((it) => it.close()),
  }
}

class BlockThread {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #lastId = 0

  constructor(worker: Worker, options: BulkWorkerOptions) {
    this.#worker = worker
    worker.onmessage = ({ data }: MessageEvent<BulkWorkerOutput>) => this.#receive(data)
    worker.onerror = (event) => {
      event.preventDefault()
      this.#fail(`A worker thread failed: ${event.message}.`)
    }
    worker.addEventListener('close', () => this.#fail('A worker thread ended.'))
    this.#send({ open: options })
  }

  get pending(): number {
    return this.#pending.size
  }

  answer(block: InputBlock): Promise<AnsweredBlock> {
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<AnsweredBlock>()
    this.#pending.set(id, { resolve, reject })
    this.#send({ id, block })
    return promise
  }

  close(): void {
    this.#pending.clear()
    this.#worker.terminate()
  }

  #send(message: BulkWorkerInput): void {
    this.#worker.postMessage(message, [])
  }

  #receive(output: BulkWorkerOutput): void {
    const pending = this.#pending.get(output.id)
    this.#pending.delete(output.id)
    if ('answered' in output) pending?.resolve(output.answered)
    else pending?.reject(new Error(output.failed))
  }

  #fail(message: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(message))
    this.#pending.clear()
  }
}
