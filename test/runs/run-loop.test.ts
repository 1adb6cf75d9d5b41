import type { Database } from 'bun:sqlite'
import { afterEach, describe, expect, test } from 'bun:test'
import { successEntryOf } from '../../src/runs/location-answerer.ts'
import { runExpiryOf } from '../../src/runs/run-id.ts'
import { maxLocationsInFlight, RunLoop } from '../../src/runs/run-loop.ts'
import type { BlockTask, LocationTask, RunLoopDeps } from '../../src/runs/run-loop-deps.ts'
import type { QuestionResult } from '../../src/runs/worker-messages.ts'
import { RunAttempts } from '../../src/store/runs/run-attempts.ts'
import type { RunWriter } from '../../src/store/runs/run-queue.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import { createTransactions } from '../../src/store/sqlite/transactions.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { createSqliteSql } from '../../src/store/sqlite/sqlite-sql.ts'
import { createRunWriter } from '../../src/store/sqlite/run-queue.ts'
import { createSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { StorageError } from '../../src/store/storage-error.ts'

type Ask = (question: LocationTask, signal: AbortSignal) => Promise<QuestionResult>
type StartOptions = Partial<Pick<RunLoopDeps, 'steady_ms' | 'writeArtifacts' | 'answerBlock' | 'writer'>> & {
  isFirst?: boolean
}
const answered: Ask = ({ location }) => Promise.resolve(successEntryOf(location, { value: location.idx }))
const never: Ask = () => new Promise(() => {})

const settled = async () => {
  for (let i = 0; i < 6; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** The most attempts of a location without an answer. */
function mostAttempts(db: Database): number {
  const stored = db.query<{ attempts: string }, []>('SELECT attempts FROM runs').all()
  const all = stored.map(({ attempts }) => RunAttempts.parse(attempts))
  return Math.max(0, ...all.flatMap((attempts) => attempts.indexes.map((idx) => attempts.countOf(idx))))
}

const folders: { remove(): void }[] = []
afterEach(() => folders.splice(0).forEach(({ remove }) => remove()))

/** Runs in their own database, processed by one loop after the other. */
function workshop() {
  const { folder, remove } = newFolder()
  folders.push({ remove })
  const db = openState(folder)
  const { runs: reads, submissions, runSweep } = createSqliteStore(db)
  const sql = createSqliteSql(createTransactions(db))
  let count = 0
  /** Opens a writer under a new epoch. */
  const openWriter = () => {
    const begin = db.query<{ epoch: number }, []>('INSERT INTO run_epochs (started_at) VALUES (0) RETURNING epoch')
    return createRunWriter(sql, begin.get()!.epoch)
  }
  return {
    db,
    runSweep,
    reads,
    openWriter,
    async submit(locations: number, account_id = 'a'): Promise<StoredRun> {
      const id = `run_${String(count++).padStart(26, '0')}`
      const about = {
        account_id,
        scopes: 'fetch',
        kind: 'fetch_batch',
        created_at: 0,
        expires_at: runExpiryOf(0),
        selection: '{}',
        fields: '["it"]',
        margin_fields: '[]',
        columns: '[]',
        catalog_version: '1',
        name: null,
      }
      await submissions.submit(
        { id, ...about },
        packLocations(Array.from({ length: locations }, (_, i) => ({ input: `{"lat":${i},"lng":0}` }))),
        null,
      )
      return (await reads.find(id, account_id))!
    },
    start(
      answerLocation: Ask,
      {
        isFirst: isFirstWorker = false,
        steady_ms = 0,
        writeArtifacts = (_run: StoredRun) => Promise.resolve(),
        answerBlock,
        writer = openWriter(),
      }: StartOptions = {},
    ) {
      const messages: StoredRun[] = []
      const finished = Promise.withResolvers<void>()
      const loop = new RunLoop({
        writer,
        isFirstWorker,
        steady_ms,
        answerLocation,
        ...(answerBlock && { answerBlock, answersItself: () => true }),
        writeArtifacts,
        now: () => new Date(0),
        reportFailure: () => {},
        reportRecovery: () => {},
        reportChange(run) {
          messages.push(run)
          void reads.hasUnfinished().then((hasUnfinished) => !hasUnfinished && finished.resolve())
        },
      })
      loop.wake()
      return { loop, messages, finished: finished.promise }
    },
    async entries(run: StoredRun) {
      const stored = await reads.listEntries(run.number, 0, 10_000)
      return stored.map(
        ({ entry }) =>
          JSON.parse(entry) as { index: number; ok: boolean; error?: { error: string; retryable: boolean } },
      )
    },
  }
}

test('blocks of locations are answered once, also those that a worker is lost with, and what it leaves open', async () => {
  const { submit, start, entries, reads } = workshop()
  const run = await submit(600)
  const begun: number[] = []
  /** Answers the locations of a block, except those from `open` to the end of its block. */
  const answerBlock = (open: number) => (task: BlockTask) => {
    begun.push(...task.locations.map(({ idx }) => idx))
    return task.locations.map((location) =>
      location.idx >= open ? null : successEntryOf(location, { value: location.idx }),
    )
  }
  start(never, { answerBlock: answerBlock(300) })
  await settled()
  await settled()
  expect((await reads.find(run.id, 'a'))!.done).toBe(300)
  const left: number[] = []
  const answerLocation: Ask = ({ location }) => {
    left.push(location.idx)
    return Promise.resolve(successEntryOf(location, { value: location.idx }))
  }
  await start(answerLocation, { answerBlock: answerBlock(590) }).finished
  expect((await entries(run)).map(({ index, ok }) => [index, ok])).toEqual(
    Array.from({ length: 600 }, (_, i) => [i, true]),
  )
  expect(begun.filter((idx) => idx < 300)).toHaveLength(300)
  expect(left).toEqual([590, 591, 592, 593, 594, 595, 596, 597, 598, 599])
})

test('no location is lost when the storage fails while those of a block are read', async () => {
  const { submit, start, entries, openWriter } = workshop()
  const run = await submit(600)
  const writer = openWriter()
  const { pendingLocations } = writer
  let reads = 0
  writer.pendingLocations = async (...which) => {
    if (++reads === 3) throw new StorageError('unavailable')
    return pendingLocations(...which)
  }
  const answerBlock = ({ locations }: BlockTask) =>
    locations.map((location) => successEntryOf(location, { value: location.idx }))
  await start(never, { answerBlock, writer }).finished
  expect((await entries(run)).map(({ index, ok }) => [index, ok])).toEqual(
    Array.from({ length: 600 }, (_, index) => [index, true]),
  )
})

/** A writer that does not return locations from this one on, as often as given. */
function losingWriter(writer: RunWriter, from: number, times: number): RunWriter {
  const { pendingLocations } = writer
  return Object.assign(writer, {
    async pendingLocations(...which: Parameters<typeof pendingLocations>) {
      const found = await pendingLocations(...which)
      return found.some(({ idx }) => idx >= from) && times-- > 0 ? found.filter(({ idx }) => idx < from) : found
    },
  })
}

test('a run that lost locations reads them again, and succeeds with all of them', async () => {
  const { submit, start, entries, reads, openWriter } = workshop()
  const run = await submit(20)
  await start(answered, { writer: losingWriter(openWriter(), 15, 1) }).finished
  expect(await reads.find(run.id, 'a')).toMatchObject({ status: 'done', done: 20, ok: 20 })
  expect((await entries(run)).map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('a run whose locations stay lost fails, and its error says how many have a result', async () => {
  const { submit, start, reads, openWriter } = workshop()
  const run = await submit(20)
  await start(answered, { writer: losingWriter(openWriter(), 15, Infinity) }).finished
  const { status, done, error } = (await reads.find(run.id, 'a'))!
  expect({ status, done }).toEqual({ status: 'failed', done: 15 })
  expect(error).toInclude('Only 15 of the 20 locations of this run have a result.')
})

test('every location is answered once, four at a time, and its entry has its index', async () => {
  const { submit, start, entries, reads } = workshop()
  const run = await submit(200)
  const requests: number[] = []
  let [working, most] = [0, 0]
  await start(async (question, signal) => {
    most = Math.max(most, ++working)
    requests.push(question.location.idx)
    await Bun.sleep(question.location.idx % 3)
    working--
    return answered(question, signal)
  }).finished
  expect(requests.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, i) => i))
  expect(most).toBe(maxLocationsInFlight)
  expect((await entries(run)).map(({ index, ok }) => [index, ok])).toEqual(
    Array.from({ length: 200 }, (_, i) => [i, true]),
  )
  expect(await reads.find(run.id, 'a')).toMatchObject({ status: 'done', done: 200, ok: 200 })
})

test('the reported progress of a run never decreases, and each change has its own sequence number', async () => {
  const { submit, start } = workshop()
  await submit(30)
  const { messages: message, finished } = start(answered)
  await finished
  expect(message.map(({ seq }) => seq)).toEqual([...new Set(message.map(({ seq }) => seq))].toSorted((a, b) => a - b))
  expect(message.map(({ done }) => done)).toEqual(message.map(({ done }) => done).toSorted((a, b) => a - b))
  expect([message[0]!.status, message.at(-1)!.status]).toEqual(['running', 'done'])
})

describe('a location that causes an internal error', () => {
  test('is attempted three times and then fails permanently; the others are answered', async () => {
    const { submit, start, entries } = workshop()
    const run = await submit(10)
    let tries = 0
    await start((question, signal) =>
      question.location.idx === 3 ? (tries++, Promise.resolve('internal_error')) : answered(question, signal),
    ).finished
    expect(tries).toBe(3)
    expect((await entries(run)).filter(({ ok }) => !ok)).toMatchObject([
      { index: 3, error: { error: 'internal_error', retryable: false } },
    ])
  })

  test('or crashes its worker each time fails after three attempts; after the first crash, it is attempted last and alone', async () => {
    const { submit, start, entries, db } = workshop()
    const run = await submit(10)
    let tries = 0
    const deaths: number[][] = []
    const poisoned =
      (inWork: number[]): Ask =>
      (question, signal) => {
        inWork.push(question.location.idx)
        if (question.location.idx === 1) tries++
        return question.location.idx === 1 || deaths.length === 0 ? never(question, signal) : answered(question, signal)
      }
    for (let i = 0; i < 3; i++) {
      const inWork: number[] = []
      start(poisoned(inWork))
      // It dies when the poisonous location is in progress. A worker with a newer epoch follows.
      while (inWork.length < (i === 0 ? maxLocationsInFlight : 1) || !inWork.includes(1))
        await new Promise((resolve) => setImmediate(resolve))
      deaths.push(inWork)
    }
    await start(answered).finished
    expect(tries).toBe(3)
    expect(deaths).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7, 8, 9, 0, 1],
      [2, 3, 1],
    ])
    expect((await entries(run)).filter(({ ok }) => !ok)).toMatchObject([
      { index: 1, error: { error: 'internal_error', retryable: false } },
    ])
    expect(mostAttempts(db)).toBe(0)
  })

  test('or kills the process each time fails after three attempts; during the last attempt, no other location of any run is in progress', async () => {
    const { submit, start, entries, db } = workshop()
    const [run, other] = [await submit(10), await submit(400)]
    const isPoison = ({ run: { number }, location: { idx } }: LocationTask) => number === run.number && idx === 5
    const besides: number[] = []
    while (besides.length < 3) {
      const { promise, resolve } = Promise.withResolvers<void>()
      let inWork = 0
      start(
        async (question, signal) => {
          if (isPoison(question)) {
            besides.push(inWork)
            resolve()
            return never(question, signal)
          }
          inWork++
          for (let turns = 0; turns <= 3 + (question.location.idx % 3); turns++)
            await new Promise((after) => setImmediate(after))
          inWork--
          return answered(question, signal)
        },
        { isFirst: true },
      )
      await promise
      db.run('UPDATE runs SET epoch = NULL') // what that process still does is not written any more
    }
    await start(answered, { isFirst: true }).finished
    expect(besides.map((it) => it > 0)).toEqual([true, true, false])
    expect((await entries(run)).filter(({ ok }) => !ok)).toMatchObject([
      { index: 5, error: { error: 'internal_error', retryable: false } },
    ])
    expect((await entries(other)).every(({ ok }) => ok)).toBe(true)
  })

  test('is different from a location that was in progress when the process was killed for another reason, forty times', async () => {
    const { submit, start, entries, db } = workshop()
    const runs = [await submit(4), await submit(1)]
    let most = 0
    for (let life = 0; life < 40; life++) {
      start(never, { isFirst: true, steady_ms: 1e9 })
      await settled()
      most = Math.max(most, mostAttempts(db))
    }
    expect(most).toBe(2)
    await start(answered, { isFirst: true }).finished
    expect((await Promise.all(runs.map(entries))).flat().map(({ ok }) => ok)).toEqual([true, true, true, true, true])
  })

  test('loses its earlier attempts when the process ends with no location in progress', async () => {
    const { submit, start, openWriter } = workshop()
    const run = await submit(4)
    start(never, { isFirst: true })
    await settled()
    const work = openWriter()
    await work.settleAttempts()
    expect((await work.retriedLocations(run.number)).map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1])
    await work.takeOver(run.number, Date.now())
    await work.settleAttempts()
    expect(await work.retriedLocations(run.number)).toEqual([])
  })
})

describe('a run whose artifacts crash its worker', () => {
  /** A worker that is replaced when it has begun to write files, with those whose writing it does not live to end. */
  const lifeOf = async (
    start: ReturnType<typeof workshop>['start'],
    ends: (run: StoredRun) => boolean,
    options = {},
  ) => {
    const writing: number[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const { finished } = start(answered, {
      ...options,
      writeArtifacts: (run) => {
        writing.push(run.number)
        if (!ends(run)) return Promise.resolve()
        resolve()
        return new Promise(() => {})
      },
    })
    await Promise.race([promise, finished])
    await settled()
    return writing
  }

  test('fails after the third crash, with a reason; another run that waits to write its files counts no worker loss, and finishes', async () => {
    const { submit, start, reads } = workshop()
    const [bad, good] = [await submit(2), await submit(2, 'b')]
    const written = [
      await lifeOf(start, () => true),
      await lifeOf(start, ({ id }) => id === bad.id),
      await lifeOf(start, ({ id }) => id === bad.id),
      await lifeOf(start, () => false),
    ]
    expect(written).toEqual([[bad.number], [bad.number], [bad.number], [good.number]])
    expect(await reads.find(good.id, 'b')).toMatchObject({ status: 'done', worker_losses: 0 })
    const failed = (await reads.find(bad.id, 'a'))!
    expect(failed.status).toBe('failed')
    expect(failed.done).toBe(2)
    expect(JSON.parse(failed.error!)).toMatchObject({ error: 'internal_error', retryable: false })
  })

  test.each([
    ['fields', 'not json'],
    ['fields', '{'],
    ['fields', '["elevatioN"]'],
    ['selection', '{"preset":'],
    ['attempts', 'not json'],
    ['attempts', '[[0]]'],
    ['input', '{"lat":3}'],
  ])('does not stop the runs of others if its %s are %p, also after a restart', async (column, text) => {
    const { submit, start, reads, db } = workshop()
    const [damaged, other] = [await submit(2), await submit(1, 'b')]
    db.run(
      column === 'input'
        ? 'UPDATE run_locations SET input = ? WHERE run = ? AND idx = 1'
        : `UPDATE runs SET ${column} = ? WHERE number = ?`,
      [text, damaged.number],
    )
    await start(answered, { isFirst: true }).finished
    expect(await reads.find(other.id, 'b')).toMatchObject({ status: 'done', worker_losses: 0 })
    const [{ status, error }] = [(await reads.find(damaged.id, 'a'))!]
    expect([status, error && JSON.parse(error).error]).toEqual(
      column === 'attempts' ? ['done', null] : ['failed', 'stored_data_damaged'],
    )
  })

  test('is counted across restarts of the process; the last attempt waits until the process has run for a while', async () => {
    const { submit, start, reads, db } = workshop()
    const run = await submit(2)
    for (let life = 0; life < 2; life++) await lifeOf(start, () => true, { isFirst: true, steady_ms: 1e9 })
    start(answered, {
      isFirst: true,
      steady_ms: 1e9,
      writeArtifacts: () => {
        throw new Error('it is tried too soon')
      },
    })
    await settled()
    expect(db.query('SELECT status, worker_losses + in_transition AS losses FROM runs').get()).toEqual({
      status: 'running',
      losses: 2,
    })
    await lifeOf(start, () => true, { isFirst: true })
    await lifeOf(start, () => true, { isFirst: true })
    expect(await reads.find(run.id, 'a')).toMatchObject({ status: 'failed', worker_losses: 3 })
  })

  test('is different from a run that was in a step whenever the process was killed early, forty times', async () => {
    const { submit, start, reads, db } = workshop()
    const run = await submit(2)
    for (let life = 0; life < 40; life++) {
      start(answered, { isFirst: true, steady_ms: 1e9, writeArtifacts: () => new Promise(() => {}) })
      await settled()
      // It is killed right after it has adopted the run.
      db.run('UPDATE runs SET in_transition = 1 WHERE epoch = (SELECT max(epoch) FROM run_epochs)')
    }
    expect(db.query('SELECT status, worker_losses + in_transition AS losses FROM runs').get()).toEqual({
      status: 'running',
      losses: 2,
    })
    await start(answered, { isFirst: true }).finished
    expect(await reads.find(run.id, 'a')).toMatchObject({ status: 'done', done: 2, ok: 2 })
  })

  test('does not count a worker that was stopped normally', async () => {
    const { submit, start, db } = workshop()
    await submit(2)
    const { promise, resolve } = Promise.withResolvers<void>()
    const { loop } = start(answered, {
      writeArtifacts: () => {
        resolve()
        return new Promise(() => {})
      },
    })
    await promise
    await loop.stop(Promise.resolve())
    await start(answered).finished
    expect(db.query('SELECT status, worker_losses FROM runs').get()).toEqual({ status: 'done', worker_losses: 0 })
  })

  test('is different from a location that crashes the worker: a run with one such location does not fail', async () => {
    const { submit, start, entries, reads } = workshop()
    const run = await submit(1)
    for (let life = 0; life < 3; life++) {
      start(never)
      await settled()
    }
    await start(answered).finished
    expect(await reads.find(run.id, 'a')).toMatchObject({ status: 'done', done: 1, ok: 0, worker_losses: 0 })
    expect(await entries(run)).toMatchObject([{ ok: false, error: { error: 'internal_error' } }])
  })
})

describe('a stop', () => {
  test('waits for locations that have begun, whatever the grace is, and counts no attempt for the others', async () => {
    const { submit, start, db, entries } = workshop()
    const run = await submit(8)
    const begun = new Map<number, (answer: QuestionResult) => void>()
    const { loop } = start(({ location }) => new Promise((resolve) => begun.set(location.idx, resolve)))
    while (begun.size < maxLocationsInFlight) await settled()
    const stopped = loop.stop(new Promise(() => {}))
    begun.get(0)!(successEntryOf({ idx: 0, original_index: null }, { value: 0 }))
    for (const idx of [1, 2, 3]) begun.get(idx)!('not_started')
    await stopped
    expect(db.query('SELECT attempts, epoch FROM runs').get()).toEqual({ attempts: '[]', epoch: null })
    const requested: number[] = []
    await start((task, signal) => {
      requested.push(task.location.idx)
      return answered(task, signal)
    }).finished
    expect(requested.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(await entries(run)).toHaveLength(8)
  })
})

describe('a lease', () => {
  test('that another worker has taken over can no longer write', async () => {
    const { submit, start, entries } = workshop()
    const run = await submit(8)
    const late: (() => void)[] = []
    start(
      (question) =>
        new Promise((resolve) => late.push(() => resolve(successEntryOf(question.location, { by: 'the old one' })))),
    )
    while (late.length < maxLocationsInFlight) await new Promise((resolve) => setImmediate(resolve))
    const { finished } = start((question) => Promise.resolve(successEntryOf(question.location, { by: 'the new one' })))
    await new Promise((resolve) => setImmediate(resolve))
    late.forEach((answer) => answer())
    await finished
    expect(new Set((await entries(run)).map((it) => (it as unknown as { by: string }).by))).toEqual(
      new Set(['the new one']),
    )
  })

  test('that is released normally counts no attempt, and the next worker continues', async () => {
    const { submit, start, db, entries } = workshop()
    const run = await submit(8)
    const { loop } = start(never)
    const stored = () =>
      db.query<{ attempts: string; epoch: number | null }, []>('SELECT attempts, epoch FROM runs').get()!
    while (RunAttempts.parse(stored().attempts).indexes.length !== maxLocationsInFlight)
      await new Promise((resolve) => setImmediate(resolve))
    await loop.stop(Promise.resolve())
    expect(stored()).toEqual({ attempts: '[]', epoch: null })
    await start(answered).finished
    expect((await entries(run)).every(({ ok }) => ok)).toBe(true)
  })
})

test('attempts that were stored, but not confirmed, do not count after a stop', async () => {
  const { submit, openWriter, db } = workshop()
  await submit(8)
  const work = openWriter()
  const isLost = Promise.withResolvers<void>()
  const loop = new RunLoop({
    writer: {
      ...work,
      saveProgress: async (...write) => {
        await work.saveProgress(...write)
        throw new StorageError('unavailable')
      },
    },
    isFirstWorker: false,
    now: () => new Date(0),
    writeArtifacts: async () => {},
    answerLocation: never,
    reportChange: () => {},
    reportFailure: () => isLost.resolve(),
    reportRecovery: () => {},
  })
  loop.wake()
  await isLost.promise
  expect(mostAttempts(db)).toBe(1)
  await loop.stop(Promise.resolve())
  expect(mostAttempts(db)).toBe(0)
})

test('a full disk pauses a run and loses nothing', async () => {
  const { submit, entries, openWriter } = workshop()
  const run = await submit(40)
  const requests: number[] = []
  const work = openWriter()
  let isFull = true
  const full = new StorageError('full')
  const finished = Promise.withResolvers<void>()
  const message: string[] = []
  const loop = new RunLoop({
    writer: {
      ...work,
      saveProgress: async (number, results, tried) => {
        if (isFull && results.some(({ idx }) => idx === 20)) throw full
        return work.saveProgress(number, results, tried)
      },
    },
    isFirstWorker: true,
    now: () => new Date(0),
    writeArtifacts: async () => {},
    answerLocation: (question, signal) => {
      requests.push(question.location.idx)
      return answered(question, signal)
    },
    reportChange: ({ status }) => {
      if (status === 'done') finished.resolve()
    },
    reportFailure: (about) => {
      message.push(about)
      isFull = false
    },
    reportRecovery: () => {},
  })
  loop.wake()
  await finished.promise
  expect(message).toEqual(['the disk'])
  expect(requests.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i))
  expect(await entries(run)).toHaveLength(40)
})

test('a run whose end was stored, but not confirmed, is reported as finished', async () => {
  const { submit, openWriter } = workshop()
  await submit(3)
  const work = openWriter()
  const finished = Promise.withResolvers<string>()
  let ends = 0
  const loop = new RunLoop({
    writer: {
      ...work,
      finish: async (...end) => {
        ends++
        await work.finish(...end)
        throw new StorageError('unavailable')
      },
    },
    isFirstWorker: true,
    now: () => new Date(0),
    writeArtifacts: async () => {},
    answerLocation: answered,
    reportChange: ({ status }) => {
      if (status !== 'running') finished.resolve(status)
    },
    reportFailure: () => {},
    reportRecovery: () => {},
  })
  loop.wake()
  expect(await finished.promise).toBe('done')
  expect(ends).toBe(1)
})

test('a run that is adopted on a full disk after a restart continues when there is space', async () => {
  const { submit, start, entries, openWriter } = workshop()
  const run = await submit(8)
  const { promise, resolve } = Promise.withResolvers<void>()
  start((question, signal) => (resolve(), never(question, signal)))
  await promise
  const work = openWriter()
  let isFull = true
  const finished = Promise.withResolvers<void>()
  new RunLoop({
    writer: {
      ...work,
      settleAttempts: async () => {
        if (isFull) throw new StorageError('full')
        await work.settleAttempts()
      },
    },
    isFirstWorker: true,
    now: () => new Date(0),
    writeArtifacts: async () => {},
    answerLocation: answered,
    reportChange: ({ status }) => {
      if (status === 'done') finished.resolve()
    },
    reportFailure: () => {
      isFull = false
    },
    reportRecovery: () => {},
  }).wake()
  await finished.promise
  expect(await entries(run)).toHaveLength(8)
})

test('a run that two sweeps found expired, half an hour apart, is deleted completely, in batches', async () => {
  const { submit, start, db, runSweep: sweep } = workshop()
  const run = await submit(1200)
  await start(answered).finished
  const [expiry, halfHour_ms] = [runExpiryOf(0), 30 * 60_000]
  const found = [expiry - 1, expiry, expiry + halfHour_ms - 1, expiry + halfHour_ms]
  const confirmed: number[][] = []
  for (const time of found) confirmed.push(await sweep.confirmExpired(time))
  expect(confirmed).toEqual([[], [], [], [run.number]])
  let pieces = 0
  while (await sweep.removeBatch(run.number)) pieces++
  expect(pieces).toBeGreaterThan(4)
  expect(
    ['runs', 'run_locations', 'run_results', 'run_chunks', 'run_artifacts'].map(
      (table) => db.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()!.n,
    ),
  ).toEqual([0, 0, 0, 0, 0])
})

describe('the runs of several accounts', () => {
  /** Locations that are answered one by one, in the order in which they were asked. */
  function oneByOne() {
    const waiting: { account: string; answer(): void }[] = []
    const ask: Ask = (question) =>
      new Promise((resolve) => {
        waiting.push({ account: question.run.account_id, answer: () => resolve(successEntryOf(question.location, {})) })
      })
    const held = () => Object.groupBy(waiting, ({ account }) => account)
    return {
      waiting,
      ask,
      counts: () => Object.fromEntries(Object.entries(held()).map(([account, them]) => [account, them!.length])),
    }
  }

  test('run concurrently: each account has the concurrency of one run, and no account waits for ten runs of another account', async () => {
    const { submit, start, reads } = workshop()
    for (let i = 0; i < 10; i++) await submit(50)
    const { waiting, ask, counts } = oneByOne()
    const { loop } = start(ask)
    await settled()
    expect(counts()).toEqual({ a: 16 })
    const late = await submit(20, 'b')
    loop.wake()
    await settled()
    let [ofA, ofB] = [0, 0]
    while ((await reads.find(late.id, 'b'))!.status !== 'done') {
      const { account, answer } = waiting.shift()!
      if (account === 'a') ofA++
      else ofB++
      answer()
      await settled()
      if (ofB > 0 && ofB < 16) expect([counts().b, counts().a! >= 4]).toEqual([4, true])
    }
    expect(ofB).toBe(20)
    // Sixteen locations were in progress before it arrived.
    expect(ofA).toBeLessThanOrEqual(16 + ofB)
  })

  test('are all active for up to sixteen accounts, while a single account has four active runs', async () => {
    const { submit, start } = workshop()
    for (let i = 0; i < 6; i++) await submit(10)
    for (let i = 0; i < 20; i++) await submit(10, `b${i}`)
    const { ask, counts } = oneByOne()
    start(ask)
    await settled()
    expect(Object.keys(counts())).toHaveLength(16)
    expect(counts().a).toBe(4)
  })

  test('are adopted from the account with the fewest active runs', async () => {
    const { submit, start, reads } = workshop()
    const runs = [...(await Promise.all(Array.from({ length: 4 }, () => submit(10)))), await submit(10, 'b')]
    const { ask } = oneByOne()
    start(ask)
    await settled()
    expect(
      (await Promise.all(runs.map(({ id, account_id }) => reads.find(id, account_id)))).map((run) => run?.status),
    ).toEqual(['running', 'running', 'running', 'queued', 'running'])
  })
})
