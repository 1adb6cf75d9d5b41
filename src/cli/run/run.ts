import { extname } from 'node:path'
import type { ResultFormat } from '../../runs/artifacts/result-text.ts'
import { ApiError, ValidationError } from '../../model/error.ts'
import { pluralize } from '../../model/text.ts'
import type { RunReport } from '../../runs/report/run-report.ts'
import type { RunState } from '../../runs/worker-messages.ts'
import { isFinalStatus } from '../../store/runs/runs.ts'
import { commandFailureOf } from '../command-error.ts'
import { withCommandHints } from '../command-hints.ts'
import { exitCodes } from '../exit-codes.ts'
import { RunCommandError, TemporaryRunError, type RunCommandDeps } from './run-backend.ts'
import type { RunBackend } from './run-remote.ts'
import { executeBulkRun, type BulkCommand } from './run-bulk.ts'
import {
  addedColumnsOf,
  isObjectUrl,
  openRunInput,
  outputPathOf,
  parseRunJob,
  runKeyOf,
  workersOf,
  type RunFlags,
} from './run-input.ts'
import { RunOutput, standardStream } from './run-output.ts'
import { openRunProgress, printRunReport } from './run-progress.ts'
import { describeRejection, exitCodeOf } from './run-report-text.ts'
import { shardOf, type Shard } from './run-shard.ts'
import { serverClientOf } from '../server-client.ts'
import { UsageError } from '../usage-error.ts'
import { abortOnInterrupt } from '../server/stop-signals.ts'

/** `fieldstone run <file>`: runs to the end, writes the result file and returns the exit code. */
export async function runCommand([path]: string[], flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  if (flags.format !== undefined || flags['serve-stdin'] === true) return executeFilter(path, flags, deps)
  if (isObjectUrl(path) || isObjectUrl(flags.out)) return executeObjectRun(path, flags, deps)
  const input = await openRunInput(path, flags)
  try {
    const job = parseRunJob(input, flags)
    if (input.ignored > 0 && flags.quiet !== true)
      deps.printError(
        input.kind === 'area_batch'
          ? `Ignored ${pluralize(input.ignored, 'feature')} without a polygon or a line. To answer points, set --kind fetch_batch.`
          : `Ignored ${pluralize(input.ignored, 'feature')} that are no points. To answer polygons and lines, set --kind area_batch.`,
      )
    const client = serverClientOf(flags, deps)
    const shard = client === null ? shardOf(flags, deps.environment) : null
    const out = new RunOutput(outputPathOf(path!, flags, shard), { input: path!, force: flags.force === true })
    const command = {
      job,
      out,
      name: input.name,
      added: addedColumnsOf(flags),
      isStrict: flags.strict === true,
      isJson: flags.json === true,
      isQuiet: flags.quiet === true,
    }
    if (command.isJson && out.path === standardStream)
      throw new UsageError('--json and --out - cannot be combined: both write to standard output.')
    try {
      if (client !== null) {
        const { openRemoteRunBackend } = await import('./run-remote.ts')
        return await executeRemoteRun(command, flags, openRemoteRunBackend(client), deps)
      }
      const format = resultFormatOf(out.path)
      const isRetry = flags['retry-failed'] === true
      if (isRetry && (format !== 'csv' || out.path === standardStream))
        throw new UsageError('--retry-failed reads the earlier result, so --out must be its CSV file.')
      const local = { shard, format, workers: workersOf(flags), isRestarted: flags.restart === true, isRetry }
      return await executeBulkRun({ ...command, ...local }, deps)
    } catch (error) {
      return reportError(error, command, deps)
    }
  } finally {
    input.remove()
  }
}

async function executeObjectRun(path: string | undefined, flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  const { runObjects } = await import('./run-objects.ts')
  const answerFile = async (file: string, out: string, { number, of }: Shard) =>
    runCommand([file], { ...flags, out, shard: `${number}/${of}`, shards: undefined, force: true }, deps)
  try {
    return await runObjects(path ?? '', flags, { ...deps, answerFile })
  } catch (error) {
    return reportError(error, { name: path ?? '', isJson: false }, deps)
  }
}

async function executeFilter(path: string | undefined, flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  const { filterCommand } = await import('./run-filter.ts')
  try {
    return await filterCommand(path, flags, deps)
  } catch (error) {
    return reportError(error, { name: 'standard input', isJson: false }, deps)
  }
}

/** The formats of a result file by the ending of its name. */
const formatsByEnding: Readonly<Record<string, ResultFormat>> = {
  csv: 'csv',
  xlsx: 'xlsx',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  geojson: 'geojson',
  parquet: 'parquet',
  geoparquet: 'parquet',
  gpkg: 'gpkg',
}

/** The format of a result file. One without an ending, such as standard output, is CSV. @throws {UsageError} */
function resultFormatOf(path: string): ResultFormat {
  const ending = extname(path).slice(1)
  const format = ending === '' ? 'csv' : formatsByEnding[ending.toLowerCase()]
  if (format) return format
  const endings = Object.keys(formatsByEnding).map((it) => `.${it}`)
  throw new UsageError(
    `Cannot write ${path}: a result is not written as .${ending}. Set --out to a file that ends in ${endings.slice(0, -1).join(', ')} or ${endings.at(-1)}.`,
  )
}

type RemoteRun = Pick<BulkCommand, 'job' | 'out' | 'name' | 'added' | 'isStrict' | 'isJson' | 'isQuiet'>

async function executeRemoteRun(
  command: RemoteRun,
  flags: RunFlags,
  backend: RunBackend,
  deps: RunCommandDeps,
): Promise<number> {
  const { out, name, added, isStrict } = command
  const localFlag = ['shard', 'shards', 'workers', 'restart', 'retry-failed'].find((flag) => flags[flag] !== undefined)
  if (localFlag !== undefined) throw new UsageError(`--${localFlag} and --server cannot be combined.`)
  const format = resultFormatOf(out.path)
  const { readUploadReading } = await import('../../bulk/bulk-input.ts')
  const reading = await readUploadReading(command.job.input, command.job)
  const job = { ...command.job, key: await runKeyOf(command.job) }
  if (out.isTaken) {
    const earlier = await backend.findByKey(job.key)
    const isFinished = earlier !== null && hasResult(earlier)
    await out.allowReplacing(isFinished ? await backend.resultFile(earlier.run_id, format, added) : null)
  }
  const interruption = abortOnInterrupt()
  try {
    const progress = { backend, name, signal: interruption.signal, isQuiet: command.isQuiet }
    const { run_id, states } = await answerEverything(job, progress)
    const last = states.at(-1)!
    if (interruption.signal.aborted && !hasResult(last)) {
      deps.printError(
        `Interrupted at ${last.done} of ${last.total} locations. No result is lost. Run the same command again${job.isFresh ? ' without --fresh' : ''} to continue.`,
      )
      return exitCodes.interrupted
    }
    if (!hasResult(last))
      throw new ApiError(
        'internal_error',
        `The run ${last.run_id} is ${last.status}. ${(await backend.error(last.run_id))?.message ?? ''}`.trim(),
      )
    await out.save(await backend.resultFile(run_id, format, added))
    const report = (await (await backend.resultFile(run_id, 'report', [])).json()) as RunReport
    const retriedRows = states.length > 1 ? last.total : 0
    const { sources } = await backend.sources()
    printRunReport({ ...command, run_id, report, retriedRows, sources, reading }, deps)
    return exitCodeOf(report, isStrict)
  } finally {
    interruption.remove()
  }
}

type RemoteProgress = Pick<RemoteRun, 'name' | 'isQuiet'> & { backend: RunBackend; signal: AbortSignal }
type KeyedRunJob = Parameters<RunBackend['submit']>[0]

/** Runs a job to its end. If it ended earlier, retries what is missing. `states` has the run, then the retry. */
async function answerEverything(
  job: KeyedRunJob,
  deps: RemoteProgress,
): Promise<{ run_id: string; states: RunState[] }> {
  const submitted = await deps.backend.submit(job)
  const { run_id } = submitted
  if (!isFinalStatus(submitted.status)) return { run_id, states: [await followWithProgress(submitted, deps)] }
  const retry = hasResult(submitted) ? await deps.backend.retryMissing(run_id) : null
  return { run_id, states: [submitted, ...(retry ? [await followWithProgress(retry, deps)] : [])] }
}

async function followWithProgress(
  state: RunState,
  { backend, name, signal, isQuiet }: RemoteProgress,
): Promise<RunState> {
  const progress = openRunProgress(name, isQuiet)
  return backend.follow(state, ({ done, total }) => progress.update(done, total), signal).finally(progress.end)
}

function hasResult({ status }: RunState): boolean {
  return status === 'done' || status === 'cancelled'
}

/** Prints an error that the user can act on, and rethrows all others. */
function reportError(
  error: unknown,
  { name, isJson }: Pick<RemoteRun, 'name' | 'isJson'>,
  { printError }: RunCommandDeps,
): number {
  if (error instanceof ValidationError) {
    printError(isJson ? JSON.stringify({ detail: error.violations }) : describeRejection(error, name))
  } else if (error instanceof ApiError) {
    const text = isJson ? JSON.stringify({ detail: error.detail }) : error.message
    printError(withCommandHints(text, null))
  } else if (error instanceof RunCommandError) {
    const detail = { ...commandFailureOf(error.cause).detail, message: error.message }
    printError(isJson ? JSON.stringify({ detail }) : error.message)
  } else throw error
  return error instanceof TemporaryRunError ? exitCodes.temporaryFailure : exitCodes.failure
}
