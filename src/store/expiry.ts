import type { Statements } from './sql.ts'

/** What can be deleted: runs, months of the geocoding audit, and months of the audit that lie in the future. */
export type ExpiringKind = 'run' | 'audit_month' | 'future_audit_month'

/** An item that a sweep found expired, and when it first did, in milliseconds since 1970. */
export type ExpiredItem = { item: string; found_at: number }

/** The items that may be deleted, and how the stored list of expired items changes: items to remove and to add. */
export type ExpiryDecision = { confirmed: string[]; removed: string[]; added: string[] }

const confirmAfter_ms = 30 * 60_000

/**
 * Decides which of the items that are expired now may be deleted: those that a sweep at least half an hour ago also
 * found expired. A clock that is wrong for a moment then deletes nothing. What a sweep finds is stored in the database,
 * so a service that never runs for long deletes at its next start.
 */
function decideExpiry(found: readonly ExpiredItem[], expired: readonly string[], now: number): ExpiryDecision {
  const times = new Map(found.map(({ item, found_at }) => [item, found_at]))
  // A time in the future was written while the clock was wrong.
  const isNew = (item: string) => (times.get(item) ?? Infinity) > now
  return {
    confirmed: expired.filter((item) => !isNew(item) && times.get(item)! <= now - confirmAfter_ms),
    removed: [...times.keys()].filter((item) => !expired.includes(item)),
    added: expired.filter(isNew),
  }
}

/** Returns which of the items that are expired now may be deleted, and stores what this sweep found. */
export function* confirmExpiry(sql: Statements, kind: ExpiringKind, expired: readonly string[], now: number) {
  const stored = 'SELECT item, found_at FROM expired_items WHERE kind = $kind'
  const found = yield* sql.all<ExpiredItem>(stored, { kind })
  const { confirmed, removed, added } = decideExpiry(found, expired, now)
  for (const item of removed)
    yield* sql.run('DELETE FROM expired_items WHERE kind = $kind AND item = $item', { kind, item })
  for (const item of added)
    yield* sql.run(
      `INSERT INTO expired_items (kind, item, found_at) VALUES ($kind, $item, $now)
       ON CONFLICT (kind, item) DO UPDATE SET found_at = excluded.found_at`,
      { kind, item, now },
    )
  return confirmed
}
