import type { Database } from 'bun:sqlite'
import { StorageError } from '../storage-error.ts'
import { retryWhileBusy } from './retry-while-busy.ts'
import { withStorageErrors } from './sqlite-errors.ts'

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
