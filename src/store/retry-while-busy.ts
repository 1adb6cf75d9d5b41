import { storageErrorFor, isSqliteBusy, isTransientSqliteError, storageReadOnlyError } from './sqlite-errors.ts'

const retryPause_ms = 40
const maxWait_ms = 8000

/**
 * Executes a write and returns its result. While another connection has locked the database, waits without blocking the
 * thread and tries again, for up to 8 seconds. `write` must leave no changes when it throws.
 * @throws {ApiError} `storage_read_only` or `storage_full`.
 */
export async function retryWhileBusy<T>(write: () => T): Promise<T> {
  const deadline_ms = performance.now() + maxWait_ms
  for (;;) {
    try {
      return write()
    } catch (error) {
      if (!isSqliteBusy(error)) throw isTransientSqliteError(error) ? storageErrorFor(error) : error
      if (performance.now() > deadline_ms) throw storageReadOnlyError()
    }
    await Bun.sleep(retryPause_ms)
  }
}
