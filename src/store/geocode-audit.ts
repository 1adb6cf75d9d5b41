import type { Database } from 'bun:sqlite'
import { openDeferredWrites } from './deferred-writes.ts'
import { isReadOnlyDatabase } from './read-only.ts'
import { getOrCreateSecret } from './secrets.ts'

/** That an address came in: when (ms since 1970), whose, which (a keyed hash of its normalised form), and what became of it. */
export type GeocodeAuditRecord = {
  at: number
  account: string
  address_hash: Uint8Array
  outcome: string
  provider: string | null
  cached: boolean
}

/** The record of geocoding, in `state.db`: a table for each month, dropped as a whole. */
export type GeocodeAudit = {
  /** The keyed hash of a text; the key never leaves the database. */
  hashOf(text: string): Uint8Array
  add(record: GeocodeAuditRecord): void
  /** Writes what still waits. */
  close(): void
  /** Every month there is, oldest first, as `2026-11`. */
  listMonths(): string[]
  /**
   * Drops the months that are past their time. It takes two sweeps in a row that find a month so: a clock that was wrong for a moment loses
   * nothing. Likewise a month of the future goes into the present one.
   */
  sweep(now: Date): void
}

/** For how long a record is kept at least. */
export const auditRetention_days = 30

const day_ms = 86_400_000
const tablePrefix = 'geocode_audit_'
const secretName = 'geocode_audit'

/** `report` is told of a record that could not be written. */
export function openGeocodeAudit(
  db: Database,
  randomBytes: (size: number) => Uint8Array,
  report: (error: unknown) => void,
): GeocodeAudit {
  const isReadOnly = isReadOnlyDatabase(db)
  const key = getOrCreateSecret(db, secretName, randomBytes)
  const deferredWrites = openDeferredWrites(report)
  let expiredCandidates: ReadonlySet<string> = new Set()
  let futureCandidates: ReadonlySet<string> = new Set()
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
      for (const month of expired.filter((it) => expiredCandidates.has(it)))
        db.run(`DROP TABLE IF EXISTS ${tableOf(month)}`)
      for (const month of future.filter((it) => futureCandidates.has(it))) mergeMonths(db, month, present)
      expiredCandidates = new Set(expired)
      futureCandidates = new Set(future)
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

/** Whether a whole month lies before the cutoff: its last instant is at least thirty days ago. */
export function isMonthExpired(month: string, now: Date): boolean {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number, 1) <= now.getTime() - auditRetention_days * day_ms
}

/** The month of an instant in UTC: `2026-11`. */
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

/** Makes the table of a month by its name, empty; nothing for the name of another table. */
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

/** A name that is made of a month alone may stand in SQL. */
function tableOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`${month} is no month.`)
  return tablePrefix + month.replace('-', '_')
}
