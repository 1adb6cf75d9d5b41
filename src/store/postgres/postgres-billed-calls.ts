import { stalledClaim_ms, type BilledAnswer, type BilledCallStore } from '../billed-calls.ts'
import { maxClockCorrection_ms } from '../geocodes.ts'
import { clock_ms, type PostgresPools, withIntegers } from './postgres-pool.ts'
import { hasEnded } from './process-lock.ts'

/** Creates the store of billed calls on PostgreSQL. */
export function createPostgresBilledCalls({ quick: { query }, work, processLock }: PostgresPools): BilledCallStore {
  const leaseOf = (claimant: string) => `${processLock.owner} ${claimant}`
  return {
    async find(key, now) {
      const [row] = await query<BilledAnswer>(
        'SELECT answer, cached_at, fresh_until FROM billed_calls WHERE key = $1 AND fresh_until > $2 AND cached_at <= $3',
        key,
        now,
        now + maxClockCorrection_ms,
      )
      return row ? withIntegers(row, 'cached_at', 'fresh_until') : null
    },
    async claim(key, claimant, duration_ms) {
      const lease = leaseOf(claimant)
      let isClaimed = false
      try {
        await processLock.hold(lease)
        isClaimed = (await query(claim, key, lease, duration_ms)).length > 0
      } finally {
        if (!isClaimed) processLock.release(lease)
      }
      return isClaimed
    },
    async release(key, claimant) {
      const lease = leaseOf(claimant)
      processLock.release(lease)
      await query('UPDATE billed_calls SET claimed_until = 0 WHERE key = $1 AND lease = $2', key, lease)
    },
    async put(key, { answer, cached_at, fresh_until }) {
      await query(
        `INSERT INTO billed_calls (key, answer, cached_at, fresh_until) VALUES ($1, $2, $3, $4)
         ON CONFLICT (key) DO UPDATE SET answer = excluded.answer, cached_at = excluded.cached_at,
           fresh_until = excluded.fresh_until`,
        key,
        answer,
        cached_at,
        fresh_until,
      )
    },
    async sweep(before) {
      await work.query('DELETE FROM billed_calls WHERE fresh_until < $1 AND claimed_until < $1', before)
    },
  }
}

/** Parameters: the key, the lease, and the duration. A lease begins with the name of its process. */
const claim = `INSERT INTO billed_calls (key, lease, claimed_until) VALUES ($1, $2, ${clock_ms} + $3::int)
  ON CONFLICT (key) DO UPDATE SET lease = excluded.lease, claimed_until = excluded.claimed_until
  WHERE billed_calls.lease = excluded.lease OR billed_calls.claimed_until <= ${clock_ms} - ${stalledClaim_ms}
    OR billed_calls.claimed_until <= ${clock_ms} AND ${hasEnded("split_part(billed_calls.lease, ' ', 1)")}
  RETURNING key`
