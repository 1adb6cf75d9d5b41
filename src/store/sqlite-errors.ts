import { ApiError } from '../model/error.ts'

const retryAfter_s = 5

/**
 * Whether a write failed for a reason outside of the code: the disk is full, read-only or failing, or the database is
 * locked.
 */
export function isTransientSqliteError(error: unknown): boolean {
  return /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN)/.test(sqliteCodeOf(error))
}

/** Whether another connection has locked the database. */
export function isSqliteBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(sqliteCodeOf(error))
}

/** Whether a file is damaged or not a database. */
export function isSqliteCorrupt(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(sqliteCodeOf(error))
}

/** Whether the disk, the folder or the file is read-only. */
export function isSqliteReadOnly(error: unknown): boolean {
  return sqliteCodeOf(error).startsWith('SQLITE_READONLY')
}

/** Whether the disk is full. */
export function isSqliteFull(error: unknown): boolean {
  return sqliteCodeOf(error) === 'SQLITE_FULL'
}

/** The API error for a transient SQLite error. */
export function storageErrorFor(error: unknown): ApiError {
  return isSqliteFull(error) ? storageFullError() : storageReadOnlyError()
}

/** The API error of a write on a full disk. */
export function storageFullError(): ApiError {
  return new ApiError('storage_full', 'The disk of this server is full. Try again later.', {
    retry_after_s: retryAfter_s,
  })
}

/** The API error of a write while the database cannot be written. */
export function storageReadOnlyError(): ApiError {
  return new ApiError(
    'storage_read_only',
    'The data folder of this server is not writable at the moment. Requests that only read still work. Try again later.',
    { retry_after_s: retryAfter_s },
  )
}

function sqliteCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
