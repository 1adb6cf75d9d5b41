import type { FailingRun, JsonGroup, RunFamilyReader, RunReader, StoredEntry, StoredRun } from '../runs.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

/** Creates the run reader on PostgreSQL. */
export function createPostgresRunReader(pools: PostgresPools): RunReader {
  const { quick, work } = pools
  return {
    async find(id, account_id) {
      const [run] = await quick.query<StoredRun>('SELECT * FROM runs WHERE id = $1 AND account_id = $2', id, account_id)
      return run ? storedRunOf(run) : null
    },
    async list(account_id, below, now, limit) {
      const rows = await quick.query<StoredRun>(
        'SELECT * FROM runs WHERE account_id = $1 AND id < $2 AND expires_at > $3 ORDER BY id DESC LIMIT $4',
        account_id,
        below,
        now,
        limit,
      )
      return rows.map(storedRunOf)
    },
    ...createFamilyReader(pools),
    async findByKey(account_id, key, after) {
      const [found] = await quick.query<{ run_id: string; body_hash: string }>(
        'SELECT run_id, body_hash FROM run_keys WHERE account_id = $1 AND key = $2 AND created_at > $3',
        account_id,
        key,
        after,
      )
      return found ?? null
    },
    ...createEntryReader(pools),
    ...createQueueReader(pools),
    async listFailing(lossesMin, failedAfter, limit) {
      return work.query<FailingRun>(
        `SELECT id, status, worker_losses, error FROM runs WHERE status IN ('queued', 'running') AND worker_losses >= $1
         UNION ALL SELECT id, status, worker_losses, error FROM runs WHERE status = 'failed' AND finished_at > $2
         ORDER BY id DESC LIMIT $3`,
        lossesMin,
        failedAfter,
        limit,
      )
    },
  }
}

/** A row of `runs` with its int8 columns as numbers. */
export function storedRunOf(row: StoredRun): StoredRun {
  return withIntegers(row, 'number', 'created_at', 'started_at', 'finished_at', 'cancelled_at', 'expires_at')
}

function createFamilyReader({ work: { query } }: PostgresPools): RunFamilyReader {
  return {
    async listFamily({ id, account_id }) {
      const rows = await query<StoredRun>(
        `WITH RECURSIVE ancestors (id, retry_of) AS (
           SELECT id, retry_of FROM runs WHERE id = $1
           UNION SELECT r.id, r.retry_of FROM runs r JOIN ancestors a ON r.id = a.retry_of),
         family (id) AS (
           SELECT id FROM ancestors
           UNION SELECT r.id FROM runs r JOIN family f ON r.retry_of = f.id)
         SELECT runs.* FROM runs JOIN family USING (id) WHERE account_id = $2 ORDER BY number`,
        id,
        account_id,
      )
      return rows.map(storedRunOf)
    },
    async listOriginalIndexes(run) {
      const rows = await query<{ original_index: number }>(
        'SELECT original_index FROM run_locations WHERE run = $1 ORDER BY idx',
        run,
      )
      return rows.map(({ original_index }) => original_index)
    },
    async hasAddress(run) {
      const found = await query(
        "SELECT 1 FROM run_locations WHERE run = $1 AND json_typeof(input::json -> 'address') <> 'null' LIMIT 1",
        run,
      )
      return found.length > 0
    },
  }
}

/** The kinds whose locations are texts. */
const textKinds: ReadonlySet<string> = new Set(['geocode_batch', 'lookup_batch'])
/** A group of rows has about this many bytes, so that a client that stops reading occupies little memory. */
const group_bytes = 32_768
/** A group has at most this many rows. */
const groupMax_rows = 512

function createEntryReader({
  work: { query },
}: PostgresPools): Pick<RunReader, 'readInputs' | 'listEntries' | 'readResults' | 'findEntry'> {
  return {
    async readInputs({ number, kind }, { from, limit }, start) {
      const item = textKinds.has(kind) ? "coalesce(input::json -> 'input', 'null')::text" : 'input'
      const rows = await query<GroupRow>(groupStatement('run_locations', item), start, number, from, limit)
      return groupOf(rows)
    },
    listEntries: (run, from, limit) =>
      query<StoredEntry>(
        `SELECT r.idx, r.entry, l.input, l.passthrough FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx
         WHERE r.run = $1 AND r.idx >= $2 ORDER BY r.idx LIMIT $3`,
        run,
        from,
        limit,
      ),
    async readResults(run, { from, limit, ok }, start) {
      const statement = groupStatement('run_results', 'entry', ok === null ? '' : `AND ${ok ? '' : 'NOT '}ok`)
      return groupOf(await query<GroupRow>(statement, start, run, from, limit))
    },
    async findEntry(run, idx) {
      const [found] = await query<{ entry: string }>(
        'SELECT entry FROM run_results WHERE run = $1 AND idx = $2',
        run,
        idx,
      )
      return found?.entry ?? null
    },
  }
}

type GroupRow = { rows: number; last: number | null; bytes: Uint8Array | null }

/**
 * A statement that joins the JSON of rows which follow each other. Parameters: the start, the run, the first index, and
 * the most rows.
 */
function groupStatement(table: 'run_locations' | 'run_results', item: string, condition = ''): string {
  return `WITH items AS (
      SELECT idx, ${item} AS item FROM ${table} WHERE run = $2 AND idx >= $3 ${condition}
      ORDER BY idx LIMIT least($4::int, ${groupMax_rows})),
    ends AS (SELECT idx, item, sum(octet_length(item)) OVER (ORDER BY idx) - octet_length(item) AS bytes_before FROM items)
    SELECT count(*)::int AS rows, max(idx) AS last,
      convert_to($1::text || string_agg(item, ',' ORDER BY idx), 'UTF8') AS bytes
    FROM ends WHERE bytes_before < ${group_bytes}`
}

function groupOf([row]: GroupRow[]): JsonGroup | null {
  return row && row.last !== null ? { rows: row.rows, last: row.last, bytes: new Uint8Array(row.bytes!) } : null
}

function createQueueReader({
  quick: { query },
}: PostgresPools): Pick<RunReader, 'hasUnfinished' | 'countUnfinished' | 'hasExpired' | 'failedAfter'> {
  return {
    async hasUnfinished() {
      return (await query("SELECT 1 FROM runs WHERE status IN ('queued', 'running') LIMIT 1")).length > 0
    },
    async countUnfinished() {
      const counts = await query<{ status: string; runs: number; remaining: number }>(
        `SELECT status, count(*)::int AS runs, sum(total - done)::float8 AS remaining FROM runs
         WHERE status IN ('queued', 'running') GROUP BY status`,
      )
      return (['queued', 'running'] as const).map((status) => {
        const { runs = 0, remaining = 0 } = counts.find((it) => it.status === status) ?? {}
        return { status, runs, remaining }
      })
    },
    async hasExpired(now, keysBefore) {
      const [found] = await query<{ isFound: boolean }>(
        `SELECT EXISTS (SELECT FROM runs WHERE expires_at <= $1)
           OR EXISTS (SELECT FROM run_keys WHERE created_at <= $2) AS "isFound"`,
        now,
        keysBefore,
      )
      return found!.isFound
    },
    async failedAfter(time) {
      const [failed] = await query<{ runs: number }>(
        "SELECT count(*)::int AS runs FROM runs WHERE status = 'failed' AND finished_at > $1",
        time,
      )
      return failed!.runs
    },
  }
}
