import type { FailingRun, JsonGroup, RunFamilyReader, RunReader, StoredRun } from '../runs.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'
import { locationTable, resultTable, RowReader, type StoredLocation, type StoredResult } from './row-blocks.ts'

/** Creates the run reader on PostgreSQL. */
export function createPostgresRunReader(pools: PostgresPools): RunReader {
  const { quick, work } = pools
  const locations = new RowReader(work.query, locationTable)
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
    ...createFamilyReader(pools, locations),
    async findByKey(account_id, key, after) {
      const [found] = await quick.query<{ run_id: string; body_hash: string }>(
        'SELECT run_id, body_hash FROM run_keys WHERE account_id = $1 AND key = $2 AND created_at > $3',
        account_id,
        key,
        after,
      )
      return found ?? null
    },
    ...createEntryReader(locations, {
      results: new RowReader(work.query, resultTable),
      failures: new RowReader(work.query, resultTable, 'NOT ok'),
    }),
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

function createFamilyReader({ work: { query } }: PostgresPools, locations: RowReader<StoredLocation>): RunFamilyReader {
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
    listOriginalIndexes: (run) => Array.fromAsync(locations.rowsFrom(run, 0), ({ original_index }) => original_index!),
    async hasAddress(run) {
      for await (const { input } of locations.rowsFrom(run, 0)) if (memberOf(input, 'address') !== null) return true
      return false
    },
  }
}

/** A member of an input; null if it is missing, or the input is null. */
function memberOf(input: string, name: string): unknown {
  return (JSON.parse(input) as Record<string, unknown> | null)?.[name] ?? null
}

/** The kinds whose locations are texts. */
const textKinds: ReadonlySet<string> = new Set(['geocode_batch', 'lookup_batch'])
/** A group of rows has about this many bytes, so that a client that stops reading occupies little memory. */
const group_bytes = 32_768
/** A group has at most this many rows. */
const groupMax_rows = 512

/** `failures` reads only the blocks in which a location has failed. */
type ResultReaders = { results: RowReader<StoredResult>; failures: RowReader<StoredResult> }

function createEntryReader(
  locations: RowReader<StoredLocation>,
  { results, failures }: ResultReaders,
): Pick<RunReader, 'readInputs' | 'listEntries' | 'readResults' | 'findEntry'> {
  return {
    readInputs({ number, kind }, { from, limit }, start) {
      const isText = textKinds.has(kind)
      const itemOf = ({ input }: StoredLocation) => (isText ? JSON.stringify(memberOf(input, 'input')) : input)
      return joinRows(locations.rowsFrom(number, from), { limit, start, itemOf })
    },
    async listEntries(run, from, limit) {
      const entries = await takeRows(results.rowsFrom(run, from), limit)
      const [first, last] = [entries[0]?.idx ?? 0, entries.at(-1)?.idx ?? -1]
      const inputs = new Map<number, StoredLocation>()
      if (last >= first)
        for await (const row of locations.rowsFrom(run, first)) {
          inputs.set(row.idx, row)
          if (row.idx >= last) break
        }
      return entries.map(({ idx, entry }) => {
        const { input, passthrough } = inputs.get(idx)!
        return { idx, entry, input, passthrough }
      })
    },
    readResults(run, { from, limit, ok }, start) {
      const itemOf = (row: StoredResult) => (ok === null || row.ok === ok ? row.entry : null)
      const reader = ok === false ? failures : results
      return joinRows(reader.rowsFrom(run, from), { limit, start, itemOf })
    },
    findEntry: async (run, idx) => (await results.find(run, idx))?.entry ?? null,
  }
}

async function takeRows<Row>(rows: AsyncIterable<Row>, limit: number): Promise<Row[]> {
  const taken: Row[] = []
  if (limit > 0)
    for await (const row of rows) {
      taken.push(row)
      if (taken.length === limit) break
    }
  return taken
}

/** `itemOf` returns the JSON of a row; null if the row is not in the group. */
type GroupOptions<Row> = { limit: number; start: string; itemOf(row: Row): string | null }

/** Joins the JSON of rows, up to `limit` rows and the size of a group. Returns null if no row is in the group. */
async function joinRows<Row extends { idx: number }>(
  rows: AsyncIterable<Row>,
  { limit, start, itemOf }: GroupOptions<Row>,
): Promise<JsonGroup | null> {
  const items: string[] = []
  let [last, size_bytes] = [0, 0]
  for await (const row of rows) {
    const item = itemOf(row)
    if (item === null) continue
    items.push(item)
    last = row.idx
    size_bytes += Buffer.byteLength(item)
    if (items.length >= Math.min(limit, groupMax_rows) || size_bytes >= group_bytes) break
  }
  if (items.length === 0) return null
  return { rows: items.length, last, bytes: new TextEncoder().encode(start + items.join(',')) }
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
