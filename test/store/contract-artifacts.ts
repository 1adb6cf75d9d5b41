import { expect } from 'bun:test'
import type { ArtifactWriter } from '../../src/store/runs/artifacts.ts'
import { holdRun, now, type ContractCase, type ContractStore } from './contract-case.ts'

const bytesFrom = (first: number, count: number) => Uint8Array.from({ length: count }, (_, i) => (first + i) % 256)

/** Writes the CSV file of a run. */
async function writeFile(artifacts: ArtifactWriter, run: number, etag: string): Promise<void> {
  await artifacts.clear(run, 'csv')
  await artifacts.addChunk(run, 'csv', 0, bytesFrom(0, 10))
  await artifacts.finish(run, 'csv', { etag, bytes: 10 })
}

async function openWriter({ runQueue }: ContractStore): Promise<ArtifactWriter> {
  return (await runQueue.beginEpoch(now)).artifacts
}

/** The contract of ArtifactStore, ArtifactWriter and ArtifactObjectStore. */
export const artifactContract: ContractCase[] = [
  {
    name: 'a result file is found when it is complete, and only under its run and name',
    async check(first, { artifacts }) {
      const writer = await openWriter(first)
      await writer.addChunk(1, 'csv', 0, bytesFrom(0, 10))
      expect(await artifacts.find(1, 'csv')).toBeNull()
      await writer.finish(1, 'csv', { etag: '"a"', bytes: 5_000_000_000 })
      expect(await artifacts.find(1, 'csv')).toEqual({ etag: '"a"', bytes: 5_000_000_000 })
      expect([await artifacts.find(2, 'csv'), await artifacts.find(1, 'geojson')]).toEqual([null, null])
    },
  },
  {
    name: 'the bytes of a result file are read from any offset, up to the end of a chunk',
    async check(first, { artifacts }) {
      const writer = await openWriter(first)
      await writer.addChunk(1, 'csv', 0, bytesFrom(0, 100))
      await writer.addChunk(1, 'csv', 100, bytesFrom(100, 100))
      await writer.addChunk(1, 'csv', 200, bytesFrom(200, 5))
      await writer.addChunk(1, 'csv', 5_000_000_000, bytesFrom(50, 5))
      await writer.finish(1, 'csv', { etag: '"a"', bytes: 5_000_000_005 })
      const read = async (from: number, limit_bytes: number) => [
        ...(await artifacts.readBytes(1, 'csv', from, limit_bytes)),
      ]
      expect(await read(0, 3)).toEqual([0, 1, 2])
      expect(await read(98, 50)).toEqual([98, 99])
      expect(await read(100, 1000)).toEqual([...bytesFrom(100, 100)])
      expect(await read(203, 10)).toEqual([203, 204])
      expect(await read(205, 10)).toEqual([])
      expect(await read(5_000_000_002, 10)).toEqual([52, 53, 54])
      expect([...(await artifacts.readBytes(1, 'geojson', 0, 10))]).toEqual([])
    },
  },
  {
    name: 'a result file can be written again after it was deleted',
    async check(first, { artifacts }) {
      const { run, writer } = await holdRun(first, 1)
      for (const length of [30, 20]) {
        await writer.artifacts.clear(run.number, 'csv')
        await writer.artifacts.addChunk(run.number, 'csv', 0, bytesFrom(length, length))
        await writer.artifacts.finish(run.number, 'csv', { etag: `"${length}"`, bytes: length })
      }
      expect(await artifacts.find(run.number, 'csv')).toEqual({ etag: '"20"', bytes: 20 })
      expect([...(await artifacts.readBytes(run.number, 'csv', 0, 100))]).toEqual([...bytesFrom(20, 20)])
    },
  },
  {
    name: 'a worker whose run was taken over can no longer write its result files',
    async check(first, second) {
      const { run, writer } = await holdRun(first, 1)
      await writer.artifacts.addChunk(run.number, 'csv', 0, bytesFrom(50, 10))
      const successor = await second.runQueue.beginEpoch(now)
      await successor.takeOver(run.number, now)
      const writeLate = async () => [
        await writer.artifacts.clear(run.number, 'csv'),
        await writer.artifacts.addChunk(run.number, 'csv', 10, bytesFrom(50, 10)),
        await writer.artifacts.finish(run.number, 'csv', { etag: '"late"', bytes: 20 }),
      ]
      expect(await writeLate()).toEqual([false, false, false])
      await writeFile(successor.artifacts, run.number, '"a"')
      expect(await writeLate()).toEqual([false, false, false])
      expect(await first.artifacts.find(run.number, 'csv')).toEqual({ etag: '"a"', bytes: 10 })
      expect([...(await first.artifacts.readBytes(run.number, 'csv', 0, 100))]).toEqual([...bytesFrom(0, 10)])
    },
  },
  {
    name: 'the content of a result file is deleted from the database when its upload is complete',
    async check(first, { artifactObjects, artifacts }) {
      const held = await holdRun(first, 1)
      const run = held.run.number
      await writeFile(held.writer.artifacts, run, '"a"')
      const file = { run, name: 'csv', etag: '"a"' }
      expect(await artifactObjects.listInDatabase(10)).toEqual([{ ...file, run_id: 'run_1', bytes: 10 }])
      await first.artifactObjects.begin(file, 'key', now)
      expect(await artifactObjects.find(run, 'csv')).toBeNull()
      expect(await artifactObjects.complete('key', '"v"')).toBe(true)
      expect(await artifactObjects.find(run, 'csv')).toEqual({ key: 'key', version: '"v"', bytes: 10 })
      expect(await artifacts.find(run, 'csv')).toEqual({ etag: '"a"', bytes: 10 })
      expect((await artifacts.readBytes(run, 'csv', 0, 10)).length).toBe(0)
      expect(await artifactObjects.listInDatabase(10)).toEqual([])
      expect(await artifactObjects.listObsolete(now + 1, 10)).toEqual([])
    },
  },
  {
    name: 'an upload of a result file that was written again is obsolete, and deletes nothing',
    async check(first, { artifactObjects, artifacts }) {
      const held = await holdRun(first, 1)
      const run = held.run.number
      await writeFile(held.writer.artifacts, run, '"a"')
      await artifactObjects.begin({ run, name: 'csv', etag: '"a"' }, 'old', now)
      await writeFile(held.writer.artifacts, run, '"b"')
      expect(await artifactObjects.complete('old', '"v"')).toBe(false)
      expect((await artifacts.readBytes(run, 'csv', 0, 10)).length).toBe(10)
      expect(await artifactObjects.listObsolete(now, 10)).toEqual([])
      expect(await artifactObjects.listObsolete(now + 1, 10)).toEqual(['old'])
      await artifactObjects.begin({ run, name: 'csv', etag: '"b"' }, 'new', now)
      expect(await artifactObjects.complete('new', '"w"')).toBe(true)
      await first.artifactObjects.remove('old')
      expect(await artifactObjects.listObsolete(now + 1, 10)).toEqual([])
      await held.writer.artifacts.clear(run, 'csv')
      expect(await artifactObjects.find(run, 'csv')).toBeNull()
      expect(await artifactObjects.listObsolete(0, 10)).toEqual(['new'])
    },
  },
]
