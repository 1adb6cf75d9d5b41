import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { addTokens } from './add-tokens.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import { createArtifactWriter } from '../../src/store/runs/artifacts.ts'
import { createSqliteSql } from '../../src/store/sqlite/sqlite-sql.ts'
import { verifyState } from '../../src/store/sqlite/copy-state.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { recoverState, type RecoveryReport } from '../../src/store/sqlite/repair/recover.ts'
import { StoreError } from '../../src/store/storage-error.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { writeOlderState } from './upgrade.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const now = new Date('2026-11-21T00:00:00Z')
/** Enough that the schema is in the first third of the file. */
const locations = 600
const page_bytes = 4096

/** A state.db with two finished runs with locations and one artifact each, and 300 tokens. */
async function createFilledState(): Promise<{
  folder: string
  file: string
  bytes: Uint8Array<ArrayBuffer>
  pagesOf(name: string): number[]
}> {
  const folder = temporaryFolder()
  folders.push(folder)
  const db = openState(folder)
  addTokens(db, 300)
  const artifacts = createArtifactWriter(createSqliteSql(createTransactions(db)), 1)
  for (const number of [1, 2]) {
    const run = {
      id: `run_${number}`,
      account_id: 'owner',
      scopes: 'fetch',
      kind: 'fetch_batch',
      created_at: 0,
      expires_at: now.getTime() + 1e9,
      selection: '{}',
      fields: '[]',
      margin_fields: '[]',
      columns: '[]',
      catalog_version: '1',
      name: null,
    }
    await createSqliteStore(db).submissions.submit(
      run,
      packLocations(
        Array.from({ length: locations }, (_, i) => ({
          input: JSON.stringify({ lat: i, lng: -i, padding: 'x'.repeat(80) }),
        })),
      ),
      null,
    )
    db.transaction(() => {
      for (let i = 0; i < locations; i++)
        db.query('INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (?, ?, 1, 0, ?)').run(
          number,
          i,
          `{"index":${i},"padding":"${'y'.repeat(200)}"}`,
        )
    })()
  }
  db.run(`UPDATE runs SET status = 'done', finished_at = 1, done = ${locations}, ok = ${locations}`)
  for (const number of [1, 2]) {
    await artifacts.addChunk(number, 'csv', 0, new Uint8Array(20_000).fill(65))
    await artifacts.finish(number, 'csv', { etag: '"x"', bytes: 20_000 })
  }
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  const file = join(folder, 'state.db')
  const look = new Database(file, { readonly: true })
  const pagesOf = Map.groupBy(
    look.query<{ name: string; pageno: number }, []>("SELECT name, pageno FROM dbstat WHERE pagetype = 'leaf'").all(),
    ({ name }) => name,
  )
  look.close()
  return {
    folder,
    file,
    bytes: new Uint8Array(readFileSync(file)),
    pagesOf: (name) => pagesOf.get(name)!.map(({ pageno }) => pageno),
  }
}

/** Writes the bytes to the database file and recovers it. */
function recoverBytes(
  { folder, file }: { folder: string; file: string },
  bytes: Uint8Array,
): RecoveryReport & { db: Database; table(name: string): RecoveryReport['tables'][number] } {
  writeFileSync(file, bytes)
  const into = join(folder, 'new.db')
  const result = recoverState(file, into, now)
  expect(new Uint8Array(readFileSync(file))).toEqual(new Uint8Array(bytes))
  expect(readdirSync(folder).filter((name) => /unfinished|reading/.test(name))).toEqual([])
  expect(statSync(into).mode & 0o777).toBe(0o600)
  verifyState(into, now)
  const db = new Database(into, { readonly: true })
  return { ...result, db, table: (name) => result.tables.find(({ table }) => table === name)! }
}

const overwritePage = (bytes: Uint8Array<ArrayBuffer>, page: number) =>
  bytes.slice().fill(0xa5, (page - 1) * page_bytes, page * page_bytes)

describe('recovery of a state.db', () => {
  test('that is intact loses nothing', async () => {
    const state = await createFilledState()
    const { tables, remarks, table } = recoverBytes(state, state.bytes)
    expect([remarks, tables.filter(({ damaged }) => damaged)]).toEqual([[], []])
    expect([table('tokens').rows, table('runs').rows, table('run_results').rows]).toEqual([300, 2, 2 * locations])
  })

  test('with a destroyed header loses nothing', async () => {
    const state = await createFilledState()
    const { remarks, table } = recoverBytes(state, state.bytes.slice().fill(0xa5, 0, 100))
    expect([remarks, table('tokens').rows, table('run_results').rows]).toEqual([[], 300, 2 * locations])
  })

  test('with a damaged index page loses nothing', async () => {
    const state = await createFilledState()
    const { remarks, table } = recoverBytes(
      state,
      overwritePage(state.bytes, state.pagesOf('sqlite_autoindex_tokens_1')[0]!),
    )
    expect([remarks, table('tokens').rows]).toEqual([[], 300])
  })

  test('with a damaged table page loses only the rows of that page, and reports it', async () => {
    const state = await createFilledState()
    const pages = state.pagesOf('tokens')
    const { table } = recoverBytes(state, overwritePage(state.bytes, pages[Math.floor(pages.length / 2)]!))
    expect(table('tokens').damaged).toBe(true)
    expect(table('tokens').rows).toBeGreaterThan(300 - Math.ceil(300 / (pages.length - 1)) - 10)
    expect(table('tokens').rows).toBeLessThan(300)
  })

  test('with lost results queues the run again with its remaining results', async () => {
    const state = await createFilledState()
    const { remarks, table, db } = recoverBytes(state, overwritePage(state.bytes, state.pagesOf('run_results')[3]!))
    expect(remarks).toEqual(['Runs that lost results or files are queued again: run_1.'])
    const [first, second] = db
      .query<{ status: string; total: number; done: number; finished_at: number | null }, []>(
        'SELECT status, total, done, finished_at FROM runs ORDER BY number',
      )
      .all()
    expect([first!.status, first!.total, first!.finished_at, second!.status, second!.done]).toEqual([
      'queued',
      locations,
      null,
      'done',
      locations,
    ])
    expect(first!.done).toBe(table('run_results').rows - locations)
    expect(first!.done).toBeGreaterThan(locations - 50)
    db.close()
  })

  test('with lost locations fails their run and keeps the others', async () => {
    const state = await createFilledState()
    const { remarks, db } = recoverBytes(state, overwritePage(state.bytes, state.pagesOf('run_locations')[2]!))
    expect(remarks).toEqual(['Runs that lost locations are now failed: run_1.'])
    const runs = db.query<{ status: string; total: number }, []>('SELECT status, total FROM runs ORDER BY number').all()
    expect(runs[1]).toEqual({ status: 'done', total: locations })
    expect(runs[0]!.total).toBeGreaterThan(300)
    db.close()
  })

  test('with lost accounts deletes the credentials of these accounts', async () => {
    const state = await createFilledState()
    const { remarks, db } = recoverBytes(
      state,
      overwritePage(
        state.bytes,
        new Database(state.file, { readonly: true })
          .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_schema WHERE name = 'accounts'")
          .get()!.rootpage,
      ),
    )
    expect([remarks, db.query('SELECT id, name FROM accounts').all()]).toEqual([[], [{ id: 'owner', name: 'owner' }]])
    db.close()
  })

  // The first cut is after the root pages of all tables, which are at the beginning of the file.
  test.each([0.4, 0.6, 0.9])('that is truncated after %p of its size saves the rows before the cut', async (part) => {
    const state = await createFilledState()
    const { table } = recoverBytes(state, state.bytes.slice(0, Math.floor(state.bytes.length * part)))
    expect(table('tokens').rows).toBeGreaterThanOrEqual(part < 0.5 ? 30 : 250)
  })

  test.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'with random pages overwritePage (seed %p) yields an intact file or an error message',
    async (seed) => {
      const state = await createFilledState()
      const bytes = state.bytes.slice()
      const pages = bytes.length / page_bytes
      for (let i = 0, at = seed * 7919; i < 5; i++, at = (at * 48_271) % 2_147_483_647)
        bytes.fill(at % 256, ((at % (pages - 1)) + 1) * page_bytes, ((at % (pages - 1)) + 1) * page_bytes + 3000)
      try {
        expect(recoverBytes(state, bytes).table('runs').rows).toBeLessThanOrEqual(2)
      } catch (error) {
        expect(error).toBeInstanceOf(StoreError)
        expect(String(error)).toMatch(/its schema is lost/)
      }
    },
  )
})

describe('the schema of a damaged file is never executed', () => {
  test('an audit month is created with our definition instead of its own', async () => {
    const state = await createFilledState()
    const db = new Database(state.file)
    db.run(
      'CREATE TABLE geocode_audit_2026_10 (at INTEGER NOT NULL, account TEXT, address_hash BLOB, outcome TEXT, provider TEXT, cached INTEGER, evil TEXT DEFAULT (hex(randomblob(1000))), CHECK (length(evil) > 1))',
    )
    db.run(
      "INSERT INTO geocode_audit_2026_10 (at, account, address_hash, outcome, cached) VALUES (1, 'owner', x'00', 'ok', 0)",
    )
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    const { table, db: into } = recoverBytes(state, new Uint8Array(readFileSync(state.file)))
    expect([
      table('geocode_audit_2026_10').rows,
      into.query("SELECT name FROM pragma_table_info('geocode_audit_2026_10')").values().flat(),
    ]).toEqual([1, ['at', 'account', 'address_hash', 'outcome', 'provider', 'cached']])
    into.close()
  })

  test('unknown tables, triggers and views are left out', async () => {
    const state = await createFilledState()
    const db = new Database(state.file)
    db.run('CREATE TABLE "odd "" name" (x); ')
    db.run('CREATE TRIGGER evil AFTER INSERT ON accounts BEGIN DELETE FROM tokens; END')
    db.run('CREATE VIEW evil_view AS SELECT * FROM tokens')
    db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    db.close()
    const { tables, table, db: into } = recoverBytes(state, new Uint8Array(readFileSync(state.file)))
    expect([table('tokens').rows, tables.filter((it) => it.table.includes('odd'))]).toEqual([300, []])
    expect(
      into.query("SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view') OR name LIKE '%odd%'").all(),
    ).toEqual([])
    into.close()
  })
})

describe('recovery writes nothing', () => {
  test.each([
    ['of no bytes', () => new Uint8Array(), /nothing can be recovered/],
    [
      'whose schema is lost',
      (bytes: Uint8Array<ArrayBuffer>) => bytes.slice().fill(0xa5, 100, 4096),
      /its schema is lost/,
    ],
    [
      'of another program',
      (bytes: Uint8Array<ArrayBuffer>) => {
        const it = bytes.slice()
        new DataView(it.buffer).setUint32(68, 42)
        return it
      },
      /not a Fieldstone database/,
    ],
    [
      'of a newer Fieldstone',
      (bytes: Uint8Array<ArrayBuffer>) => {
        const it = bytes.slice()
        new DataView(it.buffer).setUint32(60, 99)
        return it
      },
      /newer Fieldstone/,
    ],
  ] as const)('for a file %s, and the error gives the reason', async (_name, change, says) => {
    const state = await createFilledState()
    writeFileSync(state.file, change(state.bytes))
    const into = join(state.folder, 'new.db')
    expect(() => recoverState(state.file, into, now)).toThrow(says)
    expect(existsSync(into)).toBe(false)
  })
})

test.each([7, 5])(
  'a damaged database of schema version %i is recoverBytes with the columns that later versions renamed',
  (version) => {
    const folder = temporaryFolder()
    folders.push(folder)
    const file = writeOlderState(folder, version)
    const older = new Database(file)
    older.run("UPDATE accounts SET password = 'hash of the owner'")
    older.run(
      `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, columns, catalog_version, total, done, ok, again)
       VALUES ('run_1', 'owner', 'fetch', 'fetch_batch', 'running', 0, 9e15, '{}', '[]', '["name"]', '1', 3, 2, 1, 1)`,
    )
    for (let idx = 0; idx < 3; idx++)
      older
        .query(`INSERT INTO run_locations (run, idx, input, passed, earlier) VALUES (1, ?, '{}', '["a"]', ?)`)
        .run(idx, idx)
    older.run("INSERT INTO run_results (run, idx, ok, again, entry) VALUES (1, 0, 1, 0, '{}'), (1, 1, 0, 1, '{}')")
    older.run('INSERT INTO run_epochs (began_at) VALUES (5)')
    older.run('PRAGMA wal_checkpoint(TRUNCATE)')
    const [page] = older
      .query<{ pageno: number }, []>("SELECT pageno FROM dbstat WHERE name = 'tokens' AND pagetype = 'leaf'")
      .all()
    older.close()
    const { db, table, remarks } = recoverBytes(
      { folder, file },
      overwritePage(new Uint8Array(readFileSync(file)), page!.pageno),
    )
    expect(remarks).toEqual([])
    expect(table('tokens').damaged).toBe(true)
    expect(table('run_results').damaged).toBe(false)
    expect(table('run_locations').damaged).toBe(false)
    expect([
      db.query('SELECT password_hash FROM accounts').all(),
      db.query('SELECT status, retryable_locations FROM runs').all(),
      db.query('SELECT passthrough, earlier_attempts FROM run_locations ORDER BY idx').all(),
      db.query('SELECT retryable FROM run_results ORDER BY idx').all(),
      db.query('SELECT started_at FROM run_epochs').all(),
      db.query('SELECT DISTINCT last_four FROM tokens').all(),
    ]).toEqual([
      [{ password_hash: 'hash of the owner' }],
      [{ status: 'running', retryable_locations: 1 }],
      [0, 1, 2].map((earlier_attempts) => ({ passthrough: '["a"]', earlier_attempts })),
      [{ retryable: 0 }, { retryable: 1 }],
      [{ started_at: 5 }],
      [{ last_four: 'abcd' }],
    ])
    db.close()
  },
)
