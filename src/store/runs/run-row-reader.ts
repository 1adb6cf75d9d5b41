import { damagedDataError } from '../storage-error.ts'
import type { JsonGroup, RunRowReader, StoredEntry } from './runs.ts'

/** A row of `run_locations`, without its attempts. A row of a block has no checksum: its block has one. */
export type StoredLocation = Pick<StoredEntry, 'idx' | 'input' | 'passthrough'> & {
  original_index: number | null
  checksum?: number | null
}
/** A row of `run_results`, like one of `run_locations`. */
export type StoredResult = { idx: number; ok: boolean; retryable: boolean; entry: string; checksum?: number | null }

/**
 * Reads the rows of a table.
 * @throws {ApiError} `stored_data_damaged` for a row that is not as it was written.
 */
type RowSource<Row> = {
  /** Yields the rows of a run from an index on, in order. */
  rowsFrom(run: number, from: number): AsyncIterable<Row>
  /** Finds a row; null if there is none. */
  find(run: number, idx: number): Promise<Row | null>
}

/** `addresses` yields at least the locations with an address, `failures` at least the results that failed. */
export type RowSources = {
  locations: RowSource<StoredLocation>
  addresses: RowSource<StoredLocation>
  results: RowSource<StoredResult>
  failures: RowSource<StoredResult>
}

/** A group of rows has about this many bytes, so that a client that stops reading occupies little memory. */
export const group_bytes = 32_768
const groupMax_rows = 512
/** The kinds whose locations are texts. */
const textKinds: ReadonlySet<string> = new Set(['geocode_batch', 'lookup_batch'])

/** Creates what reads the locations and results of runs. */
export function createRunRowReader({ locations, addresses, results, failures }: RowSources): RunRowReader {
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
        const location = inputs.get(idx)
        if (!location) throw damagedDataError(`Location ${idx} of the run`)
        return { idx, entry, input: location.input, passthrough: location.passthrough }
      })
    },
    readResults(run, { from, limit, ok }, start) {
      const itemOf = (row: StoredResult) => (ok === null || row.ok === ok ? row.entry : null)
      const source = ok === false ? failures : results
      return joinRows(source.rowsFrom(run, from), { limit, start, itemOf })
    },
    findEntry: async (run, idx) => (await results.find(run, idx))?.entry ?? null,
    listOriginalIndexes: (run) => Array.fromAsync(locations.rowsFrom(run, 0), ({ original_index }) => original_index!),
    async hasAddress(run) {
      for await (const { input } of addresses.rowsFrom(run, 0))
        if (input.includes('"address"') && memberOf(input, 'address') !== null) return true
      return false
    },
  }
}

/** A member of an input; null if it is missing, or the input is null. */
function memberOf(input: string, name: string): unknown {
  return (JSON.parse(input) as Record<string, unknown> | null)?.[name] ?? null
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
