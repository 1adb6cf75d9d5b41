import { storageErrorFor, isSqliteBusy, isTransientSqliteError, storageReadOnlyError } from './sqlite-errors.ts'

const retryPause_ms = 40
const maxWait_ms = 8000

/**
 * A write that somebody waits for. While another connection holds the database it is tried again, without standing in anybody's way, and is refused
 * when that lasts too long. `write` must leave nothing behind when it throws.
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
