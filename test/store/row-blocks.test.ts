import { describe, expect, test } from 'bun:test'
import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { RunLoop } from '../../src/runs/run-loop.ts'
import type { LocationTask } from '../../src/runs/run-loop-deps.ts'
import type { QuestionResult } from '../../src/runs/worker-messages.ts'
import { entryChecksum } from '../../src/store/entry-checksum.ts'
import { RunAttempts } from '../../src/store/runs/run-attempts.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { findDamagedResults } from '../../src/store/damaged-results.ts'
import { createPoolSql } from '../../src/store/postgres/postgres-sql.ts'
import { migratePostgres } from '../../src/store/postgres/postgres-migrate.ts'
import { postgresMigrations } from '../../src/store/migrations.ts'
import { openPostgresPool, type PostgresPools } from '../../src/store/postgres/postgres-pool.ts'
import { createPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { RunWriter } from '../../src/store/runs/run-queue.ts'
import { StorageError } from '../../src/store/storage-error.ts'
import type { Store } from '../../src/store/store.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { addRun, firstAttempts, newLocations, newResult, newRun, now } from './contract-case.ts'
import { createPostgresStores } from './postgres-stores.ts'

const rows = 600

test('the attempts of locations are stored as ranges', () => {
  const attempts = RunAttempts.parse('[]')
  for (const idx of [7, 3, 4, 5]) attempts.begin({ idx, attempts: 0 })
  attempts.begin({ idx: 9, attempts: 1 })
  expect(attempts.toString()).toBe('[[3,5,1,1],[7,7,1,1],[9,9,2,1]]')
  attempts.remove(4)
  attempts.release([
    { idx: 5, attempts: 0 },
    { idx: 9, attempts: 1 },
  ])
  expect(RunAttempts.parse(attempts.toString()).toString()).toBe('[[3,3,1,0],[7,7,1,0],[9,9,1,0]]')
  attempts.settle()
  expect([attempts.toString(), attempts.countOf(7)]).toEqual(['[]', 0])
})

describe.skipIf(!hasPostgres)('rows of a run in blocks', () => {
  const { loops, createDatabase, openStore } = createPostgresStores()

  const answered = ({ location }: LocationTask) => Promise.resolve(successEntryOf(location, { value: location.idx }))

  type Answer = (task: LocationTask) => Promise<QuestionResult>

  /** Starts a worker that answers many locations at a time. */
  async function startLoop({ runQueue }: Store, answerLocation: Answer): Promise<void> {
    const loop = createLoop(await runQueue.beginEpoch(now), answerLocation)
    loops.push(loop)
    loop.wake()
  }

  /** Starts a worker that is lost when it answers this location. */
  async function loseWorker({ runQueue }: Store, poison: number): Promise<void> {
    const isLost = Promise.withResolvers<never>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const writer = await runQueue.beginEpoch(now)
    let isAlive = true
    const adopt: RunWriter['adopt'] = (...limits) => (isAlive ? writer.adopt(...limits) : isLost.promise)
    const saveProgress: RunWriter['saveProgress'] = (...write) =>
      isAlive ? writer.saveProgress(...write) : isLost.promise
    createLoop({ ...writer, adopt, saveProgress }, (task) => {
      if (task.location.idx !== poison) return answered(task)
      isAlive = false
      resolve()
      return isLost.promise
    }).wake()
    await promise
  }

  function createLoop(writer: RunWriter, answerLocation: Answer): RunLoop {
    return new RunLoop({
      writer,
      isFirstWorker: false,
      steady_ms: 0,
      // Lost workers must not take their runs over again.
      leaseRenewal_ms: 2 ** 31 - 1,
      answerLocation,
      answersItself: () => true,
      writeArtifacts: async () => {},
      now: () => new Date(now),
      reportChange: () => {},
      reportFailure: (_name, error) => {
        throw error
      },
      reportRecovery: () => {},
    })
  }

  async function untilFinished({ runs }: Store): Promise<void> {
    while (await runs.hasUnfinished());
  }

  const sizesOf = (pools: PostgresPools, table: string) =>
    pools.work
      .query<{ rows: number }>(`SELECT rows FROM ${table} ORDER BY run, idx`)
      .then((found) => found.map((it) => it.rows))

  test('are written together, and read back one by one, in pages and as a retry', async () => {
    const { store, pools } = await openStore()
    const locations = newLocations(rows).map((it, i) => (i === 300 ? { ...it, errorEntry: '{"ok":false}' } : it))
    await store.submissions.submit(newRun('run_1'), packLocations(locations), null)
    await startLoop(store, answered)
    await untilFinished(store)
    const run = (await store.runs.find('run_1', 'ada'))!
    expect(run).toMatchObject({ status: 'done', total: rows, done: rows, ok: rows - 1, attempts: '[]' })
    expect(await sizesOf(pools, 'run_locations')).toEqual([256, 256, 88])
    expect((await sizesOf(pools, 'run_results')).length).toBeLessThan(8)
    const entries = await store.runs.listEntries(run.number, 0, rows + 1)
    expect(entries.map(({ idx, input }) => [idx, input])).toEqual(newLocations(rows).map(({ input }, i) => [i, input]))
    expect(await store.runs.findEntry(run.number, 555)).toBe('{"index":555,"ok":true,"value":555}')
    expect(await store.runs.readResults(run.number, { from: 0, limit: 2, ok: false }, '')).toMatchObject({ last: 300 })
    await store.submissions.retry(newRun('run_2'), run, [599, 300])
    const retry = (await store.runs.find('run_2', 'ada'))!
    expect([retry.total, await store.runs.listOriginalIndexes(retry.number)]).toEqual([2, [300, 599]])
  })

  test('are answered once, and the row that kills its process each time is given up at its third try', async () => {
    const { store, pools } = await openStore()
    const [total, poison] = [300, 270]
    const { number } = await addRun(store, 'run_1', total)
    for (let life = 1; life <= 3; life++) {
      await loseWorker(store, poison)
      await pools.quick.query('DELETE FROM run_leases')
    }
    const requested: number[] = []
    await startLoop(store, (task) => {
      requested.push(task.location.idx)
      return answered(task)
    })
    await untilFinished(store)
    expect(await store.runs.find('run_1', 'ada')).toMatchObject({ status: 'done', done: total, ok: total - 1 })
    expect(requested).not.toContain(poison)
    expect(await store.runs.findEntry(number, poison)).toContain('internal_error')
    expect((await store.runs.listEntries(number, 0, total + 1)).map(({ idx }) => idx)).toEqual(
      Array.from({ length: total }, (_, idx) => idx),
    )
  })

  test('are stored once if the answer of a write was lost, and its attempts do not count after a release', async () => {
    const { store, pools } = await openStore()
    const { number } = await addRun(store, 'run_1', 10)
    const lostAnswer = { isNext: false }
    const query: PostgresPools['work']['query'] = async (statement, ...values) => {
      const result = await pools.work.query<never>(statement, ...values)
      if (!lostAnswer.isNext || !statement.includes('INSERT INTO run_results')) return result
      lostAnswer.isNext = false
      throw new StorageError('unavailable')
    }
    const faulty = createPostgresStore({ ...pools, work: { ...pools.work, query } })
    const writer = await faulty.runQueue.beginEpoch(now)
    await writer.takeOver(number, now)
    lostAnswer.isNext = true
    const results = [newResult(0), newResult(1), newResult(2)]
    const lost: unknown = await writer
      .saveProgress(number, results, firstAttempts(5, 6))
      .catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(StorageError)
    expect(await writer.saveProgress(number, [...results, newResult(3)], firstAttempts(5))).toMatchObject({ done: 4 })
    expect((await store.runs.listEntries(number, 0, 20)).map(({ idx }) => idx)).toEqual([0, 1, 2, 3])
    await writer.releaseLease(number, firstAttempts(5, 6))
    const successor = await store.runQueue.beginEpoch(now)
    expect((await successor.adopt(now, 1, Infinity))?.number).toBe(number)
    expect(await successor.retriedLocations(number)).toEqual([])
  })

  test('are not read to find those that failed, if all rows of their block are ok', async () => {
    const { store, pools } = await openStore()
    const locations = newLocations(rows).map((it, i) => (i === 300 ? { ...it, errorEntry: '{"ok":false}' } : it))
    await store.submissions.submit(newRun('run_1'), packLocations(locations), null)
    await startLoop(store, answered)
    await untilFinished(store)
    const { number } = (await store.runs.find('run_1', 'ada'))!
    const unreadable = await pools.work.query("UPDATE run_results SET block = 'unreadable' WHERE ok RETURNING rows")
    expect(unreadable.length).toBeGreaterThan(1)
    const range = { limit: 9, ok: false }
    expect(await store.runs.readResults(number, { ...range, from: 0 }, '')).toMatchObject({ rows: 1, last: 300 })
    expect(await store.runs.readResults(number, { ...range, from: 301 }, '')).toBeNull()
  })

  test('with one other bit are damaged, never a wrong value, in a block and copied as a row', async () => {
    const { store, pools } = await openStore()
    const { number } = await addRun(store, 'run_1', 3)
    await startLoop(store, answered)
    await untilFinished(store)
    const isDamaged = async (change: string) => {
      expect(await pools.work.query('UPDATE run_results SET idx = idx RETURNING block')).toHaveLength(1)
      await pools.work.query(`UPDATE run_results SET ${change}`)
      const { runs } = createPostgresStore(pools)
      const read: unknown = await runs.readResults(number, { from: 0, limit: 9, ok: null }, '').catch((e: unknown) => e)
      return (read as { code?: string }).code === 'stored_data_damaged'
    }
    expect(await isDamaged('idx = idx')).toBe(false)
    expect(await findDamagedResults(createPoolSql(pools.work))).toEqual([])
    expect(await isDamaged('idx = 1')).toBe(true)
    expect(await findDamagedResults(createPoolSql(pools.work))).toEqual(['Damaged results: run_1/results/1.'])
    expect(await isDamaged('idx = 0, ok = NOT ok')).toBe(true)
    const lastByte = 'octet_length(block) - 1'
    const flipped = `set_byte(block, ${lastByte}, get_byte(block, ${lastByte}) # 1)`
    expect(await isDamaged(`ok = NOT ok, block = ${flipped}`)).toBe(true)
    const entry = '{"index":0}'
    const checksum = entryChecksum({ idx: 0, ok: true, entry })
    expect(await isDamaged(`block = NULL, entry = '${entry}', checksum = ${checksum}`)).toBe(false)
    expect(await isDamaged(`entry = '{"index":1}'`)).toBe(true)
    const readInputs = () =>
      createPostgresStore(pools).runs.readInputs({ number, kind: 'fetch_batch' }, { from: 0, limit: 9 }, '')
    expect(await readInputs()).toMatchObject({ rows: 3 })
    await pools.work.query(`UPDATE run_locations SET block = ${flipped}`)
    expect(readInputs()).rejects.toMatchObject({ code: 'stored_data_damaged' })
    expect(await findDamagedResults(createPoolSql(pools.work))).toContain('Damaged locations: run_1/locations/0.')
  })

  test('are no longer in the memory of their worker when the run is finished', async () => {
    const { store, pools } = await openStore()
    const { number } = await addRun(store, 'run_1', 2)
    const writer = await store.runQueue.beginEpoch(now)
    await writer.takeOver(number, now)
    await writer.saveProgress(number, [newResult(0), newResult(1)], [])
    await pools.work.query('DELETE FROM run_results')
    expect(await writer.pendingLocations(number, 0, 9)).toEqual([])
    await writer.finish(number, 'done', now, null)
    expect((await writer.pendingLocations(number, 0, 9)).map(({ idx }) => idx)).toEqual([0, 1])
  })

  describe('and a run of the release before, which has a row for each location', () => {
    /** A database of schema version 19 with a finished run, and one that lost its worker while row 3 was in progress. */
    async function createEarlierDatabase(): Promise<string> {
      const url = await createDatabase()
      const pool = openPostgresPool({ url, connections: 1, deadline_ms: 20_000, ping_ms: 10_000 })
      await migratePostgres(pool, { migrations: postgresMigrations.filter((it) => it.number < 20), floor: 15 })
      for (const [id, status] of [
        ['run_1', 'done'],
        ['run_2', 'running'],
      ] as const)
        await pool.query(
          `INSERT INTO runs (id, account_id, scopes, kind, status, created_at, expires_at, selection, fields, margin_fields,
             columns, catalog_version, total, done, ok, retryable_locations, failed_values, epoch)
           VALUES ($1, 'ada', 'fetch', 'fetch_batch', $2, 1, $3::bigint, '{}', '["county"]', '[]', '[]', '1', 5, 3, 2, 1, 1, 1)`,
          id,
          status,
          now + 1000,
        )
      await pool.query(
        `INSERT INTO run_locations (run, idx, input, passthrough, attempts, earlier_attempts)
         SELECT number, idx, '{"lat":' || idx || '}', '["a' || idx || '"]', (idx = 3)::int, (idx IN (3, 4))::int
         FROM runs, generate_series(0, 4) AS idx`,
      )
      await pool.query(
        `INSERT INTO run_results (run, idx, ok, retryable, entry)
         SELECT number, idx, idx <> 1, idx = 1, '{"index":' || idx || '}' FROM runs, generate_series(0, 2) AS idx`,
      )
      await pool.close()
      return url
    }

    test('stays readable, goes on, and keeps its attempts', async () => {
      const { store } = await openStore({ url: await createEarlierDatabase() })
      const [finished, running] = await Promise.all(['run_1', 'run_2'].map((id) => store.runs.find(id, 'ada')))
      const entry = { entry: '{"index":1}', input: '{"lat":1}', passthrough: '["a1"]' }
      expect(await store.runs.listEntries(finished!.number, 1, 1)).toEqual([{ idx: 1, ...entry }])
      const group = await store.runs.readResults(finished!.number, { from: 0, limit: 9, ok: true }, '')
      expect(new TextDecoder().decode(group?.bytes)).toBe('{"index":0},{"index":2}')
      await store.submissions.retry(newRun('run_3'), finished!, null)
      const retry = (await store.runs.find('run_3', 'ada'))!
      expect([retry.total, await store.runs.listOriginalIndexes(retry.number)]).toEqual([1, [1]])
      const writer = await store.runQueue.beginEpoch(now)
      await writer.takeOver(running!.number, now)
      const attemptsOf = async () => (await writer.retriedLocations(running!.number)).map((it) => [it.idx, it.attempts])
      expect(await attemptsOf()).toEqual([
        [4, 1],
        [3, 2],
      ])
      await writer.saveProgress(running!.number, [newResult(3)], [])
      expect(await attemptsOf()).toEqual([[4, 1]])
      await writer.releaseLease(running!.number, [])
      await startLoop(store, answered)
      await untilFinished(store)
      expect(await store.runs.find('run_2', 'ada')).toMatchObject({ status: 'done', done: 5, ok: 4 })
      expect((await store.runs.listEntries(running!.number, 0, 9)).map(({ idx }) => idx)).toEqual([0, 1, 2, 3, 4])
    })

    test('is not taken over by an executable that does not know blocks', async () => {
      const { store, pools } = await openStore({ url: await createEarlierDatabase() })
      const [earlier, submitted] = [(await store.runs.find('run_2', 'ada'))!, await addRun(store, 'run_4', 3)]
      const takeOver = (number: number) =>
        pools.work.query(
          `UPDATE runs SET epoch = 100, status = 'running', worker_losses = worker_losses + in_transition
           WHERE number = $1 AND status IN ('queued', 'running') RETURNING 1`,
          number,
        )
      expect([await takeOver(earlier.number), await takeOver(submitted.number)].map(({ length }) => length)).toEqual([
        1, 0,
      ])
      const writer = await store.runQueue.beginEpoch(now)
      expect(await writer.takeOver(earlier.number, now)).not.toBeNull()
      expect(await takeOver(earlier.number)).toEqual([])
    })
  })
})
