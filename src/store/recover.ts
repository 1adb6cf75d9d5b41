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
import { createMonthTableNamed } from './geocode-audit.ts'
import { verifyState } from './copy-state.ts'
import { repairState } from './repair.ts'
import { migrate } from './migrate.ts'
import { readSchemaVersion } from './schema-version.ts'
import { removeDatabase } from './remove-database.ts'
import { salvage } from './salvage.ts'
import { StoreError } from './store-error.ts'
import { syncToDisk } from './sync-to-disk.ts'

/** What came of a damaged `state.db`: each table, the rows that are in the new file, and whether a part of it could not be read; and what follows for the runs. */
export type RecoveryReport = { tables: { table: string; rows: number; damaged: boolean }[]; remarks: string[] }

const page_bytes = 4096
const header_bytes = 100
const magic = 'SQLite format 3\0'

/** Writes what can be read of a damaged `state.db` into a new file. The damaged one is not touched: a copy of it is read. */
export function recoverState(file: string, into: string, now: Date): RecoveryReport {
  if (existsSync(into)) throw new StoreError(`${into} is there already: move it away first.`)
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
  if (!existsSync(file)) throw new StoreError(`There is no ${file}: there is nothing to recover.`)
  if (!statSync(file).isFile()) throw new StoreError(`${file} is no file: there is nothing to recover.`)
  if (statSync(file).size < page_bytes)
    throw new StoreError(
      `${file} has ${statSync(file).size} bytes: nothing of it can be read. Restore a backup, or move it away and begin anew.`,
    )
  copyFileSync(file, workingCopy)
  const hasJournal = existsSync(`${file}-wal`) && statSync(`${file}-wal`).size > 0
  if (hasJournal) copyFileSync(`${file}-wal`, `${workingCopy}-wal`)
  else repairHeader(workingCopy)
}

/** The header says how many pages there are, and SQLite reads nothing when there are fewer; a header that is none at all is that of a new database. */
function repairHeader(workingCopy: string): void {
  const handle = openSync(workingCopy, 'r+')
  try {
    const header = Buffer.alloc(header_bytes)
    readSync(handle, header, 0, header_bytes, 0)
    if (header.toString('latin1', 0, 16) !== magic) newHeader().copy(header)
    const size = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    header.writeUInt32BE(Math.floor(statSync(workingCopy).size / size), 28)
    header.writeUInt32BE(header.readUInt32BE(24), 92) // else the number of pages is not believed
    header.fill(0, 32, 40) // the list of free pages may lead anywhere
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
    for (const name of foundTables) createMonthTableNamed(into, name)
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

/** The names of the tables, the runs first: others are read run by run. Nothing else of a schema is taken from a damaged file: it would be carried out. Refuses what is not ours. */
function tablesOf(db: Database, file: string): string[] {
  try {
    readSchemaVersion(db, file)
    return db
      .query<{ name: string }, []>(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name <> 'runs', name",
      )
      .all()
      .map(({ name }) => name)
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError(
      `Nothing of ${file} can be read: the names of its tables are lost (${(error as Error).message}). Restore a backup.`,
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
  const damaged = salvage(from, table, runs, (row) => {
    const known = Object.keys(row).filter((name) => columns.includes(name))
    try {
      into
        .query(
          `INSERT OR IGNORE INTO "${table}" (${known.map((name) => `"${name}"`).join(', ')}) VALUES (${known.map(() => '?').join(', ')})`,
        )
        .run(...known.map((name) => row[name]!))
    } catch {
      rejectedRows++ // a value that its column cannot hold: the row is damaged
    }
  })
  return { table, damaged: damaged || rejectedRows > 0 }
}
