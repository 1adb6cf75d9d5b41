import { auditTableOf } from './audit-tables.ts'
import { confirmExpiry } from './expiry.ts'
import type { Dialect, SqlPools, Statements, Step } from './sql.ts'

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

/** A month that has audit records, such as `2026-11`. */
export type AuditMonth = { month: string; records: number }

/** The geocoding audit. The records of a month are deleted together. */
export type AuditStore = {
  /** Adds records to their months. A record of an earlier month than the newest one is added to the newest one. */
  add(records: readonly GeocodeAuditRecord[]): Promise<void>
  /** The months that have records, oldest first. */
  listMonths(): Promise<AuditMonth[]>
  /**
   * Deletes expired months, and moves the records of months in the future into the present one. Both happen only when
   * two sweeps agree, so that a clock that is wrong for a moment loses nothing.
   */
  sweep(now: Date): Promise<void>
}

/** The minimum retention of a record. */
export const auditRetention_days = 30

const day_ms = 86_400_000

/** Whether the end of a month is at least 30 days ago. */
export function isMonthExpired(month: string, now: Date): boolean {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number, 1) <= now.getTime() - auditRetention_days * day_ms
}

/** The month of a time in UTC, such as `2026-11`. */
export function monthOf(time: Date): string {
  return time.toISOString().slice(0, 7)
}

/** The month that a record is added to: the one of its time, or the newest month with records if that is later. */
function auditMonthOf({ at }: GeocodeAuditRecord, newestMonth: string | null): string {
  const month = monthOf(new Date(at))
  return newestMonth !== null && newestMonth > month ? newestMonth : month
}

/** The months that a sweep deletes if it is confirmed, and those in the future, which it moves into the present one. */
function sweptMonthsOf(months: readonly string[], now: Date): { expired: string[]; future: string[] } {
  return {
    expired: months.filter((month) => isMonthExpired(month, now)),
    future: months.filter((month) => month > monthOf(now)),
  }
}

/**
 * Creates the geocoding audit. Each month has a table, which is dropped as a whole. Transactions that add records share
 * a lock, which a sweep and the creation of a table hold alone.
 */
export function createAudit({ quick, work }: SqlPools): AuditStore {
  return {
    async add(records) {
      const isAdded = await quick.write(function* (sql) {
        yield* sql.dialect.shareLock(sql, 'audit')
        const { byMonth, missing } = yield* divideByMonth(sql, records)
        if (missing.length === 0) yield* insertRecords(sql, byMonth)
        return missing.length === 0
      })
      if (isAdded) return
      await quick.write(function* (sql) {
        yield* sql.dialect.takeLock(sql, 'audit')
        const { byMonth, missing } = yield* divideByMonth(sql, records)
        for (const month of missing) yield* sql.dialect.createAuditMonth(sql, month)
        yield* insertRecords(sql, byMonth)
      })
    },
    listMonths: () =>
      work.read(function* (sql) {
        const counted: AuditMonth[] = []
        for (const month of yield* sql.dialect.auditMonths(sql)) {
          const count = `SELECT count(*) AS records FROM ${auditTableOf(month)}`
          counted.push({ month, records: (yield* sql.get<{ records: number }>(count))!.records })
        }
        return counted
      }),
    sweep: (now) =>
      work.write(function* (sql) {
        yield* sql.dialect.takeLock(sql, 'audit')
        const { expired, future } = sweptMonthsOf(yield* sql.dialect.auditMonths(sql), now)
        const dropped = yield* confirmExpiry(sql, 'audit_month', expired, now.getTime())
        const moved = yield* confirmExpiry(sql, 'future_audit_month', future, now.getTime())
        if (moved.length > 0) yield* sql.dialect.createAuditMonth(sql, monthOf(now))
        for (const month of moved) yield* sql.run(moveRecords(sql.dialect, month, monthOf(now)))
        if (dropped.length + moved.length > 0) yield* sql.dialect.limitLockWait(sql)
        for (const month of [...dropped, ...moved]) yield* sql.run(`DROP TABLE ${auditTableOf(month)}`)
      }),
  }
}

type RecordsByMonth = ReadonlyMap<string, GeocodeAuditRecord[]>

/** Divides records by the months that they are added to, and lists those months that have no table. */
function* divideByMonth(
  sql: Statements,
  records: readonly GeocodeAuditRecord[],
): Step<{ byMonth: RecordsByMonth; missing: string[] }> {
  const existing = yield* sql.dialect.auditMonths(sql)
  let newest = existing.at(-1) ?? null
  const byMonth = Map.groupBy(records, (record) => (newest = auditMonthOf(record, newest)))
  return { byMonth, missing: [...byMonth.keys()].filter((month) => !existing.includes(month)) }
}

function* insertRecords(sql: Statements, byMonth: RecordsByMonth): Step<void> {
  for (const [month, records] of byMonth) yield* sql.runEach(addRecord(sql.dialect, month), records)
}

const columns = 'at, account, address_hash, outcome, provider, cached'

const addRecord = ({ recordStatement, auditMonth }: Dialect, month: string) =>
  recordStatement(
    { at: 'bigint', account: 'text', address_hash: 'bytea', outcome: 'text', provider: 'text', cached: 'boolean' },
    (value, from) =>
      `INSERT INTO ${auditTableOf(month)} (${auditMonth(month).column}${columns})
       SELECT ${auditMonth(month).value}${value('at')}, ${value('account')}, ${value('address_hash')},
         ${value('outcome')}, ${value('provider')}, ${value('cached')} ${from}`,
  )

const moveRecords = ({ auditMonth }: Dialect, from: string, into: string) =>
  `INSERT INTO ${auditTableOf(into)} (${auditMonth(into).column}${columns})
   SELECT ${auditMonth(into).value}${columns} FROM ${auditTableOf(from)}`
