import { afterEach, describe, expect, test } from 'bun:test'
import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { RunLoop } from '../../src/runs/run-loop.ts'
import type { RunLoopDeps } from '../../src/runs/run-loop-deps.ts'
import { sliceMax_rows } from '../../src/store/runs/run-slices.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import type { RunStores, Store } from '../../src/store/store.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { addRun, now } from '../store/contract-case.ts'
import { newNode } from '../store/contract-nodes.ts'
import { createPostgresStores } from '../store/postgres-stores.ts'
import { hasPostgres } from '../support/postgres-server.ts'

/** Three slices, the last one with two blocks of locations. */
const total = 2 * sliceMax_rows + 258

type Stores = { stores: readonly [Store, Store]; close(): void }
type Server = { loop: RunLoop; answered: number[]; changes: StoredRun[]; written: string[] }

/**
 * Starts the run worker of a server. It answers blocks of locations by itself, except the first location of each block,
 * which waits for `answerLocation`.
 */
async function startServer(store: Store, id: string, answerLocation: RunLoopDeps['answerLocation']): Promise<Server> {
  await store.nodes.refresh(newNode(id))
  const [answered, changes, written]: [number[], StoredRun[], string[]] = [[], [], []]
  const loop = new RunLoop({
    writer: await store.runQueue.beginEpoch(now, id),
    isFirstWorker: false,
    leaseRenewal_ms: 20,
    answersItself: () => true,
    answerBlock({ locations }) {
      answered.push(...locations.slice(1).map(({ idx }) => idx))
      return locations.map((location, i) => (i === 0 ? null : successEntryOf(location, {})))
    },
    answerLocation(task, signal) {
      answered.push(task.location.idx)
      return answerLocation(task, signal)
    },
    writeArtifacts: async (run) => void written.push(run.id),
    now: () => new Date(now),
    reportChange: (run) => void changes.push(run.slice_of === null ? run : (run.whole ?? run)),
    reportFailure: () => {},
    reportRecovery: () => {},
  })
  loop.wake()
  return { loop, answered, changes, written }
}

async function finished({ runs }: RunStores): Promise<StoredRun> {
  while (await runs.hasUnfinished()) await new Promise((resolve) => setTimeout(resolve, 5))
  return (await runs.find('run_1', 'ada'))!
}

async function entriesOf({ runs }: RunStores, { number }: StoredRun) {
  const entries = await runs.listEntries(number, 0, total + 1)
  return entries.map(({ idx, entry }) => ({ idx, ok: (JSON.parse(entry) as { ok: boolean }).ok }))
}

/** `loops`: the loops of the servers, which stop before their stores are closed. */
function testSlices(openStores: () => Promise<Stores>, loops: RunLoop[] = []): void {
  const opened: { close(): void }[] = []
  const open = async () => {
    const it = await openStores()
    opened.push(it)
    return it.stores
  }
  const start = async (...server: Parameters<typeof startServer>) => {
    const started = await startServer(...server)
    loops.push(started.loop)
    return started
  }
  afterEach(async () => {
    await Promise.all(loops.splice(0).map((loop) => loop.stop(Promise.resolve())))
    for (const it of opened.splice(0)) it.close()
  })

  test('two servers answer one run, each location once, and one of them writes its result files', async () => {
    const [first, second] = await open()
    await addRun(first, 'run_1', total)
    const bothWork = Promise.withResolvers<void>()
    const waiting = new Set<string>()
    const answerOn =
      (id: string): RunLoopDeps['answerLocation'] =>
      async ({ location }) => {
        if (waiting.add(id).size === 2) bothWork.resolve()
        await bothWork.promise
        return successEntryOf(location, {})
      }
    const [a, b] = [await start(first, 'a', answerOn('a')), await start(second, 'b', answerOn('b'))]
    const run = await finished(second)
    expect(run).toMatchObject({ status: 'done', total, done: total, ok: total })
    expect([a.answered.length > 0, b.answered.length > 0]).toEqual([true, true])
    const indexes = Array.from({ length: total }, (_, idx) => idx)
    expect([...a.answered, ...b.answered].toSorted((x, y) => x - y)).toEqual(indexes)
    expect(await entriesOf(first, run)).toEqual(indexes.map((idx) => ({ idx, ok: true })))
    expect([...a.written, ...b.written]).toEqual(['run_1'])
  })

  test('a run that is cancelled on one server ends on both, and keeps what was answered before', async () => {
    const [first, second] = await open()
    const { number } = await addRun(first, 'run_1', total)
    const late = Promise.withResolvers<void>()
    const working: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
    const waitOn =
      (index: number): RunLoopDeps['answerLocation'] =>
      async ({ location }) => {
        working[index]!.resolve()
        await late.promise
        return successEntryOf(location, {})
      }
    const [a, b] = [await start(first, 'a', waitOn(0)), await start(second, 'b', waitOn(1))]
    await Promise.all(working.map(({ promise }) => promise))
    expect(await a.loop.cancel(number)).toBe(true)
    const run = await finished(first)
    const before = await entriesOf(first, run)
    late.resolve()
    await b.loop.stop(Promise.resolve())
    expect(run).toMatchObject({ status: 'cancelled', total, done: total })
    expect(before.filter(({ ok }) => ok).length).toBe(run.ok)
    expect(before.map(({ idx }) => idx)).toEqual(Array.from({ length: total }, (_, idx) => idx))
    expect([before[0], before[1]]).toEqual([
      { idx: 0, ok: false },
      { idx: 1, ok: expect.any(Boolean) },
    ])
    expect(await entriesOf(first, run)).toEqual(before)
    expect(await first.runs.find('run_1', 'ada')).toEqual(run)
  })

  test('a slice that has ended three workers fails its run', async () => {
    const [first, second] = await open()
    await addRun(first, 'run_1', total)
    await first.nodes.refresh(newNode('a'))
    for (let i = 0; i < 3; i++) await (await first.runQueue.beginEpoch(now, 'a')).adopt(now, 9, Infinity)
    const b = await start(second, 'b', () => new Promise(() => {}))
    const a = await start(first, 'a', () => new Promise(() => {}))
    const run = await finished(second)
    expect(run).toMatchObject({ status: 'failed', finished_at: now })
    expect(run.error).toContain('crashed 3 times')
    // On a slow machine, the other server may find that the first one sends no heartbeats.
    const failed = () => [...a.changes, ...b.changes].find(({ status }) => status === 'failed')
    while (!failed()) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(failed()).toEqual(run)
  })
}

describe('a run with slices in SQLite', () => {
  testSlices(async () => {
    const { folder, remove } = newFolder()
    const databases = [openState(folder), openState(folder)] as const
    const storeOf = (index: 0 | 1) => createSqliteStore(databases[index]) as Store
    return {
      stores: [storeOf(0), storeOf(1)],
      close() {
        for (const db of databases) db.close()
        remove()
      },
    }
  })
})

describe.skipIf(!hasPostgres)('a run with slices in PostgreSQL', () => {
  const { createDatabase, openStore, loops } = createPostgresStores()
  testSlices(async () => {
    const url = await createDatabase()
    const [first, second] = [await openStore({ url }), await openStore({ url })]
    return { stores: [first.store, second.store], close: () => {} }
  }, loops)
})
