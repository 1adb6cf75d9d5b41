import type { AppOptions } from '../app.ts'
import type { Config } from '../config.ts'
import type { ErrorDetail } from '../model/error.ts'
import type { RunKind } from '../runs/run-summary.ts'
import type { RunState } from '../runs/worker-messages.ts'

/** The run to submit. `key` is its idempotency key: the same file with the same fields is the same run. */
export type RunJob = {
  path: string
  kind: RunKind
  fields: string[] | undefined
  preset: string | undefined
  key: string
}

/** Executes runs: in this process, or on a server. */
export type RunBackend = {
  /**
   * Submits the run, or finds the earlier one with the same key. Reports every change until the run is final or the
   * signal aborts.
   */
  runToEnd(job: RunJob, onChange: (state: RunState) => void, signal: AbortSignal): Promise<RunState>
  /** The CSV of a finished run. */
  csv(run_id: string): Promise<Response>
  /** The error of a failed run, otherwise null. */
  error(run_id: string): Promise<ErrorDetail | null>
  /** Stops. The next start continues an unfinished run. */
  close(): Promise<void>
}

/** The dependencies of `fieldstone run`. */
export type RunCommandDeps = {
  config: Config
  appOptions(config: Config): Omit<AppOptions, 'config'>
  print(line: string): void
  printError(line: string): void
}

/** A failure outside of Fieldstone: the server does not respond, or the output file cannot be written. */
export class RunCommandError extends Error {}
