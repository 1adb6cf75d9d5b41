import { statSync } from 'node:fs'
import { join } from 'node:path'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { syncToDisk } from '../../src/store/sync-to-disk.ts'

const locationsPerRun = 10_000
const day_ms = 86_400_000

/** Fills the state of a data folder with finished runs up to a size in MB. Returns its size in bytes. */
export async function fillState(data: string, megabytes: number): Promise<number> {
  const file = join(data, 'state.db')
  const db = openState(data)
  db.run('PRAGMA synchronous = OFF')
  const { submissions } = createSqliteStore(db)
  const result = db.query('INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, 1, 0, ?)')
  const fields = Object.fromEntries(
    Array.from({ length: 10 }, (_, i) => [
      `field_${i}`,
      { value: i * 1.25, status: 'ok', source: 'usgs_3dep', unit: 'm' },
    ]),
  )
  for (
    let number = 1;
    db
      .query<{ bytes: number }, []>('SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size')
      .get()!.bytes <
    megabytes * 1e6;
    number++
  ) {
    const at = Date.now()
    const locations = Array.from({ length: locationsPerRun }, (_, i) => ({
      input: JSON.stringify({ lat: 39 + i / 1e5, lng: -104.9 }),
    }))
    await submissions.submit(
      {
        id: `run_${String(number).padStart(26, '0')}`,
        account_id: 'owner',
        scopes: 'fetch runs',
        kind: 'fetch_batch',
        created_at: at,
        expires_at: at + 30 * day_ms,
        selection: '{}',
        fields: '[]',
        margin_fields: '[]',
        columns: '[]',
        catalog_version: '0.1.1',
        name: null,
      },
      packLocations(locations),
      null,
    )
    db.transaction(() => {
      for (let i = 0; i < locationsPerRun; i++)
        result.run(
          number,
          i,
          JSON.stringify({ index: i, ok: true, location: { lat: 39 + i / 1e5, lng: -104.9 }, fields }),
        )
      db.query(
        "UPDATE runs SET status = 'done', started_at = ?, finished_at = ?, done = total, ok = total WHERE number = ?",
      ).run(at, at, number)
    })()
  }
  db.close()
  syncToDisk(file)
  return statSync(file).size
}
