import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import about from '../package.json' with { type: 'json' }
import { tokenHash } from '../src/auth/token.ts'
import { createSqliteStore } from '../src/store/sqlite/sqlite-store.ts'
import { openState } from '../src/store/sqlite/state-database.ts'
import { packLocations } from '../src/store/runs/packed-locations.ts'

/**
 * Writes a small `state.db` of this release to test/fixtures/state-<version>.db.zst. Run it once for each release,
 * before you raise the version. Later releases must read the file.
 */
const folder = mkdtempSync(join(tmpdir(), 'fixture-'))
const db = openState(folder)
const at = Date.UTC(2026, 10, 21)
const year_ms = 365 * 86_400_000
const store = createSqliteStore(db)
await store.people.addAccount({ id: 'owner', name: 'owner', created_at: at, scopes: null })
await store.access.addToken({
  account_id: 'owner',
  hash: tokenHash('fst_pat_a token of the fixture'),
  last_four: 'ture',
  name: 'first token',
  scopes: 'fetch runs',
  created_at: at,
  expires_at: null,
  parent_id: null,
})
await store.access.secret('geocode_audit', new Uint8Array(32).fill(7))
const run = {
  id: 'run_01KAHF5T000000000000000000',
  account_id: 'owner',
  scopes: 'fetch runs',
  kind: 'fetch_batch',
  created_at: at,
  expires_at: at + 100 * year_ms,
  selection: '{"fields":["geohash"]}',
  fields: '["geohash"]',
  margin_fields: '[]',
  columns: '[]',
  catalog_version: '0.1.1',
  name: null,
}
await store.submissions.submit(
  run,
  packLocations([
    { input: '{"lat":39.7392,"lng":-104.9903}' },
    { input: '{"lat":25.79,"lng":-80.13}', passthrough: '["x"]' },
  ]),
  { key: 'first', body_hash: 'abc', after: 0 },
)
for (const idx of [0, 1])
  db.query('INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (1, ?, 1, 0, ?)').run(
    idx,
    JSON.stringify({ index: idx, ok: true }),
  )
db.run(`UPDATE runs SET status = 'done', started_at = ${at}, finished_at = ${at}, done = 2, ok = 2, seq = 4, epoch = 1`)
const { artifacts } = await store.runQueue.beginEpoch(at)
await artifacts.addChunk(1, 'csv', 0, new TextEncoder().encode('lat,lng\r\n'))
await artifacts.finish(1, 'csv', { etag: '"abc"', bytes: 9 })
db.run('PRAGMA wal_checkpoint(TRUNCATE)')
db.close()

const file = join(import.meta.dir, '..', 'test', 'fixtures', `state-${about.version}.db.zst`)
await Bun.write(file, Bun.zstdCompressSync(readFileSync(join(folder, 'state.db'))))
rmSync(folder, { recursive: true })
console.log(`${file}: ${Bun.file(file).size} bytes`)
