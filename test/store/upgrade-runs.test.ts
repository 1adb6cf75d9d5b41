import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { RunLoop } from '../../src/runs/run-loop.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { migratePostgres } from '../../src/store/postgres/postgres-migrate.ts'
import { postgresMigrations } from '../../src/store/migrations.ts'
import { openPostgresPool } from '../../src/store/postgres/postgres-pool.ts'
import { closePostgresPools, createPostgresStore, openPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import type { RunStores } from '../../src/store/store.ts'
import { hasPostgres, startPostgres, type PostgresServer } from '../support/postgres-server.ts'
import { newLocations, newRun, now } from './contract-case.ts'
import { writeOlderState } from './upgrade.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const total = 5

/**
 * A run as an earlier release has left it. `results`: the rows with a result. `attempts`: per row, the attempts that
 * ended, and whether another one was in progress.
 */
type EarlierRun = {
  status: 'queued' | 'running' | 'done'
  /** The columns that only some runs have. */
  columns?: Partial<Record<'epoch' | 'cancelled_at' | 'in_transition' | 'finished_at', number>>
  results: number[]
  attempts?: Record<number, [ended: number, open: 0 | 1]>
  /** The rows that the newest release answers, and what becomes of the run. */
  answers: number[]
  becomes: { status: string; ok: number }
}

const succeeds = { status: 'done', ok: total }
const earlierRuns: Record<string, EarlierRun> = {
  finished: {
    status: 'done',
    columns: { epoch: 1, finished_at: 2 },
    results: [0, 1, 2, 3, 4],
    answers: [],
    becomes: succeeds,
  },
  queued: { status: 'queued', results: [], answers: [0, 1, 2, 3, 4], becomes: succeeds },
  'with a worker that was lost': {
    status: 'running',
    columns: { epoch: 1 },
    results: [0, 1],
    attempts: { 2: [0, 1], 3: [0, 1] },
    answers: [2, 3, 4],
    becomes: succeeds,
  },
  'with a row that has ended three workers': {
    status: 'running',
    columns: { epoch: 1 },
    results: [0],
    attempts: { 3: [2, 1] },
    answers: [1, 2, 4],
    becomes: { status: 'done', ok: total - 1 },
  },
  'that was released by a stop': {
    status: 'running',
    results: [0, 4],
    attempts: { 3: [1, 0] },
    answers: [1, 2, 3],
    becomes: succeeds,
  },
  'that is being cancelled': {
    status: 'running',
    columns: { epoch: 1, cancelled_at: 2, in_transition: 1 },
    results: [0, 1],
    attempts: { 2: [0, 1] },
    answers: [],
    becomes: { status: 'cancelled', ok: 2 },
  },
  'whose result files were being written': {
    status: 'running',
    columns: { epoch: 1, in_transition: 1 },
    results: [0, 1, 2, 3, 4],
    answers: [],
    becomes: succeeds,
  },
}
const names = Object.keys(earlierRuns)
const idOf = (name: string) => `run_${names.indexOf(name)}`
const entryOf = (idx: number) => JSON.stringify({ index: idx, ok: true, release: 'earlier' })
const resultFile = 'lat,lng\r\n'

/** The statements that store the runs in the tables of schema version 18 or 19. Both databases execute them. */
function statementsOf(): string[] {
  const runs = Object.entries(earlierRuns).flatMap(
    ([name, { status, columns = {}, results, attempts = {} }], index) => {
      const run = index + 1
      const extra = Object.entries(columns)
      return [
        `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, margin_fields, columns, catalog_version, total, done, ok, failed_values${extra.map(([column]) => `, ${column}`).join('')})
       VALUES ('${idOf(name)}', 'ada', 'fetch', 'fetch_batch', '${status}', 1, ${now + 1000}, '{}', '["county"]', '[]', '[]', '1', ${total}, ${results.length}, ${results.length}, 0${extra.map(([, value]) => `, ${value}`).join('')})`,
        ...newLocations(total).map(({ input }, idx) => {
          const [ended, open] = attempts[idx] ?? [0, 0]
          return `INSERT INTO run_locations (run, idx, input, passthrough, attempts, earlier_attempts) VALUES (${run}, ${idx}, '${input}', '["${idx}"]', ${open}, ${ended})`
        }),
        ...results.map(
          (idx) =>
            `INSERT INTO run_results (run, idx, ok, retryable, entry) VALUES (${run}, ${idx}, true, false, '${entryOf(idx)}')`,
        ),
      ]
    },
  )
  const key = `INSERT INTO run_keys (account_id, key, body_hash, run_id, created_at) VALUES ('ada', 'key', 'hash', '${idOf('queued')}', ${now})`
  return ['INSERT INTO run_epochs (started_at) VALUES (1)', ...runs, key]
}

/** Answers all runs with the worker of this release. Returns the rows that it answered, as `<run> <index>`. */
async function finishRuns({ runs, runQueue }: RunStores): Promise<string[]> {
  const answered: string[] = []
  const loop = new RunLoop({
    writer: await runQueue.beginEpoch(now, 'node'),
    isFirstWorker: true,
    steady_ms: 0,
    leaseRenewal_ms: 50,
    answerLocation: ({ run, location }) => {
      answered.push(`${run.id} ${location.idx}`)
      return Promise.resolve(successEntryOf(location, {}))
    },
    writeArtifacts: async () => {},
    now: () => new Date(now),
    reportChange: () => {},
    reportFailure: (_activity, error) => {
      throw error
    },
    reportRecovery: () => {},
  })
  loop.wake()
  while (await runs.hasUnfinished()) await new Promise((resolve) => setImmediate(resolve))
  await loop.stop(Promise.resolve())
  return answered
}

/** Checks that every run has each of its rows once, and that those of the earlier release have not changed. */
async function checkUpgrade(store: RunStores): Promise<void> {
  const file = async () => new TextDecoder().decode(await store.artifacts.readBytes(1, 'csv', 0, 100))
  expect(await store.artifacts.find(1, 'csv')).toEqual({ etag: '"a"', bytes: resultFile.length })
  expect(await file()).toEqual(resultFile)
  const key = { key: 'key', body_hash: 'hash', after: 0 }
  expect(await store.submissions.submit(newRun('run_new'), packLocations(newLocations(1)), key)).toEqual({
    run_id: idOf('queued'),
    replayed: true,
  })
  const answered = await finishRuns(store)
  const expected = Object.entries(earlierRuns).flatMap(([name, run]) =>
    run.answers.map((idx) => `${idOf(name)} ${idx}`),
  )
  expect(answered.toSorted()).toEqual(expected.toSorted())
  for (const [name, { results, becomes }] of Object.entries(earlierRuns)) {
    const run = (await store.runs.find(idOf(name), 'ada'))!
    expect([name, run]).toMatchObject([name, { ...becomes, total, done: total }])
    const entries = await store.runs.listEntries(run.number, 0, 2 * total)
    expect(entries.map(({ idx, input, passthrough }) => [idx, input, passthrough])).toEqual(
      newLocations(total).map(({ input }, idx) => [idx, input, `["${idx}"]`]),
    )
    for (const idx of results) expect(entries[idx]!.entry).toBe(entryOf(idx))
  }
}

describe.each([18, 19])(
  'unfinished runs of schema version %p are finished, and no row is lost or doubled',
  (version) => {
    test('in a data folder', async () => {
      const folder = temporaryFolder()
      const older = new Database(writeOlderState(folder, version))
      for (const statement of statementsOf()) older.run(statement)
      older.run(`INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (1, 'csv', '"a"', ${resultFile.length})`)
      older.run("INSERT INTO run_chunks (run, name, start, bytes) VALUES (1, 'csv', 0, ?)", [Buffer.from(resultFile)])
      older.close()
      const db = openState(folder)
      await checkUpgrade(createSqliteStore(db))
      db.close()
    })

    describe.skipIf(!hasPostgres)('in PostgreSQL', () => {
      let server: PostgresServer
      beforeAll(async () => {
        server = await startPostgres()
      })
      afterAll(() => server.stop())

      test('also if the lease of a lost worker has not expired', async () => {
        const url = await server.createDatabase()
        const older = openPostgresPool({ url, connections: 1, deadline_ms: 20_000, ping_ms: 10_000 })
        await migratePostgres(older, { migrations: postgresMigrations.filter((it) => it.number <= version), floor: 15 })
        for (const statement of statementsOf()) await older.query(statement)
        await older.query(
          'INSERT INTO run_leases (run, epoch, until) SELECT number, epoch, 1 FROM runs WHERE epoch IS NOT NULL',
        )
        const lease =
          'UPDATE run_leases SET until = (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 300 WHERE run = 3'
        await older.query(lease)
        await older.query(
          `INSERT INTO run_artifacts (run, name, etag, bytes, epoch) VALUES (1, 'csv', '"a"', $1, 1)`,
          resultFile.length,
        )
        await older.query(
          "INSERT INTO run_chunks (run, name, epoch, start, bytes) VALUES (1, 'csv', 1, 0, $1)",
          Buffer.from(resultFile),
        )
        await older.close()
        const pools = await openPostgresPools(url, { quick_ms: 20_000, work_ms: 20_000, ping_ms: 10_000 })
        await checkUpgrade(createPostgresStore(pools))
        await closePostgresPools(pools)
      })
    })
  },
)
