import { createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import type { Store } from '../../src/store/store.ts'

/**
 * Opens the state at the first argument, a folder or the URL of a database, claims the billed call `call` for no time,
 * prints `claimed`, and lives until it is killed.
 */
const at = process.argv[2]!
const store: Pick<Store, 'billedCalls'> = at.startsWith('postgres:')
  ? createPostgresStore(await openPostgresPools(at))
  : createSqliteStore(openState(at))
if (await store.billedCalls.claim('call', 'child', 0)) console.log('claimed')
setInterval(() => {}, 1000)
