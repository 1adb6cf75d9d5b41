import { BackupError } from '../backup/backup-error.ts'
import { ConfigError } from '../config.ts'
import { isOutOfFiles, type ErrorDetail } from '../model/error.ts'
import { FileError } from '../files/file-error.ts'
import {
  isTemporaryStorageError,
  storageApiError,
  DatabaseUnreachableError,
  StoreError,
} from '../store/storage-error.ts'
import { exitCodes } from './exit-codes.ts'
import { LoginError } from './account/oauth-client.ts'
import { ServerUnreachableError } from './server-client.ts'
import { UsageError } from './usage-error.ts'

/** The codes of errors that only the command line has, with their exit codes. */
export const commandErrorCodes = {
  usage_error: exitCodes.usage,
  config_error: exitCodes.config,
  server_unreachable: exitCodes.failure,
  database_unreachable: exitCodes.temporaryFailure,
  login_failed: exitCodes.failure,
  file_error: exitCodes.failure,
  pack_failed: exitCodes.failure,
} as const
type CommandErrorCode = keyof typeof commandErrorCodes

/** What a command that failed prints on standard error, and its exit code. */
export type CommandFailure = {
  exitCode: number
  text: string
  /** The same error object as in a response of the API. */
  detail: Omit<ErrorDetail, 'error'> & { error: string }
}

/** Describes an error that ended a command. Everything that the user cannot act on is a bug. */
export function commandFailureOf(error: unknown): CommandFailure {
  if (error instanceof UsageError) return failureOf('usage_error', error.message)
  if (error instanceof ConfigError || error instanceof StoreError) return failureOf('config_error', error.message)
  if (error instanceof DatabaseUnreachableError) return failureOf('database_unreachable', error.message)
  if (error instanceof ServerUnreachableError) return failureOf('server_unreachable', error.message)
  if (error instanceof LoginError)
    return failureOf('login_failed', `${error.message} To log in again, run \`fieldstone login --server <address>\`.`)
  if (error instanceof FileError || error instanceof BackupError) return failureOf('pack_failed', error.message)
  if (isTemporaryStorageError(error)) {
    const { message, detail } = storageApiError(error)
    return { exitCode: exitCodes.temporaryFailure, text: message, detail }
  }
  if (error instanceof FileError) return failureOf('file_error', error.message)
  if (isOutOfFiles(error)) return failureOf('file_error', outOfFilesText)
  if (isFileSystemError(error)) return failureOf('file_error', error.message)
  const { detail } = failureOf('internal_error', error instanceof Error ? error.message : String(error))
  return { exitCode: exitCodes.internalError, text: stackTextOf(error), detail }
}

function failureOf(code: CommandErrorCode | 'internal_error', message: string): CommandFailure {
  return {
    exitCode: code === 'internal_error' ? exitCodes.internalError : commandErrorCodes[code],
    text: message,
    detail: {
      error: code,
      message,
      retryable: code === 'server_unreachable' || code === 'database_unreachable',
      documentation_url: `/guide/errors#${code}`,
    },
  }
}

const outOfFilesText =
  'Too many files are open. Raise the limit of open files, for example with `ulimit -n 4096`, and run the command again.'

/** Whether a file operation failed for a reason that the user can fix. The message of the error names the path. */
function isFileSystemError(error: unknown): error is Error {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return false
  // Parents are created too, so this happens only where nobody can create a folder, such as in /proc.
  if (error.code === 'ENOENT') return error.syscall === 'mkdir'
  return /^E(?:ROFS|ACCES|PERM|NOSPC|DQUOT|NOTDIR|ISDIR|EXIST|NAMETOOLONG|LOOP)$/.test(String(error.code))
}

/**
 * Returns stack traces without source excerpts: in the compiled executable, a source line has thousands of characters.
 */
function stackTextOf(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error)
  // The error of an expired deadline has an empty stack.
  return [
    error.stack || `${error.name}: ${error.message}`,
    ...(error.cause === undefined ? [] : [`Caused by: ${stackTextOf(error.cause)}`]),
  ].join('\n')
}
