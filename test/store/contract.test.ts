import type { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { PostgresPools } from '../../src/store/postgres/postgres-pool.ts'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { openGeocodeCache } from '../../src/store/sqlite/geocode-cache.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { hasPgBouncer, startPgBouncer, type PgBouncer } from '../support/pgbouncer.ts'
import { hasPostgres, startPostgres, startsPostgres_ms, type PostgresServer } from '../support/postgres-server.ts'
import { findBreach, testContract, type OpenedStores } from './contract.ts'
import { plantInPools, sqlFault, type SqlFault } from './sql-fault.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** Opens two connections to a new state.db, each with a store that may have a fault. */
async function openSqliteStores(fault?: SqlFault): Promise<OpenedStores> {
  const folder = temporaryFolder()
  const databases = [openState(folder), openState(folder)] as const
  if (fault) for (const db of databases) plant(fault, db)
  const caches = [openGeocodeCache(folder), openGeocodeCache(folder)] as const
  const storeOf = (index: 0 | 1) => ({ ...createSqliteStore(databases[index]), geocodes: caches[index] })
  return {
    stores: [storeOf(0), storeOf(1)],
    async close() {
      for (const cache of caches) cache.close()
      for (const db of databases) db.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Lets a connection prepare the statements of a fault. */
function plant(fault: SqlFault, db: Database): void {
  const query = db.query.bind(db)
  db.query = (sql: string) => query(fault.changed(sql))
}

describe('the SQLite store', () => {
  testContract(() => openSqliteStores())
})

test.each([
  ['a code is redeemed once', /is_redeemed = true/, 'is_redeemed = false'],
  ['a refresh token is rotated once', /SET used_at = \$now, successor/, 'SET used_at = NULL, successor'],
  ['a revocation ends all that the token made', /f ON t.parent_id = f.id/, 'f ON 0'],
  ['a revocation ends all that the token made', /token_id IN \(SELECT id FROM family\)/, 'false'],
  ['the access epoch grows', /epoch = epoch \+ 1/, 'epoch = epoch'],
  ['the latest use of a token', /AND coalesce\(last_used_at, 0\) < \S+/, ''],
  ['usage that both stores add', /requests = usage.requests \+ /, 'requests = '],
  ['an invitation is accepted once', /invitations WHERE account_id = \$id/, 'invitations WHERE account_id = $id AND 0'],
  ['an account has at most the allowed number of links', /count\(\*\) AS shares/, '0 * count(*) AS shares'],
  ['the link of another account', /shares WHERE account_id = \S+ AND id/, 'shares WHERE id'],
  ['an account has at most the allowed number of pins', /count\(\*\) AS pins/, '0 * count(*) AS pins'],
  ['the pin of another account', /pins WHERE account_id = \S+ AND id/, 'pins WHERE id'],
  ['the number of clients never exceeds', /count\(\*\) AS clients/, '0 * count(*) AS clients'],
  ['no other worker has taken since', /r.epoch = e.epoch AND r.status/, 'r.epoch <= e.epoch AND r.status'],
  ['a node is behind by the revocations', /\(SELECT epoch FROM access_epoch\)/, '0'],
  ['a billed call is claimed once', /OR billed_calls.claimed_until <=/, 'OR 1 <='],
  [
    'a billed call is claimed once',
    /SELECT lease FROM billed_calls WHERE/,
    'SELECT lease FROM billed_calls WHERE 0 AND',
  ],
  ['an idempotency key makes one run', /WHERE run_keys.created_at <= /, 'WHERE 0 < '],
  ['each queued run is adopted once', /NOT r\.held/, 'NOT 0 * r.held'],
  ['cancelled ends its slices', /'cancelled', epoch = NULL/, "'running', epoch = epoch"],
  ['slice has the locations of its range', /first_idx AS first/, 'first_idx + 1 AS first'],
  ['slice has the locations of its range', /first_idx \+ total AS/, 'first_idx + total + 1 AS'],
  ['each one at a time', /AND s.epoch = \S+\)/, 'AND 0)'],
  ['adopted when all of its slices', /s.slice_of = r.number/, 's.slice_of = -1'],
  ['slices of an expired run', /AND coalesce\(slice_of, number\) IN \(SELECT number FROM runs\)/, ''],
  [
    'taken over can no longer change it',
    /runs WHERE number = \$run AND epoch = /,
    'runs WHERE number = $run AND epoch >= -9 + ',
  ],
  ['the attempts of locations are counted', /attempts = \$attempts/, 'attempts = coalesce(attempts, $attempts)'],
  ['taken over can no longer write', /AND epoch IS DISTINCT FROM \$epoch/, 'AND $epoch < 0'],
  ['a worker that is lost in a step', /worker_losses \+ in_transition, in/, 'worker_losses, in'],
  [
    'a run is deleted in batches when two sweeps',
    /DELETE FROM run_artifacts WHERE run = \$run/,
    'DELETE FROM run_artifacts WHERE run = $run AND 0',
  ],
] as const)('the contract finds a fault in SQLite: %s (%p becomes %p)', async (sentence, pattern, replacement) => {
  const fault = sqlFault(pattern, replacement)
  const breach = await findBreach(() => openSqliteStores(fault), sentence)
  expect(fault.isPlanted()).toBe(true)
  expect(Bun.stripANSI(String(breach))).toContain('expect(received)')
})

/** The machine of the tests may be slow. */
const limits = { quick_ms: 30_000, work_ms: 60_000, ping_ms: 10_000 }

/** Opens the connections of two processes to a database. */
function openBoth(url: string): Promise<[PostgresPools, PostgresPools]> {
  return Promise.all([openPostgresPools(url, limits), openPostgresPools(url, limits)])
}

/** Opens two stores on connections that several cases share, and empties their database. */
async function openEmptyStores([first, second]: [PostgresPools, PostgresPools]): Promise<OpenedStores> {
  await first.work.query(
    'TRUNCATE accounts, oauth_clients, oauth_devices, secrets, usage, quota_usage, expired_items, geocodes, runs, run_locations, run_results, run_artifacts, run_chunks, run_keys, run_leases, artifact_objects, nodes, billed_calls CASCADE',
  )
  await first.work.query(dropPartitions)
  await first.work.query('UPDATE access_epoch SET epoch = 0')
  return { stores: [createPostgresStore(first), createPostgresStore(second)], close: async () => {} }
}

describe.skipIf(!hasPostgres)('the PostgreSQL store', () => {
  let server: PostgresServer
  let shared: [PostgresPools, PostgresPools]
  beforeAll(async () => {
    server = await startPostgres()
    shared = await openBoth(await server.createDatabase())
  }, startsPostgres_ms)
  afterAll(async () => {
    await Promise.all(shared.map(closePostgresPools))
    await server.stop()
  })

  testContract(() => openEmptyStores(shared))

  describe.skipIf(!hasPgBouncer)('through PgBouncer in transaction mode', () => {
    let bouncer: PgBouncer
    let pooled: [PostgresPools, PostgresPools]
    beforeAll(async () => {
      const url = await server.createDatabase()
      bouncer = await startPgBouncer(url)
      pooled = await openBoth(bouncer.urlOf(url))
    })
    afterAll(async () => {
      await Promise.all(pooled.map(closePostgresPools))
      await bouncer.stop()
    })

    testContract(() => openEmptyStores(pooled))
  })

  /** Opens two stores that have a fault, on connections of their own. */
  async function openFaultyStores(fault: SqlFault): Promise<OpenedStores> {
    const pools = await openBoth(await server.createDatabase())
    const [first, second] = pools.map((it) => createPostgresStore(plantInPools(fault, it)))
    return { stores: [first!, second!], close: async () => void (await Promise.all(pools.map(closePostgresPools))) }
  }

  const anyRowLock = / FOR (NO KEY )?UPDATE( OF \w+)?/
  const assertion = /expect\(received\)/
  const maxAttempts = 10
  test.each([
    ['an invitation is accepted once', anyRowLock, '', assertion],
    ['a code is redeemed once', anyRowLock, '', assertion],
    ['wrong verifiers are counted', anyRowLock, '', assertion],
    ['a refresh token is rotated once', anyRowLock, '', assertion],
    ['a token that is added while its parent is revoked', anyRowLock, '', assertion],
    ['tokens that are issued while their grant', anyRowLock, '', assertion],
    ['a device gets tokens once', anyRowLock, '', assertion],
    ['an account has at most the allowed number of links', anyRowLock, '', assertion],
    ['an account has at most the allowed number of pins', anyRowLock, '', assertion],
    ['no other worker has taken since', /l.epoch = r.epoch AND l.until > /, 'l.until < ', assertion],
    ['a node is behind by the revocations', /\(SELECT epoch FROM access_epoch\)/, '0', assertion],
    [
      'the number of clients never exceeds',
      /pg_advisory_xact_lock\(\$1::int, \$2::int\)/,
      '$1::int, $2::int',
      assertion,
    ],
    ['the number of pending devices', /pg_advisory_xact_lock\(\$1::int, \$2::int\)/, '$1::int, $2::int', assertion],
    ['usage that both stores add', / WHERE true/, ' ORDER BY random()', /locked/],
    ['usage that both stores add', /usage.requests \+ /, '', assertion],
    ['the access epoch grows', /epoch = epoch \+ 1/, 'epoch = epoch', assertion],
    [
      'also as the first of a month',
      /pg_advisory_xact_lock\(\$1::int, \$2::int\)/,
      '$1::int, $2::int',
      /already exists|duplicate key/,
    ],
    ['from a future month are moved', /cached FROM geocode_audit_\w+$/, '$& WHERE false', assertion],
    ['the latest use of a token', /AND coalesce\(last_used_at, 0\) < \S+/, '', assertion],
    ['taken over can no longer change it', /AND epoch = \$2 AND status = 'running'/, 'AND $2::bigint > 0', assertion],
    ['taken over can no longer write', /AND epoch IS DISTINCT FROM \$(\d)/, 'AND $$$1::bigint < 0', assertion],
    ['the attempts of locations are counted', /attempts = \$3/, 'attempts = coalesce(attempts, $3)', assertion],
    ['attempts that a lost worker did not finish', /THEN \$7/, 'THEN coalesce(attempts, $7)', assertion],
    ['cancelled ends its slices', /'cancelled', epoch = NULL/, "'running', epoch = epoch", assertion],
    ['slice has the locations of its range', /first_idx AS first/, 'first_idx + 1 AS first', assertion],
    ['slice has the locations of its range', /first_idx \+ total AS/, 'first_idx + total + 1 AS', assertion],
    ['each one at a time', /AND s.epoch = \$1\)/, 'AND false)', assertion],
    ['adopted when all of its slices', /s.slice_of = r.number/, 's.slice_of = -1', assertion],
    ['slices of an expired run', /AND \(slice_of IS NULL OR .* whole\)\)/, '', assertion],
    ['once if a worker writes them twice', /AND run = \$1$/, 'AND run = -$1', /expect\(received\)|duplicate key/],
    ['a billed call is claimed once', /OR billed_calls.claimed_until <=/, 'OR 1 <=', assertion],
    [
      'a billed call is claimed once',
      /SELECT (pg_try_advisory_xact_lock_shared.*) AS/,
      'SELECT $1 OR true AS',
      assertion,
    ],
    ['an idempotency key makes one run', /WHERE run_keys.created_at <= \$6/, 'WHERE $6::bigint > 0', assertion],
    [
      'a run is cancelled until it is finished',
      /in_transition = CASE WHEN cancelled_at IS NULL/,
      'in_transition = CASE WHEN true',
      assertion,
    ],
    [
      'entries are read in order',
      /AND idx >= coalesce/,
      'AND idx >= $2 + 0 * coalesce',
      /expect\(received\)|Cannot destructure/,
    ],
  ] as const)('the contract finds a fault in PostgreSQL: %s (%p becomes %p)', async (...row) => {
    const [sentence, pattern, replacement, error] = row
    const fault = sqlFault(pattern, replacement)
    let breach: unknown = null
    // Some faults show only when two calls meet at the right moment.
    for (let i = 0; i < maxAttempts && breach === null; i++)
      breach = await findBreach(() => openFaultyStores(fault), sentence)
    expect(fault.isPlanted()).toBe(true)
    expect(Bun.stripANSI(String(breach))).toMatch(error)
  })
})

/** Drops all months of the audit. */
const dropPartitions = `DO $$ DECLARE name regclass; BEGIN
  FOR name IN SELECT inhrelid FROM pg_inherits WHERE inhparent = 'geocode_audit'::regclass LOOP
    EXECUTE format('DROP TABLE %s', name);
  END LOOP; END $$`
