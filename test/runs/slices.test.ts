import { expect, test } from 'bun:test'
import { rowTextsOf } from '../../src/http/functions/function-runs.ts'
import { ApiError } from '../../src/model/error.ts'
import { createRunArtifacts } from '../../src/runs/artifacts/artifact-files.ts'
import { artifactRowOfError } from '../../src/runs/artifacts/artifact-row.ts'
import { etagOfHash } from '../../src/store/runs/artifacts.ts'
import type { ArtifactObjectStore } from '../../src/store/runs/artifact-objects.ts'

/** The number of turns of the event loop during the work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const countTurn = () => {
    turns++
    if (!isDone) setImmediate(countTurn)
  }
  setImmediate(countTurn)
  await work()
  isDone = true
  return turns
}

test('a large result file is compared with its ETag in several turns of the event loop', async () => {
  const piece = new Uint8Array(262_144)
  const pieces = 512
  const hash = new Bun.CryptoHasher('sha256')
  for (let i = 0; i < pieces; i++) hash.update(piece)
  const files = createRunArtifacts({
    artifacts: { find: async () => null, readBytes: async () => piece },
    objects: {} as ArtifactObjectStore,
    storage: null,
    now: () => new Date(),
  })
  const artifact = { etag: etagOfHash(hash), bytes: pieces * piece.length }
  expect(await turnsDuring(() => files.requireIntact(1, 'csv', artifact))).toBeGreaterThan(2)
})

test('a result file is compared once for all who ask at the same time, and again after an error', async () => {
  let reads = 0
  let isReadable = false
  const bytes = new Uint8Array(100)
  const files = createRunArtifacts({
    artifacts: {
      find: async () => null,
      async readBytes() {
        reads++
        if (!isReadable) throw new Error('The disk is busy.')
        return bytes
      },
    },
    objects: {} as ArtifactObjectStore,
    storage: null,
    now: () => new Date(),
  })
  const artifact = { etag: etagOfHash(new Bun.CryptoHasher('sha256').update(bytes)), bytes: bytes.length }
  const askTogether = () =>
    Promise.allSettled(Array.from({ length: 20 }, () => files.requireIntact(1, 'csv', artifact)))
  expect((await askTogether()).map(({ status }) => status)).toEqual(Array(20).fill('rejected'))
  isReadable = true
  expect((await askTogether()).map(({ status }) => status)).toEqual(Array(20).fill('fulfilled'))
  expect(reads).toBe(2)
})

test('the rows of a remote function are written in several turns of the event loop', async () => {
  const fields = Array.from({ length: 50 }, (_, i) => `field_${i}`)
  const rows = Array.from({ length: 20_000 }, (_, i) =>
    artifactRowOfError(i, new ApiError('row_invalid', 'An argument of this row is null.'), {}, fields),
  )
  const shape = { fields, marginFields: [], hasGeocodes: false, hasReasons: true }
  expect(await turnsDuring(async () => rowTextsOf(rows, shape))).toBeGreaterThan(2)
})
