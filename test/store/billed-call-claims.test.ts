import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import type { Store } from '../../src/store/store.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { hasPostgres, startPostgres, startsPostgres_ms, type PostgresServer } from '../support/postgres-server.ts'

type Child = { signal(name: 'SIGSTOP' | 'SIGKILL'): void; end(): Promise<void> }

/** Starts another process that has claimed the billed call `call` in a state. The claim has expired. */
async function startClaimant(state: string): Promise<Child> {
  const program = join(import.meta.dir, 'claim-process.ts')
  const child = Bun.spawn([process.execPath, '--no-env-file', program, state], { stdout: 'pipe', stderr: 'inherit' })
  const { value } = await child.stdout.getReader().read()
  expect(new TextDecoder().decode(value)).toBe('claimed\n')
  return {
    signal: (name) => child.kill(name),
    async end() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** Claims the call of another process while that one runs, while it is suspended, and after it was killed. */
async function checkClaims({ billedCalls }: Pick<Store, 'billedCalls'>, state: string): Promise<void> {
  const claim = () => billedCalls.claim('call', 'test', 60_000)
  const child = await startClaimant(state)
  try {
    expect(await claim()).toBe(false)
    child.signal('SIGSTOP')
    expect(await claim()).toBe(false)
    await child.end()
    while (!(await claim())) await Bun.sleep(10)
  } finally {
    await child.end()
  }
}

test('in state.db, an expired claim lasts until its process has ended', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'billed-call-claims-'))
  const db = openState(folder)
  try {
    const store = createSqliteStore(db)
    await checkClaims(store, folder)
    // The claim of an earlier release, which has no process.
    db.run("INSERT INTO billed_calls (key, lease, claimed_until) VALUES ('earlier', 'abc', unixepoch() * 1000 - 1000)")
    expect(await store.billedCalls.claim('earlier', 'test', 60_000)).toBe(true)
  } finally {
    db.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, startsPostgres_ms)
  afterAll(() => server.stop())

  async function withStore(url: string, work: (store: Store) => Promise<void>): Promise<void> {
    const pools = await openPostgresPools(url)
    try {
      await work(createPostgresStore(pools))
    } finally {
      await closePostgresPools(pools)
    }
  }

  test('an expired claim lasts until its process has ended', async () => {
    const url = await server.createDatabase()
    await withStore(url, (store) => checkClaims(store, url))
  })

  test.skipIf(!hasPgBouncer)('behind PgBouncer too', async () => {
    const url = await server.createDatabase()
    const bouncer = await startPgBouncer(url)
    try {
      await withStore(bouncer.urlOf(url), (store) => checkClaims(store, bouncer.urlOf(url)))
    } finally {
      await bouncer.stop()
    }
  })

  test('an expired claim lasts while its process has new connections, after the server ended the old ones', async () => {
    const url = await server.createDatabase()
    await withStore(url, async ({ billedCalls: first }) => {
      expect(await first.claim('call', 'first', 60_000)).toBe(true)
      await server.killConnections()
      // The owner renews its claim. The first attempts can fail.
      while (!(await first.claim('call', 'first', 0).catch(() => false))) await Bun.sleep(10)
      await withStore(url, async ({ billedCalls: second }) => {
        expect(await second.claim('call', 'second', 60_000)).toBe(false)
      })
    })
  })
})
