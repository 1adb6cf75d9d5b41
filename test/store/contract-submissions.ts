import { expect } from 'bun:test'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import {
  callBoth,
  newLocations,
  newResult,
  newRun,
  now,
  addRun,
  type ContractCase,
  type ContractStore,
} from './contract-case.ts'

const day_ms = 86_400_000
const key = { key: 'first', body_hash: 'abc', after: now - day_ms }
const pack = (count: number) => packLocations(newLocations(count))
const idsOf = async ({ runs }: ContractStore) => (await runs.list('ada', 'run_~', now, 100)).map(({ id }) => id)

/** The contract of SubmissionStore. */
export const submissionContract: ContractCase[] = [
  {
    name: 'a submitted run is found with all its members, and only by its account',
    async check(first, { runs }) {
      const run = newRun('run_1', { name: 'a file \u{1F600}', margin_fields: '["state"]' })
      expect(await first.submissions.submit(run, pack(3), null)).toEqual({ run_id: 'run_1', replayed: false })
      expect(await runs.find('run_1', 'ada')).toMatchObject({
        ...run,
        number: expect.any(Number),
        status: 'queued',
        started_at: null,
        finished_at: null,
        cancelled_at: null,
        retry_of: null,
        total: 3,
        done: 0,
        ok: 0,
        retryable_locations: 0,
        failed_values: 0,
        seq: 1,
        error: null,
        in_transition: 0,
        worker_losses: 0,
      })
      expect([await runs.find('run_1', 'bob'), await runs.find('run_2', 'ada')]).toEqual([null, null])
    },
  },
  {
    name: 'unreadable rows of a submission are answered with their errors, and all rows keep their cells',
    async check(first, { runs }) {
      const locations = [
        { input: '{"lat":1,"lng":2}', passthrough: '["a","\\u0000"]' },
        { input: '{}', errorEntry: '{"index":1,"ok":false}' },
        ...newLocations(2500),
      ]
      await first.submissions.submit(newRun('run_1'), packLocations(locations), null)
      const run = (await runs.find('run_1', 'ada'))!
      expect([run.total, run.done, run.ok, run.failed_values]).toEqual([2502, 1, 0, 2])
      expect(await runs.listEntries(run.number, 0, 10)).toEqual([
        { idx: 1, entry: '{"index":1,"ok":false}', input: '{}', passthrough: null },
      ])
      const writer = await first.runQueue.beginEpoch(now)
      const pending = await writer.pendingLocations(run.number, 0, 3000)
      expect(pending.map(({ idx }) => idx)).toEqual([0, ...Array.from({ length: 2500 }, (_, i) => i + 2)])
      expect(pending.at(-1)).toEqual({ idx: 2501, input: '{"lat":2499,"lng":0}', original_index: null, attempts: 0 })
      await writer.takeOver(run.number, now)
      await writer.saveProgress(run.number, [newResult(0)], [])
      expect((await runs.listEntries(run.number, 0, 1))[0]).toMatchObject({ idx: 0, passthrough: '["a","\\u0000"]' })
    },
  },
  {
    name: 'an idempotency key makes one run, also if both stores use it at the same time',
    async check(first, second) {
      const results = await callBoth([first, second], ({ submissions }, index) =>
        submissions.submit(newRun(`run_${index}`), pack(2), key),
      )
      const ids = await idsOf(second)
      expect(ids).toHaveLength(1)
      expect(results.map((it) => 'run_id' in it && it.run_id)).toEqual(results.map(() => ids[0]!))
      expect(results.filter((it) => 'replayed' in it && !it.replayed)).toHaveLength(1)
      expect(await first.runs.findByKey('ada', 'first', now - day_ms)).toEqual({ run_id: ids[0]!, body_hash: 'abc' })
      expect(await first.runs.findByKey('ada', 'first', now)).toBeNull()
      expect(await first.runs.findByKey('bob', 'first', now - day_ms)).toBeNull()
    },
  },
  {
    name: 'a key with another body is rejected, and an expired key belongs to the next run',
    async check({ submissions, ...first }, second) {
      await submissions.submit(newRun('run_1'), pack(1), key)
      const other = { ...key, body_hash: 'def' }
      expect(await second.submissions.submit(newRun('run_2'), pack(1), other)).toEqual({ keyReused: true })
      expect(await second.submissions.submit(newRun('run_3', { account_id: 'bob' }), pack(1), other)).toEqual({
        run_id: 'run_3',
        replayed: false,
      })
      const later = newRun('run_4', { created_at: now + 5 })
      expect(await submissions.submit(later, pack(1), { ...other, after: now })).toEqual({
        run_id: 'run_4',
        replayed: false,
      })
      expect(await idsOf(second)).toEqual(['run_4', 'run_1'])
      expect(await first.runs.findByKey('ada', 'first', now)).toEqual({ run_id: 'run_4', body_hash: 'def' })
    },
  },
  {
    name: 'a retry has the retryable locations of a run, or the given ones, with their indexes there',
    async check(first, { submissions, runs, runQueue }) {
      const run = await addRun(first, 'run_1', 5)
      const writer = await runQueue.beginEpoch(now)
      await writer.takeOver(run.number, now)
      const failed = { ok: false, retryable: true, entry: '{"ok":false}' }
      await writer.saveProgress(run.number, [newResult(0), newResult(1, failed), newResult(3, failed)], [])
      await submissions.retry(newRun('run_2'), run, null)
      await submissions.retry(newRun('run_3'), run, [4, 0])
      const retries = [(await runs.find('run_2', 'ada'))!, (await runs.find('run_3', 'ada'))!]
      expect(retries.map(({ total, done, retry_of }) => [total, done, retry_of])).toEqual([
        [2, 0, 'run_1'],
        [2, 0, 'run_1'],
      ])
      expect(await runs.listOriginalIndexes(retries[0]!.number)).toEqual([1, 3])
      expect(await first.runs.listOriginalIndexes(retries[1]!.number)).toEqual([0, 4])
      expect((await writer.pendingLocations(retries[1]!.number, 1, 10))[0]).toMatchObject({
        idx: 1,
        input: '{"lat":4,"lng":0}',
        original_index: 4,
      })
    },
  },
]
