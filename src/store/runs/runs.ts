import type { SqlPools } from '../sql.ts'

/** The statuses of a run. The last three are final. */
export const runStatuses = ['queued', 'running', 'done', 'cancelled', 'failed'] as const
export type RunStatus = (typeof runStatuses)[number]

/** Whether a run in this status will never change again. */
export function isFinalStatus(status: RunStatus): boolean {
  return status !== 'queued' && status !== 'running'
}

/**
 * A row of `runs`. Times are milliseconds since 1970; `selection`, `fields`, `margin_fields`, `columns` and `error` are
 * JSON.
 */
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
  /** The checksum of the request (run-request.ts); null for runs of earlier versions. */
  checksum: number | null
  /** For a slice, the number of its run; else null. The methods that read runs return no slices. */
  slice_of: number | null
  /** The index of its first location. */
  first_idx: number
}

/** A failed run, or an unfinished run that lost several workers. `error` is JSON. */
export type FailingRun = Pick<StoredRun, 'id' | 'status' | 'worker_losses' | 'error'>

/** Rows that follow each other: how many, the index of the last, and their JSON in UTF-8, joined with commas. */
export type JsonGroup = { rows: number; last: number; bytes: Uint8Array<ArrayBuffer> }
/** Entries from an index on, at most `limit`. `ok`: only successful or only failed entries; null for all. */
export type ResultRange = { from: number; limit: number; ok: boolean | null }
/** A result entry with its input and passthrough cells, all as JSON. */
export type StoredEntry = { idx: number; entry: string; input: string; passthrough: string | null }

/** The unfinished runs of a status, and their unanswered locations. */
type UnfinishedCount = { status: 'queued' | 'running'; runs: number; remaining: number }

/** Read access to the runs. */
export type RunReader = RunFamilyReader & {
  /** Finds a run of the account; null if it is unknown or belongs to another account. */
  find(id: string, account_id: string): Promise<StoredRun | null>
  /** The unexpired runs of an account with an id below `below`, newest first. */
  list(account_id: string, below: string, now: number, limit: number): Promise<StoredRun[]>
  /** Finds the run of an idempotency key that was used after a time, and the hash of its body. */
  findByKey(account_id: string, key: string, after: number): Promise<{ run_id: string; body_hash: string } | null>
  /**
   * Reads the locations or areas or, for other kinds, the input texts from an index on. `start` is put before
   * them. Returns null if there are none.
   */
  readInputs(
    run: Pick<StoredRun, 'number' | 'kind'>,
    range: { from: number; limit: number },
    start: string,
  ): Promise<JsonGroup | null>
  /** The result entries from an index on, in order. */
  listEntries(run: number, from: number, limit: number): Promise<StoredEntry[]>
  /** Reads entries without their inputs, in order of their index, as `readInputs` does. */
  readResults(run: number, range: ResultRange, start: string): Promise<JsonGroup | null>
  /** Returns the entry of a location as JSON; null if it is not answered. */
  findEntry(run: number, idx: number): Promise<string | null>
  hasUnfinished(): Promise<boolean>
  /** The number of unfinished runs and of their unanswered locations, by status. */
  countUnfinished(): Promise<UnfinishedCount[]>
  /** Whether a run expired before `now`, or an idempotency key was created before `keysBefore`. */
  hasExpired(now: number, keysBefore: number): Promise<boolean>
  /**
   * The unfinished runs that lost at least `lossesMin` workers, and the runs that failed after a time; newest first.
   */
  listFailing(lossesMin: number, failedAfter: number, limit: number): Promise<FailingRun[]>
  /** The number of runs that failed after a time. */
  failedAfter(time: number): Promise<number>
}

/** Read access to what belongs to a run and its retries. */
type RunFamilyReader = {
  /** The run, the runs that it retries and all their retries, oldest first. */
  listFamily(run: Pick<StoredRun, 'id' | 'account_id'>): Promise<StoredRun[]>
  /** The indexes in the original run, in order of the index in this retry. */
  listOriginalIndexes(run: number): Promise<number[]>
  /** Whether a location of the run is an address. */
  hasAddress(run: number): Promise<boolean>
}

/** Deletes expired runs in batches, so that other writers wait only briefly. */
export type RunSweep = {
  /** Returns the numbers of the expired runs that may be deleted: an earlier sweep found them expired, too. */
  confirmExpired(now: number): Promise<number[]>
  /** Deletes a batch of a run's rows. Resolves with false if there were none left. */
  removeBatch(run: number): Promise<boolean>
  /** Deletes the idempotency keys that were used before a time. */
  removeKeys(before: number): Promise<void>
}

/** What reads the locations and results of runs. In SQLite, each is a row; in PostgreSQL, many are in one block. */
export type RunRowReader = Pick<
  RunReader,
  'readInputs' | 'listEntries' | 'readResults' | 'findEntry' | 'listOriginalIndexes' | 'hasAddress'
>

/** Creates the run reader. */
export function createRunReader({ quick, work }: SqlPools, rows: RunRowReader): RunReader {
  return {
    ...rows,
    find: (id, account_id) =>
      quick.get(`SELECT * FROM runs WHERE id = $id AND account_id = $account_id AND ${isWhole}`, { id, account_id }),
    list: (account_id, below, now, limit) => quick.all(listRuns, { account_id, below, now, limit }),
    listFamily: ({ id, account_id }) => work.all(listFamily, { id, account_id }),
    findByKey: (account_id, key, after) => quick.get(findByKey, { account_id, key, after }),
    async hasUnfinished() {
      return (await quick.get(`SELECT number FROM runs WHERE ${isUnfinished} LIMIT 1`)) !== null
    },
    async countUnfinished() {
      const counts = await quick.all<UnfinishedCount>(countUnfinished)
      return (['queued', 'running'] as const).map((status) => {
        const { runs = 0, remaining = 0 } = counts.find((it) => it.status === status) ?? {}
        return { status, runs, remaining }
      })
    },
    hasExpired: async (now, keysBefore) => (await quick.get(hasExpired, { now, keysBefore })) !== null,
    listFailing: (lossesMin, failedAfter, limit) => work.all(listFailing, { lossesMin, failedAfter, limit }),
    async failedAfter(time) {
      return (await quick.get<{ runs: number }>(`SELECT count(*) AS runs FROM runs WHERE ${hasFailed}`, { time }))!.runs
    },
  }
}

const isUnfinished = "status IN ('queued', 'running')"
/** Clients see no slices. A slice that fails also fails its run. */
const isWhole = 'slice_of IS NULL'
const hasFailed = `status = 'failed' AND finished_at > $time AND ${isWhole}`
const listRuns = `SELECT * FROM runs WHERE account_id = $account_id AND id < $below AND expires_at > $now AND ${isWhole}
  ORDER BY id DESC LIMIT $limit`
const listFamily = `WITH RECURSIVE ancestors (id, retry_of) AS (
    SELECT id, retry_of FROM runs WHERE id = $id
    UNION SELECT r.id, r.retry_of FROM runs r JOIN ancestors a ON r.id = a.retry_of),
  family (id) AS (
    SELECT id FROM ancestors
    UNION SELECT r.id FROM runs r JOIN family f ON r.retry_of = f.id)
  SELECT runs.* FROM runs JOIN family USING (id) WHERE account_id = $account_id ORDER BY number`
const findByKey =
  'SELECT run_id, body_hash FROM run_keys WHERE account_id = $account_id AND key = $key AND created_at > $after'
const countUnfinished = `SELECT status, count(*) AS runs, sum(total - done) AS remaining FROM runs
  WHERE ${isUnfinished} AND ${isWhole} GROUP BY status`
const hasExpired = `SELECT 1 AS found WHERE EXISTS (SELECT 1 FROM runs WHERE expires_at <= $now)
  OR EXISTS (SELECT 1 FROM run_keys WHERE created_at <= $keysBefore)`
const listFailing = `SELECT coalesce((SELECT w.id FROM runs w WHERE w.number = r.slice_of), id) AS id, status, worker_losses, error
    FROM runs r WHERE ${isUnfinished} AND worker_losses >= $lossesMin
  UNION ALL SELECT id, status, worker_losses, error FROM runs
    WHERE status = 'failed' AND finished_at > $failedAfter AND ${isWhole}
  ORDER BY id DESC LIMIT $limit`
