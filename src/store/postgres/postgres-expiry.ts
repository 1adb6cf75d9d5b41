import { decideExpiry, type ExpiringKind, type ExpiredItem } from '../expiry-decision.ts'
import type { PostgresQuery } from './postgres-pool.ts'

/**
 * Returns which of the items that are expired now may be deleted, and stores what this sweep found. Call it in a
 * transaction.
 */
export async function confirmExpiry(
  query: PostgresQuery,
  kind: ExpiringKind,
  expired: readonly string[],
  now: number,
): Promise<string[]> {
  const found = await query<ExpiredItem>('SELECT item, found_at::float8 FROM expired_items WHERE kind = $1', kind)
  const { confirmed, removed, added } = decideExpiry(found, expired, now)
  for (const item of removed) await query('DELETE FROM expired_items WHERE kind = $1 AND item = $2', kind, item)
  for (const item of added)
    await query(
      `INSERT INTO expired_items (kind, item, found_at) VALUES ($1, $2, $3)
       ON CONFLICT (kind, item) DO UPDATE SET found_at = excluded.found_at`,
      kind,
      item,
      now,
    )
  return confirmed
}
