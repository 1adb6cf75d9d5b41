import type { Database } from 'bun:sqlite'

/** Removes what is past its time, piece by piece, so that whoever else writes waits a moment only. */
export type RunSweep = {
  /** Runs that have expired before a time. */
  expiredRuns(before: number): number[]
  /** Removes a piece of a run; false when nothing was left of it. */
  removeBatch(run: number): boolean
  removeKeys(before: number): void
}

const batch_rows = 500

export function createRunSweep(db: Database): RunSweep {
  const expiredRuns = db.query<{ number: number }, [number]>('SELECT number FROM runs WHERE expires_at <= ?')
  const deletions = [
    db.query(
      `DELETE FROM run_chunks WHERE rowid IN (SELECT rowid FROM run_chunks WHERE run = ? LIMIT ${batch_rows / 100})`,
    ),
    db.query('DELETE FROM run_artifacts WHERE run = ?'),
    db.query(
      `DELETE FROM run_results WHERE rowid IN (SELECT rowid FROM run_results WHERE run = ? LIMIT ${batch_rows})`,
    ),
    db.query(
      `DELETE FROM run_locations WHERE (run, idx) IN (SELECT run, idx FROM run_locations WHERE run = ? LIMIT ${batch_rows})`,
    ),
    db.query('DELETE FROM runs WHERE number = ?'),
  ]
  const deleteKeys = db.query('DELETE FROM run_keys WHERE created_at <= ?')
  return {
    expiredRuns: (before) => expiredRuns.all(before).map(({ number }) => number),
    removeBatch: (run) => deletions.some((deletion) => deletion.run(run).changes > 0),
    removeKeys: (before) => {
      deleteKeys.run(before)
    },
  }
}
