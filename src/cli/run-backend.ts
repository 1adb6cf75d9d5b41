import type { AppOptions } from '../app.ts'
import type { Config } from '../config.ts'
import type { ErrorDetail } from '../model/error.ts'
import type { RunKind } from '../runs/run-summary.ts'
import type { RunState } from '../runs/worker-messages.ts'

/** What is run, and under which key: the same file asked the same things is the same run. */
export type RunJob = {
  path: string
  kind: RunKind
  fields: string[] | undefined
  preset: string | undefined
  key: string
}

/** How a run goes: here in this process, or on a server. */
export type RunBackend = {
  /** Starts the run, or finds the one that was started before; tells of every change until it is finished, or until the signal. */
  runToEnd(job: RunJob, onChange: (state: RunState) => void, signal: AbortSignal): Promise<RunState>
  /** The CSV of a finished run. */
  csv(run_id: string): Promise<Response>
  /** The error of a failed run; null for any other. */
  error(run_id: string): Promise<ErrorDetail | null>
  /** Leaves; what is not finished goes on with the next start. */
  close(): Promise<void>
}

/** What it takes: the configuration, what opens a house, and the ways to say something. */
export type RunCommandDeps = {
  config: Config
  appOptions(config: Config): Omit<AppOptions, 'config'>
  print(line: string): void
  printError(line: string): void
}

/** A run that could not be had for a reason that lies outside: a server that does not answer, a file that cannot be written. */
export class RunCommandError extends Error {}
