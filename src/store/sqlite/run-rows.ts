import { unpackLocations } from '../runs/packed-locations.ts'
import { createRunRowReader, group_bytes, type StoredLocation, type StoredResult } from '../runs/run-row-reader.ts'
import type { RunRowReader } from '../runs/runs.ts'
import { rowBatchesOf, type Sql } from '../sql.ts'
import type { RunRowWriter } from '../runs/submissions.ts'
import {
  entryChecksum,
  locationChecksum,
  requireIntactEntry,
  requireIntactLocation,
  type CheckedEntry,
  type CheckedLocation,
} from '../entry-checksum.ts'

/** Creates what reads and writes the locations and results of runs in SQLite, where each is a row. */
export function createRunRows(sql: Sql): RunRowReader & RunRowWriter {
  const reader = createRunRowReader({
    locations: createRowSource(sql, locationRows(''), locationOf),
    addresses: createRowSource(sql, locationRows(`AND instr(input, '"address"') > 0`), locationOf),
    results: createRowSource(sql, resultRows(''), resultOf),
    failures: createRowSource(sql, resultRows('AND ok = 0'), resultOf),
  })
  return { ...reader, ...createWriter(sql) }
}

type ResultRow = Omit<StoredResult, 'ok'> & CheckedEntry & { entry: string }

function locationOf(row: CheckedLocation): StoredLocation {
  requireIntactLocation(row)
  return row
}

function resultOf(row: ResultRow): StoredResult {
  requireIntactEntry(row)
  return { ...row, ok: row.ok === 1 }
}

function createRowSource<Found, Row extends { idx: number }>(sql: Sql, statement: string, rowOf: (row: Found) => Row) {
  return {
    async *rowsFrom(run: number, from: number): AsyncGenerator<Row> {
      for (let next = from; ;) {
        const found = await sql.all<Found>(statement, { run, from: next, limit: Number.MAX_SAFE_INTEGER })
        if (found.length === 0) return
        for (const row of found) {
          const checked = rowOf(row)
          next = checked.idx + 1
          yield checked
        }
      }
    },
    async find(run: number, idx: number): Promise<Row | null> {
      const [row] = (await sql.all<Found>(statement, { run, from: idx, limit: 1 })).map(rowOf)
      return row?.idx === idx ? row : null
    },
  }
}

const locationRows = (condition: string) =>
  groupStatement('run_locations', 512, 'idx, input, passthrough, original_index, checksum', condition)
const resultRows = (condition: string) =>
  groupStatement('run_results', 32, 'idx, ok, retryable, entry, checksum', condition)

/**
 * The statement that reads rows which follow each other, up to the size of a group. SQLite reads the sizes of up to
 * `max_rows` rows to find its end.
 */
function groupStatement(table: string, max_rows: number, columns: string, condition: string): string {
  const sized = table === 'run_locations' ? 'input' : 'entry'
  const rows = `FROM ${table} WHERE run = $run AND idx >= $from ${condition}`
  return `WITH sizes AS (SELECT idx, octet_length(${sized}) AS bytes ${rows} ORDER BY idx LIMIT min($limit, ${max_rows})),
      ends AS (SELECT idx, sum(bytes) OVER (ORDER BY idx) - bytes AS bytes_before FROM sizes)
    SELECT ${columns} ${rows} AND idx <= (SELECT max(idx) FROM ends WHERE bytes_before < ${group_bytes}) ORDER BY idx`
}

function createWriter(work: Sql): RunRowWriter {
  return {
    prepare: (locations) =>
      function* (sql, run) {
        for (const rows of rowBatchesOf(unpackLocations(locations), batch_rows)) {
          yield* sql.runEach(
            addLocation,
            rows.map(({ idx, input, passthrough = null }) => {
              const checksum = locationChecksum({ idx, input, passthrough, original_index: null })
              return { run, idx, input, passthrough, checksum }
            }),
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
          for (const [original_index, input] of inputs) {
            const copy = yield* sql.get<CheckedLocation>(findCopy, { run, original_index })
            if (!copy) continue
            requireIntactLocation(copy)
            const checksum = locationChecksum({ ...copy, input })
            yield* sql.run(replaceInput, { run, idx: copy.idx, input, checksum })
          }
        },
      }
    },
  }
}

const batch_rows = 500

const addLocation =
  'INSERT INTO run_locations (run, idx, input, passthrough, checksum) VALUES ($run, $idx, $input, $passthrough, $checksum)'
const addErrorEntry =
  'INSERT INTO run_results (run, idx, ok, retryable, entry, checksum) VALUES ($run, $idx, 0, 0, $entry, $checksum)'
const countRetryable = 'SELECT count(*) AS total FROM run_results WHERE run = $original AND retryable = 1'
// The checksum of a copy is computed from the stored one, so that the copy of a damaged location is damaged, too.
const copyWhere = (condition: string) => `INSERT INTO run_locations
    (run, idx, input, passthrough, original_index, checksum)
  SELECT $run, copy_idx, input, passthrough, idx, checksum + copy_idx - coalesce(original_index, -1)
  FROM (SELECT row_number() OVER (ORDER BY idx) - 1 AS copy_idx, * FROM run_locations
    WHERE run = $original AND idx IN (${condition}))`
const copyLocations = copyWhere('SELECT value FROM json_each($indexes)')
const copyRetryable = copyWhere('SELECT idx FROM run_results WHERE run = $original AND retryable = 1')
const findCopy = `SELECT idx, input, passthrough, original_index, checksum FROM run_locations
  WHERE run = $run AND original_index = $original_index`
const replaceInput = 'UPDATE run_locations SET input = $input, checksum = $checksum WHERE run = $run AND idx = $idx'
