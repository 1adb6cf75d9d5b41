import type { BulkFingerprint } from '../../bulk/bulk-journal.ts'
import { openBulkInput, type BulkInput } from '../../bulk/bulk-input.ts'
import type { BulkJob } from '../../bulk/bulk-job.ts'
import type { BulkRun } from '../../bulk/bulk-run.ts'
import { localShareOf } from '../../bulk/local-answers.ts'
import type { UploadTable } from '../../runs/upload/upload-table.ts'
import type { ResultFormat } from '../../runs/artifacts/result-text.ts'
import { reportOfCounts } from '../../bulk/unanswered-rows.ts'
import { hasMarginOfError } from '../../catalog/read-spec.ts'
import type { Field } from '../../catalog/records.ts'
import type { CatalogSnapshot } from '../../fetch/catalog/catalog-state.ts'
import { selectFields } from '../../fetch/catalog/select.ts'
import { shapeWith, sheetRowsMax, type AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import { fieldTypesOf } from '../../runs/artifacts/field-types.ts'
import { hasFields, runKinds } from '../../runs/run-kind.ts'
import { exitCodes } from '../exit-codes.ts'
import type { RunCommandDeps, RunJob } from './run-backend.ts'
import { type LocalAnswers, answersOfSources, openLocalSources } from './run-local.ts'
import { standardStream, type RunOutput } from './run-output.ts'
import { openRunProgress, printRunReport } from './run-progress.ts'
import { exitCodeOf } from './run-report-text.ts'
import { writeResult } from './run-result-file.ts'
import { rowsOfShard, type Shard } from './run-shard.ts'
import { UsageError } from '../usage-error.ts'
import { abortOnInterrupt } from '../server/stop-signals.ts'

/** A run in this process. */
export type BulkCommand = {
  job: RunJob
  out: RunOutput
  /** The name of the input. */
  name: string
  format: ResultFormat
  shard: Shard | null
  /** The number of worker threads; null: one for each processor. */
  workers: number | null
  added: readonly AddedColumns[]
  isStrict: boolean
  isJson: boolean
  isQuiet: boolean
  isRestarted: boolean
  /** Answer the rows that failed in the output file, and no others. */
  isRetry: boolean
}

/** Answers the rows in this process, writes the result and prints the report. Returns the exit code. */
export async function executeBulkRun(command: BulkCommand, deps: RunCommandDeps): Promise<number> {
  const { job, out, isStrict } = command
  const input = await openBulkInput(job.input, job)
  if (command.format === 'xlsx')
    requireRowsOfSheet(command.shard ? rowsOfShard(command.shard, input.rows) : { from: 0, to: input.rows })
  const fieldsOf = (snapshot: CatalogSnapshot) => fieldsOfJob(job, snapshot)
  const local = await openLocalAnswers(deps, { input, fieldsOf }, command.workers)
  const interruption = abortOnInterrupt()
  const progress = openRunProgress(command.name, command.isQuiet)
  try {
    const run: BulkRun = {
      ...runOf(command, { input, fields: fieldsOf(local.snapshot()), local, version: deps.version }),
      openAnswers: (it) => local.open(it, interruption.signal),
      onProgress: progress.update,
      signal: interruption.signal,
    }
    const { isRestarted, isRetry } = command
    const options = { isFresh: job.isFresh, isRestarted, isRetry, answerable: local.answerable }
    const result = await writeResult(run, out, options).finally(progress.end)
    if (result.isInterrupted) {
      deps.printError(interruptedText(out, result))
      return exitCodes.interrupted
    }
    const report = reportOfCounts(result.counts)
    const { retriedRows } = result
    printRunReport(
      { ...command, run_id: null, report, retriedRows, sources: local.sources(), reading: input.reading },
      deps,
    )
    return exitCodeOf(report, isStrict)
  } finally {
    interruption.remove()
    await local.close()
  }
}

/**
 * Opens what the rows need. Fields of local data at coordinates need the data only. All else needs the app: its
 * sources, geocoders, cache, accounts and audit. With it, the rows that local data answers are still answered in
 * blocks.
 * @throws {StoreError} if the app is needed, and its data folder is in use or read-only.
 */
async function openLocalAnswers(
  deps: RunCommandDeps,
  { input, fieldsOf }: { input: BulkInput; fieldsOf(snapshot: CatalogSnapshot): Field[] },
  workers: number | null,
): Promise<LocalAnswers> {
  const { options, sources } = await openLocalSources(deps)
  const names = fieldsOf(sources.snapshot()).map(({ name }) => name)
  const localShare = input.table.kind === 'fetch_batch' ? localShareOf(names, sources.snapshot()) : 'none'
  const threadOptions = { environment: deps.environment, rows: input.rows, workers }
  if (localShare === 'all' && !input.hasAddress) return answersOfSources(sources, options, threadOptions)
  sources.close()
  const { openAppAnswers } = await import('./run-app.ts')
  return openAppAnswers(options, localShare === 'none' ? null : threadOptions)
}

type RunParts = { input: BulkInput; fields: Field[]; local: LocalAnswers; version: string }

function runOf(
  { job: { kind, format: uploadFormat }, format, added, shard }: BulkCommand,
  { input, fields, local, version }: RunParts,
): Pick<BulkRun, 'input' | 'range' | 'job' | 'fingerprint'> {
  const { table, hasAddress } = input
  const job = bulkJobOf(
    { kind, format, added },
    { table, inputColumns: table.columns.header, hasAddress },
    {
      fields,
      catalog: local.snapshot().catalog,
    },
  )
  const fingerprint: BulkFingerprint = {
    arguments: sha256OfJson([kind, job.shape.fields, uploadFormat, format, added, shard]),
    input: input.sha256,
    catalog_version: local.snapshot().catalog.version,
    program_version: version,
  }
  const range = shard ? rowsOfShard(shard, input.rows) : { from: 0, to: input.rows }
  return { input, range, job, fingerprint }
}

type BulkJobInput = { table: UploadTable; inputColumns: string[]; hasAddress: boolean }

/** Returns what is answered for each row, and the columns of the result. `inputColumns`: those that it repeats. */
export function bulkJobOf(
  { kind, format, added }: Pick<RunJob, 'kind'> & Pick<BulkCommand, 'format' | 'added'>,
  { table, inputColumns, hasAddress }: BulkJobInput,
  { fields, catalog }: { fields: Field[]; catalog: CatalogSnapshot['catalog'] },
): BulkJob {
  const isAboutAreas = kind === 'area_batch'
  const names = hasFields(kind) ? fields.map(({ name }) => name) : [...runKinds[kind].columns]
  const shape = {
    fields: names,
    marginFields: isAboutAreas ? [] : fields.filter(({ read }) => hasMarginOfError(read)).map(({ name }) => name),
    inputColumns,
    isInputFirst: true,
    hasOriginalIndex: false,
    hasGeocodes: kind === 'fetch_batch' && hasAddress,
    hasCoveredShares: isAboutAreas,
    hasReasons: true,
  }
  return {
    table,
    shape: shapeWith(shape, added),
    format,
    fieldTypes: fieldTypesOf({ kind, fields: JSON.stringify(names) }, catalog),
    now_ms: Date.now(),
  }
}

/** A sheet has a row for the header. @throws {UsageError} */
function requireRowsOfSheet({ from, to }: BulkRun['range']): void {
  if (to - from < sheetRowsMax) return
  const max = (sheetRowsMax - 1).toLocaleString('en-US')
  throw new UsageError(
    `A workbook can have ${max} rows, but the result has ${(to - from).toLocaleString('en-US')}. Set --out to a .csv file, or use --shard.`,
  )
}

/** Returns the fields of a job. @throws {ValidationError} if one is unknown. */
export function fieldsOfJob(
  { kind, fields, preset }: Pick<RunJob, 'kind' | 'fields' | 'preset'>,
  { catalog }: CatalogSnapshot,
): Field[] {
  if (!hasFields(kind)) return []
  return selectFields({ ...(fields && { fields }), ...(preset !== undefined && { preset }) }, 'explicit', catalog)
}

/** Returns the SHA-256 of a value that JSON can hold. */
export function sha256OfJson(value: unknown): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(value)).digest('hex')
}

function interruptedText(out: RunOutput, { rows, total }: { rows: number; total: number }): string {
  const done = `Interrupted at ${rows} of ${total} locations.`
  return out.path === standardStream
    ? `${done} A result on standard output cannot be continued.`
    : `${done} No result is lost. Run the same command again to continue.`
}
