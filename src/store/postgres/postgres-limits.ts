import { grantedUnits, type LimitStore, type UsageRow } from '../limits.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

/**
 * Creates the limit store on PostgreSQL. Rows are added in the order of their keys, so that two processes that add the
 * same rows do not wait for each other.
 */
export function createPostgresLimits({ quick: { query, transaction }, work }: PostgresPools): LimitStore {
  return {
    async addUsage(rows) {
      await query(
        `INSERT INTO usage (account_id, day, endpoint, source, requests, fields, metered_calls)
         SELECT account_id, day, endpoint, source, sum(requests), sum(fields), sum(metered_calls)
         FROM json_to_recordset($1::text::json) AS r
           (account_id text, day text, endpoint text, source text, requests bigint, fields bigint, metered_calls bigint)
         GROUP BY account_id, day, endpoint, source ORDER BY account_id, day, endpoint, source
         ON CONFLICT (account_id, day, endpoint, source) DO UPDATE SET requests = usage.requests + excluded.requests,
           fields = usage.fields + excluded.fields, metered_calls = usage.metered_calls + excluded.metered_calls`,
        JSON.stringify(rows),
      )
    },
    async listUsage(account_id, from, to) {
      const rows = await query<UsageRow>(
        `SELECT account_id, day, endpoint, source, requests, fields, metered_calls FROM usage
         WHERE account_id = $1 AND day BETWEEN $2 AND $3 ORDER BY day DESC, endpoint, source`,
        account_id,
        from,
        to,
      )
      return rows.map((row) => withIntegers(row, 'requests', 'fields', 'metered_calls'))
    },
    async addQuota(rows) {
      await query(
        `INSERT INTO quota_usage (account_id, day, units) SELECT account_id, window_start, sum(units)
         FROM json_to_recordset($1::text::json) AS r (account_id text, window_start text, units bigint)
         GROUP BY account_id, window_start ORDER BY account_id, window_start
         ON CONFLICT (account_id, day) DO UPDATE SET units = greatest(0, quota_usage.units + excluded.units)`,
        JSON.stringify(rows),
      )
    },
    allocate: (request) =>
      transaction(async (send) => {
        const { account_id, window_start } = request
        const key = [account_id, window_start] as const
        await send('INSERT INTO quota_usage (account_id, day, units) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING', ...key)
        const [row] = await send<{ units: string }>(
          'SELECT units FROM quota_usage WHERE account_id = $1 AND day = $2 FOR UPDATE',
          ...key,
        )
        const used = Number(row!.units)
        const granted = grantedUnits(request, used)
        const units = used + granted
        if (granted > 0)
          await send('UPDATE quota_usage SET units = $3 WHERE account_id = $1 AND day = $2', ...key, units)
        return { granted, units }
      }),
    async quotaOf(account_id, window_start) {
      const [row] = await query<{ units: string }>(
        'SELECT units FROM quota_usage WHERE account_id = $1 AND day = $2',
        account_id,
        window_start,
      )
      return Number(row?.units ?? 0)
    },
    async sweep({ usage, day, minute }) {
      await work.query('DELETE FROM usage WHERE day < $1', usage)
      await work.query("DELETE FROM quota_usage WHERE day < $1 OR (day LIKE '%T%' AND day < $2)", day, minute)
    },
  }
}
