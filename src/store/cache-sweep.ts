import type { Database } from 'bun:sqlite'
import { nullOnError } from './cache-database.ts'

/** So many rows go at once: that holds the thread for some milliseconds. */
const batch_rows = 100

/**
 * Removes from a table of `cache.db` what was fresh until before then and, while the whole file holds more than so many bytes, what would expire
 * first; a piece at a time, so that whoever asks meanwhile does not wait for the end of it.
 */
export async function sweepCache(
  db: Database,
  table: 'readings' | 'geocodes',
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

/** What is held in the pages of the file that are not free; 0 when that cannot be told. */
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
