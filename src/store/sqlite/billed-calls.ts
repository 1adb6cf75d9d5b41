import { stalledClaim_ms, type BilledAnswer, type BilledCallStore } from '../billed-calls.ts'
import { maxClockCorrection_ms } from '../geocodes.ts'
import { sqliteDialect } from '../dialect.ts'

const machineClock_ms = sqliteDialect.clock_ms
import { processNameOf } from './process-name.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Rows that a sweep reads at a time. All of them together would block the thread. */
const batch_rows = 200

/** Creates the store of billed calls. All statements are prepared once. */
export function createBilledCallStore({ db, read, write }: SqliteTransactions): BilledCallStore {
  const find = db.query<BilledAnswer, [string, number, number]>(
    'SELECT answer, cached_at, fresh_until FROM billed_calls WHERE key = ? AND fresh_until > ? AND cached_at <= ?',
  )
  const findExpired = db.query<{ lease: string | null }, [string]>(
    `SELECT lease FROM billed_calls WHERE key = ? AND claimed_until <= ${machineClock_ms}
     AND claimed_until > ${machineClock_ms} - ${stalledClaim_ms}`,
  )
  const claim = db.query(
    `INSERT INTO billed_calls (key, lease, claimed_until) VALUES (?, ?, ${machineClock_ms} + ?)
     ON CONFLICT (key) DO UPDATE SET lease = excluded.lease, claimed_until = excluded.claimed_until
     WHERE billed_calls.lease = excluded.lease OR billed_calls.claimed_until <= ${machineClock_ms}`,
  )
  const release = db.query('UPDATE billed_calls SET claimed_until = 0 WHERE key = ? AND lease = ?')
  const put = db.query(
    `INSERT INTO billed_calls (key, answer, cached_at, fresh_until) VALUES (?, ?, ?, ?)
     ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, cached_at = excluded.cached_at,
       fresh_until = excluded.fresh_until`,
  )
  const listBatch = db.query<{ key: string; isExpired: number }, [string, number]>(
    `SELECT key, fresh_until < ?2 AND claimed_until < ?2 AS isExpired FROM billed_calls WHERE key > ?1
     ORDER BY key LIMIT ${batch_rows}`,
  )
  const deleteBatch = db.query(
    'DELETE FROM billed_calls WHERE key > ?1 AND key <= ?2 AND fresh_until < ?3 AND claimed_until < ?3',
  )
  const owner = processNameOf(process.pid)!
  const leaseOf = (claimant: string) => `${owner} ${claimant}`
  return {
    find: (key, now) => read(() => find.get(key, now, now + maxClockCorrection_ms)),
    claim: (key, claimant, duration_ms) =>
      write(() => {
        const lease = leaseOf(claimant)
        const expired = findExpired.get(key)?.lease
        if (expired && expired !== lease && isHeld(expired)) return false
        return claim.run(key, lease, duration_ms).changes > 0
      }),
    release: (key, claimant) => write(() => void release.run(key, leaseOf(claimant))),
    put: (key, { answer, cached_at, fresh_until }) => write(() => void put.run(key, answer, cached_at, fresh_until)),
    async sweep(before) {
      for (let after = ''; ; await Bun.sleep(0)) {
        const rows = await read(() => listBatch.all(after, before))
        const last = rows.at(-1)?.key ?? after
        if (rows.some(({ isExpired }) => isExpired)) await write(() => void deleteBatch.run(after, last, before))
        if (rows.length < batch_rows) return
        after = last
      }
    },
  }
}

/** Whether the process of a lease has not ended. A lease begins with the name of its process. */
function isHeld(lease: string): boolean {
  const [owner] = lease.split(' ')
  return owner !== undefined && processNameOf(Number.parseInt(owner, 10)) === owner
}
