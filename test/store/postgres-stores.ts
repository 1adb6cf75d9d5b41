import { afterAll, afterEach, beforeAll } from 'bun:test'
import type { RunLoop } from '../../src/runs/run-loop.ts'
import type { PostgresPools } from '../../src/store/postgres/postgres-pool.ts'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { startPostgres, startsPostgres_ms, type PostgresServer } from '../support/postgres-server.ts'
import { plantInPools, type SqlFault } from './sql-fault.ts'

const limits = { quick_ms: 20_000, work_ms: 20_000, ping_ms: 10_000 }

/** Opens stores on a PostgreSQL server for the tests of a `describe` block. */
export type PostgresStores = {
  /** The loops to stop after each test. */
  loops: RunLoop[]
  createDatabase(): Promise<string>
  /** Opens a store on a database (default: a new one), and pools without its fault. They are closed after each test. */
  openStore(options?: { url?: string; fault?: SqlFault | undefined }): Promise<{ store: Store; pools: PostgresPools }>
}

/** Starts a PostgreSQL server before the tests of a `describe` block, and stops it after them. */
export function createPostgresStores(): PostgresStores {
  let server: PostgresServer
  const opened: PostgresPools[] = []
  const loops: RunLoop[] = []
  beforeAll(async () => {
    server = await startPostgres()
  }, startsPostgres_ms)
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.stop(Promise.resolve())))
    for (const pools of opened.splice(0)) await closePostgresPools(pools)
  })
  afterAll(() => server.stop())
  return {
    loops,
    createDatabase: () => server.createDatabase(),
    async openStore({ url, fault } = {}) {
      const pools = await openPostgresPools(url ?? (await server.createDatabase()), limits)
      opened.push(pools)
      return { store: createPostgresStore(fault ? plantInPools(fault, pools) : pools), pools }
    },
  }
}
