import { ApiError } from '../model/error.ts'

const retryAfter_s = 5

/** Whether our database could not be written for a reason that passes: the disk is full, locked, or failing. */
export function isTransientSqliteError(error: unknown): boolean {
  return /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN)/.test(sqliteCodeOf(error))
}

/** Whether another connection holds the database: to wait a moment helps. */
export function isSqliteBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCodeOf(error))
}

/** Whether a database is none any more, or was never one. */
export function isSqliteCorrupt(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCodeOf(error))
}

/** Whether nothing at all can be written, for now: the disk, the folder or the file is read-only. */
export function isSqliteReadOnly(error: unknown): boolean {
  return sqliteCodeOf(error).startsWith('SQLITE_READONLY')
}

/** Whether the disk has no room. */
export function isSqliteFull(error: unknown): boolean {
  return sqliteCodeOf(error) === 'SQLITE_FULL'
}

/** The refusal that goes with it. */
export function storageErrorFor(error: unknown): ApiError {
  return isSqliteFull(error) ? storageFullError() : storageReadOnlyError()
}

/** The refusal of what finds no room. */
export function storageFullError(): ApiError {
  return new ApiError('storage_full', 'The disk of this server has no room for this: try again when there is some.', {
    retry_after_s: retryAfter_s,
  })
}

/** The refusal of whatever would write, where nothing can be. */
export function storageReadOnlyError(): ApiError {
  return new ApiError(
    'storage_read_only',
    'The data folder of this server cannot be written at this moment: nothing new is taken in, and what is there is answered.',
    { retry_after_s: retryAfter_s },
  )
}

function sqliteCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
