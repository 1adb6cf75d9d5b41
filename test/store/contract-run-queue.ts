import { expect } from 'bun:test'
import { IncompleteRunError, type RunWriter } from '../../src/store/runs/run-queue.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { newNode } from './contract-nodes.ts'
import { addRun, firstAttempts, holdRun, newResult, now, type ContractCase } from './contract-case.ts'

const adoptAll = (writer: RunWriter, calls: number, maxPerAccount = 100) =>
  Promise.all(Array.from({ length: calls }, () => writer.adopt(now, maxPerAccount, Infinity)))
const idsOf = (runs: (StoredRun | null)[]) => runs.flatMap((run) => run?.id ?? [])
const attemptsOf = async (writer: RunWriter, run: StoredRun) =>
  (await writer.retriedLocations(run.number)).map(({ idx, attempts }) => [idx, attempts])

/** The contract of RunQueue. */
export const runQueueContract: ContractCase[] = [
  {
    name: 'each queued run is adopted once, also if a worker adopts many at the same time',
    async check(first, second) {
      for (let i = 1; i <= 6; i++) await addRun(first, `run_${i}`, 1)
      const adopted = await adoptAll(await second.runQueue.beginEpoch(now), 8)
      expect(idsOf(adopted).toSorted()).toEqual(['run_1', 'run_2', 'run_3', 'run_4', 'run_5', 'run_6'])
      expect(adopted.find((run) => run?.id === 'run_3')).toMatchObject({
        status: 'running',
        started_at: now,
        seq: 2,
        in_transition: 1,
        worker_losses: 0,
      })
    },
  },
  {
    name: 'the next run is the oldest of the account with the fewest adopted runs, up to a number for each account',
    async check(first, { runQueue }) {
      for (const id of ['run_1', 'run_2', 'run_3', 'run_4']) await addRun(first, id, 1)
      await addRun(first, 'run_5', 1, { account_id: 'bob' })
      const writer = await runQueue.beginEpoch(now)
      const adopted: (StoredRun | null)[] = []
      for (let i = 0; i < 5; i++) adopted.push(await writer.adopt(now, 3, Infinity))
      expect(adopted.map((run) => run?.id)).toEqual(['run_1', 'run_5', 'run_2', 'run_3', undefined])
      expect((await writer.adopt(now, 4, Infinity))?.id).toBe('run_4')
    },
  },
  {
    name: 'results are written with the counts of their run, and each only once if a write is repeated',
    async check(first, { runs }) {
      const { run, writer } = await holdRun(first, 5)
      const failed = { ok: false, retryable: true, entry: '{"ok":false}' }
      const changed = await writer.saveProgress(
        run.number,
        [newResult(2, { failedFields: 1 }), newResult(0)],
        firstAttempts(1, 3),
      )
      expect(changed).toMatchObject({ done: 2, ok: 2, retryable_locations: 0, failed_values: 1, seq: run.seq + 1 })
      // The run has two fields, and both of a failed location are missing.
      expect(await writer.saveProgress(run.number, [newResult(1, failed)], [])).toMatchObject({
        done: 3,
        ok: 2,
        retryable_locations: 1,
        failed_values: 3,
      })
      const repeated = newResult(0, { ok: false, retryable: true, failedFields: 2, entry: '{}' })
      await writer.saveProgress(run.number, [newResult(4, { failedFields: 1 }), repeated], [])
      expect(await runs.find('run_1', 'ada')).toMatchObject({
        done: 4,
        ok: 3,
        retryable_locations: 1,
        failed_values: 4,
      })
      expect((await runs.listEntries(run.number, 0, 10)).map(({ idx }) => idx)).toEqual([0, 1, 2, 4])
      expect(await runs.findEntry(run.number, 0)).toBe(newResult(0).entry)
      expect((await writer.pendingLocations(run.number, 0, 10)).map(({ idx, attempts }) => [idx, attempts])).toEqual([
        [3, 1],
      ])
    },
  },
  {
    name: 'a worker whose run was taken over can no longer change it',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 3)
      const successor = await second.runQueue.beginEpoch(now)
      await successor.takeOver(run.number, now)
      expect(await writer.saveProgress(run.number, [newResult(0)], firstAttempts(1))).toBeNull()
      expect(await writer.beginTransition(run.number)).toBe(false)
      expect(await writer.finish(run.number, 'done', now, null)).toBeNull()
      await writer.releaseLease(run.number, firstAttempts(1))
      await writer.renewLeases([run.number])
      expect(await successor.saveProgress(run.number, [newResult(0)], [])).toMatchObject({ done: 1, status: 'running' })
      expect(await attemptsOf(successor, run)).toEqual([])
    },
  },
  {
    name: 'the run of a lost worker is adopted at once by the next worker of its node, and by no other node that sends heartbeats',
    async check(first, { nodes, runQueue }) {
      for (const id of ['a', 'b']) await nodes.refresh(newNode(id))
      const { number } = await addRun(first, 'run_1', 1)
      const lost = await runQueue.beginEpoch(now, 'a')
      await lost.takeOver(number, now)
      const other = await first.runQueue.beginEpoch(now, 'b')
      expect(idsOf(await adoptAll(other, 1))).toEqual([])
      const next = await runQueue.beginEpoch(now, 'a')
      expect(idsOf(await adoptAll(next, 1))).toEqual(['run_1'])
      expect(idsOf(await adoptAll(other, 1))).toEqual([])
      expect(await lost.saveProgress(number, [newResult(0)], [])).toBeNull()
    },
  },
  {
    name: 'of two workers that write the same results at the same time, only the one with the lease writes them',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 60)
      const successor = await second.runQueue.beginEpoch(now)
      const writes = Array.from({ length: 60 }, (_, idx) =>
        Promise.all([
          idx === 20 ? successor.takeOver(run.number, now) : null,
          (idx < 20 ? writer : successor).saveProgress(run.number, [newResult(idx)], []),
          writer.saveProgress(run.number, [newResult(idx)], []).catch(() => 'repeated'),
        ]).catch(() => 'repeated'),
      )
      await Promise.all(writes)
      const entries = await first.runs.listEntries(run.number, 0, 100)
      expect(await second.runs.find('run_1', 'ada')).toMatchObject({ done: entries.length, ok: entries.length })
      expect(new Set(entries.map(({ idx }) => idx)).size).toBe(entries.length)
    },
  },
  {
    name: 'results are stored once if a worker writes them twice at the same time, and again after another worker',
    async check(first, second) {
      const results = Array.from({ length: 6 }, (_, idx) => newResult(idx))
      for (const id of ['run_1', 'run_2', 'run_3']) {
        const { number } = await addRun(first, id, 6)
        const writer = await first.runQueue.beginEpoch(now)
        await writer.takeOver(number, now)
        await Promise.all([
          writer.saveProgress(number, results.slice(0, 3), []),
          writer.saveProgress(number, results.slice(1, 5), []),
        ])
        expect(await second.runs.find(id, 'ada')).toMatchObject({ done: 5, ok: 5 })
        const successor = await second.runQueue.beginEpoch(now)
        await successor.takeOver(number, now)
        expect(await successor.saveProgress(number, results.slice(1), [])).toMatchObject({ done: 6, ok: 6 })
        expect((await first.runs.listEntries(number, 0, 10)).map(({ idx }) => idx)).toEqual([0, 1, 2, 3, 4, 5])
      }
    },
  },
  {
    name: 'the attempts of locations are counted, each once if a write is repeated, and those of a released run do not count',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 4)
      await writer.saveProgress(run.number, [], firstAttempts(0, 1, 2))
      for (let i = 0; i < 2; i++) await writer.saveProgress(run.number, [newResult(0)], [{ idx: 1, attempts: 1 }])
      expect(await attemptsOf(writer, run)).toEqual([
        [2, 1],
        [1, 2],
      ])
      await writer.releaseLease(run.number, [{ idx: 1, attempts: 1 }, ...firstAttempts(2)])
      const successor = await second.runQueue.beginEpoch(now)
      expect((await successor.adopt(now, 1, Infinity))?.id).toBe('run_1')
      expect(await attemptsOf(successor, run)).toEqual([[1, 1]])
    },
  },
  {
    name: 'attempts that a lost worker did not finish count, until a worker is lost without a location in progress',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 4)
      await writer.saveProgress(run.number, [], firstAttempts(0, 1))
      const successor = await second.runQueue.beginEpoch(now)
      await successor.takeOver(run.number, now)
      await successor.settleAttempts()
      expect(await attemptsOf(successor, run)).toEqual([
        [0, 1],
        [1, 1],
      ])
      const last = await first.runQueue.beginEpoch(now)
      await last.takeOver(run.number, now)
      await last.settleAttempts()
      expect(await attemptsOf(last, run)).toEqual([])
    },
  },
  {
    name: 'a worker that is lost in a step counts for its run until the run makes progress',
    async check(first, second) {
      await addRun(first, 'run_1', 2)
      await (await first.runQueue.beginEpoch(now)).adopt(now, 1, Infinity)
      const { number } = (await second.runs.find('run_1', 'ada'))!
      const writer = await second.runQueue.beginEpoch(now)
      expect(await writer.takeOver(number, now)).toMatchObject({ worker_losses: 1, in_transition: 0 })
      expect(await writer.beginTransition(number)).toBe(true)
      const last = await first.runQueue.beginEpoch(now)
      expect(await last.takeOver(number, now)).toMatchObject({ worker_losses: 2, in_transition: 0 })
      expect(await last.saveProgress(number, [newResult(0)], [])).toMatchObject({ worker_losses: 0 })
      await last.beginTransition(number)
      await last.endTransition(number)
      expect((await second.runs.find('run_1', 'ada'))?.in_transition).toBe(0)
    },
  },
  {
    name: 'a run that a worker is cancelling is left to it if the cancellation is repeated',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 2)
      const other = await second.runQueue.beginEpoch(now)
      expect(await writer.requestCancel(run.number, now)).toBe(true)
      // The worker may be lost before it begins.
      expect(await other.requestCancel(run.number, now)).toBe(true)
      await other.takeOver(run.number, now)
      await other.beginTransition(run.number)
      expect(await writer.requestCancel(run.number, now)).toBe(false)
      expect(await second.runs.find('run_1', 'ada')).toMatchObject({ status: 'running', worker_losses: 0 })
      expect(await other.finish(run.number, 'cancelled', now, null)).toMatchObject({ status: 'cancelled' })
    },
  },
  {
    name: 'a run with too many losses is adopted only by a worker that allows them',
    async check(first, second) {
      await addRun(first, 'run_1', 2)
      const { number } = (await (await first.runQueue.beginEpoch(now)).adopt(now, 1, Infinity))!
      const writer = await second.runQueue.beginEpoch(now)
      await writer.takeOver(number, now)
      await writer.beginTransition(number)
      await writer.releaseLease(number, [])
      const next = await first.runQueue.beginEpoch(now)
      expect(await next.adopt(now, 1, 1)).toBeNull()
      expect(await next.adopt(now, 1, 2)).toMatchObject({ worker_losses: 1 })
    },
  },
  {
    name: 'a run does not succeed before all of its locations have a result, but can fail or be cancelled',
    async check(first, second) {
      for (const status of ['done', 'failed', 'cancelled'] as const) {
        const { number } = await addRun(first, `run_${status}`, 2)
        const writer = await first.runQueue.beginEpoch(now)
        await writer.takeOver(number, now)
        await writer.saveProgress(number, [newResult(0)], [])
        const error: unknown = await writer.finish(number, 'done', now, null).catch((it: unknown) => it)
        expect(error).toEqual(new IncompleteRunError({ done: 1, total: 2 }))
        expect(await second.runs.find(`run_${status}`, 'ada')).toMatchObject({ status: 'running', finished_at: null })
        if (status === 'done') await writer.saveProgress(number, [newResult(1)], [])
        expect(await writer.finish(number, status, now, null)).toMatchObject({ status })
      }
    },
  },
  {
    name: 'a run is cancelled until it is finished, stays in its step meanwhile, and is finished once',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 2)
      const other = await second.runQueue.beginEpoch(now)
      expect(await other.requestCancel(run.number, now + 5)).toBe(true)
      expect(await other.requestCancel(run.number, now + 6)).toBe(true)
      await writer.beginTransition(run.number)
      expect(await writer.saveProgress(run.number, [newResult(0)], [])).toMatchObject({
        cancelled_at: now + 5,
        in_transition: 1,
      })
      const finished = await writer.finish(run.number, 'cancelled', now + 7, '{"error":"x"}')
      expect(finished).toMatchObject({ status: 'cancelled', finished_at: now + 7, error: '{"error":"x"}', done: 1 })
      expect(await writer.finish(run.number, 'done', now + 8, null)).toBeNull()
      expect([await writer.findFinished(run.number), await other.findFinished(run.number)]).toEqual([finished, null])
      expect(await other.requestCancel(run.number, now + 9)).toBe(false)
      expect(await other.takeOver(run.number, now)).toBeNull()
      expect(await second.runs.find('run_1', 'ada')).toEqual(finished)
    },
  },
]
