import { StorageError } from '../storage-error.ts'

/**
 * Returns the storage error of an error of SQLite or the file system, or of the cause of an error; null for any other
 * error, which is a bug.
 */
export function storageErrorOf(error: unknown): StorageError | null {
  if (error instanceof StorageError) return error
  if (!(error instanceof Error)) return null
  const code = 'code' in error ? String(error.code) : ''
  const reason = reasons.find(([codes]) => codes.test(code))?.[1]
  return reason === undefined ? storageErrorOf(error.cause) : new StorageError(reason, { cause: error })
}

const reasons = [
  [/^(SQLITE_FULL|ENOSPC|EDQUOT)/, 'full'],
  [/^(SQLITE_READONLY|EROFS|EACCES)/, 'read_only'],
  [/^SQLITE_(BUSY|LOCKED)/, 'busy'],
  [/^SQLITE_(NOTADB|CORRUPT)/, 'damaged'],
  [/^SQLITE_(IOERR|CANTOPEN)/, 'unavailable'],
] as const

/** What went wrong when a database was opened. SQLite has one message for missing rights and for too many open files. */
export function openingProblemOf(error: unknown): string {
  const { message, code } = error as Error & { code?: string }
  return code?.startsWith('SQLITE_CANTOPEN')
    ? `${message}. Check the rights of the folder, and the limit of open files: raise it with \`ulimit -n 4096\`, for example.`
    : message
}

/** Whether another connection has locked the database. */
export function isSqliteBusy(error: unknown): boolean {
  return storageErrorOf(error)?.reason === 'busy'
}

/** Calls a function of the database. @throws {StorageError} instead of an SQLite error that is not a bug. */
export function withStorageErrors<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw storageErrorOf(error) ?? error
  }
}
