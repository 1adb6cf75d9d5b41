import type { Database } from 'bun:sqlite'
import { auditMonthOf, monthOf, sweptMonthsOf, type AuditStore, type GeocodeAuditRecord } from '../audit.ts'
import { createExpiryConfirmation } from './expiry-confirmation.ts'
import type { SqliteTransactions } from './transactions.ts'

const tablePrefix = 'geocode_audit_'

/** Creates the geocoding audit in `state.db`. Each month has a table, which is dropped as a whole. */
export function createAuditStore({ db, read, write }: SqliteTransactions): AuditStore {
  const confirm = createExpiryConfirmation(db)
  return {
    add: (records) =>
      write(() => {
        let newestMonth = auditMonthsIn(db).at(-1) ?? null
        for (const record of records) {
          const month = auditMonthOf(record, newestMonth)
          if (month !== newestMonth) createAuditTable(db, (newestMonth = month))
          insertRecord(db, month, record)
        }
      }),
    listMonths: () => read(() => auditMonthsIn(db).map((month) => ({ month, records: countRecords(db, month) }))),
    sweep: (now) =>
      write(() => {
        const { expired, future } = sweptMonthsOf(auditMonthsIn(db), now)
        for (const month of confirm('audit_month', expired, now.getTime())) db.run(`DROP TABLE ${auditTableOf(month)}`)
        for (const month of confirm('future_audit_month', future, now.getTime())) mergeMonths(db, month, monthOf(now))
      }),
  }
}

function insertRecord(db: Database, month: string, record: GeocodeAuditRecord): void {
  const { at, account, address_hash, outcome, provider, cached } = record
  db.query(
    `INSERT INTO ${auditTableOf(month)} (at, account, address_hash, outcome, provider, cached) VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(at, account, address_hash, outcome, provider, cached ? 1 : 0)
}

/** The months that have a table, oldest first. */
export function auditMonthsIn(db: Database): string[] {
  const rows = db
    .query<{ name: string }, [string]>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ? ORDER BY name",
    )
    .all(`${tablePrefix}[0-9][0-9][0-9][0-9]_[0-9][0-9]`)
  return rows.map(({ name }) => name.slice(tablePrefix.length).replace('_', '-'))
}

function countRecords(db: Database, month: string): number {
  return db.query<{ records: number }, []>(`SELECT count(*) AS records FROM ${auditTableOf(month)}`).get()!.records
}

/** Creates the table of a month if it does not exist. */
export function createAuditTable(db: Database, month: string): void {
  db.run(`CREATE TABLE IF NOT EXISTS ${auditTableOf(month)} (
    at INTEGER NOT NULL, account TEXT NOT NULL, address_hash BLOB NOT NULL, outcome TEXT NOT NULL, provider TEXT, cached INTEGER NOT NULL
  ) STRICT`)
}

/** Creates the empty month table with this name. Does nothing for any other name. */
export function createMonthTableNamed(db: Database, table: string): void {
  const [, year, month] = /^geocode_audit_(\d{4})_(\d\d)$/.exec(table) ?? []
  if (month !== undefined) createAuditTable(db, `${year}-${month}`)
}

function mergeMonths(db: Database, from: string, into: string): void {
  createAuditTable(db, into)
  db.run(`INSERT INTO ${auditTableOf(into)} SELECT * FROM ${auditTableOf(from)}`)
  db.run(`DROP TABLE ${auditTableOf(from)}`)
}

/** The table name of a month. The format check makes it safe in SQL. */
export function auditTableOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`Not a month: ${month}.`)
  return tablePrefix + month.replace('-', '_')
}
