import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFolderState } from '../../src/app-state.ts'
import { transferIntoPostgres } from '../../src/store/postgres/postgres-transfer.ts'
import { transferFromFolder, transferIntoFolder } from '../../src/store/sqlite/sqlite-transfer.ts'
import { transferState, transferredTables } from '../../src/store/state-transfer.ts'
import { addAccounts, addGrant, addRun, addToken, firstAttempts, hashOf, newDevice } from '../store/contract-case.ts'
import { newCode, newPin, newResult, newShare } from '../store/contract-case.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { createProcessGroup, waitForAddress } from './process-group.ts'

const now = Date.now()
const day_ms = 86_400_000
const password = 'not-to-be-shown'

describe.skipIf(!hasPostgres)('fieldstone migrate-state', () => {
  const { root: folder, start } = createProcessGroup()
  let postgres: PostgresServer
  let url: string
  let tests = 0
  let data: string
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  beforeEach(async () => {
    url = (await postgres.createDatabase()).replace('fieldstone@', `fieldstone:${password}@`)
    data = join(folder, `data${++tests}`)
  })
  afterAll(() => postgres.stop())

  /** Runs the command, whose output never has the password. */
  async function migrate(to: string, env: Record<string, string>) {
    const { code, out, err } = await start(['migrate-state', '--to', to], env).end()
    expect(out + err).not.toContain(password)
    return { code, out, err }
  }
  async function toDatabase() {
    const result = await migrate(url, { FIELDSTONE_DATA: data })
    const database = new SQL({ url, max: 1 })
    // The database ends the connection of a process some time after the process has ended.
    const others =
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fieldstone'"
    while ((await database.unsafe(others)).length > 0) await Bun.sleep(20)
    await database.close()
    return result
  }
  const toFolder = (target: string) => migrate(target, { FIELDSTONE_DATA: data, FIELDSTONE_DATABASE: url })

  async function countAccounts(): Promise<number> {
    const database = new SQL({ url, max: 1 })
    const [found] = await database.unsafe('SELECT count(*)::int AS accounts FROM accounts')
    await database.close()
    return found.accounts
  }

  test('copies every table with all values to PostgreSQL and back', async () => {
    await fillFolder(data)
    const there = await toDatabase()
    expect(there).toMatchObject({ code: 0, err: '' })
    expect(there.out).toContain('run_results: 2 rows\n')
    const target = join(folder, 'back')
    expect(await toFolder(target)).toMatchObject({ code: 0, err: '' })
    const original = rowsIn(data)
    expect(rowsIn(target)).toEqual(original)
    expect(Object.keys(original).toSorted()).toEqual(
      transferredTables.map((name) => (name === 'geocode_audit' ? 'geocode_audit_2026_11' : name)).toSorted(),
    )
    expect(Object.entries(original).filter(([, rows]) => rows.length === 0)).toEqual([])
    const state = openFolderState(target)
    const later = await state.store.runQueue.beginEpoch(now)
    expect((await later.adopt(now, 9, 9))?.id).toBe('run_2')
    expect((await later.adopt(now, 9, 9))?.id).toBe('run_3')
    expect(await addToken(state.store, 'new')).toBeGreaterThan(2)
    state.close()
  })

  test('keeps tokens, files and queued runs: a server on the database goes on with them', async () => {
    const server = await startServer({ FIELDSTONE_DATA: data })
    const { out } = await start(['token', 'new'], { FIELDSTONE_DATA: data }).end()
    const bearer = out.trim()
    const ended = await server.submit(bearer, 20)
    const csv = await server.csvOf(bearer, ended)
    const open = await server.submit(bearer, 5_000)
    server.signal('SIGKILL')
    await server.end()
    expect(await toDatabase()).toMatchObject({ code: 0, err: '' })
    const next = await startServer({ FIELDSTONE_DATA: join(folder, 'other'), FIELDSTONE_DATABASE: url })
    expect(await next.csvOf(bearer, ended)).toBe(csv)
    const rows = (await next.csvOf(bearer, open)).trimEnd().split('\r\n')
    expect(rows).toHaveLength(5_001)
    expect(new Set(rows).size).toBe(5_001)
    const refused = await toFolder(join(folder, 'while-served'))
    expect(refused).toMatchObject({ code: 78, err: expect.stringContaining('Stop all servers') })
    expect(existsSync(join(folder, 'while-served'))).toBe(false)
    next.signal('SIGTERM')
    await next.end()
    // The rows that the second server answered are in blocks there.
    const target = join(folder, 'from-blocks')
    expect(await toFolder(target)).toMatchObject({ code: 0, err: '' })
    const { run_locations = [], run_results = [] } = rowsIn(target)
    expect([run_locations.length, run_results.length]).toEqual([5_020, 5_020])
  })

  test('copies nothing while a server uses the folder, or a worker holds a run of the database', async () => {
    const server = await startServer({ FIELDSTONE_DATA: data })
    expect(await toDatabase()).toMatchObject({ code: 78, err: expect.stringContaining('is using the data folder') })
    server.signal('SIGKILL')
    await server.end()
    await fillFolder(data)
    expect((await toDatabase()).code).toBe(0)
    const database = new SQL({ url, max: 1 })
    await database.unsafe("INSERT INTO run_leases SELECT number, 1, 9e15 FROM runs WHERE status = 'running'")
    await database.close()
    const target = join(folder, 'held')
    expect(await toFolder(target)).toMatchObject({ code: 78, err: expect.stringContaining('working on a run') })
    expect(existsSync(target)).toBe(false)
  })

  test('copies nothing into a target that is not empty', async () => {
    await fillFolder(data)
    expect((await toDatabase()).code).toBe(0)
    expect(await toDatabase()).toMatchObject({ code: 78, err: expect.stringContaining('is not empty: it has rows in') })
    const target = join(folder, 'filled')
    mkdirSync(target)
    writeFileSync(join(target, 'mine'), '')
    expect(await toFolder(target)).toMatchObject({ code: 78, err: expect.stringContaining('is not empty') })
    expect(readdirSync(target)).toEqual(['mine'])
  })

  test('an interruption leaves the target empty, and the command can be repeated', async () => {
    await fillFolder(data)
    const before = rowsIn(data)
    const location = { address: url, setting: '--to', url: () => url }
    const target = join(folder, 'interrupted')
    const interrupt = (rows: object[]) => {
      if (rows.some((row) => 'entry' in row)) throw new Error('interrupted')
    }
    const copy = transferFromFolder(data, (from) =>
      transferIntoPostgres(location, (into) =>
        transferState(into.tables, from, {
          ...into,
          addRows: async (table, rows) => (interrupt(rows), into.addRows(table, rows)),
        }),
      ),
    )
    expect(await copy.catch((error: Error) => error.message)).toBe('interrupted')
    expect(await countAccounts()).toBe(0)
    expect((await toDatabase()).code).toBe(0)
    await transferIntoFolder(target, () => Promise.reject(new Error('interrupted'))).catch(() => {})
    expect(existsSync(target)).toBe(false)
    expect((await toFolder(target)).code).toBe(0)
    expect([rowsIn(target), rowsIn(data)]).toEqual([before, before])
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    rmSync(target, { recursive: true })
  })

  test('a copy that differs is found and not kept', async () => {
    await fillFolder(data)
    const location = { address: url, setting: '--to', url: () => url }
    const copy = transferFromFolder(data, (from) =>
      transferIntoPostgres(location, (into) =>
        transferState(into.tables, from, {
          ...into,
          addRows: (table, rows) =>
            into.addRows(table, table.name === 'pins' ? rows.map((row) => ({ ...row, name: 'other' })) : rows),
        }),
      ),
    )
    expect(await copy.catch((error: Error) => error.message)).toContain('The copy of the table pins differs')
    expect(await countAccounts()).toBe(0)
  })

  test('says which command copies between two folders or two databases', async () => {
    expect(await migrate('elsewhere', {})).toMatchObject({ code: 64, err: expect.stringContaining('restore') })
    expect(await toFolder(url)).toMatchObject({ code: 64, err: expect.stringContaining('pg_dump') })
    expect(await migrate('mysql://a/b', {})).toMatchObject({ code: 64, err: expect.stringContaining('--to is not') })
    expect(await toDatabase()).toMatchObject({ code: 78, err: expect.stringContaining('state.db does not exist') })
  })

  async function startServer(env: Record<string, string>) {
    const server = start(['serve'], env)
    const address = await waitForAddress(server)
    const send = (bearer: string, path: string, body?: object) =>
      fetch(`${address}${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
    const locations = (count: number) => Array.from({ length: count }, (_, i) => ({ lat: 37 + i / 1_000, lng: -105 }))
    return {
      ...server,
      async submit(bearer: string, count: number): Promise<string> {
        const request = { fields: ['county'], locations: locations(count) }
        const response = await send(bearer, '/v1/runs', { kind: 'fetch_batch', request })
        expect(response.status).toBe(202)
        return ((await response.json()) as { run_id: string }).run_id
      },
      /** The CSV file of a run when it has ended. */
      async csvOf(bearer: string, id: string): Promise<string> {
        expect(await (await send(bearer, `/v1/runs/${id}/events`)).text()).toContain('"status":"done"')
        return (await send(bearer, `/v1/runs/${id}/artifacts/csv`)).text()
      },
    }
  }
})

/** Fills every table: a finished run with a result file, a run that a lost worker held, a queued run, and texts with odd characters. */
async function fillFolder(data: string): Promise<void> {
  const state = openFolderState(data)
  const { store } = state
  const expires_at = now + day_ms
  await addAccounts(store, 'ada', 'Zoë "\\ \t😀')
  const id = await addToken(store, 'first')
  await addGrant(store, 'grant', id)
  await store.grants.addClient(
    { id: 'client', name: 'A client', redirect_uris: '[]', created_at: now },
    { max: 9, unusedBefore: 0 },
  )
  await store.grants.addCode(hashOf('open'), newCode({ expires_at }), now)
  await store.grants.addDevice(hashOf('device'), newDevice('ABCD', { expires_at }), { now, pendingMax: 9 })
  await store.access.secret('key', hashOf('key'))
  await store.access.beginSession({ hash: hashOf('session'), account_id: 'ada', expires_at, token_id: id }, null)
  await store.access.recordTokenUse(new Map([[id, now]]))
  await store.shares.addShare(newShare('share', { expires_at }), 9)
  await store.pins.addPin(newPin('pin'), 9)
  await store.geocodes.put('1 main st', { outcome: '{}', providers: 'a' }, { cached_at: now, fresh_until: expires_at })
  await store.billedCalls.put('geocodio 1 main st', { answer: '[]', cached_at: now, fresh_until: expires_at })
  const record = { at: Date.UTC(2026, 10, 3), account: 'ada', address_hash: hashOf('a'), outcome: 'match' }
  await store.audit.add([
    { ...record, provider: null, cached: true },
    { ...record, provider: 'a', cached: false },
  ])
  const finished = await addRun(store, 'run_1', 2, { expires_at })
  const writer = await store.runQueue.beginEpoch(now)
  await writer.takeOver(finished.number, now)
  await writer.saveProgress(
    finished.number,
    [newResult(0), newResult(1, { ok: false, retryable: true, failedFields: 2 })],
    [],
  )
  for (const [start, value] of [
    [0, 65],
    [262_144, 0],
  ] as const)
    await writer.artifacts.addChunk(finished.number, 'csv', start, new Uint8Array(262_144).fill(value))
  await writer.artifacts.finish(finished.number, 'csv', { etag: '"x"', bytes: 524_288 })
  await writer.finish(finished.number, 'done', now, null)
  const open = await addRun(store, 'run_2', 3, { expires_at })
  await writer.takeOver(open.number, now)
  await writer.saveProgress(open.number, [], firstAttempts(0))
  await addRun(store, 'run_3', 1, { expires_at })
  await store.artifactObjects.begin({ run: finished.number, name: 'csv', etag: '"x"' }, 'key', now)
  state.close()
  const db = new Database(join(data, 'state.db'))
  // The methods that write these rows need the clock or a password.
  db.run("INSERT INTO usage VALUES ('ada', '2026-11-23', 'fetch', '', 1, 2, 3)")
  db.run("INSERT INTO quota_usage VALUES ('ada', '2026-11-23', 4)")
  db.run("INSERT INTO expired_items VALUES ('run', 'run_0', 5)")
  db.run("INSERT INTO run_keys VALUES ('ada', 'key', 'hash', 'run_1', 6)")
  db.run("INSERT INTO invitations VALUES (x'00ff', 'ada', 7, NULL)")
  db.run('UPDATE access_epoch SET epoch = 8')
  db.close()
}

/** All rows of both databases of a folder, in the order of their text. The nodes are not copied. */
function rowsIn(data: string): Record<string, string[]> {
  const files = [
    ['state.db', "name NOT LIKE 'sqlite_%' AND name <> 'nodes'"],
    ['cache.db', "name = 'geocodes'"],
  ] as const
  return Object.fromEntries(
    files.flatMap(([file, condition]) => {
      using db = new Database(join(data, file))
      const tables = db
        .query<{ name: string }, []>(`SELECT name FROM sqlite_schema WHERE type = 'table' AND ${condition}`)
        .all()
      return tables.map(({ name }) => {
        const rows = db.query(`SELECT * FROM ${name}`).all()
        return [name, rows.map((row) => JSON.stringify(row, replaceBytes)).toSorted()]
      })
    }),
  )
}

function replaceBytes(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? value.toHex() : value
}
