import type { SourceStatus } from '../../catalog/meta-documents.ts'
import { maxAreaPoints } from '../../pack-plans/area.ts'
import { siteRadius } from '../../runs/report/missing-sources.ts'
import type { RunReport } from '../../runs/report/run-report.ts'
import type { UploadReading } from '../../runs/report/run-summary.ts'
import { describeUploadReading } from '../../runs/upload/upload-reading.ts'
import { createStderrProgress } from '../progress.ts'
import type { RunCommandDeps, RunJob } from './run-backend.ts'
import { standardStream, type RunOutput } from './run-output.ts'
import { toShellWord } from '../shell-word.ts'
import { describeClasses, describeFailures, describeRunCounts } from './run-report-text.ts'

/** The progress of a run on standard error. */
type ProgressReport = { update(done: number, total: number): void; end(): void }

/** Opens the progress of a run. It shows the rate and the remaining time. */
export function openRunProgress(name: string, isQuiet: boolean): ProgressReport {
  if (isQuiet) return { update() {}, end() {} }
  const bar = createStderrProgress(name)
  const start = { at_ms: 0, done: -1 }
  return {
    update(done, total) {
      if (start.done < 0) Object.assign(start, { at_ms: performance.now(), done })
      const seconds = Math.max(0.001, (performance.now() - start.at_ms) / 1000)
      bar.update(total === 0 ? 1 : done / total, progressLabel(done, total, (done - start.done) / seconds))
    },
    end: bar.end,
  }
}

/** The progress, the rate and the remaining time. */
function progressLabel(done: number, total: number, perSecond: number): string {
  if (perSecond <= 0) return `${done} of ${total}`
  const remaining_s = Math.ceil((total - done) / perSecond)
  return `${done} of ${total}, ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} a second, ${remaining_s >= 90 ? `${Math.round(remaining_s / 60)} min` : `${remaining_s} s`} left`
}

/** What is printed about a finished run. */
export type FinishedRun = {
  job: Pick<RunJob, 'kind' | 'fields' | 'preset'>
  out: RunOutput
  name: string
  isJson: boolean
  isQuiet: boolean
  /** The id of the run on a server. */
  run_id: string | null
  report: RunReport
  retriedRows: number
  sources: SourceStatus[]
  /** How the input was read. */
  reading: UploadReading
}

/** Prints the summary of a finished run and what is missing, or the report as JSON. */
export function printRunReport(
  { job, out, name, isJson, isQuiet, run_id, report, retriedRows, sources, reading }: FinishedRun,
  { print, printError }: Pick<RunCommandDeps, 'print' | 'printError'>,
): void {
  if (isJson)
    return print(JSON.stringify({ ...(run_id !== null && { run_id }), out: out.path, read: reading, report }, null, 2))
  if (isQuiet) return
  const isStandardOutput = out.path === standardStream
  const printSummary = isStandardOutput ? printError : print
  const retriedText = retriedRows > 0 ? `; ${retriedRows.toLocaleString('en-US')} retried` : ''
  const id = run_id === null ? '' : ` (${run_id})`
  printSummary(`${isStandardOutput ? name : out.path}: ${describeRunCounts(report, job.kind)}${retriedText}${id}`)
  printSummary(`  ${describeUploadReading(reading)}`)
  for (const line of describeClasses(report)) printSummary(`  ${line}`)
  const preset = job.fields === undefined ? (job.preset ?? null) : null
  for (const line of describeFailures(report, { sources }, { places: placesOf(out.path, report), preset }))
    printError(line)
  if (run_id === null && report.location_errors.length > 0 && /\.csv$/i.test(out.path))
    printError(`To answer only the failed rows, correct them in ${name} and add --retry-failed to the command.`)
}

/** The flags of `pack fetch` that name the places of a result. Null if it cannot read the result. */
function placesOf(result: string, { locations }: RunReport): string | null {
  if (locations.total > maxAreaPoints || !/\.(?:csv|geojson)$/i.test(result)) return null
  return `--sites ${toShellWord(result)} --radius ${siteRadius}`
}
