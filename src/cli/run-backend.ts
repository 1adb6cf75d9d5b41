import type { AppOptions } from '../app.ts'
import type { SourcesDocument } from '../catalog/sources-document.ts'
import type { Config } from '../config.ts'
import type { ErrorDetail } from '../model/error.ts'
import type { ArtifactFormat } from '../runs/artifact-writer.ts'
import type { RunKind } from '../runs/run-summary.ts'
import type { UploadFormat } from '../runs/upload.ts'
import type { RunState } from '../runs/worker-messages.ts'
import type { CredentialStore } from './credentials.ts'

/** The run to submit. `key` is its idempotency key: the same file with the same fields is the same run. */
export type RunJob = {
  input: Bun.BunFile
  /** The name of the run, made from that of the file. */
  name: string | null
  kind: RunKind
  fields: string[] | undefined
  preset: string | undefined
  format: UploadFormat
  key: string
  /** Start a new run, even if there is an earlier one with the same key. */
  isFresh: boolean
}

/** Executes runs: in this process, or on a server. */
export type RunBackend = {
  /** Finds the run that was submitted with an idempotency key. */
  findByKey(key: string): Promise<RunState | null>
  /** Submits the run, or finds the earlier one with the same key. */
  submit(job: RunJob): Promise<RunState>
  /**
   * Starts or finds a retry of what is missing in the result of a finished run and may be answered now; null if there
   * is nothing.
   */
  retryMissing(run_id: string): Promise<RunState | null>
  /** Reports every change until the run is final or the signal aborts. */
  follow(state: RunState, onChange: (state: RunState) => void, signal: AbortSignal): Promise<RunState>
  /** A result file of a finished run, merged with its retries. */
  resultFile(run_id: string, format: ArtifactFormat, options: { reasons: boolean }): Promise<Response>
  /** What each dataset needs before it can be queried. */
  sources(): Promise<SourcesDocument>
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
  /** The logins to servers. */
  credentials: CredentialStore
}

/** A failure outside of Fieldstone: the server does not respond, or the output file cannot be written. */
export class RunCommandError extends Error {}

/** The query that selects the variant of a result file. */
export function includeQuery({ reasons }: { reasons: boolean }): string {
  return `include=retries${reasons ? ',reasons' : ''}`
}
