import { randomUUID } from 'node:crypto'
import { runWithDeadline } from '../../async/deadline.ts'
import { createYieldToEventLoop, type YieldToEventLoop } from '../../async/incremental-task.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { readStorageRange } from '../../storage/file-storage.ts'
import type { S3Storage } from '../../storage/s3-storage.ts'
import type { ArtifactObject, ArtifactObjectStore, DatabaseArtifact } from '../../store/runs/artifact-objects.ts'
import { etagOfHash, type Artifact, type ArtifactStore } from '../../store/runs/artifacts.ts'
import { damagedDataError } from '../../store/storage-error.ts'

/** The result files of runs, in the database or in object storage. */
export type RunArtifacts = Pick<ArtifactStore, 'find' | 'readBytes'> & {
  /**
   * Compares a file in the database with its ETag, once, also for readers that ask at the same time.
   * @throws {ApiError} `stored_data_damaged` if it is not as it was written.
   */
  requireIntact(run: number, name: string, artifact: Artifact): Promise<void>
  /**
   * A URL that downloads a moved file from object storage, valid for some minutes. Null if the file is in the database,
   * or if the server passes downloads on.
   */
  downloadUrlOf(run: number, name: string, headers: { type: string; disposition: string }): Promise<string | null>
  /** Moves finished files to object storage. Does nothing without storage. */
  moveFinished(signal: AbortSignal): Promise<void>
  /** Deletes the objects of deleted runs and of interrupted uploads. */
  deleteObsolete(signal: AbortSignal): Promise<void>
}

/** The object storage of result files. */
type ArtifactBucket = {
  storage: S3Storage
  net: HttpClient
  /** Whether clients download moved files from the storage. */
  isRedirected: boolean
}

type RunArtifactsOptions = {
  artifacts: ArtifactStore
  objects: ArtifactObjectStore
  /** Null: all files stay in the database. */
  storage: ArtifactBucket | null
  now: () => Date
}

const filesPerPass = 50
const keysPerPass = 100
const piece_bytes = 262_144
const block_bytes = 1_048_576
const blocksMax = 8
const uploadDeadline_ms = 10 * 60_000
const readDeadline_ms = 30_000
/** An upload that began this long ago was interrupted. */
const abandonedAfter_ms = 60 * 60_000

/** Creates the access to the result files. */
export function createRunArtifacts(options: RunArtifactsOptions): RunArtifacts {
  const { artifacts, objects, storage, now } = options
  const readBlock = createBlockReader()
  const comparisons = new Map<string, Promise<void>>()
  const yieldToEventLoop = createYieldToEventLoop(slice_ms)
  return {
    async find(run, name) {
      const artifact = await artifacts.find(run, name)
      // Without its storage, a moved file counts as missing, so it is written again from the rows of the run.
      return artifact && !storage && (await objects.find(run, name)) ? null : artifact
    },
    async readBytes(run, name, from, limit_bytes) {
      const stored = await artifacts.readBytes(run, name, from, limit_bytes)
      const object = stored.length === 0 && storage ? await objects.find(run, name) : null
      if (!object || from >= object.bytes) return stored
      const block = Math.floor(from / block_bytes)
      const bytes = await readBlock(storage!, object, block)
      return bytes.subarray(from - block * block_bytes).subarray(0, limit_bytes)
    },
    async requireIntact(run, name, artifact) {
      const file = `${run}/${name} ${artifact.etag} ${artifact.bytes}`
      const compare = async () => {
        if (storage && (await objects.find(run, name))) return
        const isSame = await isIntact(run, name, artifact, { artifacts, yieldToEventLoop })
        if (!isSame) throw damagedDataError(`The result file ${name}`)
      }
      const comparison = comparisons.get(file) ?? compare()
      if (comparisons.size >= comparisonsMax) comparisons.clear()
      comparisons.set(file, comparison)
      await comparison.catch((error: unknown) => {
        comparisons.delete(file)
        throw error
      })
    },
    async downloadUrlOf(run, name, headers) {
      if (!storage?.isRedirected) return null
      const object = await objects.find(run, name)
      return object && storage.storage.downloadUrlOf(object.key, headers)
    },
    async moveFinished(signal) {
      if (!storage) return
      const errors: unknown[] = []
      // A file that cannot be moved must not keep the next ones in the database.
      for (const file of await objects.listInDatabase(filesPerPass)) {
        await moveArtifact(file, options, storage, signal).catch((error: unknown) => errors.push(error))
        signal.throwIfAborted()
      }
      if (errors.length > 0) throw errors[0]
    },
    async deleteObsolete(signal) {
      if (!storage) return
      const begunBefore = now().getTime() - abandonedAfter_ms
      for (let keys = await objects.listObsolete(begunBefore, keysPerPass); keys.length > 0;) {
        for (const key of keys) {
          await storage.storage.delete(key, { signal })
          await objects.remove(key)
        }
        keys = await objects.listObsolete(begunBefore, keysPerPass)
      }
    },
  }
}

/** SQLite answers at once, so a large file would be compared in one turn. */
const slice_ms = 5
/** So many files are not compared again. */
const comparisonsMax = 1_000

async function isIntact(
  run: number,
  name: string,
  { etag, bytes }: Artifact,
  { artifacts, yieldToEventLoop }: { artifacts: ArtifactStore; yieldToEventLoop: YieldToEventLoop },
) {
  const hash = new Bun.CryptoHasher('sha256')
  let position = 0
  while (position < bytes) {
    await yieldToEventLoop()
    const piece = await artifacts.readBytes(run, name, position, piece_bytes)
    if (piece.length === 0) return false
    hash.update(piece)
    position += piece.length
  }
  return position === bytes && etagOfHash(hash) === etag
}

/**
 * Reads blocks of objects and keeps the last ones, because a download is sent in smaller pieces. Concurrent reads of a
 * block are one request.
 */
function createBlockReader() {
  const blocks = new Map<string, Promise<Uint8Array>>()
  return async (reader: ArtifactBucket, object: ArtifactObject, block: number): Promise<Uint8Array> => {
    const id = `${object.key} ${block}`
    const reading = blocks.get(id) ?? readObject(reader, object, block * block_bytes)
    blocks.delete(id)
    blocks.set(id, reading)
    if (blocks.size > blocksMax) blocks.delete(blocks.keys().next().value!)
    return reading.catch((error: unknown) => {
      blocks.delete(id)
      throw error
    })
  }
}

async function readObject(
  reader: ArtifactBucket,
  { key, version, bytes }: ArtifactObject,
  offset: number,
): Promise<Uint8Array> {
  const file = { name: key, version, size_bytes: bytes }
  const range = { offset, length: Math.min(block_bytes, bytes - offset) }
  return runWithDeadline(readDeadline_ms, new AbortController().signal, async (signal) =>
    readStorageRange(reader, file, range, { signal }),
  )
}

/** Uploads a file, and deletes it from the database when the upload is complete. */
async function moveArtifact(
  artifact: DatabaseArtifact,
  { artifacts, objects, now }: RunArtifactsOptions,
  { storage }: ArtifactBucket,
  signal: AbortSignal,
): Promise<void> {
  const key = `${artifact.run_id}/${artifact.name}-${randomUUID()}`
  await objects.begin(artifact, key, now().getTime())
  const version = await runWithDeadline(uploadDeadline_ms, signal, async (uploadSignal) => {
    const budget = { signal: uploadSignal }
    await storage.write(key, new Response(contentOf(artifact, artifacts, uploadSignal)), budget)
    const written = await storage.describe(key, budget)
    if (written.size_bytes === artifact.bytes) return written.version
    throw new Error(`${storage.location}${key} has ${written.size_bytes} bytes instead of ${artifact.bytes}.`)
  })
  await objects.complete(key, version)
}

/** The content of a file in the database. An error ends the upload, so that a truncated file never looks complete. */
function contentOf(
  { run, name, bytes }: DatabaseArtifact,
  artifacts: ArtifactStore,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let position = 0
  return new ReadableStream({
    async pull(controller) {
      signal.throwIfAborted()
      if (position === bytes) return controller.close()
      const piece = await artifacts.readBytes(run, name, position, piece_bytes)
      if (piece.length === 0) throw new Error('The result file was deleted during its upload.')
      position += piece.length
      controller.enqueue(piece)
    },
  })
}
