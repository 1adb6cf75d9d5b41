import type { Database } from 'bun:sqlite'
import { StorageError } from '../storage-error.ts'
import { storageErrorOf, withStorageErrors } from './sqlite-errors.ts'

/** The transactions of one connection. Their work is synchronous, so no other work comes between its statements. */
export type SqliteTransactions = {
  readonly db: Database
  /** Reads at once. Readers do not wait for writers. */
  read<T>(work: () => T): Promise<T>
  /**
   * Executes the work in one transaction, after the writes before it. If the work throws, nothing is written. While
   * another process has locked the database, only the first write polls for the lock, and no thread blocks. Rejects
   * with a StorageError after 8 seconds.
   */
  write<T>(work: () => T): Promise<T>
  /** Resolves when all writes so far have ended. */
  drain(): Promise<void>
}

const maxWaiting = 1000

/** Creates the transactions of a connection. */
export function createTransactions(db: Database): SqliteTransactions {
  const begin = db.query('BEGIN IMMEDIATE')
  let tail: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return {
    db,
    read: async (work) => withStorageErrors(work),
    async write(work) {
      if (waiting >= maxWaiting) throw new StorageError('busy')
      waiting++
      const queued_ms = performance.now()
      const write = tail.then(() => retryWhileBusy(() => runTransaction(work), queued_ms)).finally(() => waiting--)
      tail = write.catch(() => {})
      return write
    },
    async drain() {
      await tail
    },
  }

  function runTransaction<T>(work: () => T): T {
    begin.run()
    try {
      const result = work()
      db.run('COMMIT')
      return result
    } finally {
      if (db.inTransaction) db.run('ROLLBACK')
    }
  }
}

const retryPause_ms = 40
const maxWait_ms = 8000

/**
 * Executes a write and returns its result. While another connection has locked the database, waits without blocking the
 * thread and tries again, until 8 seconds after `since_ms`. `write` must leave no changes when it throws.
 * @throws {StorageError}
 */
async function retryWhileBusy<T>(write: () => T, since_ms = performance.now()): Promise<T> {
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
