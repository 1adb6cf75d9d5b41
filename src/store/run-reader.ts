import type { Database } from 'bun:sqlite'
import type { RunStatus } from './run-status.ts'

/** A run as it is stored. Times are milliseconds since 1970; `selection`, `fields`, `columns` and `error` are JSON. */
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
  columns: string
  catalog_version: string
  retry_of: string | null
  total: number
  done: number
  ok: number
  /** How many of those that are done may come out better when they are asked again. */
  again: number
  /** Counts every change of the run: the `id` of its events. */
  seq: number
  error: string | null
  /** 1 while a worker takes the run up or finishes it: steps that can end a worker without any location in work. */
  in_step: 0 | 1
  /** How many workers were lost in such a step since the run last made progress. */
  worker_losses: number
}

/** A run that failed, or that lost several workers and is not finished. `error` is JSON. */
export type TroubledRun = Pick<StoredRun, 'id' | 'status' | 'worker_losses' | 'error'>

/** What a location was asked with, and what it came to; as JSON. */
type StoredInput = { idx: number; input: string }
export type StoredEntry = { idx: number; entry: string; input: string; passed: string | null }

/** The reading side of the runs: what a door needs to answer. */
export type RunReader = {
  /** The run of that account; null when unknown or foreign. */
  find(id: string, account_id: string): StoredRun | null
  /** An account's runs, newest first, from below an id on. */
  list(account_id: string, below: string, now: number, limit: number): StoredRun[]
  /** The run that a key stands for and the hash of its body, when it was used after a time. */
  findByKey(account_id: string, key: string, after: number): { run_id: string; body_hash: string } | null
  /** Inputs, and entries with their inputs, in order from an index on. */
  listInputs(run: number, from: number, limit: number): StoredInput[]
  listEntries(run: number, from: number, limit: number): StoredEntry[]
  hasUnfinished(): boolean
  /** The runs that are not finished, by status, and how many of their locations are still to be answered. */
  countUnfinished(): { status: 'queued' | 'running'; runs: number; remaining: number }[]
  hasExpired(now: number): boolean
  /** The unfinished runs that lost at least so many workers, and the runs that failed after a time; the newest first. */
  troubled(lossesMin: number, failedAfter: number, limit: number): TroubledRun[]
  /** How many runs failed after a time. */
  failedAfter(time: number): number
}

export function createRunReader(db: Database): RunReader {
  const find = db.query<StoredRun, [string, string]>('SELECT * FROM runs WHERE id = ? AND account_id = ?')
  const list = db.query<StoredRun, [string, string, number, number]>(
    'SELECT * FROM runs WHERE account_id = ? AND id < ? AND expires_at > ? ORDER BY id DESC LIMIT ?',
  )
  const findByKey = db.query<{ run_id: string; body_hash: string }, [string, string, number]>(
    'SELECT run_id, body_hash FROM run_keys WHERE account_id = ? AND key = ? AND created_at > ?',
  )
  const listInputs = db.query<StoredInput, [number, number, number]>(
    'SELECT idx, input FROM run_locations WHERE run = ? AND idx >= ? ORDER BY idx LIMIT ?',
  )
  const listEntries = db.query<StoredEntry, [number, number, number]>(
    `SELECT r.idx, r.entry, l.input, l.passed FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx
     WHERE r.run = ? AND r.idx >= ? ORDER BY r.idx LIMIT ?`,
  )
  const unfinished = db.query<{ number: number }, []>(
    "SELECT number FROM runs WHERE status IN ('queued', 'running') LIMIT 1",
  )
  const countByStatus = db.query<{ status: string; runs: number; left: number }, []>(
    "SELECT status, count(*) AS runs, sum(total - done) AS left FROM runs WHERE status IN ('queued', 'running') GROUP BY status",
  )
  const expired = db.query<{ number: number }, [number]>('SELECT number FROM runs WHERE expires_at <= ? LIMIT 1')
  const troubled = db.query<TroubledRun, [number, number, number]>(
    `SELECT id, status, worker_losses, error FROM runs WHERE status IN ('queued', 'running') AND worker_losses >= ?
     UNION ALL SELECT id, status, worker_losses, error FROM runs WHERE status = 'failed' AND finished_at > ? ORDER BY id DESC LIMIT ?`,
  )
  const failures = db.query<{ runs: number }, [number]>(
    "SELECT count(*) AS runs FROM runs WHERE status = 'failed' AND finished_at > ?",
  )
  return {
    find: (id, account_id) => find.get(id, account_id),
    list: (account_id, below, now, limit) => list.all(account_id, below, now, limit),
    findByKey: (account_id, key, after) => findByKey.get(account_id, key, after),
    listInputs: (run, from, limit) => listInputs.all(run, from, limit),
    listEntries: (run, from, limit) => listEntries.all(run, from, limit),
    countUnfinished() {
      const known = new Map(countByStatus.all().map((it) => [it.status, it]))
      return (['queued', 'running'] as const).map((status) => ({
        status,
        runs: known.get(status)?.runs ?? 0,
        remaining: known.get(status)?.left ?? 0,
      }))
    },
    hasUnfinished: () => unfinished.get() !== null,
    hasExpired: (now) => expired.get(now) !== null,
    troubled: (lossesMin, failedAfter, limit) => troubled.all(lossesMin, failedAfter, limit),
    failedAfter: (time) => failures.get(time)!.runs,
  }
}
