import { ApiError, ValidationError } from '../model/error.ts'
import type { RunReport } from '../runs/run-report.ts'
import { isFinalStatus } from '../runs/runs.ts'
import type { RunState } from '../runs/worker-messages.ts'
import { commandFailureOf } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'
import { createStderrProgress } from './progress.ts'
import { RunCommandError, type RunJob, type RunCommandDeps, type RunBackend } from './run-backend.ts'
import { openRunInput, outputPathOf, parseRunJob, type RunFlags } from './run-input.ts'
import { openLocalRunBackend } from './run-local.ts'
import { RunOutput, standardStream } from './run-output.ts'
import { openRemoteRunBackend } from './run-remote.ts'
import { serverClientOf } from './server-client.ts'
import { UsageError } from './usage-error.ts'
import { describeClasses, describeFailures, describeRunCounts, exitCodeOf } from './run-report-text.ts'

/** `fieldstone run <file.csv>`: runs to the end, writes the result file and returns the exit code. */
export async function runCommand([path]: string[], flags: RunFlags, deps: RunCommandDeps): Promise<number> {
  const input = await openRunInput(path)
  try {
    const job = await parseRunJob(input, flags)
    const out = new RunOutput(outputPathOf(path!, flags), { input: path!, force: flags.force === true })
    const client = serverClientOf(flags, deps)
    const backend = client === null ? await openLocalRunBackend(deps) : openRemoteRunBackend(client)
    const isJson = flags.json === true
    if (isJson && out.path === standardStream)
      throw new UsageError('--json and --out - cannot be combined: both write to standard output.')
    const command = {
      job,
      out,
      name: input.name,
      reasons: flags.reasons === true,
      isStrict: flags.strict === true,
      isJson,
    }
    try {
      return await executeRun(command, backend, deps)
    } catch (error) {
      return reportError(error, { name: input.name, isJson }, deps)
    } finally {
      await backend.close()
    }
  } finally {
    input.remove()
  }
}

type RunToExecute = {
  job: RunJob
  out: RunOutput
  name: string
  reasons: boolean
  isStrict: boolean
  isJson: boolean
}

async function executeRun(command: RunToExecute, backend: RunBackend, deps: RunCommandDeps): Promise<number> {
  const { job, out, name, reasons, isStrict } = command
  const format = out.path.endsWith('.geojson') ? 'geojson' : 'csv'
  if (out.isTaken) {
    const earlier = await backend.findByKey(job.key)
    const isFinished = earlier !== null && hasResult(earlier)
    await out.allowReplacing(isFinished ? await backend.resultFile(earlier.run_id, format, { reasons }) : null)
  }
  const interruption = new AbortController()
  const onSignal = () => interruption.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  try {
    const { run_id, states } = await answerEverything(job, { backend, name, signal: interruption.signal })
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
    await out.save(await backend.resultFile(run_id, format, { reasons }))
    const report = (await (await backend.resultFile(run_id, 'report', { reasons: false })).json()) as RunReport
    const retriedRows = states.length > 1 ? last.total : 0
    await printReport({ ...command, run_id, report, retriedRows }, backend, deps)
    return exitCodeOf(report, isStrict)
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

/** Prints the summary of a finished run and what is missing, or the report as JSON. */
async function printReport(
  {
    job,
    out,
    name,
    isJson,
    run_id,
    report,
    retriedRows,
  }: RunToExecute & { run_id: string; report: RunReport; retriedRows: number },
  backend: RunBackend,
  { print, printError }: RunCommandDeps,
): Promise<void> {
  if (isJson) return print(JSON.stringify({ run_id, out: out.path, report }, null, 2))
  const isStandardOutput = out.path === standardStream
  const printSummary = isStandardOutput ? printError : print
  const retried = retriedRows > 0 ? `; ${retriedRows.toLocaleString('en-US')} asked again` : ''
  printSummary(`${isStandardOutput ? name : out.path}: ${describeRunCounts(report, job.kind)}${retried} (${run_id})`)
  for (const line of describeClasses(report)) printSummary(`  ${line}`)
  for (const line of describeFailures(report, await backend.sources())) printError(line)
}

type RunProgressDeps = { backend: RunBackend; name: string; signal: AbortSignal }

/** Runs a job to its end. If it ended earlier, what is missing is asked again. `states` has the run, then the retry. */
async function answerEverything(job: RunJob, deps: RunProgressDeps): Promise<{ run_id: string; states: RunState[] }> {
  const submitted = await deps.backend.submit(job)
  const { run_id } = submitted
  if (!isFinalStatus(submitted.status)) return { run_id, states: [await followWithProgress(submitted, deps)] }
  const retry = hasResult(submitted) ? await deps.backend.retryMissing(run_id) : null
  return { run_id, states: [submitted, ...(retry ? [await followWithProgress(retry, deps)] : [])] }
}

async function followWithProgress(state: RunState, { backend, name, signal }: RunProgressDeps): Promise<RunState> {
  const progress = createStderrProgress(name)
  const start = { at_ms: performance.now(), done: -1 }
  try {
    return await backend.follow(
      state,
      ({ done, total }) => {
        if (start.done < 0) Object.assign(start, { at_ms: performance.now(), done })
        progress.update(
          total === 0 ? 1 : done / total,
          progressLabel(done, total, (done - start.done) / Math.max(0.001, (performance.now() - start.at_ms) / 1000)),
        )
      },
      signal,
    )
  } finally {
    progress.end()
  }
}

function hasResult({ status }: RunState): boolean {
  return status === 'succeeded' || status === 'cancelled'
}

/** Prints an error that the user can act on, and rethrows all others. */
function reportError(
  error: unknown,
  { name, isJson }: Pick<RunToExecute, 'name' | 'isJson'>,
  { printError }: RunCommandDeps,
): number {
  if (error instanceof ValidationError) {
    const lines = error.violations.map(({ loc, msg }) => `${loc.slice(1).join('.') || name}: ${msg}.`)
    printError(isJson ? JSON.stringify({ detail: error.violations }) : lines.join('\n'))
  } else if (error instanceof ApiError) {
    printError(isJson ? JSON.stringify({ detail: error.detail }) : error.message)
  } else if (error instanceof RunCommandError) {
    const detail = { ...commandFailureOf(error.cause).detail, message: error.message }
    printError(isJson ? JSON.stringify({ detail }) : error.message)
  } else throw error
  return exitCodes.failure
}

/** The progress, the rate and the remaining time. */
function progressLabel(done: number, total: number, perSecond: number): string {
  if (perSecond <= 0) return `${done} of ${total}`
  const remaining_s = Math.ceil((total - done) / perSecond)
  return `${done} of ${total}, ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} a second, ${remaining_s >= 90 ? `${Math.round(remaining_s / 60)} min` : `${remaining_s} s`} left`
}
