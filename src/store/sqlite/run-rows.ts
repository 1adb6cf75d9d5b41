import { unpackLocations, type NewLocation } from '../runs/packed-locations.ts'
import { group_bytes, textKinds, type JsonGroup, type RunRowReader, type StoredEntry } from '../runs/runs.ts'
import type { Sql, SqlValues } from '../sql.ts'
import type { RunRowWriter } from '../runs/submissions.ts'
import { entryChecksum, requireIntactEntry, requireIntactGroup, type CheckedEntry } from '../entry-checksum.ts'

/** Creates what reads and writes the locations and results of runs in SQLite, where each is a row. */
export function createRunRows(sql: Sql): RunRowReader & RunRowWriter {
  return { ...createReader(sql), ...createWriter(sql) }
}

function createReader(sql: Sql): RunRowReader {
  const findGroup = async (statement: string, values: SqlValues & { start: string }) =>
    groupOf(await sql.get<GroupRow>(statement, values), Buffer.byteLength(values.start))
  return {
    readInputs: ({ number: run, kind }, range, start) =>
      findGroup(textKinds.has(kind) ? readInputTexts : readLocations, { start, run, ...range }),
    async listEntries(run, from, limit) {
      const rows = await sql.all<StoredEntry & CheckedEntry>(listEntries, { run, from, limit })
      rows.forEach(requireIntactEntry)
      return rows.map(({ idx, entry, input, passthrough }) => ({ idx, entry, input, passthrough }))
    },
    readResults: (run, range, start) =>
      findGroup(range.ok === null ? readEntries : readEntriesByOk, { start, run, ...range }),
    async findEntry(run, idx) {
      const found = await sql.get<CheckedEntry & { entry: string }>(findEntry, { run, idx })
      if (found) requireIntactEntry(found)
      return found?.entry ?? null
    },
    async listOriginalIndexes(run) {
      const rows = await sql.all<{ original_index: number }>(listOriginalIndexes, { run })
      return rows.map(({ original_index }) => original_index)
    },
    hasAddress: async (run) => (await sql.get(findAddress, { run })) !== null,
  }
}

const listEntries = `SELECT r.idx, r.ok, r.entry, r.checksum, l.input, l.passthrough
  FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx
  WHERE r.run = $run AND r.idx >= $from ORDER BY r.idx LIMIT $limit`
const findEntry = 'SELECT idx, ok, entry, checksum FROM run_results WHERE run = $run AND idx = $idx'
const listOriginalIndexes = 'SELECT original_index FROM run_locations WHERE run = $run ORDER BY idx'
const findAddress =
  "SELECT 1 AS found FROM run_locations WHERE run = $run AND json_extract(input, '$.address') IS NOT NULL LIMIT 1"

/** What `requireIntactGroup` needs. */
const resultMembers = "'[' || group_concat(json_array(idx, ok, octet_length(entry), checksum), ',' ORDER BY idx) || ']'"

/** A group has at most this many rows. SQLite reads the sizes of so many rows to find the end of each group. */
const groupMax_rows = { run_locations: 512, run_results: 32 }

const readLocations = groupStatement('run_locations', 'input')
const readInputTexts = groupStatement('run_locations', "coalesce(input -> '$.input', 'null')")
const readEntries = groupStatement('run_results', 'entry')
const readEntriesByOk = groupStatement('run_results', 'entry', 'AND ok = $ok')

/** `members`: what the checksums of results are compared with; null for locations. */
type GroupRow = { rows: number; last: number | null; bytes: Uint8Array<ArrayBuffer> | null; members: string | null }

/**
 * The statement that joins the JSON of rows which follow each other. SQLite joins them, because texts in JavaScript
 * would be copied three times.
 */
function groupStatement(table: keyof typeof groupMax_rows, item: string, condition = ''): string {
  const rows = `FROM ${table} WHERE run = $run AND idx >= $from ${condition}`
  return `WITH sizes AS (SELECT idx, octet_length(${item}) AS bytes ${rows} ORDER BY idx LIMIT min($limit, ${groupMax_rows[table]})),
      ends AS (SELECT idx, sum(bytes) OVER (ORDER BY idx) - bytes AS bytes_before FROM sizes)
    SELECT count(*) AS rows, max(idx) AS last, CAST($start || group_concat(${item}, ',' ORDER BY idx) AS BLOB) AS bytes,
      ${table === 'run_results' ? resultMembers : 'NULL'} AS members
    ${rows} AND idx <= (SELECT max(idx) FROM ends WHERE bytes_before < ${group_bytes})`
}

function groupOf(row: GroupRow | null, start_bytes: number): JsonGroup | null {
  if (!row || row.last === null) return null
  if (row.members !== null) requireIntactGroup(row.members, row.bytes!, start_bytes)
  return { rows: row.rows, last: row.last, bytes: row.bytes! }
}

function createWriter(work: Sql): RunRowWriter {
  return {
    prepare: (locations) =>
      function* (sql, run) {
        for (const rows of batchesOf(unpackLocations(locations))) {
          yield* sql.runEach(
            addLocation,
            rows.map(({ idx, input, passthrough = null }) => ({ run, idx, input, passthrough })),
          )
          for (const { idx, errorEntry: entry } of rows)
            if (entry !== undefined)
              yield* sql.run(addErrorEntry, { run, idx, entry, checksum: entryChecksum({ idx, ok: 0, entry }) })
        }
      },
    async prepareCopy(original, indexes, inputs = new Map()) {
      const total = indexes?.length ?? (await work.get<{ total: number }>(countRetryable, { original }))!.total
      return {
        total,
        *add(sql, run) {
          if (indexes) yield* sql.run(copyLocations, { run, original, indexes: JSON.stringify(indexes) })
          else yield* sql.run(copyRetryable, { run, original })
          yield* sql.runEach(
            replaceInput,
            [...inputs].map(([index, input]) => ({ run, index, input })),
          )
        },
      }
    },
  }
}

const batch_rows = 500
type NumberedLocation = NewLocation & { idx: number }

function* batchesOf(locations: Iterable<NewLocation>): Generator<NumberedLocation[]> {
  let batch: NumberedLocation[] = []
  let idx = 0
  for (const location of locations) {
    batch.push({ ...location, idx: idx++ })
    if (batch.length < batch_rows) continue
    yield batch
    batch = []
  }
  yield batch
}

const addLocation = 'INSERT INTO run_locations (run, idx, input, passthrough) VALUES ($run, $idx, $input, $passthrough)'
const addErrorEntry =
  'INSERT INTO run_results (run, idx, ok, retryable, entry, checksum) VALUES ($run, $idx, 0, 0, $entry, $checksum)'
const countRetryable = 'SELECT count(*) AS total FROM run_results WHERE run = $original AND retryable = 1'
const copyLocations = `INSERT INTO run_locations (run, idx, input, passthrough, original_index)
  SELECT $run, row_number() OVER (ORDER BY idx) - 1, input, passthrough, idx
  FROM run_locations WHERE run = $original AND idx IN (SELECT value FROM json_each($indexes))`
const replaceInput = 'UPDATE run_locations SET input = $input WHERE run = $run AND original_index = $index'
const copyRetryable = `INSERT INTO run_locations (run, idx, input, passthrough, original_index)
  SELECT $run, row_number() OVER (ORDER BY r.idx) - 1, l.input, l.passthrough, r.idx
  FROM run_results r JOIN run_locations l ON l.run = r.run AND l.idx = r.idx WHERE r.run = $original AND r.retryable = 1`
