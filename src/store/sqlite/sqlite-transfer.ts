import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TransferRow, TransferState, TransferTable } from '../state-transfer.ts'
import { rowBatchesOf } from '../sql.ts'
import { StoreError } from '../storage-error.ts'
import { syncToDisk } from '../sync-to-disk.ts'
import { createWorkFolder, removeAbandonedWorkFolders } from '../work-folder.ts'
import { verifyState } from './copy-state.ts'
import { lockFolder } from './folder-lock.ts'
import { auditTableOf, createAuditTable } from '../audit-tables.ts'
import { sqliteDialect } from '../dialect.ts'
import { openGeocodeDatabase } from './geocode-cache.ts'
import { isReadOnlyDatabase, openForInspection, requireReadableFolder } from './read-only.ts'
import { withStorageErrors } from './sqlite-errors.ts'
import { runOnConnection } from './sqlite-sql.ts'
import { openState } from './state-database.ts'

const busyTimeout_ms = 5000
const batch_rows = 500
const chunkBatch_rows = 8

/**
 * Calls `work` with the state of a data folder, which nobody changes meanwhile.
 * @throws {StoreError} if a server uses the folder, or the folder has no state.
 */
export async function transferFromFolder<T>(folder: string, work: (state: TransferState) => Promise<T>): Promise<T> {
  const file = join(folder, 'state.db')
  if (existsSync(folder)) requireReadableFolder(folder)
  if (!existsSync(file)) throw new StoreError(`${file} does not exist. Set --data to the data folder.`)
  const stack = new DisposableStack()
  try {
    stack.defer(lockFolder(folder))
    const db = stack.adopt(openState(folder, busyTimeout_ms), (opened) => opened.close())
    db.run(isReadOnlyDatabase(db) ? 'BEGIN' : 'BEGIN IMMEDIATE')
    const cache = openExistingGeocodes(folder)
    if (cache) stack.defer(() => cache.close())
    return await work(createTransfer(db, cache))
  } finally {
    stack.dispose()
  }
}

/**
 * Calls `work` with an empty state in a folder beside `folder`, verifies the state, and renames the folder. If this is
 * interrupted, `folder` does not exist, and the next call removes the rest.
 * @throws {StoreError} if `folder` exists and is not empty.
 */
export async function transferIntoFolder<T>(folder: string, work: (state: TransferState) => Promise<T>): Promise<T> {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new StoreError(`${folder} is not empty. Nothing was changed. Set --to to a new folder.`)
  const parent = dirname(folder)
  mkdirSync(parent, { recursive: true })
  removeAbandonedWorkFolders(parent)
  const workFolder = createWorkFolder(parent)
  try {
    const unfinished = join(workFolder.path, 'data')
    const result = await withNewState(unfinished, work)
    verifyState(join(unfinished, 'state.db'), new Date())
    for (const path of [join(unfinished, 'state.db'), join(unfinished, 'cache.db'), unfinished]) syncToDisk(path)
    renameSync(unfinished, folder)
    syncToDisk(parent)
    return result
  } finally {
    workFolder.remove()
  }
}

async function withNewState<T>(folder: string, work: (state: TransferState) => Promise<T>): Promise<T> {
  const db = openState(folder)
  const cache = openGeocodeDatabase(folder)
  try {
    // The files are synced when they are complete.
    for (const opened of [db, cache]) opened.run('PRAGMA synchronous = OFF')
    db.run('DELETE FROM access_epoch')
    const result = await work(createTransfer(db, cache))
    // The number of the next worker is above those of all runs, also if the database skipped some.
    db.run(
      "UPDATE sqlite_sequence SET seq = max(seq, (SELECT coalesce(max(epoch), 0) FROM runs)) WHERE name = 'run_epochs'",
    )
    return result
  } finally {
    cache.close()
    db.close()
  }
}

/** Opens the `cache.db` of a folder; null if it does not exist or has no geocodes. */
function openExistingGeocodes(folder: string): Database | null {
  const file = join(folder, 'cache.db')
  if (!existsSync(file)) return null
  try {
    const db = openForInspection(file)
    if (db.query("SELECT 1 FROM sqlite_schema WHERE name = 'geocodes'").get()) return db
    db.close()
    return null
  } catch (cause) {
    throw new StoreError(
      `Cannot read ${file}: ${(cause as Error).message}. It is a cache. To continue without its geocodes, delete it and run the command again.`,
      { cause },
    )
  }
}

function createTransfer(state: Database, cache: Database | null): TransferState {
  const databaseOf = ({ name }: TransferTable) => (name === 'geocodes' ? cache : state)
  return {
    async *readRows(table) {
      const db = databaseOf(table)
      if (!db) return
      const size = table.name === 'run_chunks' ? chunkBatch_rows : batch_rows
      for (const statement of selectsOf(db, table))
        yield* rowBatchesOf(db.query<TransferRow, []>(statement).iterate(), size)
    },
    async addRows(table, rows) {
      const db = databaseOf(table)!
      withStorageErrors(() => db.transaction(() => insertRows(db, table, rows))())
    },
  }
}

/** Each month of the audit is a table of its own, without a column for the month. */
function selectsOf(db: Database, { name, columns }: TransferTable): string[] {
  if (name === 'geocode_audit')
    return runOnConnection(db, (sql) => sqliteDialect.auditMonths(sql)).map(
      (month) => `SELECT '${month}' AS month, * FROM ${auditTableOf(month)}`,
    )
  const isComplete =
    name === 'run_chunks'
      ? ' t WHERE EXISTS (SELECT 1 FROM run_artifacts a WHERE a.run = t.run AND a.name = t.name)'
      : ''
  return [`SELECT ${columns.join(', ')} FROM ${name}${isComplete}`]
}

function insertRows(db: Database, { name, columns }: TransferTable, rows: readonly TransferRow[]): void {
  const isAudit = name === 'geocode_audit'
  const stored = isAudit ? columns.filter((column) => column !== 'month') : columns
  for (const row of rows) {
    if (isAudit) db.run(createAuditTable(String(row.month)))
    const table = isAudit ? auditTableOf(String(row.month)) : name
    db.query<unknown, SQLQueryBindings[]>(
      `INSERT INTO ${table} (${stored.join(', ')}) VALUES (${stored.map(() => '?').join(', ')})`,
    ).run(...stored.map((column) => row[column]!))
  }
}
