import { existsSync, rmSync, statSync } from 'node:fs'
import {
  readJournal,
  removeJournal,
  workFilesOf,
  writeJournal,
  type BulkFingerprint,
  type BulkJournal,
  type WorkFiles,
} from '../../bulk/bulk-journal.ts'
import {
  answerableRowsOf,
  answerAgain,
  answerRows,
  type BulkProgress,
  type BulkRun,
  type RowsToAnswer,
} from '../../bulk/bulk-run.ts'
import { UnreadableResultError } from '../../bulk/earlier-result.ts'
import { findFailedRows } from '../../bulk/failed-rows.ts'
import { isTextFormat } from '../../runs/artifacts/result-text.ts'
import { DifferentFileError, openComparison, openPartialFile, openStandardOutput } from '../../bulk/result-sink.ts'
import { ApiError } from '../../model/error.ts'
import { sha256OfFile } from '../../files/byte-reader.ts'
import type { RowFileFormat } from '../../runs/artifacts/row-file.ts'
import type { Answerable } from '../../runs/report/missing-values.ts'
import { lockFile } from '../../store/sqlite/folder-lock.ts'
import { TemporaryRunError } from './run-backend.ts'
import { standardStream, type RunOutput } from './run-output.ts'
import { UsageError } from '../usage-error.ts'

/** The rows that a later run may answer better are remembered up to this size. */
const journalMax_bytes = 1_000_000

/** The result of a run in this process. `retriedRows`: the rows that were answered again after an earlier run. */
export type ResultOfRun = BulkProgress & { retriedRows: number }

export type ResultOptions = {
  /** Do not use the answers of an earlier result. */
  isFresh: boolean
  /** Discard what an interrupted run left. */
  isRestarted: boolean
  /** Answer the rows that failed in the output file, and no others. */
  isRetry: boolean
  answerable: () => Answerable
}

/**
 * Writes the result of a run to its file or to standard output. Continues an interrupted run, and asks only what is
 * missing in the result of a finished one.
 * @throws {UsageError} if the file has another content, or the interrupted run was another one.
 */
export async function writeResult(run: BulkRun, out: RunOutput, options: ResultOptions): Promise<ResultOfRun> {
  if (out.path === standardStream) {
    const target = { sink: openStandardOutput(), continued: null, files: null }
    return { ...(await answerRows(run, target)), retriedRows: 0 }
  }
  const files = workFilesOf(out.path)
  const unlock = lockFile(files.lock)
  if (!unlock) throw new TemporaryRunError(`Another process is writing ${out.path}. Wait until it has ended.`)
  try {
    return await new ResultFile(run, out, files).write(options)
  } catch (error) {
    throw writeErrorOf(error, out.path)
  } finally {
    unlock()
  }
}

/** The output file of a run, and the files beside it. */
class ResultFile {
  readonly #run: BulkRun
  readonly #out: RunOutput
  readonly #files: WorkFiles

  constructor(run: BulkRun, out: RunOutput, files: WorkFiles) {
    this.#run = run
    this.#out = out
    this.#files = files
  }

  async write({ isFresh, isRestarted, isRetry, answerable }: ResultOptions): Promise<ResultOfRun> {
    if (isRestarted) this.#discard()
    const journal = readJournal(this.#files.journal)
    if (isRetry) return this.#retryFailed(journal)
    if (journal?.state === 'partial') return this.#continue(journal)
    if (journal && !isFresh && (await this.#isResultOf(journal))) return this.#improve(journal, answerable())
    return this.#out.isTaken && isTextFormat(this.#run.job.format) ? this.#compare() : this.#writePart(null)
  }

  async #continue(journal: BulkJournal): Promise<ResultOfRun> {
    requireSameRun(journal, this.#run.fingerprint, this.#out.path)
    if (existsSync(this.#files.part)) return this.#writePart(journal)
    const total = this.#run.range.to - this.#run.range.from
    if (journal.rows !== total || !(await this.#hasBytesOf(journal))) throw this.#changedPartError()
    // The run was interrupted after the file got its final name.
    this.#rememberUnanswered(journal)
    return { rows: total, total, counts: journal.counts, isInterrupted: false, retriedRows: 0 }
  }

  async #writePart(continued: BulkJournal | null): Promise<ResultOfRun> {
    const { journal, part } = this.#files
    const sink = openPartialFile(part, continued)
    if (!sink) throw this.#changedPartError()
    try {
      const progress = await answerRows(this.#run, { sink, continued, files: this.#files })
      if (progress.isInterrupted) return { ...progress, retriedRows: 0 }
      const finished = readJournal(journal)!
      const { format } = this.#run.job
      if (!isTextFormat(format)) this.#rememberUnanswered(await this.#publishConverted(finished, format))
      else {
        this.#out.publish(part)
        this.#rememberUnanswered(finished)
      }
      rmSync(part, { force: true })
      return { ...progress, retriedRows: 0 }
    } finally {
      sink.close()
    }
  }

  /** Makes the file of the lines, and gives it its name unless it is there already. */
  async #publishConverted(journal: BulkJournal, format: RowFileFormat): Promise<BulkJournal> {
    const { part, converted } = this.#files
    const { writeRowFile } = await import('../../bulk/row-file-result.ts')
    await writeRowFile(part, converted, format, this.#run.job).catch((error: unknown) => {
      // Another attempt would fail too.
      if (error instanceof ApiError) this.#discard()
      throw error
    })
    const finished = { ...journal, sha256: await sha256OfFile(converted), bytes: statSync(converted).size }
    if (await this.#hasBytesOf(finished)) rmSync(converted)
    else if (this.#out.isTaken) {
      this.#discard()
      throw this.#out.takenError()
    } else this.#out.publish(converted)
    return finished
  }

  /** Answers all rows, to find out whether the file that is there is the result. */
  async #compare(): Promise<ResultOfRun> {
    const sink = openComparison(this.#out.path)
    try {
      const progress = await answerRows(this.#run, { sink, continued: null, files: null })
      if (!progress.isInterrupted) this.#rememberUnanswered(this.#journalOf(progress, sink.sync()))
      return { ...progress, retriedRows: 0 }
    } catch (error) {
      throw error instanceof DifferentFileError ? this.#out.takenError() : error
    } finally {
      sink.close()
    }
  }

  /** Answers what is missing in a finished result, if it can be answered now. */
  async #improve({ counts, rows }: BulkJournal, answerable: Answerable): Promise<ResultOfRun> {
    const again = answerableRowsOf(counts, answerable)
    if (again.ranges.length === 0) return { rows, total: rows, counts, isInterrupted: false, retriedRows: 0 }
    try {
      return await this.#answerAgain(again)
    } catch (error) {
      if (error instanceof UnreadableResultError) return await this.#writePart(null)
      throw error
    }
  }

  /** Answers the rows that failed in the output file, and those that the input has other cells for now. */
  async #retryFailed(journal: BulkJournal | null): Promise<ResultOfRun> {
    const { path } = this.#out
    if (!existsSync(path))
      throw new UsageError(
        `${path} does not exist. --retry-failed needs the result of an earlier run: set it with --out.`,
      )
    if (journal?.state === 'partial')
      throw new UsageError(`An interrupted run left a partial result of ${path}. Continue it first, or add --restart.`)
    try {
      return await this.#answerAgain(await findFailedRows(path, this.#run))
    } catch (error) {
      if (!(error instanceof UnreadableResultError)) throw error
      throw new UsageError(
        `--retry-failed cannot continue: ${error.message} Use the same fields, and the file of the result with the same rows in the same order.`,
        { cause: error },
      )
    }
  }

  /** Replaces the output file by one in which some rows are answered again. */
  async #answerAgain(again: RowsToAnswer): Promise<ResultOfRun> {
    const { part } = this.#files
    const sink = openPartialFile(part, null)!
    this.#out.allowReplacingAsItIs()
    try {
      const result = await answerAgain(this.#run, sink, { ...again, path: this.#out.path })
      if (result.isInterrupted) return result
      const written = sink.sync()
      this.#out.publish(part)
      this.#rememberUnanswered(this.#journalOf(result, written))
      return result
    } finally {
      sink.close()
      rmSync(part, { force: true })
    }
  }

  #journalOf({ rows, counts }: BulkProgress, written: { bytes: number; sha256: string }): BulkJournal {
    const { fingerprint, job } = this.#run
    return { format: 1, fingerprint, state: 'finished', now_ms: job.now_ms, rows, ...written, counts }
  }

  /** Keeps the journal of a finished result only if a later run may answer more. */
  #rememberUnanswered(journal: BulkJournal): void {
    const finished: BulkJournal = { ...journal, state: 'finished' }
    const isUseful = journal.counts.unanswered.length > 0 && JSON.stringify(finished).length <= journalMax_bytes
    if (isUseful) writeJournal(this.#files.journal, finished)
    else removeJournal(this.#files.journal)
  }

  async #isResultOf(journal: BulkJournal): Promise<boolean> {
    return differenceOf(journal.fingerprint, this.#run.fingerprint) === null && this.#hasBytesOf(journal)
  }

  /** Whether the output file has the bytes that a journal describes. */
  async #hasBytesOf({ sha256 }: BulkJournal): Promise<boolean> {
    const { path } = this.#out
    return existsSync(path) && (await sha256OfFile(path)) === sha256
  }

  #discard(): void {
    removeJournal(this.#files.journal)
    for (const file of [this.#files.part, this.#files.converted]) rmSync(file, { force: true })
  }

  #changedPartError(): UsageError {
    return new UsageError(
      `The partial result ${this.#files.part} was changed or removed. To start again, add --restart.`,
    )
  }
}

function requireSameRun(journal: BulkJournal, fingerprint: BulkFingerprint, path: string): void {
  const difference = differenceOf(journal.fingerprint, fingerprint)
  if (difference === null) return
  throw new UsageError(
    `An interrupted run left a partial result of ${path}, but ${difference}. To discard it and start again, add --restart.`,
  )
}

function differenceOf(then: BulkFingerprint, now: BulkFingerprint): string | null {
  if (then.input !== now.input) return 'the input file has changed since'
  if (then.arguments !== now.arguments) return 'it was another command'
  if (then.catalog_version !== now.catalog_version) return `the catalog was version ${then.catalog_version} then`
  return then.program_version === now.program_version ? null : `Fieldstone was version ${then.program_version} then`
}

/** A full disk or a device error is temporary. The rows that are in the journal are not lost. */
function writeErrorOf(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && /^E(NOSPC|DQUOT|IO|FBIG)$/.test(String(error.code)))) return error
  return new TemporaryRunError(
    `Cannot write ${path}: ${error.message}. What was written is kept. Run the same command again to continue.`,
    { cause: error },
  )
}
