import { transferredTables, type TransferRow, type TransferSchema, type TransferTable } from '../state-transfer.ts'
import { rowBatchesOf } from '../sql.ts'
import { StoreError } from '../storage-error.ts'
import type { DatabaseLocation } from './database-location.ts'
import { entryChecksum, locationChecksum } from '../entry-checksum.ts'
import { bytesOfBlock } from '../runs/artifacts.ts'
import { hexOfBytes, runStatements } from './postgres-sql.ts'
import { postgresSetupError } from './postgres-errors.ts'
import { migratePostgres } from './postgres-migrate.ts'
import { openPostgresPool, type PostgresQuery } from './postgres-pool.ts'
import type { StoredLocation, StoredResult } from '../runs/run-row-reader.ts'
import { locationTable, resultTable, rowsOfBlock, type TableRow } from './row-blocks.ts'

const deadline_ms = 24 * 3_600_000
const ping_ms = 1000
const batch_rows = 500
/** How many rows of some tables are fetched together. A chunk of a result file has up to 256 kB, a block many rows. */
const fetchSizes: Partial<Record<TransferTable['name'], number>> = {
  run_chunks: 8,
  run_locations: 100,
  run_results: 100,
}

/**
 * Calls `work` with the state of a database as it is at one time.
 * @throws {StoreError} if a server uses the database.
 */
export function transferFromPostgres<T>(
  location: DatabaseLocation,
  work: (state: TransferSchema) => Promise<T>,
): Promise<T> {
  return withTransaction(location, async (query) => {
    await query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
    await requireUnused(query, location.address)
    return work(await createTransfer(query))
  })
}

/**
 * Calls `work` with an empty database, in one transaction. Others can read the database only after it.
 * @throws {StoreError} if the database has rows.
 */
export function transferIntoPostgres<T>(
  location: DatabaseLocation,
  work: (state: TransferSchema) => Promise<T>,
): Promise<T> {
  return withTransaction(location, async (query) => {
    await query(`LOCK TABLE ${transferredTables.join(', ')} IN EXCLUSIVE MODE`)
    await runStatements(query, (sql) => sql.dialect.takeLock(sql, 'audit'))
    await requireEmpty(query, location.address)
    await query('DELETE FROM access_epoch')
    const result = await work(await createTransfer(query))
    for (const statement of sequenceUpdates) await query(statement)
    return result
  })
}

async function withTransaction<T>(location: DatabaseLocation, work: (query: PostgresQuery) => Promise<T>): Promise<T> {
  const pool = openPostgresPool({ url: location.url(), connections: 1, deadline_ms, ping_ms })
  try {
    await migratePostgres(pool).catch((error: unknown) => {
      throw postgresSetupError(error, location)
    })
    return await pool.transaction(work)
  } finally {
    await pool.close()
  }
}

/**
 * A server that only waits for requests is found by its connections. Behind PgBouncer, nobody can tell whose they are.
 */
async function requireUnused(query: PostgresQuery, address: string): Promise<void> {
  const [found] = await query<{ held: boolean; connected: boolean }>(
    `SELECT EXISTS (SELECT FROM run_leases l JOIN runs r ON r.number = l.run WHERE r.status IN ('queued', 'running')
         AND l.until > extract(epoch FROM clock_timestamp()) * 1000) AS held,
       EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fieldstone'
         AND pid <> pg_backend_pid()) AS connected`,
  )
  if (found!.held || found!.connected)
    throw new StoreError(
      `${found!.held ? 'A server is working on a run of' : 'Another Fieldstone process is using'} the PostgreSQL database ${address}. Nothing was changed. Stop all servers that use it, wait 20 seconds, and run the command again.`,
    )
}

/** A new database has one row, the access epoch. */
async function requireEmpty(query: PostgresQuery, address: string): Promise<void> {
  const tables = transferredTables.filter((name) => name !== 'access_epoch')
  const filled = await query<{ name: string }>(
    tables.map((name) => `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${name})`).join(' UNION ALL '),
  )
  if (filled.length > 0)
    throw new StoreError(
      `The PostgreSQL database ${address} is not empty: it has rows in ${filled.map(({ name }) => name).join(', ')}. Nothing was changed. Create a new database, and use it before a server starts with it.`,
    )
}

/** The next number of each identity column is above all copied ones. */
const sequenceUpdates = [
  ['tokens', 'id', 'SELECT max(id) FROM tokens'],
  ['oauth_grants', 'id', 'SELECT max(id) FROM oauth_grants'],
  ['runs', 'number', 'SELECT max(number) FROM runs'],
  ['run_epochs', 'epoch', 'SELECT greatest((SELECT max(epoch) FROM run_epochs), (SELECT max(epoch) FROM runs))'],
].map(
  ([table, column, highest]) =>
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), coalesce((${highest}), 0) + 1, false)`,
)

type Column = { name: string; type: 'bytea' | 'boolean' | 'text' | 'bigint' | 'integer' | 'smallint' }

async function createTransfer(query: PostgresQuery): Promise<TransferSchema> {
  const columns = new Map<string, Column[]>()
  for (const name of transferredTables) columns.set(name, await readColumns(query, name))
  const columnsOf = ({ name }: Pick<TransferTable, 'name'>) => columns.get(name)!
  return {
    tables: transferredTables.map((name) => ({ name, columns: columnsOf({ name }).map((column) => column.name) })),
    async *readRows(table) {
      const [cursor, size] = [`transfer_${table.name}`, fetchSizes[table.name] ?? batch_rows]
      await query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${selectOf(table)}`)
      for (;;) {
        const rows = await query<Record<string, unknown>>(`FETCH ${size} FROM ${cursor}`)
        if (rows.length === 0) break
        yield* rowBatchesOf(
          rows.values().flatMap((row) => readRows(table, columnsOf(table), row)),
          batch_rows,
        )
      }
      await query(`CLOSE ${cursor}`)
    },
    async addRows(table, rows) {
      if (table.name === 'geocode_audit')
        for (const month of new Set(rows.map((row) => String(row.month))))
          await runStatements(query, (sql) => sql.dialect.createAuditMonth(sql, month))
      await query(insertOf(table, columnsOf(table)), JSON.stringify(rows.map(hexOfBytes)))
    },
  }
}

/**
 * Reads the columns that both databases have. Only PostgreSQL has the epoch of a result file, and blocks.
 */
function readColumns(query: PostgresQuery, table: string): Promise<Column[]> {
  return query<Column>(
    `SELECT column_name::text AS name, data_type::text AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1
       AND NOT (table_name IN ('run_artifacts', 'run_chunks') AND column_name = 'epoch')
       AND NOT (table_name IN ('run_locations', 'run_results') AND column_name = 'rows')
       AND column_name NOT IN ('block', 'block_epoch', 'slice_epoch') ORDER BY ordinal_position`,
    table,
  )
}

function selectOf({ name, columns }: TransferTable): string {
  const isComplete =
    name === 'run_chunks'
      ? ' WHERE EXISTS (SELECT FROM run_artifacts a WHERE a.run = t.run AND a.name = t.name AND a.epoch = t.epoch)'
      : ''
  const block = name in blockRows ? `, t.block${name === 'run_chunks' ? '' : ', t.rows'}` : ''
  return `SELECT ${columns.map((column) => `t.${column}`).join(', ')}${block} FROM ${name} t${isComplete}`
}

/** The rows of a block, for each table that can have blocks. */
const blockRows = {
  run_locations: (row: TableRow<StoredLocation>): TransferRow[] =>
    rowsOfBlock(locationTable, row).map((location) => ({ ...location, checksum: locationChecksum(location) })),
  run_results: (row: TableRow<StoredResult>): TransferRow[] =>
    rowsOfBlock(resultTable, row).map(({ ok, retryable, ...rest }) => ({
      ...rest,
      ok: Number(ok),
      retryable: Number(retryable),
      checksum: entryChecksum({ ok, ...rest }),
    })),
  run_chunks: ({ block }: { block: Uint8Array }): TransferRow[] => [{ bytes: bytesOfBlock(block) }],
}

/** The rows that a row of a table stands for: those of its block, or itself. */
function readRows({ name }: TransferTable, columns: readonly Column[], row: Record<string, unknown>): TransferRow[] {
  const read = readRow(columns, row)
  if (!row.block || !(name in blockRows)) return [read]
  const rowsOf = blockRows[name as keyof typeof blockRows] as (row: unknown) => TransferRow[]
  return rowsOf(row).map((it) => ({ ...read, ...it }))
}

/** The client reads bigint as text. */
function readRow(columns: readonly Column[], row: Record<string, unknown>): TransferRow {
  const read = ({ name, type }: Column): TransferRow[string] => {
    const value = row[name]
    if (value === null || type === 'text' || type === 'bytea') return value as string | Uint8Array | null
    return Number(value)
  }
  return Object.fromEntries(columns.map((column) => [column.name, read(column)]))
}

/** Copied result files have the epoch 0, which no worker has. */
function insertOf({ name }: TransferTable, columns: readonly Column[]): string {
  const hasEpoch = name === 'run_artifacts' || name === 'run_chunks'
  const names = columns.map((column) => column.name)
  const values = columns.map(({ name: column, type }) => (type === 'bytea' ? `decode(${column}, 'hex')` : column))
  const types = columns.map(({ name: column, type }) => `${column} ${type === 'bytea' ? 'text' : type}`)
  return `INSERT INTO ${name} (${[...names, ...(hasEpoch ? ['epoch'] : [])].join(', ')}) ${name === 'run_epochs' ? 'OVERRIDING SYSTEM VALUE ' : ''}
    SELECT ${[...values, ...(hasEpoch ? ['0'] : [])].join(', ')} FROM json_to_recordset($1::text::json) AS r (${types.join(', ')})`
}
