import { expect } from 'bun:test'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import type { StoredRun } from '../../src/store/runs/runs.ts'
import { newLocations, newResult, newRun, now, addRun, type ContractCase, type ContractStore } from './contract-case.ts'

const textOf = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes)

/** Answers all locations of a run with these entries, and finishes it. */
async function answerRun({ runQueue }: ContractStore, { number }: StoredRun, entries: string[]): Promise<void> {
  const writer = await runQueue.beginEpoch(now)
  await writer.takeOver(number, now)
  const results = entries.map((entry, idx) => newResult(idx, { entry, ok: idx % 2 === 0 }))
  await writer.saveProgress(number, results, [])
  await writer.finish(number, 'done', now, null)
}

/** The contract of RunReader and RunSweep. */
export const runContract: ContractCase[] = [
  {
    name: 'the unexpired runs of an account are listed in pages, the newest first',
    async check(first, { runs }) {
      for (const id of ['run_1', 'run_2', 'run_3', 'run_4'])
        await addRun(first, id, 1, id === 'run_3' ? { expires_at: now } : {})
      await addRun(first, 'run_5', 1, { account_id: 'bob' })
      const idsOf = async (below: string, limit: number) =>
        (await runs.list('ada', below, now, limit)).map(({ id }) => id)
      expect(await idsOf('run_~', 10)).toEqual(['run_4', 'run_2', 'run_1'])
      expect(await idsOf('run_~', 2)).toEqual(['run_4', 'run_2'])
      expect(await idsOf('run_2', 10)).toEqual(['run_1'])
    },
  },
  {
    name: 'entries are read in order as joined JSON, in groups of about 32 KB, all or by their outcome',
    async check(first, { runs }) {
      const run = await addRun(first, 'run_1', 40)
      const entries = Array.from({ length: 40 }, (_, i) => JSON.stringify({ i, text: 'ä\u{1F600}\u0000'.repeat(300) }))
      await answerRun(first, run, entries)
      const read: string[] = []
      let from = 0
      for (let groups = 0; from < 40; groups++) {
        const group = (await runs.readResults(run.number, { from, limit: 40, ok: null }, '['))!
        expect(group.bytes.length).toBeLessThan(32_768 + 6000)
        expect(groups).toBeLessThan(20)
        read.push(...(JSON.parse(`${textOf(group.bytes)}]`) as object[]).map((it) => JSON.stringify(it)))
        expect(group.last).toBe(from + group.rows - 1)
        from = group.last + 1
      }
      expect(read).toEqual(entries)
      const range = { from: 1, limit: 2 }
      expect(await runs.readResults(run.number, { ...range, ok: true }, '')).toMatchObject({ rows: 2, last: 4 })
      expect(await runs.readResults(run.number, { ...range, ok: false }, '')).toMatchObject({ rows: 2, last: 3 })
      expect(await runs.readResults(run.number, { from: 40, limit: 1, ok: null }, '')).toBeNull()
      expect([await runs.findEntry(run.number, 7), await runs.findEntry(run.number, 40)]).toEqual([entries[7]!, null])
      expect((await runs.listEntries(run.number, 38, 5)).map(({ idx }) => idx)).toEqual([38, 39])
      expect(await first.runs.findEntry(run.number, 30)).toBe(entries[30]!)
    },
  },
  {
    name: 'the inputs of a run are its locations or, for other kinds, the texts',
    async check({ submissions }, { runs }) {
      const locations = [{ input: '{"input":"Denver, CO"}' }, { input: '{}' }, { input: '{"address":"1 Main St"}' }]
      await submissions.submit(newRun('run_1'), packLocations(locations), null)
      await submissions.submit(newRun('run_2', { kind: 'lookup_batch' }), packLocations(locations), null)
      await submissions.submit(newRun('run_3'), packLocations([{ input: '{"address":null}' }, { input: 'null' }]), null)
      const [points, texts, none] = await Promise.all(['run_1', 'run_2', 'run_3'].map((id) => runs.find(id, 'ada')))
      const group = await runs.readInputs(points!, { from: 1, limit: 10 }, '[')
      expect([group?.rows, group?.last, textOf(group?.bytes)]).toEqual([2, 2, '[{},{"address":"1 Main St"}'])
      expect(textOf((await runs.readInputs(texts!, { from: 0, limit: 2 }, ''))?.bytes)).toBe('"Denver, CO",null')
      expect(await runs.readInputs(texts!, { from: 3, limit: 2 }, '')).toBeNull()
      expect([await runs.hasAddress(points!.number), await runs.hasAddress(none!.number)]).toEqual([true, false])
    },
  },
  {
    name: 'a run, its retries and their retries are a family, from each of its members',
    async check(first, { runs, submissions }) {
      const original = await addRun(first, 'run_1', 2)
      await submissions.retry(newRun('run_2'), original, [0])
      const retry = (await runs.find('run_2', 'ada'))!
      await submissions.retry(newRun('run_3'), retry, [0])
      await submissions.retry(newRun('run_4'), original, [1])
      await addRun(first, 'run_5', 1)
      for (const id of ['run_1', 'run_2', 'run_3', 'run_4'])
        expect((await runs.listFamily({ id, account_id: 'ada' })).map((it) => it.id)).toEqual([
          'run_1',
          'run_2',
          'run_3',
          'run_4',
        ])
      expect(await runs.listFamily({ id: 'run_1', account_id: 'bob' })).toEqual([])
    },
  },
  {
    name: 'unfinished, failed and failing runs are counted',
    async check(first, { runs, runQueue }) {
      expect([await runs.hasUnfinished(), await runs.countUnfinished()]).toEqual([
        false,
        [
          { status: 'queued', runs: 0, remaining: 0 },
          { status: 'running', runs: 0, remaining: 0 },
        ],
      ])
      const [failed, running] = [await addRun(first, 'run_1', 3), await addRun(first, 'run_2', 3)]
      await addRun(first, 'run_3', 4)
      const writer = await runQueue.beginEpoch(now)
      await writer.takeOver(failed.number, now)
      await writer.finish(failed.number, 'failed', now, '{"error":"internal_error"}')
      await writer.takeOver(running.number, now)
      await writer.saveProgress(running.number, [newResult(0)], [])
      await writer.beginTransition(running.number)
      await (await first.runQueue.beginEpoch(now)).takeOver(running.number, now)
      expect([await runs.hasUnfinished(), await first.runs.countUnfinished()]).toEqual([
        true,
        [
          { status: 'queued', runs: 1, remaining: 4 },
          { status: 'running', runs: 1, remaining: 2 },
        ],
      ])
      expect([await runs.failedAfter(now - 1), await runs.failedAfter(now)]).toEqual([1, 0])
      expect(await runs.listFailing(1, now - 1, 10)).toEqual([
        { id: 'run_2', status: 'running', worker_losses: 1, error: null },
        { id: 'run_1', status: 'failed', worker_losses: 0, error: '{"error":"internal_error"}' },
      ])
      expect((await runs.listFailing(2, now - 1, 10)).map(({ id }) => id)).toEqual(['run_1'])
    },
  },
  {
    name: 'a run is deleted in batches when two sweeps, half an hour apart, found it expired',
    async check(first, { runSweep, runs, artifacts }) {
      const run = await addRun(first, 'run_1', 1200)
      await addRun(first, 'run_2', 2)
      await answerRun(
        first,
        run,
        newLocations(1200).map(({ input }) => input),
      )
      const writer = await first.runQueue.beginEpoch(now)
      await writer.artifacts.addChunk(run.number, 'csv', 0, new Uint8Array(10))
      await writer.artifacts.finish(run.number, 'csv', { etag: '"a"', bytes: 10 })
      const confirmed: number[][] = []
      for (const minutes of [-1, 0, 29, 30])
        confirmed.push(await first.runSweep.confirmExpired(run.expires_at + minutes * 60_000))
      expect(confirmed.map(({ length }) => length)).toEqual([0, 0, 0, 2])
      expect(confirmed[3]).toContain(run.number)
      let batches = 0
      while (await runSweep.removeBatch(run.number)) batches++
      expect(batches).toBeGreaterThan(4)
      expect(await runs.find('run_1', 'ada')).toBeNull()
      expect(await runs.listEntries(run.number, 0, 10)).toEqual([])
      expect(await artifacts.find(run.number, 'csv')).toBeNull()
      expect((await runs.find('run_2', 'ada'))?.total).toBe(2)
    },
  },
  {
    name: 'idempotency keys are deleted after their time',
    async check({ submissions, runs }, { runSweep }) {
      const key = { key: 'first', body_hash: 'abc', after: 0 }
      await submissions.submit(newRun('run_1'), packLocations(newLocations(1)), key)
      expect([await runs.hasExpired(0, now - 1), await runs.hasExpired(0, now)]).toEqual([false, true])
      expect(await runs.hasExpired(now + 1000, 0)).toBe(true)
      await runSweep.removeKeys(now - 1)
      expect(await runs.findByKey('ada', 'first', 0)).not.toBeNull()
      await runSweep.removeKeys(now)
      expect(await runs.findByKey('ada', 'first', 0)).toBeNull()
    },
  },
]
