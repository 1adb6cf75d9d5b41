import type { Database } from 'bun:sqlite'
import { nullOnError } from './cache-database.ts'

/** Rows per DELETE. One statement blocks the thread for a few milliseconds. */
const batch_rows = 100

/**
 * Deletes the rows of a `cache.db` table that expired before `before`. While the file still uses more than `max_bytes`,
 * also deletes the rows that expire soonest. Works in batches and yields between them, so that requests do not wait.
 */
export async function sweepCache(
  db: Database,
  table: 'upstream_responses' | 'geocodes',
  before: number,
  max_bytes: number,
): Promise<void> {
  const deleteFirst = (where: string) =>
    db.query<unknown, number[]>(
      `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} ${where} ORDER BY fresh_until LIMIT ${batch_rows})`,
    )
  const [expired, soonestToExpire] = [deleteFirst('WHERE fresh_until < ?'), deleteFirst('')]
  const hasRemoved = (deleteBatch: () => { changes: number }) => (nullOnError(() => deleteBatch().changes) ?? 0) > 0
  while (
    hasRemoved(() => expired.run(before)) ||
    (used_bytes(db) > max_bytes && hasRemoved(() => soonestToExpire.run()))
  )
    await Bun.sleep(0)
}

/** The size of the pages in use; 0 if it cannot be read. */
function used_bytes(db: Database): number {
  const pages = nullOnError(() =>
    db
      .query<{ bytes: number }, []>(
        'SELECT (p.page_count - f.freelist_count) * s.page_size AS bytes FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s',
      )
      .get(),
  )
  return pages?.bytes ?? 0
}
