import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { createJobWorker, JobWorkerError, type JobWorker } from '../async/job-worker.ts'
import { isRecord } from '../model/record.ts'
import type { BuiltIndexes } from './pack.ts'
import { PackError } from './pack-error.ts'

/**
 * Checks all content of a pack file before it is used. `sha256` is the checksum in its manifest. Returns the box trees of
 * layers without an R-tree. Throws PackError.
 */
export type CheckPack = (path: string, sha256: string | null) => Promise<BuiltIndexes>

/** A file for the worker to check. */
export type PackCheckJob = { path: string; sha256: string | null }
/** The reply of the worker: the built box trees, or what is wrong with the file. */
export type PackCheckReply = { indexes: BuiltIndexes } | { problem: string; retryable: boolean }

/** Checks packs in a worker thread, one after the other. */
export type PackChecker = { check: CheckPack; close(): void }

type PackCheckerOptions = {
  startWorker: () => Worker
  /** Where the results for large files are kept, so that a restart does not read them again. */
  recordFile: string
  /** How long a check may take, for a file of this size. */
  timeoutOf_ms?: (size_bytes: number) => number
}

/** Creates the checker. A worker that hangs or dies rejects the file that it was checking. */
export function createPackChecker(options: PackCheckerOptions): PackChecker {
  return new WorkerPackChecker(options)
}

class WorkerPackChecker implements PackChecker {
  readonly #worker: JobWorker<PackCheckJob, PackCheckReply>
  readonly #timeoutOf_ms: (size_bytes: number) => number
  readonly #records: CheckRecords

  constructor({ startWorker, recordFile, timeoutOf_ms = defaultTimeoutOf_ms }: PackCheckerOptions) {
    this.#worker = createJobWorker(startWorker)
    this.#timeoutOf_ms = timeoutOf_ms
    this.#records = new CheckRecords(recordFile)
  }

  readonly check: CheckPack = async (path, sha256) => {
    const job = { path, sha256 }
    if (this.#records.has(job)) return new Map()
    const size_bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    const reply = await this.#worker
      .run(job, { timeout_ms: this.#timeoutOf_ms(size_bytes) })
      .catch((error: unknown): PackCheckReply => ({ problem: problemOf(error, path), retryable: false }))
    if ('problem' in reply) throw new PackError(reply.problem, { retryable: reply.retryable })
    // A box tree is not recorded, so a file that needs one is read at every start.
    if (size_bytes > recordedFrom_bytes && reply.indexes.size === 0) this.#records.add(job)
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
/** A higher number makes every file be checked again. */
const checkVersion = 1

function defaultTimeoutOf_ms(size_bytes: number): number {
  return 60_000 + size_bytes / 10_000
}

/** The large files that passed the check, each with its identity at that time. */
class CheckRecords {
  readonly #file: string
  readonly #identities: Map<string, string>

  constructor(file: string) {
    this.#file = file
    this.#identities = readRecords(file)
  }

  has(job: PackCheckJob): boolean {
    return this.#identities.get(job.path) === identityOf(job)
  }

  add(job: PackCheckJob): void {
    this.#identities.set(job.path, identityOf(job))
    try {
      writeFileSync(`${this.#file}.part`, JSON.stringify(Object.fromEntries(this.#identities)), { mode: 0o600 })
      renameSync(`${this.#file}.part`, this.#file)
    } catch {
      // A read-only data folder: the file is checked again at the next start.
    }
  }
}

function readRecords(file: string): Map<string, string> {
  try {
    const records: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return new Map(isRecord(records) ? Object.entries(records).map(([path, identity]) => [path, String(identity)]) : [])
  } catch {
    return new Map() // Without records, every file is checked.
  }
}

/** Includes the time of the last change of the inode, which a program cannot set. */
function identityOf({ path, sha256 }: PackCheckJob): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return [checkVersion, stats?.ino, stats?.size, stats?.mtimeMs, stats?.ctimeMs, sha256].join(':')
}
