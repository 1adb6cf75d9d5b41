import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** Deletes expired runs in batches, so that other writers wait only briefly. */
export type RunSweep = {
  /** The numbers of the runs that expired before a time. */
  expiredRuns(before: number): number[]
  /** Deletes a batch of a run's rows. Returns false if there were none left. */
  removeBatch(run: number): boolean
  removeKeys(before: number): void
}

const batch_rows = 500

/** Creates the run sweep. All statements are prepared once. */
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
  return storeWithStorageErrors({
    expiredRuns: (before) => expiredRuns.all(before).map(({ number }) => number),
    removeBatch: (run) => deletions.some((deletion) => deletion.run(run).changes > 0),
    removeKeys: (before) => {
      deleteKeys.run(before)
    },
  })
}
