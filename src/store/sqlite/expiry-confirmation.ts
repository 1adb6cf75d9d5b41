import type { Database } from 'bun:sqlite'
import { withStorageErrors } from './sqlite-errors.ts'

/** What can be deleted: runs, months of the geocoding audit, and months of the audit that lie in the future. */
type ExpiringKind = 'run' | 'audit_month' | 'future_audit_month'

/**
 * Returns which of the items that are expired now may be deleted: those that a sweep at least half an hour ago also
 * found expired. A clock that is wrong for a moment then deletes nothing. What a sweep finds is stored in the database,
 * so a service that never runs for long deletes at its next start.
 */
export type ExpiryConfirmation = (kind: ExpiringKind, expired: readonly string[], now: number) => string[]

const confirmAfter_ms = 30 * 60_000

/** Creates the expiry confirmation. All statements are prepared once. */
export function createExpiryConfirmation(db: Database): ExpiryConfirmation {
  const list = db.query<{ item: string; found_at: number }, [string]>(
    'SELECT item, found_at FROM expired_items WHERE kind = ?',
  )
  const add = db.query('INSERT OR REPLACE INTO expired_items (kind, item, found_at) VALUES (?, ?, ?)')
  const remove = db.query('DELETE FROM expired_items WHERE kind = ? AND item = ?')
  const confirm = db.transaction((kind: ExpiringKind, expired: readonly string[], now: number): string[] => {
    const found = new Map(list.all(kind).map(({ item, found_at }) => [item, found_at]))
    for (const item of found.keys()) if (!expired.includes(item)) remove.run(kind, item)
    // A time in the future was written while the clock was wrong.
    const isNew = (item: string) => (found.get(item) ?? Infinity) > now
    for (const item of expired) if (isNew(item)) add.run(kind, item, now)
    return expired.filter((item) => !isNew(item) && found.get(item)! <= now - confirmAfter_ms)
  })
  return (...args) => withStorageErrors(() => confirm.immediate(...args))
}
