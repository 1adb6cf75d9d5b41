import type { Database } from 'bun:sqlite'
import { StorageError } from '../storage-error.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { retryWhileBusy } from './retry-while-busy.ts'

/**
 * Executes the writes of requests one after another. While another process has locked the database, only the first
 * write polls for the lock, and no thread blocks. Rejects with a StorageError after 8 seconds.
 */
export type WriteQueue = <T>(work: () => T) => Promise<T>

const maxWaiting = 1000

/**
 * Creates a write queue. Each `work` is one transaction. If `work` throws an error of its own, the transaction is still
 * committed: a failed login attempt, for example, must be counted.
 */
export function createWriteQueue(db: Database): WriteQueue {
  const begin = db.query('BEGIN IMMEDIATE')
  let tail: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (work) => {
    if (waiting >= maxWaiting) throw new StorageError('busy')
    waiting++
    const write = tail.then(() => retryWhileBusy(() => runTransaction(work))).finally(() => waiting--)
    tail = write.catch(() => {})
    return write
  }

  function runTransaction<T>(work: () => T): T {
    begin.run()
    try {
      return runAndCommit(work)
    } finally {
      if (db.inTransaction) db.run('ROLLBACK')
    }
  }

  function runAndCommit<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (storageErrorOf(error) && db.inTransaction) db.run('ROLLBACK')
      throw error
    } finally {
      if (db.inTransaction) db.run('COMMIT')
    }
  }
}
