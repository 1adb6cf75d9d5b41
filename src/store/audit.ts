import type { Database } from 'bun:sqlite'
import { openPatientWrites } from './patient-writes.ts'
import { isReadOnly } from './read-only.ts'
import { secretOf } from './secrets.ts'

/** That an address came in: when (ms since 1970), whose, which (a keyed hash of its normalised form), and what became of it. */
export type AuditRecord = { at: number; account: string; address_hash: Uint8Array; outcome: string; provider: string | null; cached: boolean }

/** The record of geocoding, in `state.db`: a table for each month, dropped as a whole. */
export type Audit = {
  /** The keyed hash of a text; the key never leaves the database. */
  hashOf(text: string): Uint8Array
  add(record: AuditRecord): void
  /** Writes what still waits. */
  close(): void
  /** Every month there is, oldest first, as `2026-11`. */
  months(): string[]
  /**
   * Drops the months that are past their time. It takes two sweeps in a row that find a month so: a clock that was wrong for a moment loses
   * nothing. Likewise a month of the future goes into the present one.
   */
  sweep(now: Date): void
}

/** For how long a record is kept at least. */
export const retention_days = 30

const day_ms = 86_400_000
const prefix = 'geocode_audit_'
const keyName = 'geocode_audit'

/** `report` is told of a record that could not be written. */
export function openAudit(db: Database, randomBytes: (size: number) => Uint8Array, report: (error: unknown) => void): Audit {
  const nothingIsWritten = isReadOnly(db)
  const key = secretOf(db, keyName, randomBytes)
  const writes = openPatientWrites(report)
  let condemned: ReadonlySet<string> = new Set()
  let early: ReadonlySet<string> = new Set()
  return {
    hashOf: (text) => new Bun.CryptoHasher('sha256', key).update(text).digest(),
    add: (record) => { if (!nothingIsWritten) writes.add(() => insert(db, record)) },
    close: writes.close,
    months: () => months(db),
    sweep(now) {
      if (nothingIsWritten) return
      const there = months(db)
      const past = there.filter((month) => isPast(month, now))
      const present = monthOf(now)
      const future = there.filter((month) => month > present)
      for (const month of past.filter((it) => condemned.has(it))) db.run(`DROP TABLE IF EXISTS ${tableOf(month)}`)
      for (const month of future.filter((it) => early.has(it))) merge(db, month, present)
      condemned = new Set(past)
      early = new Set(future)
    },
  }
}

function insert(db: Database, { at, account, address_hash, outcome, provider, cached }: AuditRecord): void {
  const month = [monthOf(new Date(at)), ...months(db).slice(-1)].toSorted().at(-1)!
  make(db, month)
  db.query(`INSERT INTO ${tableOf(month)} (at, account, address_hash, outcome, provider, cached) VALUES (?, ?, ?, ?, ?, ?)`).run(at, account, address_hash, outcome, provider, cached ? 1 : 0)
}

/** Whether a whole month lies before the cutoff: its last instant is at least thirty days ago. */
export function isPast(month: string, now: Date): boolean {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number, 1) <= now.getTime() - retention_days * day_ms
}

/** The month of an instant in UTC: `2026-11`. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7)
}

/** The months that have a table, oldest first. */
function months(db: Database): string[] {
  const rows = db.query<{ name: string }, [string]>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB ? ORDER BY name").all(`${prefix}[0-9][0-9][0-9][0-9]_[0-9][0-9]`)
  return rows.map(({ name }) => name.slice(prefix.length).replace('_', '-'))
}

function make(db: Database, month: string): void {
  db.run(`CREATE TABLE IF NOT EXISTS ${tableOf(month)} (
    at INTEGER NOT NULL, account TEXT NOT NULL, address_hash BLOB NOT NULL, outcome TEXT NOT NULL, provider TEXT, cached INTEGER NOT NULL
  ) STRICT`)
}

/** Makes the table of a month by its name, empty; nothing for the name of another table. */
export function makeMonth(db: Database, table: string): void {
  const [, year, month] = /^geocode_audit_(\d{4})_(\d\d)$/.exec(table) ?? []
  if (month !== undefined) make(db, `${year}-${month}`)
}

function merge(db: Database, from: string, into: string): void {
  db.transaction(() => {
    make(db, into)
    db.run(`INSERT INTO ${tableOf(into)} SELECT * FROM ${tableOf(from)}`)
    db.run(`DROP TABLE ${tableOf(from)}`)
  }).immediate()
}

/** A name that is made of a month alone may stand in SQL. */
function tableOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`${month} is no month.`)
  return prefix + month.replace('-', '_')
}
