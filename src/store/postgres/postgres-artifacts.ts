import type { Artifact, ArtifactStore, ArtifactWriter } from '../artifacts.ts'
import { type PostgresPools, type PostgresQuery, withIntegers } from './postgres-pool.ts'

/** Creates the artifact store on PostgreSQL. */
export function createPostgresArtifactStore({ work: { query } }: PostgresPools): ArtifactStore {
  return {
    async find(run, name) {
      const [found] = await query<Artifact>(
        'SELECT etag, bytes FROM run_artifacts WHERE run = $1 AND name = $2',
        run,
        name,
      )
      return found ? withIntegers(found, 'bytes') : null
    },
    async readBytes(run, name, from, limit_bytes) {
      const [found] = await query<{ start: string; bytes: Uint8Array; block: Uint8Array | null }>(
        `SELECT start, substr(bytes, ($3::bigint - start + 1)::int, $4::int) AS bytes, block FROM (
           SELECT c.start, c.bytes, c.block
           FROM run_artifacts a JOIN run_chunks c ON c.run = a.run AND c.name = a.name AND c.epoch = a.epoch
           WHERE a.run = $1 AND a.name = $2 AND c.start <= $3 ORDER BY c.start DESC LIMIT 1) chunk`,
        run,
        name,
        from,
        limit_bytes,
      )
      if (!found) return new Uint8Array()
      const offset = from - Number(found.start)
      return found.block === null ? found.bytes : bytesOfBlock(found.block).subarray(offset, offset + limit_bytes)
    },
  }
}

/** Returns the bytes of a chunk from its block. Chunks of earlier releases, and copied chunks, have no block. */
export function bytesOfBlock(block: Uint8Array): Uint8Array {
  return Bun.zstdDecompressSync(block)
}

/** Creates the artifact writer of an epoch on PostgreSQL. */
export function createPostgresArtifactWriter(
  { work: { query, transaction } }: PostgresPools,
  epoch: number,
): ArtifactWriter {
  return {
    clear: (run, name) =>
      transaction(async (send) => {
        const state = await lockRun(send, run, epoch)
        if (state === 'held_by_other') return false
        const isShared = state === 'finished'
        // Other workers may write, or have written, the same file of a finished run.
        if (isShared) await send(`${deleteChunks} AND epoch = $3`, run, name, epoch)
        else await send(deleteChunks, run, name)
        await send(isShared ? `${deleteArtifact} AND ${hasNoChunks}` : deleteArtifact, run, name)
        return true
      }),
    async addChunk(run, name, start, bytes) {
      const added = await query(
        `INSERT INTO run_chunks (run, name, epoch, start, bytes, block)
         SELECT $1::bigint, $2::text, $3::bigint, $4::bigint, '', $5::bytea
         WHERE NOT EXISTS (SELECT FROM runs WHERE number = $1 AND ${isHeldByOther('$3')}) RETURNING 1`,
        run,
        name,
        epoch,
        start,
        Bun.zstdCompressSync(bytes),
      )
      return added.length > 0
    },
    finish: (run, name, { etag, bytes }) =>
      transaction(async (send) => {
        if ((await lockRun(send, run, epoch)) === 'held_by_other') return false
        await send(
          `INSERT INTO run_artifacts (run, name, etag, bytes, epoch) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (run, name) DO NOTHING`,
          run,
          name,
          etag,
          bytes,
          epoch,
        )
        // The parts of workers that lost their lease, or that finish the same file later.
        await send(
          `${deleteChunks} AND epoch <> (SELECT epoch FROM run_artifacts WHERE run = $1 AND name = $2)`,
          run,
          name,
        )
        return true
      }),
  }
}

const deleteChunks = 'DELETE FROM run_chunks WHERE run = $1 AND name = $2'
const deleteArtifact = 'DELETE FROM run_artifacts a WHERE run = $1 AND name = $2'
const hasNoChunks =
  'NOT EXISTS (SELECT FROM run_chunks c WHERE c.run = a.run AND c.name = a.name AND c.epoch = a.epoch)'
const isHeldByOther = (epoch: string) => `status IN ('queued', 'running') AND epoch IS DISTINCT FROM ${epoch}`

type RunState = 'held_by_other' | 'held' | 'finished' | 'deleted'

/** Returns the state of a run for the worker of this epoch. Until the transaction ends, no worker takes the run over. */
async function lockRun(send: PostgresQuery, run: number, epoch: number): Promise<RunState> {
  const [found] = await send<{ state: RunState }>(
    `SELECT CASE WHEN status NOT IN ('queued', 'running') THEN 'finished' WHEN ${isHeldByOther('$2')} THEN 'held_by_other'
       ELSE 'held' END AS state FROM runs WHERE number = $1 FOR SHARE`,
    run,
    epoch,
  )
  return found?.state ?? 'deleted'
}
