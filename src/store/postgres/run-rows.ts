import { unpackLocations, type NumberedLocation } from '../runs/packed-locations.ts'
import { createRunRowReader, type StoredLocation } from '../runs/run-row-reader.ts'
import type { RunRowReader } from '../runs/runs.ts'
import { rowBatchesOf, type Statements, type Step } from '../sql.ts'
import type { RunRowWriter } from '../runs/submissions.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'
import { blocksFrom, encodeBlocks, locationTable, resultTable, RowReader, type EncodedBlocks } from './row-blocks.ts'

/** Creates what reads and writes the locations and results of runs in PostgreSQL, where many rows are in one block. */
export function createPostgresRunRows({ work: { query } }: PostgresPools): RunRowReader & RunRowWriter {
  const reader = createRunRowReader({
    locations: new RowReader(query, locationTable),
    // A block is compressed, so the database cannot look into it.
    addresses: new RowReader(query, locationTable),
    results: new RowReader(query, resultTable),
    // Only the blocks in which a location has failed.
    failures: new RowReader(query, resultTable, 'NOT ok'),
  })
  return { ...reader, ...createWriter(query) }
}

function createWriter(query: PostgresQuery): RunRowWriter {
  return {
    prepare(locations) {
      const batches = rowBatchesOf(unpackLocations(locations), batch_rows).map(encodeBatch).toArray()
      return function* (sql, run) {
        for (const batch of batches) yield* insertBatch(sql, run, batch)
      }
    },
    async prepareCopy(original, indexes, inputs = new Map<number, string>()) {
      const chosen = new Set(indexes ?? (await findRetryable(query, original)))
      const batches: EncodedBlocks[] = []
      let [total, copies]: [number, StoredLocation[]] = [0, []]
      const encode = () => batches.push(encodeBlocks(locationTable, copies.splice(0)))
      for await (const row of new RowReader(query, locationTable).rowsFrom(original, 0)) {
        if (!chosen.has(row.idx)) continue
        const input = inputs.get(row.idx) ?? row.input
        copies.push({ ...row, idx: total++, input, original_index: row.idx })
        if (copies.length === batch_rows) encode()
      }
      if (copies.length > 0) encode()
      return {
        total,
        *add(sql, run) {
          for (const locations of batches) yield* insertBatch(sql, run, { locations, errors: null })
        },
      }
    },
  }
}

const batch_rows = 1024

/** Rows of a new run: their locations, and the error entries of unreadable ones. */
type SubmissionBatch = { locations: EncodedBlocks; errors: EncodedBlocks | null }

function encodeBatch(rows: NumberedLocation[]): SubmissionBatch {
  const locations = rows.map(({ idx, input, passthrough = null }) => ({
    idx,
    input,
    passthrough,
    original_index: null,
  }))
  const errors = rows.flatMap(({ idx, errorEntry: entry }) =>
    entry === undefined ? [] : [{ idx, ok: false, retryable: false, entry }],
  )
  return {
    locations: encodeBlocks(locationTable, locations),
    errors: errors.length > 0 ? encodeBlocks(resultTable, errors) : null,
  }
}

function* insertBatch(sql: Statements, run: number, { locations, errors }: SubmissionBatch): Step<void> {
  yield* sql.run(
    `INSERT INTO run_locations (run, idx, rows, input, block, checksum)
     SELECT $run::bigint, idx, rows, '', block, checksum FROM ${blocksFrom('$blocks', '$contents')} b`,
    { run, ...locations },
  )
  if (errors)
    yield* sql.run(
      `INSERT INTO run_results (run, idx, rows, ok, retryable, entry, block, checksum)
       SELECT $run::bigint, idx, rows, ok, false, '', block, checksum FROM ${blocksFrom('$blocks', '$contents')} b`,
      { run, ...errors },
    )
}

/** The indexes of the results that are retryable, in order. */
async function findRetryable(query: PostgresQuery, run: number): Promise<number[]> {
  const indexes: number[] = []
  for await (const { idx, retryable } of new RowReader(query, resultTable).rowsFrom(run, 0))
    if (retryable) indexes.push(idx)
  return indexes
}
