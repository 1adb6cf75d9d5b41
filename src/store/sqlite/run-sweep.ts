import type { RunSweep } from '../runs.ts'
import { createExpiryConfirmation } from './expiry-confirmation.ts'
import type { SqliteTransactions } from './transactions.ts'

const batch_rows = 500

/** Creates the run sweep. All statements are prepared once. */
export function createRunSweep({ db, write }: SqliteTransactions): RunSweep {
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
  const confirm = createExpiryConfirmation(db)
  return {
    confirmExpired: (now) =>
      write(() => {
        const expired = expiredRuns.all(now).map(({ number }) => String(number))
        return confirm('run', expired, now).map(Number)
      }),
    removeBatch: (run) => write(() => deletions.some((deletion) => deletion.run(run).changes > 0)),
    removeKeys: (before) => write(() => void deleteKeys.run(before)),
  }
}
