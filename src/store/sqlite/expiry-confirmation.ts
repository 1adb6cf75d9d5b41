import type { Database } from 'bun:sqlite'
import { decideExpiry, type ExpiringKind, type ExpiredItem } from '../expiry-decision.ts'

/**
 * Returns which of the items that are expired now may be deleted, and stores what this sweep found. Call it in a
 * transaction.
 */
export type ExpiryConfirmation = (kind: ExpiringKind, expired: readonly string[], now: number) => string[]

/** Creates the expiry confirmation. All statements are prepared once. */
export function createExpiryConfirmation(db: Database): ExpiryConfirmation {
  const list = db.query<ExpiredItem, [string]>('SELECT item, found_at FROM expired_items WHERE kind = ?')
  const add = db.query('INSERT OR REPLACE INTO expired_items (kind, item, found_at) VALUES (?, ?, ?)')
  const remove = db.query('DELETE FROM expired_items WHERE kind = ? AND item = ?')
  return (kind, expired, now) => {
    const { confirmed, removed, added } = decideExpiry(list.all(kind), expired, now)
    for (const item of removed) remove.run(kind, item)
    for (const item of added) add.run(kind, item, now)
    return confirmed
  }
}
