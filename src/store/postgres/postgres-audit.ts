import { confirmExpiry } from './postgres-expiry.ts'
import { auditMonthOf, monthOf, sweptMonthsOf, type AuditStore, type GeocodeAuditRecord } from '../audit.ts'
import { shareAdvisoryLock, takeAdvisoryLock } from './locks.ts'
import type { PostgresPools, PostgresQuery } from './postgres-pool.ts'

const lockTimeout_ms = 100

/**
 * Creates the geocoding audit on PostgreSQL. Each month is a partition of one table, which is dropped as a whole. The
 * column `month` is the month that a record was added to. Transactions that add records share a lock, which a sweep and
 * the creation of a partition hold alone.
 */
export function createPostgresAudit({ quick, work }: PostgresPools): AuditStore {
  return {
    async add(records) {
      const isAdded = await quick.transaction(async (send) => {
        await shareAdvisoryLock(send, 'audit')
        const { rows, missing } = await fileRecords(send, records)
        if (missing.size === 0) await insertRows(send, rows)
        return missing.size === 0
      })
      if (isAdded) return
      await quick.transaction(async (send) => {
        await takeAdvisoryLock(send, 'audit')
        const { rows, missing } = await fileRecords(send, records)
        for (const month of missing) await createAuditPartition(send, month)
        await insertRows(send, rows)
      })
    },
    async listMonths() {
      const counted = await work.query<{ month: string; records: string }>(
        'SELECT month, count(*) AS records FROM geocode_audit GROUP BY month ORDER BY month',
      )
      return counted.map(({ month, records }) => ({ month, records: Number(records) }))
    },
    sweep: (now) =>
      work.transaction(async (send) => {
        await takeAdvisoryLock(send, 'audit')
        const { expired, future } = sweptMonthsOf(await partitionMonths(send), now)
        const dropped = await confirmExpiry(send, 'audit_month', expired, now.getTime())
        const moved = await confirmExpiry(send, 'future_audit_month', future, now.getTime())
        if (moved.length > 0) {
          await createAuditPartition(send, monthOf(now))
          for (const month of moved)
            await send('UPDATE geocode_audit SET month = $1 WHERE month = $2', monthOf(now), month)
        }
        // Dropping a partition waits for all readers of the table, and all later ones wait for it.
        if (dropped.length + moved.length > 0) await send(`SET LOCAL lock_timeout = ${lockTimeout_ms}`)
        for (const month of [...dropped, ...moved]) await send(`DROP TABLE ${partitionOf(month)}`)
      }),
  }
}

type AuditRow = Omit<GeocodeAuditRecord, 'address_hash'> & { month: string; address_hash: string }

/** Returns records with the months that they are added to, and those months that have no partition. */
async function fileRecords(
  query: PostgresQuery,
  records: readonly GeocodeAuditRecord[],
): Promise<{ rows: AuditRow[]; missing: Set<string> }> {
  const existing = await partitionMonths(query)
  let newest = existing.at(-1) ?? null
  const rows = records.map((record) => {
    newest = auditMonthOf(record, newest)
    return { ...record, month: newest, address_hash: record.address_hash.toHex() }
  })
  return { rows, missing: new Set(rows.map(({ month }) => month)).difference(new Set(existing)) }
}

async function insertRows(query: PostgresQuery, rows: AuditRow[]): Promise<void> {
  await query(
    `INSERT INTO geocode_audit (month, at, account, address_hash, outcome, provider, cached)
     SELECT month, at, account, decode(address_hash, 'hex'), outcome, provider, cached
     FROM json_to_recordset($1::text::json) AS r
       (month text, at bigint, account text, address_hash text, outcome text, provider text, cached boolean)`,
    JSON.stringify(rows),
  )
}

/** The months that have a partition, oldest first. */
async function partitionMonths(query: PostgresQuery): Promise<string[]> {
  const partitions = await query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'geocode_audit'::regclass ORDER BY 1`,
  )
  return partitions.map(({ name }) => name.slice(-7).replace('_', '-'))
}

/** Creates the partition of a month if it does not exist. The transaction holds the lock of the audit. */
export async function createAuditPartition(query: PostgresQuery, month: string): Promise<void> {
  if ((await partitionMonths(query)).includes(month)) return
  await query(`CREATE TABLE ${partitionOf(month)} (LIKE geocode_audit)`)
  await query(`ALTER TABLE geocode_audit ATTACH PARTITION ${partitionOf(month)} FOR VALUES IN ('${month}')`)
}

/** The name of a partition. The format check makes it, and the month, safe in SQL. */
function partitionOf(month: string): string {
  if (!/^\d{4}-\d{2}$/.test(month)) throw new Error(`Not a month: ${month}.`)
  return `geocode_audit_${month.replace('-', '_')}`
}
