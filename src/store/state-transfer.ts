import { createGarbageCollector } from '../async/collect-garbage.ts'
import { StoreError } from './storage-error.ts'

/**
 * The tables of the state that `migrate-state` copies. Each row comes after the rows that it refers to. The nodes and
 * the leases of runs are not copied: a server adds itself, and takes the unfinished runs over.
 */
export const transferredTables = [
  'accounts',
  'tokens',
  'secrets',
  'invitations',
  'sessions',
  'oauth_clients',
  'oauth_grants',
  'oauth_codes',
  'oauth_refresh_tokens',
  'oauth_devices',
  'usage',
  'quota_usage',
  'access_epoch',
  'expired_items',
  'geocode_audit',
  'geocodes',
  'billed_calls',
  'runs',
  'run_locations',
  'run_results',
  'run_artifacts',
  'run_chunks',
  'run_keys',
  'run_epochs',
  'shares',
  'pins',
  'artifact_objects',
] as const

/** A row by the names of its columns. Booleans are 0 or 1. */
export type TransferRow = Record<string, string | number | Uint8Array | null>

/** A table, and the columns that it has in both databases. */
export type TransferTable = { name: (typeof transferredTables)[number]; columns: readonly string[] }

/** One of the two databases of a transfer. */
export type TransferState = {
  /** Reads all rows of a table in batches, in any order. Of the result files, it reads those that are complete. */
  readRows(table: TransferTable): AsyncIterable<TransferRow[]>
  addRows(table: TransferTable, rows: TransferRow[]): Promise<void>
}

/** A database whose schema says which columns the tables have in both. */
export type TransferSchema = TransferState & { tables: readonly TransferTable[] }

/** A collection of the young generation takes a few milliseconds. */
const batchesBetweenCollections = 10

/** The number of copied rows of a table. */
export type TransferCount = { table: string; rows: number }

/**
 * Copies all tables into an empty state, and reads them back. Returns the number of rows of each table.
 * @throws {StoreError} if the copy of a table differs.
 */
export async function transferState(
  tables: readonly TransferTable[],
  from: TransferState,
  into: TransferState,
): Promise<TransferCount[]> {
  const counts: TransferCount[] = []
  // The engine itself would wait until the garbage is a multiple of the rows of a batch.
  const collectGarbage = createGarbageCollector(batchesBetweenCollections)
  for (const table of tables) {
    const read = new RowDigest(table.columns)
    for await (const rows of from.readRows(table)) {
      read.add(rows)
      await into.addRows(table, rows)
      collectGarbage()
    }
    const written = new RowDigest(table.columns)
    for await (const rows of into.readRows(table)) {
      written.add(rows)
      collectGarbage()
    }
    if (read.toString() !== written.toString())
      throw new StoreError(
        `The copy of the table ${table.name} differs from the original: ${written.rows} rows instead of ${read.rows}, or other values. Nothing was kept. Run the command again, and report this if it happens twice.`,
      )
    counts.push({ table: table.name, rows: read.rows })
  }
  return counts
}

/** The number of rows and the sum of their SHA-256 hashes, which does not depend on the order of the rows. */
class RowDigest {
  rows = 0
  readonly #columns: readonly string[]
  readonly #sum = new BigUint64Array(4)

  constructor(columns: readonly string[]) {
    this.#columns = columns
  }

  add(rows: readonly TransferRow[]): void {
    for (const row of rows) {
      const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(this.#columns.map((name) => textOf(row[name]))))
      const words = new BigUint64Array(new Uint8Array(hash.digest()).buffer)
      for (const [index, word] of words.entries()) this.#sum[index] = this.#sum[index]! + word
    }
    this.rows += rows.length
  }

  toString(): string {
    return `${this.rows} ${this.#sum.join(' ')}`
  }
}

/** Bytes become an object, so that they differ from a text with the same digits. */
function textOf(value: TransferRow[string] | undefined) {
  return value instanceof Uint8Array ? { hex: value.toHex() } : value
}
