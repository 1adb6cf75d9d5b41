import type { Database } from 'bun:sqlite'

/** Removes what is past its time, piece by piece, so that whoever else writes waits a moment only. */
export type RunSweep = {
  /** Runs that have expired before a time. */
  expired(before: number): number[]
  /** Removes a piece of a run; false when nothing was left of it. */
  removePiece(run: number): boolean
  removeKeys(before: number): void
}

const piece = 500

export function openRunSweep(db: Database): RunSweep {
  const expired = db.query<{ number: number }, [number]>('SELECT number FROM runs WHERE expires_at <= ?')
  const parts = [
    db.query(`DELETE FROM run_chunks WHERE rowid IN (SELECT rowid FROM run_chunks WHERE run = ? LIMIT ${piece / 100})`),
    db.query('DELETE FROM run_artifacts WHERE run = ?'),
    db.query(`DELETE FROM run_results WHERE rowid IN (SELECT rowid FROM run_results WHERE run = ? LIMIT ${piece})`),
    db.query(`DELETE FROM run_locations WHERE (run, idx) IN (SELECT run, idx FROM run_locations WHERE run = ? LIMIT ${piece})`),
    db.query('DELETE FROM runs WHERE number = ?'),
  ]
  const keys = db.query('DELETE FROM run_keys WHERE created_at <= ?')
  return {
    expired: (before) => expired.all(before).map(({ number }) => number),
    removePiece: (run) => parts.some((part) => part.run(run).changes > 0),
    removeKeys: (before) => { keys.run(before) },
  }
}
