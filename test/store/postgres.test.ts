import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import type { Socket } from 'bun'
import { migrate } from '../../src/store/sqlite/migrate.ts'
import { migrations, postgresMigrations } from '../../src/store/migrations.ts'
import { migratePostgres } from '../../src/store/postgres/postgres-migrate.ts'
import { openPostgresPool, type PostgresPool, type PostgresPools } from '../../src/store/postgres/postgres-pool.ts'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { StoreError, StorageError } from '../../src/store/storage-error.ts'
import { hasPostgres, startPostgres, startsPostgres_ms, type PostgresServer } from '../support/postgres-server.ts'
import { addAccounts, addToken, hashOf, now } from './contract-case.ts'

const limits = { quick_ms: 20_000, work_ms: 60_000, ping_ms: 10_000 }
/** Limits for tests of a database that does not answer. */
const shortLimits = { quick_ms: 400, work_ms: 60_000, ping_ms: 200 }

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => 'success',
    (error: unknown) => (error instanceof StorageError ? error.reason : error),
  )

const newest = postgresMigrations.at(-1)!.number

describe.skipIf(!hasPostgres)('PostgreSQL', () => {
  let server: PostgresServer
  const opened: (() => Promise<void>)[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, startsPostgres_ms)
  afterEach(async () => {
    for (const close of opened.splice(0)) await close()
  })
  afterAll(() => server.stop())

  async function openPools(url: string, given = limits): Promise<PostgresPools> {
    const pools = await openPostgresPools(url, given)
    opened.push(() => closePostgresPools(pools))
    return pools
  }

  async function openPool(): Promise<PostgresPool> {
    const pool = openPostgresPool({
      url: await server.createDatabase(),
      connections: 4,
      deadline_ms: 20_000,
      ping_ms: 5000,
    })
    opened.push(pool.close)
    return pool
  }

  describe('a schema', () => {
    test('is created once, also if five processes open a new database at the same time', async () => {
      const url = await server.createDatabase()
      const all = await Promise.all([1, 2, 3, 4, 5].map(() => openPools(url)))
      expect(await all[0]!.quick.query('SELECT version, floor FROM schema_version')).toEqual([
        { version: newest, floor: 22 },
      ])
      expect(await createPostgresStore(all[4]!).people.listAccounts(10)).toEqual([])
    })

    test('has the columns of the tables of SQLite, and those of blocks and of parts of a file', async () => {
      const { quick } = await openPools(await server.createDatabase())
      const columns = await quick.query<{ name: string; columns: string[] }>(
        `SELECT table_name AS name, array_agg(column_name::text ORDER BY column_name) AS columns
         FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN ('schema_version', 'geocode_audit', 'geocodes', 'run_leases') GROUP BY 1 ORDER BY 1`,
      )
      const db = new Database(':memory:')
      migrate(db, null)
      const onlyHere: Record<string, string[]> = {
        run_artifacts: ['epoch'],
        run_chunks: ['epoch', 'block'],
        run_locations: ['rows', 'block'],
        run_results: ['rows', 'block'],
        runs: ['block_epoch', 'slice_epoch'],
      }
      const columnsOf = (table: string) =>
        db
          .query<{ name: string }, []>(`PRAGMA table_info("${table}")`)
          .all()
          .map(({ name }) => name)
          .concat(onlyHere[table] ?? [])
          .toSorted()
      expect(columns.map((table) => [table.name, ...table.columns.toSorted()])).toEqual(
        columns.map(({ name }) => [name, ...columnsOf(name)]),
      )
      expect(columns.map(({ name }) => name)).toContain('oauth_refresh_tokens')
      db.close()
    })

    test('has a version that state.db has too, and its migrations are in order', () => {
      const numbers = postgresMigrations.map(({ number }) => number)
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
      expect(numbers.at(-1)).toBeLessThanOrEqual(migrations.length)
    })

    test('of a newer release is used if that release allows it', async () => {
      const url = await server.createDatabase()
      const { work } = await openPools(url)
      const next = { number: 99, statements: ['ALTER TABLE accounts ADD COLUMN note text'] }
      await migratePostgres(work, { migrations: [...postgresMigrations, next], floor: 15 })
      const store = createPostgresStore(await openPools(url))
      await addAccounts(store, 'ada')
      expect((await store.people.findAccount('ada'))?.name).toBe('ada')
      expect(await work.query('SELECT version, floor FROM schema_version')).toEqual([{ version: 99, floor: 15 }])
    })

    test('of a newer release that does not allow it is rejected, and not changed', async () => {
      const url = await server.createDatabase()
      const { work } = await openPools(url)
      const next = { number: 99, statements: ['ALTER TABLE accounts DROP COLUMN name'] }
      await migratePostgres(work, { migrations: [...postgresMigrations, next], floor: 98 })
      const error: unknown = await openPostgresPools(url, limits).catch((it: unknown) => it)
      expect(error).toBeInstanceOf(StoreError)
      expect(String(error)).toMatch(
        new RegExp(`schema version 99 .* supports version 98, but this one supports ${newest}`),
      )
    })

    test('is not changed if a migration fails', async () => {
      const { work } = await openPools(await server.createDatabase())
      const broken = {
        number: 99,
        statements: ['CREATE TABLE added (id integer)', 'CREATE TABLE accounts (id integer)'],
      }
      const migration = migratePostgres(work, { migrations: [...postgresMigrations, broken], floor: 15 })
      expect(await migration.catch(String)).toContain('"accounts" already exists')
      expect(await work.query("SELECT version, to_regclass('added') AS added FROM schema_version")).toEqual([
        { version: newest, added: null },
      ])
    })
  })

  describe('a pool', () => {
    test('repeats a transaction that waits for another one that waits for it', async () => {
      const { query, transaction } = await openPool()
      await query('CREATE TABLE counters (id integer PRIMARY KEY, n integer NOT NULL)')
      await query('INSERT INTO counters VALUES (1, 0), (2, 0)')
      let waiting = 0
      let attempts = 0
      const { promise: bothWait, resolve } = Promise.withResolvers<void>()
      const addInOrder = (...ids: number[]) =>
        transaction(async (send) => {
          attempts++
          for (const id of ids) {
            await send('UPDATE counters SET n = n + 1 WHERE id = $1', id)
            if (++waiting === 2) resolve()
            await bothWait
          }
        })
      await Promise.all([addInOrder(1, 2), addInOrder(2, 1)])
      expect(await query('SELECT n FROM counters')).toEqual([{ n: 2 }, { n: 2 }])
      // The repeated transaction can conflict with the other one again.
      expect(attempts).toBeGreaterThanOrEqual(3)
    })

    test('rolls back a transaction that is late, and reports it', async () => {
      const url = await server.createDatabase()
      // Without prepared statements, the server has no time limits of its own.
      const pool = openPostgresPool({ url: `${url}?prepare=false`, connections: 2, deadline_ms: 300, ping_ms: 5000 })
      opened.push(pool.close)
      await pool.query('CREATE TABLE counters (id integer PRIMARY KEY)')
      const { promise: released, resolve } = Promise.withResolvers<void>()
      const late = pool.transaction(async (send) => {
        await send('INSERT INTO counters VALUES (1)')
        await released
      })
      expect(await failureOf(late)).toBe('unavailable')
      resolve()
      const other = openPostgresPool({ url, connections: 1, deadline_ms: 20_000, ping_ms: 5000 })
      opened.push(other.close)
      const rows = await other.transaction(async (send) => {
        await send('LOCK TABLE counters IN ACCESS EXCLUSIVE MODE')
        return send('SELECT id FROM counters')
      })
      expect(rows).toEqual([])
    })

    test('reports a row that another connection has locked for too long, and writes nothing', async () => {
      const url = await server.createDatabase()
      const store = createPostgresStore(await openPools(url, shortLimits))
      const other = await openPools(url)
      await addAccounts(store, 'ada')
      const id = await addToken(store, 'token')
      await other.work.transaction(async (send) => {
        await send('SELECT id FROM accounts FOR UPDATE')
        expect(await failureOf(store.access.revokeToken('ada', id, now))).toBe('busy')
      })
      expect((await store.access.findToken(hashOf('token')))?.revoked_at).toBeNull()
      expect(await store.access.revokeToken('ada', id, now)).toBe(true)
    })

    test('has more time for a sweep of billed calls than for a request', async () => {
      const url = await server.createDatabase()
      const { billedCalls } = createPostgresStore(await openPools(url, shortLimits))
      const other = await openPools(url)
      const answer = { answer: '1', cached_at: 1, fresh_until: 2 }
      await billedCalls.put('call', answer)
      const sweep = Promise.withResolvers<unknown>()
      await other.work.transaction(async (send) => {
        await send('SELECT key FROM billed_calls FOR UPDATE')
        sweep.resolve(failureOf(billedCalls.sweep(now)))
        expect(await failureOf(billedCalls.put('call', answer))).toBe('busy')
      })
      expect(await sweep.promise).toBe('success')
    })

    test('reports a transaction that does nothing for too long', async () => {
      const { quick } = await openPools(await server.createDatabase(), shortLimits)
      const { promise: released, resolve } = Promise.withResolvers<void>()
      const idle = quick.transaction(async (send) => {
        await send('SELECT 1')
        await released
      })
      expect(await failureOf(idle)).toBe('unavailable')
      resolve()
      expect(await quick.query('SELECT 1 AS one')).toEqual([{ one: 1 }])
    })

    test('reports a database that accepts no writes', async () => {
      const url = await server.createDatabase()
      const { work } = await openPools(url)
      await work.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`)
      const store = createPostgresStore(await openPools(url))
      expect(await failureOf(store.people.addAccount({ id: 'ada', name: 'ada', created_at: now, scopes: null }))).toBe(
        'read_only',
      )
      expect(await store.people.listAccounts(1)).toEqual([])
    })

    test('reports a database that does not exist, and a server that does not', async () => {
      const url = new URL(await server.createDatabase())
      url.pathname = '/missing'
      expect(await failureOf(openPostgresPools(url.href, limits))).toBe('unavailable')
      url.port = '1'
      expect(await failureOf(openPostgresPools(url.href, limits))).toBe('unavailable')
    })

    test('passes on the error of a wrong statement, which is a bug', async () => {
      const { query } = await openPool()
      expect(String(await failureOf(query('SELECT nothing')))).toContain('column "nothing" does not exist')
    })

    test('keeps every acknowledged write if its connections are killed, and repeats none', async () => {
      const url = await server.createDatabase()
      const pools = await openPools(url)
      const { limits: store } = createPostgresStore(pools)
      const row = { account_id: 'ada', window_start: '2026-11-23', units: 1 }
      const outcomes: unknown[] = []
      for (let round = 0; round < 10; round++) {
        const calls = Array.from({ length: 20 }, () => failureOf(store.addQuota([row])))
        await server.killConnections()
        outcomes.push(...(await Promise.all(calls)))
      }
      const succeeded = outcomes.filter((outcome) => outcome === 'success').length
      expect(new Set(outcomes).difference(new Set(['success', 'unavailable']))).toEqual(new Set())
      const units = await retryWhileUnavailable(() => store.quotaOf('ada', '2026-11-23'))
      // The answer to a statement that was executed may have been lost.
      expect(units).toBeWithin(succeeded, outcomes.length + 1)
    })

    test('works again as soon as a crashed server is back', async () => {
      const store = createPostgresStore(await openPools(await server.createDatabase()))
      await addAccounts(store, 'ada')
      await server.crash()
      expect(await failureOf(store.people.findAccount('ada'))).toBe('unavailable')
      expect(await failureOf(addAccounts(store, 'bob'))).toBe('unavailable')
      await server.restart()
      expect((await store.people.findAccount('ada'))?.id).toBe('ada')
      expect(await store.people.findAccount('bob')).toBeNull()
    })

    test('replaces connections that stopped answering', async () => {
      const url = new URL(await server.createDatabase())
      const proxy = openProxy(Number(url.port))
      url.port = String(proxy.port)
      const store = createPostgresStore(await openPools(url.href, shortLimits))
      await addAccounts(store, 'ada')
      proxy.freeze()
      const frozen = Array.from({ length: 30 }, () => failureOf(store.people.findAccount('ada')))
      expect(new Set(await Promise.all(frozen))).toEqual(new Set(['unavailable']))
      proxy.thaw()
      const found = await retryWhileUnavailable(() => store.people.findAccount('ada'))
      expect(found?.id).toBe('ada')
      proxy.close()
    })
  })
})

async function retryWhileUnavailable<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof StorageError && error.reason === 'unavailable')) throw error
    }
  }
}

type Peer = { other?: Socket<Peer>; isDead: boolean }

/**
 * A proxy to a local port. While it is frozen, the bytes of all its connections are lost, and they never work again.
 */
function openProxy(target: number) {
  let isFrozen = false
  const peers = new Set<Peer>()
  const handlers = {
    data(socket: Socket<Peer>, bytes: Buffer) {
      if (!socket.data.isDead) socket.data.other?.write(bytes)
    },
    close(socket: Socket<Peer>) {
      socket.data.other?.end()
    },
  }
  const listener = Bun.listen<Peer>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...handlers,
      async open(client) {
        client.data = { isDead: isFrozen }
        peers.add(client.data)
        client.pause()
        const data: Peer = { other: client, isDead: isFrozen }
        peers.add(data)
        client.data.other = await Bun.connect<Peer>({ hostname: '127.0.0.1', port: target, socket: handlers, data })
        client.resume()
      },
    },
  })
  return {
    port: listener.port,
    freeze() {
      isFrozen = true
      for (const peer of peers) peer.isDead = true
    },
    thaw: () => (isFrozen = false),
    close: () => listener.stop(true),
  }
}
