import type { Sql, SqlPools, Statements } from '../sql.ts'

/** A result file of a run: its ETag, which is a hash of its content, and its size. */
export type Artifact = { etag: string; bytes: number }

/** The ETag of a result file, from the SHA-256 hash of its content. */
export function etagOfHash(hash: Bun.CryptoHasher): string {
  return `"${hash.digest('hex').slice(0, 32)}"`
}

/** The result files of the runs, stored in chunks of equal size except the last. */
export type ArtifactStore = {
  /** Returns a complete file; null if it does not exist or is not complete. */
  find(run: number, name: string): Promise<Artifact | null>
  /** Returns at most `limit_bytes` from an offset on, and no byte of the next chunk; none if the file is gone. */
  readBytes(run: number, name: string, from: number, limit_bytes: number): Promise<Uint8Array>
}

/**
 * Writes result files on behalf of a worker. Each method writes nothing, and returns false, while the run is unfinished
 * and another worker holds it.
 */
export type ArtifactWriter = {
  /** Deletes what this worker wrote of a file, and the file if it was complete. */
  clear(run: number, name: string): Promise<boolean>
  addChunk(run: number, name: string, start: number, bytes: Uint8Array): Promise<boolean>
  /** Completes a file. From now on it can be read. Of two workers that write it, the first one completes it. */
  finish(run: number, name: string, artifact: Artifact): Promise<boolean>
}

/** Creates the artifact store. */
export function createArtifacts({ work }: SqlPools): ArtifactStore {
  return {
    find: (run, name) =>
      work.get('SELECT etag, bytes FROM run_artifacts WHERE run = $run AND name = $name', { run, name }),
    async readBytes(run, name, from, limit_bytes) {
      const values = { run, name, from, limit_bytes }
      const found = await work.get<{ start: number; bytes: Uint8Array; block: Uint8Array | null }>(
        work.dialect.readChunk,
        values,
      )
      if (!found) return new Uint8Array()
      const offset = from - found.start
      return found.block === null ? found.bytes : bytesOfBlock(found.block).subarray(offset, offset + limit_bytes)
    },
  }
}

/** Returns the bytes of a chunk from its block. Chunks of earlier releases, and copied chunks, have no block. */
export function bytesOfBlock(block: Uint8Array): Uint8Array {
  return Bun.zstdDecompressSync(block)
}

/** Creates the artifact writer of an epoch. */
export function createArtifactWriter(work: Sql, epoch: number): ArtifactWriter {
  const { dialect } = work
  const addChunk = dialect.addChunk(`NOT EXISTS (SELECT 1 FROM runs WHERE number = $run AND ${isHeldByOther})`)
  return {
    clear: (run, name) =>
      work.write(function* (sql) {
        const state = yield* lockRun(sql, run, epoch)
        if (state === 'held_by_other') return false
        // Other workers may write, or have written, the same file of a finished run.
        yield* dialect.clearFile(sql, { run, name, epoch }, state === 'finished')
        return true
      }),
    async addChunk(run, name, start, bytes) {
      return (await work.run(addChunk, { run, name, epoch, start, bytes: dialect.chunkBytes(bytes) })) > 0
    },
    finish: (run, name, { etag, bytes }) =>
      work.write(function* (sql) {
        if ((yield* lockRun(sql, run, epoch)) === 'held_by_other') return false
        yield* dialect.finishFile(sql, { run, name, etag, bytes, epoch })
        return true
      }),
  }
}

const isHeldByOther = "status IN ('queued', 'running') AND epoch IS DISTINCT FROM $epoch"

type RunState = 'held_by_other' | 'held' | 'finished' | 'deleted'

/** Returns the state of a run for the worker of this epoch. Until the transaction ends, no worker takes the run over. */
function* lockRun(sql: Statements, run: number, epoch: number) {
  const found = yield* sql.get<{ state: RunState }>(
    `SELECT CASE WHEN status NOT IN ('queued', 'running') THEN 'finished' WHEN ${isHeldByOther} THEN 'held_by_other'
       ELSE 'held' END AS state FROM runs WHERE number = $run ${sql.dialect.forShare}`,
    { run, epoch },
  )
  return found?.state ?? 'deleted'
}
