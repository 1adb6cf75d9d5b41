import type { RunSweep } from '../runs.ts'
import { takeAdvisoryLock } from './locks.ts'
import { confirmExpiry } from './postgres-expiry.ts'
import type { PostgresPools } from './postgres-pool.ts'

const batch_rows = 500

/**
 * Statements that delete a batch of the rows of a run. The run itself comes last, so that an interrupted sweep is
 * continued.
 */
const deletions = [
  ...['run_chunks', 'run_results', 'run_locations'].map(
    (table) =>
      `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE run = $1 LIMIT ${table === 'run_chunks' ? batch_rows / 100 : batch_rows}) RETURNING 1`,
  ),
  'DELETE FROM run_artifacts WHERE run = $1 RETURNING 1',
  'DELETE FROM run_leases WHERE run = $1 RETURNING 1',
  'DELETE FROM runs WHERE number = $1 RETURNING 1',
]

/** Creates the run sweep on PostgreSQL. */
export function createPostgresRunSweep({ work: { query, transaction } }: PostgresPools): RunSweep {
  return {
    confirmExpired: (now) =>
      transaction(async (send) => {
        await takeAdvisoryLock(send, 'run_sweep')
        const expired = await send<{ number: number }>('SELECT number FROM runs WHERE expires_at <= $1', now)
        const confirmed = await confirmExpiry(
          send,
          'run',
          expired.map(({ number }) => String(number)),
          now,
        )
        return confirmed.map(Number)
      }),
    async removeBatch(run) {
      for (const deletion of deletions) if ((await query(deletion, run)).length > 0) return true
      return false
    },
    async removeKeys(before) {
      await query('DELETE FROM run_keys WHERE created_at <= $1', before)
    },
  }
}
