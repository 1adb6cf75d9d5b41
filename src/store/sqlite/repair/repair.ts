import type { Database } from 'bun:sqlite'
import { ApiError } from '../../../model/error.ts'

const lostLocationsError = JSON.stringify(
  new ApiError('internal_error', 'A damaged database lost a part of this run. Submit it again.').detail,
)

/** A run that lost locations fails. A run that lost only results or files is answered again. */
const lostLocations = 'total <> (SELECT count(*) FROM run_locations l WHERE l.run = runs.number)'
const lostResults = 'done <> (SELECT count(*) FROM run_results r WHERE r.run = runs.number)'
const lostFiles = `number IN (SELECT a.run FROM run_artifacts a WHERE a.bytes <> (SELECT coalesce(sum(length(bytes)), 0) FROM run_chunks c WHERE c.run = a.run AND c.name = a.name)
  AND NOT EXISTS (SELECT 1 FROM artifact_objects o WHERE o.run = a.run AND o.name = a.name AND o.etag = a.etag AND o.version IS NOT NULL))`

/** Makes the recovered rows consistent. Returns sentences about what was removed or changed. */
export function repairState(db: Database): string[] {
  return db.transaction(() => [...repairAccounts(db), ...repairRuns(db)]).immediate()
}

/**
 * Deletes the credentials of lost accounts, so that no new account inherits them. Creates the owner account if it is
 * lost.
 */
function repairAccounts(db: Database): string[] {
  db.run(
    "INSERT INTO accounts (id, name, created_at) SELECT 'owner', 'owner', 0 WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = 'owner' OR name = 'owner')",
  )
  const orphans = ['tokens', 'invitations', 'sessions', 'oauth_grants'].map(
    (table) => db.query(`DELETE FROM "${table}" WHERE account_id NOT IN (SELECT id FROM accounts)`).run().changes,
  )
  const refresh = db
    .query('DELETE FROM oauth_refresh_tokens WHERE grant_id NOT IN (SELECT id FROM oauth_grants)')
    .run().changes
  const removed = orphans.reduce((sum, changes) => sum + changes, refresh)
  return removed === 0 ? [] : [`Removed tokens and logins of lost accounts: ${removed}.`]
}

function repairRuns(db: Database): string[] {
  // A run without slices is answered as a whole.
  db.run('DELETE FROM runs WHERE slice_of IS NOT NULL')
  for (const table of ['run_locations', 'run_results', 'run_artifacts', 'run_chunks'])
    db.run(`DELETE FROM ${table} WHERE run NOT IN (SELECT number FROM runs)`)
  db.run(
    'DELETE FROM run_results WHERE NOT EXISTS (SELECT 1 FROM run_locations l WHERE l.run = run_results.run AND l.idx = run_results.idx)',
  )
  const failedRuns = idsOf(db, lostLocations)
  db.query(
    `UPDATE runs SET status = 'failed', finished_at = coalesce(finished_at, created_at), error = ?, seq = seq + 1 WHERE ${lostLocations}`,
  ).run(lostLocationsError)
  db.run("DELETE FROM run_artifacts WHERE run IN (SELECT number FROM runs WHERE status = 'failed')")
  db.run(
    `UPDATE runs SET total = (SELECT count(*) FROM run_locations l WHERE l.run = runs.number), checksum = NULL WHERE ${lostLocations}`,
  )
  const requeuedRuns = idsOf(db, `status <> 'failed' AND (${lostResults} OR ${lostFiles})`)
  db.run(
    `UPDATE runs SET status = 'queued', finished_at = NULL, epoch = NULL, error = NULL, in_transition = 0, worker_losses = 0, seq = seq + 1 WHERE status <> 'failed' AND (${lostResults} OR ${lostFiles})`,
  )
  db.run("DELETE FROM run_artifacts WHERE run IN (SELECT number FROM runs WHERE status = 'queued')")
  db.run(
    'DELETE FROM run_chunks WHERE NOT EXISTS (SELECT 1 FROM run_artifacts a WHERE a.run = run_chunks.run AND a.name = run_chunks.name)',
  )
  db.run(
    'UPDATE runs SET done = (SELECT count(*) FROM run_results r WHERE r.run = runs.number), ok = (SELECT coalesce(sum(ok), 0) FROM run_results r WHERE r.run = runs.number), retryable_locations = (SELECT coalesce(sum(retryable), 0) FROM run_results r WHERE r.run = runs.number)',
  )
  return [
    ...(failedRuns.length > 0 ? [`Runs that lost locations are now failed: ${failedRuns.join(', ')}.`] : []),
    ...(requeuedRuns.length > 0
      ? [`Runs that lost results or files are queued again: ${requeuedRuns.join(', ')}.`]
      : []),
  ]
}

function idsOf(db: Database, condition: string): string[] {
  return db
    .query<{ id: string }, []>(`SELECT id FROM runs WHERE ${condition}`)
    .all()
    .map(({ id }) => id)
}
