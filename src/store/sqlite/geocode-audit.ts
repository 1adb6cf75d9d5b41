import type { Database } from 'bun:sqlite'
import { openDeferredWrites } from './deferred-writes.ts'
import { createExpiryConfirmation } from './expiry-confirmation.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { getOrCreateSecret } from './secrets.ts'

/**
 * One received address: the time (ms since 1970), the account, a keyed hash of the normalized address, and the outcome.
 */
export type GeocodeAuditRecord = {
  at: number
  account: string
  address_hash: Uint8Array
  outcome: string
  provider: string | null
  cached: boolean
}

/** The geocoding audit in `state.db`. Each month has a table, which is dropped as a whole. */
export type GeocodeAudit = {
  /** Returns the keyed hash of a text. The key never leaves the database. */
  hashOf(text: string): Uint8Array
  add(record: GeocodeAuditRecord): void
  /** Writes the queued records. */
  close(): void
  /** The months with a table, oldest first, such as `2026-11`. */
  listMonths(): string[]
  /**
   * Drops expired months, and merges months in the future into the present one. Both happen only when two sweeps agree,
   * so that a clock that is wrong for a moment loses nothing.
   */
  sweep(now: Date): void
}

/** The minimum retention of a record. */
export const auditRetention_days = 30

const day_ms = 86_400_000
const tablePrefix = 'geocode_audit_'
const secretName = 'geocode_audit'

/** Opens the audit. `report` receives the error of each record that could not be written. */
export function openGeocodeAudit(
  db: Database,
  randomBytes: (size: number) => Uint8Array,
  report: (error: unknown) => void,
): GeocodeAudit {
  const isReadOnly = isReadOnlyDatabase(db)
  const key = getOrCreateSecret(db, secretName, randomBytes)
  const deferredWrites = openDeferredWrites(report)
  const confirm = isReadOnly ? () => [] : createExpiryConfirmation(db)
  return {
    hashOf: (text) => new Bun.CryptoHasher('sha256', key).update(text).digest(),
    add: (record) => {
      if (!isReadOnly) deferredWrites.add(() => insertRecord(db, record))
    },
    close: deferredWrites.close,
    listMonths: () => listMonths(db),
    sweep(now) {
      if (isReadOnly) return
      const existing = listMonths(db)
      const expired = existing.filter((month) => isMonthExpired(month, now))
      const present = monthOf(now)
      const future = existing.filter((month) => month > present)
      for (const month of confirm('audit_month', expired, now.getTime()))
        db.run(`DROP TABLE IF EXISTS ${tableOf(month)}`)
      for (const month of confirm('future_audit_month', future, now.getTime())) mergeMonths(db, month, present)
    },
  }
}

function insertRecord(
  db: Database,
  { at, account, address_hash, outcome, provider, cached }: GeocodeAuditRecord,
): void {
  const month = [monthOf(new Date(at)), ...listMonths(db).slice(-1)].toSorted().at(-1)!
  createMonthTable(db, month)
  db.query(
    `INSERT INTO ${tableOf(month)} (at, account, address_hash, outcome, provider, cached) VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(at, account, address_hash, outcome, provider, cached ? 1 : 0)
}

/** Whether the end of a month is at least 30 days ago. */
export function isMonthExpired(month: string, now: Date): boolean {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number, 1) <= now.getTime() - auditRetention_days * day_ms
}

/** The month of a time in UTC, such as `2026-11`. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7)
}

/** The months that have a table, oldest first. */
function listMonths(db: Database): string[] {
  const rows = db
    .query<{ name: string }, [string]>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ? ORDER BY name",
    )
    .all(`${tablePrefix}[0-9][0-9][0-9][0-9]_[0-9][0-9]`)
  return rows.map(({ name }) => name.slice(tablePrefix.length).replace('_', '-'))
}

function createMonthTable(db: Database, month: string): void {
  db.run(`CREATE TABLE IF NOT EXISTS ${tableOf(month)} (
    at INTEGER NOT NULL, account TEXT NOT NULL, address_hash BLOB NOT NULL, outcome TEXT NOT NULL, provider TEXT, cached INTEGER NOT NULL
  ) STRICT`)
}

/** Creates the empty month table with this name. Does nothing for any other name. */
export function createMonthTableNamed(db: Database, table: string): void {
  const [, year, month] = /^geocode_audit_(\d{4})_(\d\d)$/.exec(table) ?? []
  if (month !== undefined) createMonthTable(db, `${year}-${month}`)
}

function mergeMonths(db: Database, from: string, into: string): void {
  db.transaction(() => {
    createMonthTable(db, into)
    db.run(`INSERT INTO ${tableOf(into)} SELECT * FROM ${tableOf(from)}`)
    db.run(`DROP TABLE ${tableOf(from)}`)
  }).immediate()
}

/** The table name of a month. The format check makes it safe in SQL. */
function tableOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`Not a month: ${month}.`)
  return tablePrefix + month.replace('-', '_')
}
