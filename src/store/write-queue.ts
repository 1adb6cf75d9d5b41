import type { Database } from 'bun:sqlite'
import { isTransientSqliteError, storageReadOnlyError } from './sqlite-errors.ts'
import { retryWhileBusy } from './retry-while-busy.ts'

/**
 * Writes on behalf of requests, one after the other. While another process holds the database nobody stands still: only the first in the
 * line asks for it, again and again. What waits too long, or finds no room, is refused (`storage_read_only`, `storage_full`).
 */
export type WriteQueue = <T>(work: () => T) => Promise<T>

const maxWaiting = 1000

/** The work is one transaction. What it throws is no fault of the writing: what was written until then stays, as a wrong try that is counted does. */
export function createWriteQueue(db: Database): WriteQueue {
  const begin = db.query('BEGIN IMMEDIATE')
  let tail: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (work) => {
    if (waiting >= maxWaiting) throw storageReadOnlyError()
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
      if (isTransientSqliteError(error) && db.inTransaction) db.run('ROLLBACK')
      throw error
    } finally {
      if (db.inTransaction) db.run('COMMIT')
    }
  }
}
