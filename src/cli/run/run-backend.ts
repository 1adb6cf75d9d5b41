import type { AppOptions } from '../../app.ts'
import type { Config, Environment } from '../../config.ts'
import { addedColumns, type AddedColumns } from '../../runs/artifacts/artifact-columns.ts'
import type { RunKind } from '../../runs/report/run-summary.ts'
import type { ConvertedFile } from '../../runs/upload/upload-reading.ts'
import type { UploadFormat } from '../../runs/upload/upload-format.ts'
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
