import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { createAuditTableNamed } from '../../audit-tables.ts'
import { verifyState } from '../copy-state.ts'
import { migrate, readSchemaVersion } from '../migrate.ts'
import { renamedColumns } from '../../first-migrations.ts'
import { removeDatabase } from '../database-file.ts'
import { tableNamesIn } from './foreign-schema.ts'
import { salvage, type SalvagedRow } from './salvage.ts'
import { StoreError } from '../../storage-error.ts'
import { syncToDisk } from '../../sync-to-disk.ts'
import { ApiError } from '../../../model/error.ts'

/**
 * The result of a recovery: for each table, the recovered rows and whether rows were lost; and the consequences for
 * runs and accounts.
 */
export type RecoveryReport = { tables: { table: string; rows: number; damaged: boolean }[]; remarks: string[] }

const page_bytes = 4096
const header_bytes = 100
const magic = 'SQLite format 3\0'

/**
 * Copies the readable rows of a damaged `state.db` into a new file. Reads from a copy, so the damaged file does not
 * change. @throws {StoreError} if nothing can be recovered.
 */
export function recoverState(file: string, into: string, now: Date): RecoveryReport {
  if (existsSync(into)) throw new StoreError(`${into} already exists. Move it away first.`)
  const [workingCopy, unfinished] = [`${into}.reading`, `${into}.unfinished`]
  try {
    makeWorkingCopy(file, workingCopy)
    const recovery = copyReadableRows(workingCopy, unfinished, file)
    verifyState(unfinished, now)
    renameSync(unfinished, into)
    return recovery
  } finally {
    for (const path of [workingCopy, unfinished]) removeDatabase(path)
  }
}

function makeWorkingCopy(file: string, workingCopy: string): void {
  if (!existsSync(file)) throw new StoreError(`${file} does not exist, so there is nothing to recover.`)
  if (!statSync(file).isFile()) throw new StoreError(`${file} is not a file, so there is nothing to recover.`)
  if (statSync(file).size < page_bytes)
    throw new StoreError(
      `${file} has only ${statSync(file).size} bytes, so nothing can be recovered. Restore a backup, or move the file away to start with a new one.`,
    )
  copyFileSync(file, workingCopy)
  const hasJournal = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0
  if (hasJournal) copyFileSync(`${file}-wal`, `${workingCopy}-wal`)
  else repairHeader(workingCopy)
}

/**
 * Repairs the header of the copy. SQLite reads nothing if the page count in the header exceeds the file. A destroyed
 * header is replaced by the header of a new database.
 */
function repairHeader(workingCopy: string): void {
  const handle = openSync(workingCopy, 'r+')
  try {
    const header = Buffer.alloc(header_bytes)
    readSync(handle, header, 0, header_bytes, 0)
    if (header.toString('latin1', 0, 16) !== magic) newHeader().copy(header)
    const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    header.writeUInt32BE(Math.floor(statSync(workingCopy).size / size), 28)
    header.writeUInt32BE(header.readUInt32BE(24), 92) // otherwise SQLite ignores the page count
    header.fill(0, 32, 40) // the freelist may be damaged
    writeSync(handle, header, 0, header_bytes, 0)
  } finally {
    closeSync(handle)
  }
}

function newHeader(): Buffer {
  const db = new Database(':memory:')
  migrate(db, null)
  const header = Buffer.from(db.serialize().subarray(0, header_bytes))
  db.close()
  return header
}

function copyReadableRows(workingCopy: string, unfinished: string, file: string): RecoveryReport {
  const from = new Database(workingCopy, { strict: true })
  const into = new Database(unfinished, { create: true, strict: true })
  chmodSync(unfinished, 0o600)
  try {
    from.run('PRAGMA writable_schema = ON')
    from.run('PRAGMA trusted_schema = OFF')
    const foundTables = tablesOf(from, file)
    migrate(into, null)
    for (const table of foundTables.map(createAuditTableNamed)) if (table) into.run(table)
    const knownTables = tablesOf(into, unfinished)
    const copied = into.transaction(() =>
      foundTables.filter((name) => knownTables.includes(name)).map((name) => copyTable(from, into, name)),
    )()
    const remarks = repairState(into)
    const rows = (table: string) =>
      into.query<{ rows: number }, []>(`SELECT count(*) AS rows FROM "${table}"`).get()!.rows
    return { tables: copied.map(({ table, damaged }) => ({ table, rows: rows(table), damaged })), remarks }
  } finally {
    from.close()
    into.close()
    syncToDisk(unfinished)
  }
}

/**
 * The table names, with `runs` first: some tables are read run by run. Nothing else of a damaged schema is used,
 * because SQLite would execute it. @throws {StoreError} if the file is not a Fieldstone database.
 */
function tablesOf(db: Database, file: string): string[] {
  try {
    readSchemaVersion(db, file)
    return tableNamesIn(db).toSorted((a, b) => Number(b === 'runs') - Number(a === 'runs') || (a < b ? -1 : 1))
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(
      `Cannot recover ${file}: its schema is lost (${(error as Error).message}). Restore a backup.`,
      { cause: error },
    )
  }
}

function copyTable(from: Database, into: Database, table: string): { table: string; damaged: boolean } {
  const columns = into
    .query<{ name: string }, []>(`PRAGMA table_info("${table}")`)
    .all()
    .map(({ name }) => name)
  const runs =
    table === 'runs'
      ? []
      : into
          .query<{ number: number }, []>('SELECT number FROM runs')
          .all()
          .map(({ number }) => number)
  let rejectedRows = 0
  const damaged = salvage(from, table, runs, (oldRow) => {
    const row = withCurrentColumns(table, oldRow)
    const known = Object.keys(row).filter((name) => columns.includes(name))
    try {
      into
        .query(
          `INSERT OR IGNORE INTO "${table}" (${known.map((name) => `"${name}"`).join(', ')}) VALUES (${known.map(() => '?').join(', ')})`,
        )
        .run(...known.map((name) => row[name]!))
    } catch {
      rejectedRows++ // a value does not match its column: the row is damaged
    }
  })
  return { table, damaged: damaged || rejectedRows > 0 }
}

/** Renames the columns of a row from an older schema version to their current names. */
function withCurrentColumns(table: string, row: SalvagedRow): SalvagedRow {
  const renames = new Map<string, string>(
    renamedColumns.filter(([name]) => name === table).map(([, from, to]) => [from, to]),
  )
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [renames.get(name) ?? name, value]))
}

const lostLocationsError = JSON.stringify(
  new ApiError('internal_error', 'A damaged database lost a part of this run. Submit it again.').detail,
)

/** A run that lost locations fails. A run that lost only results or files is answered again. */
const lostLocations = 'total <> (SELECT count(*) FROM run_locations l WHERE l.run = runs.number)'
const lostResults = 'done <> (SELECT count(*) FROM run_results r WHERE r.run = runs.number)'
const lostFiles = `number IN (SELECT a.run FROM run_artifacts a WHERE a.bytes <> (SELECT coalesce(sum(length(bytes)), 0) FROM run_chunks c WHERE c.run = a.run AND c.name = a.name)
  AND NOT EXISTS (SELECT 1 FROM artifact_objects o WHERE o.run = a.run AND o.name = a.name AND o.etag = a.etag AND o.version IS NOT NULL))`

/** Makes the recovered rows consistent. Returns sentences about what was removed or changed. */
export function repairState(db: Database): string[] {
  return db.transaction(() => [...repairAccounts(db), ...repairRuns(db)]).immediate()
}

/**
 * Deletes the credentials of lost accounts, so that no new account inherits them. Creates the owner account if it is
 * lost.
 */
function repairAccounts(db: Database): string[] {
  db.run(
    "INSERT INTO accounts (id, name, created_at) SELECT 'owner', 'owner', 0 WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE id = 'owner' OR name = 'owner')",
  )
  const orphans = ['tokens', 'invitations', 'sessions', 'oauth_grants'].map(
    (table) => db.query(`DELETE FROM "${table}" WHERE account_id NOT IN (SELECT id FROM accounts)`).run().changes,
  )
  const refresh = db
    .query('DELETE FROM oauth_refresh_tokens WHERE grant_id NOT IN (SELECT id FROM oauth_grants)')
    .run().changes
  const removed = orphans.reduce((sum, changes) => sum + changes, refresh)
  return removed === 0 ? [] : [`Removed tokens and logins of lost accounts: ${removed}.`]
}

function repairRuns(db: Database): string[] {
  // A run without slices is answered as a whole.
  db.run('DELETE FROM runs WHERE slice_of IS NOT NULL')
  for (const table of ['run_locations', 'run_results', 'run_artifacts', 'run_chunks'])
    db.run(`DELETE FROM ${table} WHERE run NOT IN (SELECT number FROM runs)`)
  db.run(
    'DELETE FROM run_results WHERE NOT EXISTS (SELECT 1 FROM run_locations l WHERE l.run = run_results.run AND l.idx = run_results.idx)',
  )
  const failedRuns = idsOf(db, lostLocations)
  db.query(
    `UPDATE runs SET status = 'failed', finished_at = coalesce(finished_at, created_at), error = ?, seq = seq + 1 WHERE ${lostLocations}`,
  ).run(lostLocationsError)
  db.run("DELETE FROM run_artifacts WHERE run IN (SELECT number FROM runs WHERE status = 'failed')")
  db.run(
    `UPDATE runs SET total = (SELECT count(*) FROM run_locations l WHERE l.run = runs.number), checksum = NULL WHERE ${lostLocations}`,
  )
  const requeuedRuns = idsOf(db, `status <> 'failed' AND (${lostResults} OR ${lostFiles})`)
  db.run(
    `UPDATE runs SET status = 'queued', finished_at = NULL, epoch = NULL, error = NULL, in_transition = 0, worker_losses = 0, seq = seq + 1 WHERE status <> 'failed' AND (${lostResults} OR ${lostFiles})`,
  )
  db.run("DELETE FROM run_artifacts WHERE run IN (SELECT number FROM runs WHERE status = 'queued')")
  db.run(
    'DELETE FROM run_chunks WHERE NOT EXISTS (SELECT 1 FROM run_artifacts a WHERE a.run = run_chunks.run AND a.name = run_chunks.name)',
  )
  db.run(
    'UPDATE runs SET done = (SELECT count(*) FROM run_results r WHERE r.run = runs.number), ok = (SELECT coalesce(sum(ok), 0) FROM run_results r WHERE r.run = runs.number), retryable_locations = (SELECT coalesce(sum(retryable), 0) FROM run_results r WHERE r.run = runs.number)',
  )
  return [
    ...(failedRuns.length > 0 ? [`Runs that lost locations are now failed: ${failedRuns.join(', ')}.`] : []),
    ...(requeuedRuns.length > 0
      ? [`Runs that lost results or files are queued again: ${requeuedRuns.join(', ')}.`]
      : []),
  ]
}

function idsOf(db: Database, condition: string): string[] {
  return db
    .query<{ id: string }, []>(`SELECT id FROM runs WHERE ${condition}`)
    .all()
    .map(({ id }) => id)
}
