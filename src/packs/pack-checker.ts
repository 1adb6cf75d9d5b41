import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isRecord } from '../model/record.ts'
import { PackError } from './pack-error.ts'

/** Checks all content of a pack file before it is used. `sha256` is the checksum in its manifest. Throws PackError. */
export type CheckPack = (path: string, sha256: string | null) => Promise<void>

/** A file for the worker to check. */
export type PackCheckJob = { path: string; sha256: string | null }
/** The reply of the worker: what is wrong with the file, or null. */
export type PackCheckReply = { problem: string | null; retryable?: boolean }

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
  readonly #startWorker: () => Worker
  readonly #timeoutOf_ms: (size_bytes: number) => number
  readonly #records: CheckRecords
  #worker: Worker | null = null
  #lastCheck = Promise.resolve()
  #pending = 0
  #isOpen = true

  constructor({ startWorker, recordFile, timeoutOf_ms = defaultTimeoutOf_ms }: PackCheckerOptions) {
    this.#startWorker = startWorker
    this.#timeoutOf_ms = timeoutOf_ms
    this.#records = new CheckRecords(recordFile)
  }

  readonly check: CheckPack = (path, sha256) => {
    this.#pending++
    const check = this.#lastCheck
      .then(() => this.#checkUnlessKnown({ path, sha256 }))
      .finally(() => --this.#pending === 0 && this.#stopWorker())
    this.#lastCheck = check.catch(() => {})
    return check
  }

  close(): void {
    this.#isOpen = false
    this.#stopWorker()
  }

  async #checkUnlessKnown(job: PackCheckJob): Promise<void> {
    if (!this.#isOpen || this.#records.has(job)) return
    const size_bytes = statSync(job.path, { throwIfNoEntry: false })?.size ?? 0
    const { problem, retryable = false } = await this.#run(job, this.#timeoutOf_ms(size_bytes))
    if (problem !== null) throw new PackError(problem, { retryable })
    if (size_bytes > recordedFrom_bytes) this.#records.add(job)
  }

  #run(job: PackCheckJob, timeout_ms: number): Promise<PackCheckReply> {
    const name = basename(job.path)
    const worker = (this.#worker ??= this.#startWorker())
    const { promise, resolve } = Promise.withResolvers<PackCheckReply>()
    const fail = (what: string) => {
      this.#stopWorker()
      resolve({ problem: `${name} cannot be checked: ${what}. Build the file again with \`fieldstone pack build\`.` })
    }
    const timer = setTimeout(() => fail(`the check did not end within ${timeout_ms / 1000} s`), timeout_ms)
    timer.unref()
    worker.onmessage = ({ data }: MessageEvent<PackCheckReply>) => resolve(data)
    worker.onerror = (event) => {
      event.preventDefault()
      fail(`the worker failed (${event.message})`)
    }
    worker.addEventListener('close', () => worker === this.#worker && fail('the worker ended'))
    worker.postMessage(job, [])
    return promise.finally(() => clearTimeout(timer))
  }

  #stopWorker(): void {
    const worker = this.#worker
    this.#worker = null
    worker?.terminate()
  }
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
