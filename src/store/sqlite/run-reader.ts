import type { Database } from 'bun:sqlite'
import type { RunStatus } from '../run-status.ts'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** A row of `runs`. Times are milliseconds since 1970; `selection`, `fields`, `margin_fields`, `columns` and `error` are JSON. */
export type StoredRun = {
  number: number
  id: string
  account_id: string
  scopes: string
  kind: string
  status: RunStatus
  created_at: number
  started_at: number | null
  finished_at: number | null
  cancelled_at: number | null
  expires_at: number
  selection: string
  fields: string
  /** The fields whose values come with a margin of error. */
  margin_fields: string
  columns: string
  catalog_version: string
  /** The name that the user sees, such as that of the uploaded file. */
  name: string | null
  retry_of: string | null
  total: number
  done: number
  ok: number
  /** How many of the done locations have a retryable error or a retryable failed field. */
  retryable_locations: number
  /** How many fields of the done locations have failed; null for runs of earlier versions. */
  failed_values: number | null
  /** The number of changes of the run, which is the `id` of its events. */
  seq: number
  error: string | null
  /** 1 while a worker adopts or finishes the run. This can crash a worker while no location is in progress. */
  in_transition: 0 | 1
  /** How many workers were lost during such a transition since the run last made progress. */
  worker_losses: number
}

/** A failed run, or an unfinished run that lost several workers. `error` is JSON. */
export type FailingRun = Pick<StoredRun, 'id' | 'status' | 'worker_losses' | 'error'>

/** Rows that follow each other: how many, the index of the last, and their JSON in UTF-8, joined with commas. */
export type JsonGroup = { rows: number; last: number; bytes: Uint8Array<ArrayBuffer> }
/** Entries from an index on, at most `limit`. `ok`: only successful or only failed entries; null for all. */
export type ResultRange = { from: number; limit: number; ok: boolean | null }
/** A result entry with its input and passthrough cells, all as JSON. */
export type StoredEntry = { idx: number; entry: string; input: string; passthrough: string | null }

/** Read access to the runs. */
export type RunReader = FamilyReader & {
  /** Finds a run of the account; null if it is unknown or belongs to another account. */
  find(id: string, account_id: string): StoredRun | null
  /** The unexpired runs of an account with an id below `below`, newest first. */
  list(account_id: string, below: string, now: number, limit: number): StoredRun[]
  /** Finds the run of an idempotency key that was used after a time, and the hash of its body. */
  findByKey(account_id: string, key: string, after: number): { run_id: string; body_hash: string } | null
  /**
   * Reads the locations or areas or, for other kinds, the input texts from an index on. `start` is put before
   * them. Returns null if there are none.
   */
  readInputs(
    run: Pick<StoredRun, 'number' | 'kind'>,
    range: { from: number; limit: number },
    start: string,
  ): JsonGroup | null
  /** The result entries from an index on, in order. */
  listEntries(run: number, from: number, limit: number): StoredEntry[]
  /** Reads entries without their inputs, in order of their index, as `readInputs` does. */
  readResults(run: number, range: ResultRange, start: string): JsonGroup | null
  /** Returns the entry of a location as JSON; null if it is not answered. */
  findEntry(run: number, idx: number): string | null
  hasUnfinished(): boolean
  /** The number of unfinished runs and of their unanswered locations, by status. */
  countUnfinished(): { status: 'queued' | 'running'; runs: number; remaining: number }[]
  /** Whether a run expired before `now`, or an idempotency key was created before `keysBefore`. */
  hasExpired(now: number, keysBefore: number): boolean
  /**
   * The unfinished runs that lost at least `lossesMin` workers, and the runs that failed after a time; newest first.
   */
  listFailing(lossesMin: number, failedAfter: number, limit: number): FailingRun[]
  /** The number of runs that failed after a time. */
  failedAfter(time: number): number
}

/** Read access to what belongs to a run and its retries. */
type FamilyReader = {
  /** The run, the runs that it retries and all their retries, oldest first. */
  listFamily(run: Pick<StoredRun, 'id' | 'account_id'>): StoredRun[]
  /** The indexes in the original run, in order of the index in this retry. */
  listOriginalIndexes(run: number): number[]
  /** Whether a location of the run is an address. */
  hasAddress(run: number): boolean
}

/** The kinds whose locations are texts. */
const textKinds: ReadonlySet<string> = new Set(['geocode_batch', 'lookup_batch'])

/** Creates the run reader. All statements are prepared once. */
export function createRunReader(db: Database): RunReader {
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
  return storeWithStorageErrors({
    find: (id, account_id) => find.get(id, account_id),
    list: (account_id, below, now, limit) => list.all(account_id, below, now, limit),
    ...createFamilyReader(db),
    findByKey: (account_id, key, after) => findByKey.get(account_id, key, after),
    readInputs: ({ number, kind }, { from, limit }, start) =>
      groupOf((textKinds.has(kind) ? readInputTexts : readLocations).get(start, number, from, limit)),
    listEntries: (run, from, limit) => listEntries.all(run, from, limit),
    readResults: (run, { from, limit, ok }, start) =>
      groupOf(
        ok === null
          ? readEntries.get(start, run, from, limit)
          : readEntriesByOk.get(start, run, from, limit, Number(ok)),
      ),
    findEntry: (run, idx) => findEntry.get(run, idx)?.entry ?? null,
    countUnfinished() {
      const known = new Map(countByStatus.all().map((row) => [row.status, row]))
      return (['queued', 'running'] as const).map((status) => ({
        status,
        runs: known.get(status)?.runs ?? 0,
        remaining: known.get(status)?.left ?? 0,
      }))
    },
    hasUnfinished: () => unfinished.get() !== null,
    hasExpired: (now, keysBefore) => expired.get(now, keysBefore) !== null,
    listFailing: (lossesMin, failedAfter, limit) => listFailing.all(lossesMin, failedAfter, limit),
    failedAfter: (time) => failures.get(time)!.runs,
  })
}

function createFamilyReader(db: Database): FamilyReader {
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
    listFamily: ({ id, account_id }) => listFamily.all(id, account_id),
    listOriginalIndexes: (run) => listOriginalIndexes.all(run).map(({ original_index }) => original_index),
    hasAddress: (run) => findAddress.get(run) !== null,
  }
}

/** A group of rows has about this many bytes, so that a client that stops reading occupies little memory. */
const group_bytes = 32_768
/** A group has at most this many rows. */
const groupMax_rows = 512

type GroupRow = { rows: number; last: number | null; bytes: Uint8Array<ArrayBuffer> | null }

/**
 * Prepares a statement that joins the JSON of rows which follow each other. SQLite joins them, because texts in
 * JavaScript would be copied three times. Parameters: the start, the run, the first index, and the most rows.
 */
function prepareGroup(
  db: Database,
  { table, item, condition = '' }: { table: 'run_locations' | 'run_results'; item: string; condition?: string },
) {
  const rows = `FROM ${table} WHERE run = ?2 AND idx >= ?3 ${condition}`
  return db.query<GroupRow, [string, number, number, number, ...number[]]>(
    `WITH sizes AS (SELECT idx, octet_length(${item}) AS bytes ${rows} ORDER BY idx LIMIT min(?4, ${groupMax_rows})),
       ends AS (SELECT idx, sum(bytes) OVER (ORDER BY idx) - bytes AS bytes_before FROM sizes)
     SELECT count(*) AS rows, max(idx) AS last, CAST(?1 || group_concat(${item}, ',' ORDER BY idx) AS BLOB) AS bytes
     ${rows} AND idx <= (SELECT max(idx) FROM ends WHERE bytes_before < ${group_bytes})`,
  )
}

function groupOf(row: GroupRow | null): JsonGroup | null {
  return row && row.last !== null ? { rows: row.rows, last: row.last, bytes: row.bytes! } : null
}
