import type { Database } from 'bun:sqlite'
import type { FailingRun, JsonGroup, RunFamilyReader, RunReader, StoredEntry, StoredRun } from '../runs.ts'
import type { SqliteTransactions } from './transactions.ts'

/** The kinds whose locations are texts. */
const textKinds: ReadonlySet<string> = new Set(['geocode_batch', 'lookup_batch'])

/** Creates the run reader. All statements are prepared once. */
export function createRunReader({ db, read }: SqliteTransactions): RunReader {
  const find = db.query<StoredRun, [string, string]>('SELECT * FROM runs WHERE id = ? AND account_id = ?')
  const list = db.query<StoredRun, [string, string, number, number]>(
    'SELECT * FROM runs WHERE account_id = ? AND id < ? AND expires_at > ? ORDER BY id DESC LIMIT ?',
  )
  const findByKey = db.query<{ run_id: string; body_hash: string }, [string, string, number]>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = ? AND key = ? AND created_at > ?',
  )
  const readLocations = prepareGroup(db, { table: 'run_locations', item: 'input' })
  const readInputTexts = prepareGroup(db, { table: 'run_locations', item: "coalesce(input -> '$.input', 'null')" })
  const listEntries = db.query<StoredEntry, [number, number, number]>(
    `SELECT r.idx, r.entry, l.input, l.passthrough FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx
     WHERE r.run = ? AND r.idx >= ? ORDER BY r.idx LIMIT ?`,
  )
  const readEntries = prepareGroup(db, { table: 'run_results', item: 'entry' })
  const readEntriesByOk = prepareGroup(db, { table: 'run_results', item: 'entry', condition: 'AND ok = ?5' })
  const findEntry = db.query<{ entry: string }, [number, number]>(
    'SELECT entry FROM run_results WHERE run = ? AND idx = ?',
  )
  const unfinished = db.query<{ number: number }, []>(
    "SELECT number FROM runs WHERE status IN ('queued', 'running') LIMIT 1",
  )
  const countByStatus = db.query<{ status: string; runs: number; left: number }, []>(
    "SELECT status, count(*) AS runs, sum(total - done) AS left FROM runs WHERE status IN ('queued', 'running') GROUP BY status",
  )
  const expired = db.query<{ found: 1 }, [number, number]>(
    'SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM runs WHERE expires_at <= ?) OR EXISTS (SELECT 1 FROM run_keys WHERE created_at <= ?)',
  )
  const listFailing = db.query<FailingRun, [number, number, number]>(
    `SELECT id, status, worker_losses, error FROM runs WHERE status IN ('queued', 'running') AND worker_losses >= ?
     UNION ALL SELECT id, status, worker_losses, error FROM runs WHERE status = 'failed' AND finished_at > ? ORDER BY id DESC LIMIT ?`,
  )
  const failures = db.query<{ runs: number }, [number]>(
    "SELECT count(*) AS runs FROM runs WHERE status = 'failed' AND finished_at > ?",
  )
  return {
    find: (id, account_id) => read(() => find.get(id, account_id)),
    list: (account_id, below, now, limit) => read(() => list.all(account_id, below, now, limit)),
    ...createFamilyReader(db, read),
    findByKey: (account_id, key, after) => read(() => findByKey.get(account_id, key, after)),
    readInputs: ({ number, kind }, { from, limit }, start) =>
      read(() => groupOf((textKinds.has(kind) ? readInputTexts : readLocations).get(start, number, from, limit))),
    listEntries: (run, from, limit) => read(() => listEntries.all(run, from, limit)),
    readResults: (run, { from, limit, ok }, start) =>
      read(() =>
        groupOf(
          ok === null
            ? readEntries.get(start, run, from, limit)
            : readEntriesByOk.get(start, run, from, limit, Number(ok)),
        ),
      ),
    findEntry: (run, idx) => read(() => findEntry.get(run, idx)?.entry ?? null),
    countUnfinished: () =>
      read(() => {
        const known = new Map(countByStatus.all().map((row) => [row.status, row]))
        return (['queued', 'running'] as const).map((status) => ({
          status,
          runs: known.get(status)?.runs ?? 0,
          remaining: known.get(status)?.left ?? 0,
        }))
      }),
    hasUnfinished: () => read(() => unfinished.get() !== null),
    hasExpired: (now, keysBefore) => read(() => expired.get(now, keysBefore) !== null),
    listFailing: (lossesMin, failedAfter, limit) => read(() => listFailing.all(lossesMin, failedAfter, limit)),
    failedAfter: (time) => read(() => failures.get(time)!.runs),
  }
}

function createFamilyReader(db: Database, read: SqliteTransactions['read']): RunFamilyReader {
  const listFamily = db.query<StoredRun, [string, string]>(
    `WITH RECURSIVE ancestors (id, retry_of) AS (
       SELECT id, retry_of FROM runs WHERE id = ?1
       UNION SELECT r.id, r.retry_of FROM runs r JOIN ancestors a ON r.id = a.retry_of),
     family (id) AS (
       SELECT id FROM ancestors
       UNION SELECT r.id FROM runs r JOIN family f ON r.retry_of = f.id)
     SELECT runs.* FROM runs JOIN family USING (id) WHERE account_id = ?2 ORDER BY number`,
  )
  const listOriginalIndexes = db.query<{ original_index: number }, [number]>(
    'SELECT original_index FROM run_locations WHERE run = ? ORDER BY idx',
  )
  const findAddress = db.query<{ found: 1 }, [number]>(
    "SELECT 1 AS found FROM run_locations WHERE run = ? AND json_extract(input, '$.address') IS NOT NULL LIMIT 1",
  )
  return {
    listFamily: ({ id, account_id }) => read(() => listFamily.all(id, account_id)),
    listOriginalIndexes: (run) => read(() => listOriginalIndexes.all(run).map(({ original_index }) => original_index)),
    hasAddress: (run) => read(() => findAddress.get(run) !== null),
  }
}

/** A group of rows has about this many bytes, so that a client that stops reading occupies little memory. */
const group_bytes = 32_768
/** A group has at most this many rows. SQLite reads the sizes of so many rows to find the end of each group. */
const groupMax_rows = { run_locations: 512, run_results: 32 }

type GroupRow = { rows: number; last: number | null; bytes: Uint8Array<ArrayBuffer> | null }

/**
 * Prepares a statement that joins the JSON of rows which follow each other. SQLite joins them, because texts in
 * JavaScript would be copied three times. Parameters: the start, the run, the first index, and the most rows.
 */
function prepareGroup(
  db: Database,
  { table, item, condition = '' }: { table: keyof typeof groupMax_rows; item: string; condition?: string },
) {
  const rows = `FROM ${table} WHERE run = ?2 AND idx >= ?3 ${condition}`
  return db.query<GroupRow, [string, number, number, number, ...number[]]>(
    `WITH sizes AS (SELECT idx, octet_length(${item}) AS bytes ${rows} ORDER BY idx LIMIT min(?4, ${groupMax_rows[table]})),
       ends AS (SELECT idx, sum(bytes) OVER (ORDER BY idx) - bytes AS bytes_before FROM sizes)
     SELECT count(*) AS rows, max(idx) AS last, CAST(?1 || group_concat(${item}, ',' ORDER BY idx) AS BLOB) AS bytes
     ${rows} AND idx <= (SELECT max(idx) FROM ends WHERE bytes_before < ${group_bytes})`,
  )
}

function groupOf(row: GroupRow | null): JsonGroup | null {
  return row && row.last !== null ? { rows: row.rows, last: row.last, bytes: row.bytes! } : null
}
