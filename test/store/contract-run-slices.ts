import { expect } from 'bun:test'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import type { RunWriter } from '../../src/store/runs/run-queue.ts'
import { sliceMax_rows, unslicedMax_rows, type LeasedRun } from '../../src/store/runs/run-slices.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { newNode } from './contract-nodes.ts'
import {
  addRun,
  firstAttempts,
  newLocations,
  newResult,
  newRun,
  now,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const [second_idx, last_idx] = [sliceMax_rows, 2 * sliceMax_rows]
/** Two whole slices, and one of two locations. */
const total = 2 * sliceMax_rows + 2

const adopt = async (writer: RunWriter) => (await writer.adopt(now, 9, Infinity))!
const findRun = async ({ runs }: ContractStore) => (await runs.find('run_1', 'ada'))!
const results = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => newResult(first + i))
const rangeOf = ({ first_idx, total: rows }: StoredRun) => [first_idx, rows]
const pendingOf = async (writer: RunWriter, { number }: StoredRun, from = 0) =>
  (await writer.pendingLocations(number, from, 3)).map(({ idx, input }) => [
    idx,
    (JSON.parse(input) as { lat: number }).lat,
  ])

/** Submits a run with three slices, and lets a worker adopt each. */
async function holdSlices(
  first: ContractStore,
  second: ContractStore,
): Promise<{ slice: LeasedRun; writer: RunWriter }[]> {
  await addRun(first, 'run_1', total)
  const held: { slice: LeasedRun; writer: RunWriter }[] = []
  for (const store of [first, second, first]) {
    const id = `node ${held.length}`
    await store.nodes.refresh(newNode(id))
    const writer = await store.runQueue.beginEpoch(now, id)
    held.push({ slice: await adopt(writer), writer })
  }
  return held
}

/** Answers all locations of a slice that have no answer, and ends it. */
async function finishSlice({ slice, writer }: { slice: LeasedRun; writer: RunWriter }): Promise<void> {
  const end = slice.first_idx + slice.total
  await writer.saveProgress(slice.number, results(slice.first_idx, end), [])
  expect(await writer.finish(slice.number, 'done', now, null)).toMatchObject({ status: 'done' })
}

/** The contract of runs with slices. */
export const runSliceContract: ContractCase[] = [
  {
    name: 'several workers adopt the slices of a large run, each one at a time, and readers find only the run',
    async check(first, second) {
      const held = await holdSlices(first, second)
      expect(held.map(({ slice }) => rangeOf(slice))).toEqual([
        [0, sliceMax_rows],
        [second_idx, sliceMax_rows],
        [last_idx, 2],
      ])
      expect(held.map(({ slice }) => slice.whole?.status)).toEqual(['running', undefined, undefined])
      const run = await findRun(second)
      expect(run).toMatchObject({ status: 'running', started_at: now, seq: 2, total, done: 0, slice_of: null })
      expect(await second.runs.list('ada', 'run_~', now, 9)).toEqual([run])
      expect(await second.runs.listFamily(run)).toEqual([run])
      expect(await second.runs.find('run_1/0', 'ada')).toBeNull()
      expect(await second.runs.countUnfinished()).toEqual([
        { status: 'queued', runs: 0, remaining: 0 },
        { status: 'running', runs: 1, remaining: total },
      ])
      await addRun(second, 'run_2', total)
      const { writer } = held[0]!
      expect(await adopt(writer)).toMatchObject({ first_idx: 0, whole: { id: 'run_2' } })
      expect(await adopt(writer)).toBeNull()
      await addRun(second, 'run_3', unslicedMax_rows)
      expect(await adopt(writer)).toMatchObject({ id: 'run_3', slice_of: null, total: unslicedMax_rows })
    },
  },
  {
    name: 'a slice has the locations of its range, and its results count for its run at the same time as those of others',
    async check(first, second) {
      const held = await holdSlices(first, second)
      expect(await Promise.all(held.map(({ slice, writer }) => pendingOf(writer, slice)))).toEqual([
        [0, 1, 2].map((idx) => [idx, idx]),
        [0, 1, 2].map((idx) => [second_idx + idx, second_idx + idx]),
        [0, 1].map((idx) => [last_idx + idx, last_idx + idx]),
      ])
      const [one, two, three] = held
      expect(await pendingOf(one!.writer, one!.slice, second_idx - 1)).toEqual([[second_idx - 1, second_idx - 1]])
      for (let i = 0; i < 20; i++)
        await Promise.all(
          [one!, two!].map(({ slice: { number, first_idx }, writer }) =>
            writer.saveProgress(number, [newResult(first_idx + i, { failedFields: 1 })], firstAttempts(first_idx + 50)),
          ),
        )
      const failed = newResult(last_idx, { ok: false, retryable: true, entry: '{"ok":false}' })
      expect(await three!.writer.saveProgress(three!.slice.number, [failed], [])).toMatchObject({
        done: 1,
        ok: 0,
        total: 2,
        whole: { id: 'run_1', done: 41, ok: 40, total, retryable_locations: 1, failed_values: 42, seq: 43 },
      })
      const run = await findRun(second)
      expect((await second.runs.listEntries(run.number, 0, 100)).map(({ idx }) => idx)).toEqual([
        ...Array.from({ length: 20 }, (_, idx) => idx),
        ...Array.from({ length: 20 }, (_, idx) => second_idx + idx),
        last_idx,
      ])
      expect((await two!.writer.retriedLocations(two!.slice.number)).map(({ idx }) => idx)).toEqual([second_idx + 50])
    },
  },
  {
    name: 'a run is adopted when all of its slices have ended, and then has all results',
    async check(first, second) {
      const held = await holdSlices(first, second)
      await finishSlice(held[2]!)
      await finishSlice(held[0]!)
      expect(await adopt(held[0]!.writer)).toBeNull()
      await finishSlice(held[1]!)
      const { writer } = held[1]!
      const run = await adopt(writer)
      expect(run).toMatchObject({ id: 'run_1', slice_of: null, total, done: total, ok: total, in_transition: 1 })
      expect(await writer.pendingLocations(run.number, 0, 9)).toEqual([])
      expect(await writer.finish(run.number, 'done', now, null)).toMatchObject({ status: 'done' })
      expect(await second.runs.hasUnfinished()).toBe(false)
    },
  },
  {
    name: 'a run that is cancelled ends its slices: their workers write nothing more, and one worker gets all that is left',
    async check(first, second) {
      const held = await holdSlices(first, second)
      const [one, two] = held
      await one!.writer.saveProgress(one!.slice.number, results(0, 5), [])
      const { number } = await findRun(first)
      expect(await two!.writer.requestCancel(number, now)).toBe(true)
      for (const { slice, writer } of held) {
        const { number: late, first_idx } = slice
        expect(await writer.saveProgress(late, [newResult(first_idx + 7)], [])).toBeNull()
        expect(await writer.finish(late, 'done', now, null)).toBeNull()
      }
      expect(await two!.writer.takeOver(number, now)).toMatchObject({ done: 5, cancelled_at: now })
      expect(await pendingOf(two!.writer, await findRun(first))).toEqual([5, 6, 7].map((idx) => [idx, idx]))
      expect(await adopt(one!.writer)).toBeNull()
    },
  },
  {
    name: 'a slice that fails fails its run with the same error, and ends the other slices',
    async check(first, second) {
      const [one, two, three] = await holdSlices(first, second)
      await finishSlice(three!)
      const whole = { id: 'run_1', status: 'failed', error: '{"error":"x"}', finished_at: now + 1 }
      expect(await one!.writer.finish(one!.slice.number, 'failed', now + 1, '{"error":"x"}')).toMatchObject({ whole })
      expect(await findRun(second)).toMatchObject({ ...whole, done: 2 })
      expect(await two!.writer.saveProgress(two!.slice.number, [newResult(second_idx)], [])).toBeNull()
      expect(await adopt(two!.writer)).toBeNull()
      expect([await second.runs.hasUnfinished(), await second.runs.failedAfter(now)]).toEqual([false, 1])
      expect((await second.runs.listFailing(1, now, 9)).map(({ id }) => id)).toEqual(['run_1'])
    },
  },
  {
    name: 'the slice of a lost worker is taken over with its attempts, and its losses are those of the run',
    async check(first, second) {
      const [, two] = await holdSlices(first, second)
      const { number } = two!.slice
      await two!.writer.saveProgress(number, [newResult(second_idx)], firstAttempts(second_idx + 1))
      await two!.writer.beginTransition(number)
      const successor = await first.runQueue.beginEpoch(now, 'node 1')
      expect(await successor.takeOver(number, now)).toMatchObject({ done: 1, worker_losses: 1 })
      expect(await two!.writer.saveProgress(number, [newResult(second_idx + 1)], [])).toBeNull()
      const [retried] = await successor.retriedLocations(number)
      expect([retried?.idx, retried?.attempts]).toEqual([second_idx + 1, 1])
      expect((await second.runs.listFailing(1, now, 9)).map(({ id }) => id)).toEqual(['run_1'])
    },
  },
  {
    name: 'the unreadable rows of a large submission count for the slices that they are in',
    async check(first, second) {
      const locations = newLocations(total)
      const unreadable = [0, second_idx - 1, second_idx, second_idx + 1, last_idx, last_idx + 1]
      for (const idx of unreadable) locations[idx]!.errorEntry = `{"index":${idx}}`
      await first.submissions.submit(newRun('run_1'), packLocations(locations), null)
      const held: { slice: LeasedRun; writer: RunWriter }[] = []
      for (let i = 0; i < 3; i++) {
        await first.nodes.refresh(newNode(String(i)))
        const writer = await second.runQueue.beginEpoch(now, String(i))
        held.push({ slice: await adopt(writer), writer })
      }
      expect(held.map(({ slice }) => slice.done)).toEqual([2, 2, 2])
      expect(await findRun(first)).toMatchObject({ done: 6, failed_values: 12 })
      expect(await pendingOf(held[0]!.writer, held[0]!.slice)).toEqual([1, 2, 3].map((idx) => [idx, idx]))
      expect(await pendingOf(held[1]!.writer, held[1]!.slice)).toEqual(
        [2, 3, 4].map((idx) => [second_idx + idx, second_idx + idx]),
      )
      expect(await pendingOf(held[2]!.writer, held[2]!.slice)).toEqual([])
      for (const it of held) await finishSlice(it)
      expect(await adopt(held[0]!.writer)).toMatchObject({ done: total, ok: total - 6 })
    },
  },
  {
    name: 'a large retry has slices of the retried locations',
    async check(first, second) {
      const { number } = await addRun(first, 'run_1', total)
      const indexes = Array.from({ length: total - 1 }, (_, i) => i + 1)
      await first.submissions.retry(newRun('run_2'), { number, id: 'run_1' }, indexes)
      const run = (await first.runs.find('run_2', 'ada'))!
      expect(run).toMatchObject({ retry_of: 'run_1', total: total - 1 })
      const writer = await second.runQueue.beginEpoch(now)
      await writer.requestCancel(number, now)
      expect(await second.runs.listFamily(run)).toHaveLength(2)
      const [whole, slice] = [await adopt(writer), await adopt(writer)]
      expect([whole.id, rangeOf(slice)]).toEqual(['run_1', [0, sliceMax_rows]])
      await finishSlice({ slice, writer })
      await finishSlice({ slice: await adopt(writer), writer })
      const last = await adopt(writer)
      expect(await writer.pendingLocations(last.number, 0, 9)).toEqual([
        expect.objectContaining({ idx: last_idx, original_index: last_idx + 1 }),
      ])
    },
  },
  {
    name: 'the slices of an expired run are deleted with it, and their workers write nothing more',
    async check(first, second) {
      const [one] = await holdSlices(first, second)
      const run = await findRun(first)
      await one!.writer.saveProgress(one!.slice.number, [newResult(1)], [])
      await first.runSweep.confirmExpired(run.expires_at)
      const confirmed = await first.runSweep.confirmExpired(run.expires_at + 3_600_000)
      expect(confirmed).toContain(run.number)
      expect(confirmed).toHaveLength(4)
      while (await second.runSweep.removeBatch(run.number));
      expect(await one!.writer.saveProgress(one!.slice.number, [newResult(0)], [])).toBeNull()
      for (const number of confirmed) while (await second.runSweep.removeBatch(number));
      expect([await first.runs.hasUnfinished(), await first.runs.listEntries(run.number, 0, 9)]).toEqual([false, []])
    },
  },
]
