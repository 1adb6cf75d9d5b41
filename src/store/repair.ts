import type { Database } from 'bun:sqlite'

const lostLocationsError = JSON.stringify({
  error: 'internal_error',
  message: 'A part of this run was lost with a damaged database: submit it again.',
  retryable: false,
})

/** A run is told by many rows. One that lost results or files, but no location, can be answered again. */
const lostLocations = 'total <> (SELECT count(*) FROM run_locations l WHERE l.run = runs.number)'
const lostResults = 'done <> (SELECT count(*) FROM run_results r WHERE r.run = runs.number)'
const lostFiles = `number IN (SELECT a.run FROM run_artifacts a WHERE a.bytes <> (SELECT coalesce(sum(length(bytes)), 0) FROM run_chunks c WHERE c.run = a.run AND c.name = a.name))`

/** Makes the rows that were saved fit together again, and says what that meant. */
export function repairState(db: Database): string[] {
  return db.transaction(() => [...repairAccounts(db), ...repairRuns(db)]).immediate()
}

/** What belonged to an account that is lost goes: nobody may inherit what it was allowed. The owner is always the owner. */
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
  return removed === 0 ? [] : [`Left out: tokens and logins of accounts that are lost (${removed}).`]
}

function repairRuns(db: Database): string[] {
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
  db.run('UPDATE runs SET total = (SELECT count(*) FROM run_locations l WHERE l.run = runs.number)')
  const requeuedRuns = idsOf(db, `status <> 'failed' AND (${lostResults} OR ${lostFiles})`)
  db.run(
    `UPDATE runs SET status = 'queued', finished_at = NULL, epoch = NULL, error = NULL, in_step = 0, worker_losses = 0, seq = seq + 1 WHERE status <> 'failed' AND (${lostResults} OR ${lostFiles})`,
  )
  db.run("DELETE FROM run_artifacts WHERE run IN (SELECT number FROM runs WHERE status = 'queued')")
  db.run(
    'DELETE FROM run_chunks WHERE NOT EXISTS (SELECT 1 FROM run_artifacts a WHERE a.run = run_chunks.run AND a.name = run_chunks.name)',
  )
  db.run(
    'UPDATE runs SET done = (SELECT count(*) FROM run_results r WHERE r.run = runs.number), ok = (SELECT coalesce(sum(ok), 0) FROM run_results r WHERE r.run = runs.number), again = (SELECT coalesce(sum(again), 0) FROM run_results r WHERE r.run = runs.number)',
  )
  return [
    ...(failedRuns.length > 0 ? [`Runs that lost locations, and count as failed: ${failedRuns.join(', ')}.`] : []),
    ...(requeuedRuns.length > 0
      ? [`Runs that lost results or files, which the service answers again: ${requeuedRuns.join(', ')}.`]
      : []),
  ]
}

function idsOf(db: Database, condition: string): string[] {
  return db
    .query<{ id: string }, []>(`SELECT id FROM runs WHERE ${condition}`)
    .all()
    .map(({ id }) => id)
}
