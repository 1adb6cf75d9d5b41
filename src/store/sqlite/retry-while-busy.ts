import { storageErrorOf } from './sqlite-errors.ts'

const retryPause_ms = 40
const maxWait_ms = 8000

/**
 * Executes a write and returns its result. While another connection has locked the database, waits without blocking the
 * thread and tries again, until 8 seconds after `since_ms`. `write` must leave no changes when it throws.
 * @throws {StorageError}
 */
export async function retryWhileBusy<T>(write: () => T, since_ms = performance.now()): Promise<T> {
  for (;;) {
    try {
      return write()
    } catch (error) {
      const storageError = storageErrorOf(error)
      if (storageError?.reason !== 'busy') throw storageError ?? error
      if (performance.now() > since_ms + maxWait_ms) throw storageError
    }
    await Bun.sleep(retryPause_ms)
  }
}
