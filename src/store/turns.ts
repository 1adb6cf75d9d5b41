import type { Database } from 'bun:sqlite'
import { isOfTheDisk, notWritable } from './disk.ts'
import { patiently } from './patiently.ts'

/**
 * Writes on behalf of requests, one after the other. While another process holds the database nobody stands still: only the first in the
 * line asks for it, again and again. What waits too long, or finds no room, is refused (`storage_read_only`, `storage_full`).
 */
export type InTurn = <T>(work: () => T) => Promise<T>

const waitingMax = 1000

/** The work is one transaction. What it throws is no fault of the writing: what was written until then stays, as a wrong try that is counted does. */
export function openTurns(db: Database): InTurn {
  const begin = db.query('BEGIN IMMEDIATE')
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  return (work) => {
    if (waiting >= waitingMax) throw notWritable()
    waiting++
    const mine = last.then(() => patiently(() => whole(work))).finally(() => waiting--)
    last = mine.catch(() => {})
    return mine
  }

  function whole<T>(work: () => T): T {
    begin.run()
    try {
      return committed(work)
    } finally {
      if (db.inTransaction) db.run('ROLLBACK')
    }
  }

  function committed<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (isOfTheDisk(error) && db.inTransaction) db.run('ROLLBACK')
      throw error
    } finally {
      if (db.inTransaction) db.run('COMMIT')
    }
  }
}
