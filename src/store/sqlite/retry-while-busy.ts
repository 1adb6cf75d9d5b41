import { storageErrorOf } from './sqlite-errors.ts'

const retryPause_ms = 40
const maxWait_ms = 8000

/**
 * Executes a write and returns its result. While another connection has locked the database, waits without blocking the
 * thread and tries again, for up to 8 seconds. `write` must leave no changes when it throws.
 * @throws {StorageError}
 */
export async function retryWhileBusy<T>(write: () => T): Promise<T> {
  const deadline_ms = performance.now() + maxWait_ms
  for (;;) {
    try {
      return write()
    } catch (error) {
      const storageError = storageErrorOf(error)
      if (storageError?.reason !== 'busy') throw storageError ?? error
      if (performance.now() > deadline_ms) throw storageError
    }
    await Bun.sleep(retryPause_ms)
  }
}
