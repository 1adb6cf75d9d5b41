import { unpackLocations, type PackedLocations } from '../runs/packed-locations.ts'
import { group_bytes, textKinds, type JsonGroup, type RunRowReader } from '../runs/runs.ts'
import type { Statements, Step } from '../sql.ts'
import type { RunRowWriter } from '../runs/submissions.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'
import {
  blocksFrom,
  encodeBlocks,
  locationTable,
  resultTable,
  RowReader,
  type EncodedBlocks,
  type StoredLocation,
  type StoredResult,
} from './row-blocks.ts'

/** Creates what reads and writes the locations and results of runs in PostgreSQL, where many rows are in one block. */
export function createPostgresRunRows({ work: { query } }: PostgresPools): RunRowReader & RunRowWriter {
  const readers = {
    results: new RowReader(query, resultTable),
    failures: new RowReader(query, resultTable, 'NOT ok'),
  }
  return { ...createReader(new RowReader(query, locationTable), readers), ...createWriter(query) }
}

/** A member of an input; null if it is missing, or the input is null. */
function memberOf(input: string, name: string): unknown {
  return (JSON.parse(input) as Record<string, unknown> | null)?.[name] ?? null
}

/** A group has at most this many rows. */
const groupMax_rows = 512

/** `failures` reads only the blocks in which a location has failed. */
type ResultReaders = { results: RowReader<StoredResult>; failures: RowReader<StoredResult> }

function createReader(locations: RowReader<StoredLocation>, { results, failures }: ResultReaders): RunRowReader {
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
    listOriginalIndexes: (run) => Array.fromAsync(locations.rowsFrom(run, 0), ({ original_index }) => original_index!),
    async hasAddress(run) {
      for await (const { input } of locations.rowsFrom(run, 0)) if (memberOf(input, 'address') !== null) return true
      return false
    },
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

function createWriter(query: PostgresQuery): RunRowWriter {
  return {
    prepare(locations) {
      const batches = [...batchesOf(locations)]
      return function* (sql, run) {
        for (const batch of batches) yield* insertBatch(sql, run, batch)
      }
    },
    async prepareCopy(original, indexes, inputs = new Map<number, string>()) {
      const locations = await findLocations(query, original, indexes ?? (await findRetryable(query, original)))
      const copies = locations.map((row, idx) => ({
        ...row,
        idx,
        input: inputs.get(row.idx) ?? row.input,
        original_index: row.idx,
      }))
      const batches = [...divide(copies)]
      return {
        total: locations.length,
        *add(sql, run) {
          for (const batch of batches)
            yield* insertBatch(sql, run, { locations: encodeBlocks(locationTable, batch), errors: null })
        },
      }
    },
  }
}

const batch_rows = 1024

/** Rows of a new run: their locations, and the error entries of unreadable ones. */
type SubmissionBatch = { locations: EncodedBlocks; errors: EncodedBlocks | null }

/** Yields the locations in batches. */
function* batchesOf(packed: PackedLocations): Generator<SubmissionBatch> {
  let idx = 0
  let [locations, errors]: [StoredLocation[], StoredResult[]] = [[], []]
  for (const { input, passthrough = null, errorEntry } of unpackLocations(packed)) {
    locations.push({ idx, input, passthrough, original_index: null })
    if (errorEntry !== undefined) errors.push({ idx, ok: false, retryable: false, entry: errorEntry })
    idx++
    if (idx % batch_rows > 0 && idx < packed.length) continue
    yield {
      locations: encodeBlocks(locationTable, locations),
      errors: errors.length > 0 ? encodeBlocks(resultTable, errors) : null,
    }
    ;[locations, errors] = [[], []]
  }
}

function* divide<T>(rows: readonly T[]): Generator<T[]> {
  for (let start = 0; start < rows.length; start += batch_rows) yield rows.slice(start, start + batch_rows)
}

function* insertBatch(sql: Statements, run: number, { locations, errors }: SubmissionBatch): Step<void> {
  yield* sql.run(
    `INSERT INTO run_locations (run, idx, rows, input, block)
     SELECT $run::bigint, idx, rows, '', block FROM ${blocksFrom('$blocks', '$contents')} b`,
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

/** The locations with these indexes, in order. */
async function findLocations(query: PostgresQuery, run: number, indexes: readonly number[]): Promise<StoredLocation[]> {
  const chosen = new Set(indexes)
  const locations: StoredLocation[] = []
  for await (const row of new RowReader(query, locationTable).rowsFrom(run, 0))
    if (chosen.has(row.idx)) locations.push(row)
  return locations
}
