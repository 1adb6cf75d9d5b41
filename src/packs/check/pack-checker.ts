import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { createJobWorker, JobWorkerError, type JobWorker } from '../../async/job-worker.ts'
import { createCheckedPacks, type CheckedPacks } from './checked-packs.ts'
import type { BuiltIndexes } from '../pack.ts'
import { FileError } from '../../files/file-error.ts'

/**
 * Checks all content of a pack file before it is used. `sha256` is the checksum in its manifest. Returns the box trees
 * of layers without an R-tree. Throws FileError.
 */
export type CheckPack = (path: string, sha256: string | null) => Promise<BuiltIndexes>

/** A file for the worker to check. */
export type PackCheckJob = { path: string; sha256: string | null }
/** The reply of the worker: the built box trees, or what is wrong with the file. */
export type PackCheckReply = { indexes: BuiltIndexes } | { problem: string; retryable: boolean }

type PackCheckerOptions = {
  startWorker: () => Worker
  /** Where the list of checked packs is kept, so that a restart does not read large packs again. */
  dataFolder: string
  /** How long a check may take, for a file of this size. */
  timeoutOf_ms?: (size_bytes: number) => number
}

/** Checks packs in a worker thread, one after the other. A thread that hangs or crashes rejects the file it was checking. */
export class PackChecker {
  readonly #worker: JobWorker<PackCheckJob, PackCheckReply>
  readonly #timeoutOf_ms: (size_bytes: number) => number
  readonly #checkedPacks: CheckedPacks

  constructor({ startWorker, dataFolder, timeoutOf_ms = defaultTimeoutOf_ms }: PackCheckerOptions) {
    this.#worker = createJobWorker(startWorker)
    this.#timeoutOf_ms = timeoutOf_ms
    this.#checkedPacks = createCheckedPacks(dataFolder)
  }

  readonly check: CheckPack = async (path, sha256) => {
    if (this.#checkedPacks.has(path, sha256)) return new Map()
    const size_bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const reply = await this.#worker
      .run({ path, sha256 }, { timeout_ms: this.#timeoutOf_ms(size_bytes) })
      .catch((error: unknown): PackCheckReply => ({ problem: problemOf(error, path), retryable: false }))
    if ('problem' in reply) throw new FileError(reply.problem, { retryable: reply.retryable })
    // A box tree is not recorded, so a file that needs one is read at every start.
    if (size_bytes > recordedFrom_bytes && reply.indexes.size === 0) this.#checkedPacks.add(path, sha256)
    return reply.indexes
  }

  close(): void {
    this.#worker.close()
  }
}

function problemOf(error: unknown, path: string): string {
  if (!(error instanceof JobWorkerError)) throw error
  return `The check of ${basename(path)} failed: ${error.message}. Build the file again with \`fieldstone pack build\`.`
}

/** Smaller files are checked at every start, in less than a second. */
const recordedFrom_bytes = 64 * 1024 ** 2

function defaultTimeoutOf_ms(size_bytes: number): number {
  return 60_000 + size_bytes / 10_000
}
