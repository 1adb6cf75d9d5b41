import { describe, expect, test } from 'bun:test'
import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { RunLoop } from '../../src/runs/run-loop.ts'
import type { LocationTask } from '../../src/runs/run-loop-deps.ts'
import type { QuestionResult } from '../../src/runs/worker-messages.ts'
import { unslicedMax_rows } from '../../src/store/runs/run-slices.ts'
import type { Store } from '../../src/store/store.ts'
import type { PostgresPools } from '../../src/store/postgres/postgres-pool.ts'
import { createPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { hasPostgres } from '../support/postgres-server.ts'
import { addRun, holdRun, newResult, now } from './contract-case.ts'
import { createPostgresStores } from './postgres-stores.ts'
import { sqlFault, type SqlFault } from './sql-fault.ts'

describe.skipIf(!hasPostgres)('runs on PostgreSQL', () => {
  const { loops, openStore } = createPostgresStores()

  /** Resolves when this many statements wait for a lock. */
  async function waitForLocks({ quick }: PostgresPools, count: number): Promise<void> {
    const waiting = () =>
      quick.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
    while ((await waiting()).length < count);
  }

  /** Adopts a run while another process holds the row of the first one. Resolves with the id of the run. */
  async function adoptBesideLock(fault?: SqlFault): Promise<string | undefined> {
    const { store, pools } = await openStore({ fault })
    await addRun(store, 'run_1', 1)
    await addRun(store, 'run_2', 1)
    const writer = await store.runQueue.beginEpoch(now)
    return pools.work.transaction(async (send) => {
      await send("SELECT 1 FROM runs WHERE id = 'run_1' FOR NO KEY UPDATE")
      const adopted = writer.adopt(now, 10, Infinity).then((run) => run?.id)
      return Promise.race([adopted, waitForLocks(pools, 1).then(() => 'waited')])
    })
  }

  test('are adopted beside a run that another process adopts at this moment, without waiting for it', async () => {
    expect(await adoptBesideLock()).toBe('run_2')
    for (const pattern of [/ SKIP LOCKED/, / FOR NO KEY UPDATE OF r SKIP LOCKED/]) {
      const fault = sqlFault(pattern, '')
      expect([await adoptBesideLock(fault), fault.isPlanted()]).toEqual(['waited', true])
    }
  })

  test('with slices, and their slices, are not taken over by executables that know none', async () => {
    const { store, pools } = await openStore()
    for (const [id, rows] of [
      ['run_1', unslicedMax_rows],
      ['run_2', unslicedMax_rows + 1],
    ] as const)
      await addRun(store, id, rows)
    const taken = await pools.work.query<{ id: string }>('UPDATE runs SET epoch = 7, block_epoch = 7 RETURNING id')
    expect(taken.map(({ id }) => id)).toEqual(['run_1'])
  })

  /** Writes a result while another process takes the run over. Resolves with what the write returned. */
  async function writeDuringTakeover(fault?: SqlFault): Promise<unknown> {
    const { store, pools } = await openStore({ fault })
    const { number } = await addRun(store, 'run_1', 1)
    const writer = await store.runQueue.beginEpoch(now)
    await writer.takeOver(number, now)
    const written = await pools.work.transaction(async (send) => {
      await send('UPDATE runs SET epoch = epoch + 1, block_epoch = epoch + 1 WHERE number = $1', number)
      const write = writer.saveProgress(number, [newResult(0)], [])
      await waitForLocks(pools, 1)
      return { write }
    })
    return written.write
  }

  test('are not written by a worker that loses its lease during the write', async () => {
    expect(await writeDuringTakeover()).toBeNull()
    const fault = sqlFault(/AND seq = \$3 FOR NO KEY UPDATE\)/, 'AND seq = $3)')
    expect([await writeDuringTakeover(fault), fault.isPlanted()]).toMatchObject([{ done: 1 }, true])
  })

  /** Lets a worker write overlapping results twice at the same time. Resolves with the indexes that are stored. */
  async function writeTwice(fault?: SqlFault): Promise<number[]> {
    const { store, pools } = await openStore({ fault })
    const { number } = await addRun(store, 'run_1', 5)
    const writer = await store.runQueue.beginEpoch(now)
    await writer.takeOver(number, now)
    const results = [0, 1, 2, 3, 4].map((idx) => newResult(idx))
    const { writes } = await pools.quick.transaction(async (send) => {
      await send('SELECT 1 FROM runs WHERE number = $1 FOR NO KEY UPDATE', number)
      const both = [results.slice(0, 3), results.slice(1)].map((it) => writer.saveProgress(number, it, []))
      await waitForLocks(pools, 2)
      return { writes: Promise.all(both) }
    })
    await writes
    return (await store.runs.listEntries(number, 0, 10)).map(({ idx }) => idx)
  }

  test('have each result once if a write is repeated while its first try is still executed', async () => {
    expect(await writeTwice()).toEqual([0, 1, 2, 3, 4])
    const fault = sqlFault(/AND seq = \$3/, 'AND $3::int > 0')
    expect([(await writeTwice(fault)).length, fault.isPlanted()]).toEqual([7, true])
  })

  describe('under a lease', () => {
    async function openLeased() {
      const { store, pools } = await openStore()
      const { number } = await addRun(store, 'run_1', 2)
      const [writer, other] = [await store.runQueue.beginEpoch(now), await store.runQueue.beginEpoch(now)]
      await writer.adopt(now, 10, Infinity)
      const expire = () => pools.quick.query('UPDATE run_leases SET until = 1')
      return { pools, number, writer, other, expire }
    }

    test('are adopted by another worker when the lease has expired by the clock of the database', async () => {
      const { number, writer, other, expire } = await openLeased()
      const yearLater = now + 365 * 86_400_000
      expect(await other.adopt(yearLater, 10, Infinity)).toBeNull()
      await expire()
      expect(await other.adopt(0, 10, Infinity)).toMatchObject({ number, worker_losses: 1 })
      expect(await writer.saveProgress(number, [newResult(0)], [])).toBeNull()
      expect(await writer.adopt(now, 10, Infinity)).toBeNull()
    })

    test('stay with a worker that renews the lease, or writes', async () => {
      const { pools, number, writer, other, expire } = await openLeased()
      await expire()
      await other.renewLeases([number])
      await writer.renewLeases([number + 1])
      expect(await pools.quick.query('SELECT until FROM run_leases')).toEqual([{ until: 1 }])
      await writer.renewLeases([number])
      expect(await other.adopt(now, 10, Infinity)).toBeNull()
      await expire()
      await writer.saveProgress(number, [newResult(0)], [])
      expect(await other.adopt(now, 10, Infinity)).toBeNull()
      await expire()
      expect((await writer.adopt(now, 10, Infinity))?.number).toBe(number)
    })

    test('are restored by the worker that renews them, or writes, after the server lost them in a crash', async () => {
      const { pools, number, writer, other } = await openLeased()
      const restores = [() => writer.renewLeases([number]), () => writer.saveProgress(number, [newResult(0)], [])]
      for (const restore of restores) {
        await pools.quick.query('TRUNCATE run_leases')
        await other.renewLeases([number])
        expect(await pools.quick.query('SELECT run FROM run_leases')).toEqual([])
        await restore()
        expect(await other.adopt(now, 10, Infinity)).toBeNull()
      }
    })

    test('are adopted at once when the worker has released them, or the server has lost its leases in a crash', async () => {
      const { pools, number, writer, other } = await openLeased()
      await writer.releaseLease(number, [])
      expect((await other.adopt(now, 10, Infinity))?.number).toBe(number)
      await pools.quick.query('TRUNCATE run_leases')
      expect((await writer.adopt(now, 10, Infinity))?.number).toBe(number)
      expect(await other.saveProgress(number, [newResult(0)], [])).toBeNull()
    })
  })

  test('have a complete result file when two workers write it at the same time after the end', async () => {
    const { store, pools } = await openStore()
    const { run, writer } = await holdRun(store, 1)
    const countParts = async () => (await pools.work.query('SELECT 1 FROM run_chunks')).length
    await writer.saveProgress(run.number, [newResult(0)], [])
    await writer.finish(run.number, 'done', now, null)
    const files = [writer.artifacts, (await store.runQueue.beginEpoch(now)).artifacts]
    for (const file of files) expect(await file.clear(run.number, 'csv')).toBe(true)
    for (const file of files) await file.addChunk(run.number, 'csv', 0, new Uint8Array([1, 2]))
    await files[1]!.addChunk(run.number, 'csv', 2, new Uint8Array([3]))
    expect(await countParts()).toBe(3)
    await files[1]!.finish(run.number, 'csv', { etag: '"a"', bytes: 3 })
    expect(await countParts()).toBe(2)
    // The other worker begins again, and is late.
    expect(await files[0]!.clear(run.number, 'csv')).toBe(true)
    expect(await store.artifacts.find(run.number, 'csv')).toEqual({ etag: '"a"', bytes: 3 })
    await files[0]!.addChunk(run.number, 'csv', 0, new Uint8Array([1, 2]))
    await files[0]!.finish(run.number, 'csv', { etag: '"a"', bytes: 2 })
    expect(await countParts()).toBe(2)
    const read = async (from: number) => [...(await store.artifacts.readBytes(run.number, 'csv', from, 10))]
    expect([await read(0), await read(1), await read(2), await read(3)]).toEqual([[1, 2], [2], [3], []])
    const text = Buffer.from('lat,lng\r\n'.repeat(1000))
    await files[1]!.addChunk(run.number, 'geojson', 0, text)
    await files[1]!.finish(run.number, 'geojson', { etag: '"b"', bytes: text.length })
    expect(Buffer.from(await store.artifacts.readBytes(run.number, 'geojson', 9, 18)).toString()).toBe(
      'lat,lng\r\nlat,lng\r\n',
    )
    const [stored] = await pools.work.query<{ size: number }>(
      "SELECT length(bytes) + length(block) AS size FROM run_chunks WHERE name = 'geojson'",
    )
    expect(stored!.size).toBeLessThan(text.length / 10)
  })

  describe('are answered by the loops of two processes', () => {
    type Answer = (task: LocationTask) => Promise<QuestionResult>

    async function startLoop({ runQueue }: Store, answerLocation: Answer, leaseRenewal_ms = 20): Promise<void> {
      const loop = new RunLoop({
        writer: await runQueue.beginEpoch(now),
        isFirstWorker: false,
        leaseRenewal_ms,
        answerLocation,
        writeArtifacts: async () => {},
        now: () => new Date(now),
        reportChange: () => {},
        reportFailure: (_name, error) => {
          throw error
        },
        reportRecovery: () => {},
      })
      loops.push(loop)
      loop.wake()
    }

    async function untilFinished({ runs }: Store): Promise<void> {
      while (await runs.hasUnfinished());
    }

    const answered: Answer = ({ location }) => Promise.resolve(successEntryOf(location, {}))

    test('which find what the other one submits, and answer every location once', async () => {
      const { store, pools } = await openStore()
      const questions: string[] = []
      const ask: Answer = (task) => {
        questions.push(`${task.run.id} ${task.location.idx}`)
        return answered(task)
      }
      await Promise.all([store, createPostgresStore(pools)].map((it) => startLoop(it, ask)))
      for (let i = 0; i < 12; i++) await addRun(store, `run_${i}`, 30, { account_id: `account ${i % 3}` })
      await untilFinished(store)
      expect([questions.length, new Set(questions).size]).toEqual([360, 360])
      for (let i = 0; i < 12; i++)
        expect(await store.runs.find(`run_${i}`, `account ${i % 3}`)).toMatchObject({ status: 'done', done: 30 })
    })

    test('and a run whose worker was lost is continued by the other one, without the answered locations', async () => {
      const { store, pools } = await openStore()
      const run = await addRun(store, 'run_1', 30)
      const { promise: isStuck, resolve } = Promise.withResolvers<void>()
      // It never looks for runs again: it would take over its own run.
      const never_ms = 2 ** 31 - 1
      await startLoop(
        store,
        (task) => {
          if (task.location.idx < 10) return answered(task)
          if (task.location.idx === 13) resolve()
          return new Promise(() => {})
        },
        never_ms,
      )
      await isStuck
      const before = (await store.runs.find('run_1', 'ada'))!.done
      const questions: number[] = []
      // A lease that is gone cannot be renewed.
      await pools.quick.query('DELETE FROM run_leases')
      await startLoop(createPostgresStore(pools), (task) => {
        questions.push(task.location.idx)
        return answered(task)
      })
      await untilFinished(store)
      expect(questions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 - before }, (_, i) => i + before))
      expect((await store.runs.listEntries(run.number, 0, 100)).map(({ idx }) => idx)).toEqual(
        Array.from({ length: 30 }, (_, i) => i),
      )
    })
  })
})
