import type { AppOptions } from '../../app.ts'
import type { SourcesDocument } from '../../catalog/meta-documents.ts'
import type { Config, Environment } from '../../config.ts'
import type { ErrorDetail } from '../../model/error.ts'
import { addedColumns, type AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import type { ArtifactFormat } from '../../runs/artifacts/artifact-writer.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import type { ConvertedFile } from '../../runs/upload/upload-reading.ts'
import type { UploadFormat } from '../../runs/upload/upload-format.ts'
import type { RunState } from '../../runs/worker-messages.ts'
import type { CredentialStore } from '../account/credentials.ts'

/** The run to execute. */
export type RunJob = {
  input: Bun.BunFile
  /** The name of the run, made from that of the file. */
  name: string | null
  kind: RunKind
  fields: string[] | undefined
  preset: string | undefined
  format: UploadFormat
  /** What the input was before it was converted to a table; null if it was a table. */
  converted: ConvertedFile | null
  /** Answer every row anew, even if there is an earlier result of the same command. */
  isFresh: boolean
}

/** Executes runs on a server. */
export type RunBackend = {
  /** Finds the run that was submitted with an idempotency key. */
  findByKey(key: string): Promise<RunState | null>
  /**
   * Submits the run, or finds the earlier one with the same key. The same file with the same fields has the same key.
   */
  submit(job: RunJob & { key: string }): Promise<RunState>
  /**
   * Starts a retry of what is missing in the result of a finished run, or finds the retry that was started earlier.
   * Null if nothing is missing that may be answered now.
   */
  retryMissing(run_id: string): Promise<RunState | null>
  /** Reports every change until the run is final or the signal aborts. */
  follow(state: RunState, onChange: (state: RunState) => void, signal: AbortSignal): Promise<RunState>
  /** A result file of a finished run, merged with its retries. */
  resultFile(run_id: string, format: ArtifactFormat, added: readonly AddedColumns[]): Promise<Response>
  /** What each dataset needs before it can be queried. */
  sources(): Promise<SourcesDocument>
  /** The error of a failed run, otherwise null. */
  error(run_id: string): Promise<ErrorDetail | null>
}

/** The dependencies of `fieldstone run`. */
export type RunCommandDeps = {
  config: Config
  /** The settings that the configuration was read from. */
  environment: Environment
  version: string
  appOptions(config: Config): Omit<AppOptions, 'config'>
  print(line: string): void
  printError(line: string): void
  /** The logins to servers. */
  credentials: CredentialStore
}

/** A failure outside of Fieldstone: the server does not respond, or the output file cannot be written. */
export class RunCommandError extends Error {}

/** A temporary failure: the same command may succeed later. */
export class TemporaryRunError extends RunCommandError {}

/** What `--include` can add. The result file is merged with its retries, so that it needs no original index. */
export const resultColumns = addedColumns.filter((name) => name !== 'original_index')

/** The query that selects the variant of a result file. */
export function includeQuery(added: readonly AddedColumns[]): string {
  return `include=${['retries', ...added].join(',')}`
}
