import type { Artifact, ArtifactStore } from '../artifacts.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

/** Creates the artifact store on PostgreSQL. */
export function createPostgresArtifactStore({ work: { query, transaction } }: PostgresPools): ArtifactStore {
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
      const [found] = await query<{ bytes: Uint8Array }>(
        `SELECT substr(bytes, $3::int - start::int + 1, $4::int) AS bytes FROM run_chunks
         WHERE run = $1 AND name = $2 AND start <= $3 ORDER BY start DESC LIMIT 1`,
        run,
        name,
        from,
        limit_bytes,
      )
      return new Uint8Array(found?.bytes ?? [])
    },
    clear: (run, name) =>
      transaction(async (send) => {
        await send('DELETE FROM run_artifacts WHERE run = $1 AND name = $2', run, name)
        await send('DELETE FROM run_chunks WHERE run = $1 AND name = $2', run, name)
      }),
    async addChunk(run, name, start, bytes) {
      await query('INSERT INTO run_chunks (run, name, start, bytes) VALUES ($1, $2, $3, $4)', run, name, start, bytes)
    },
    async finish(run, name, { etag, bytes }) {
      await query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES ($1, $2, $3, $4)', run, name, etag, bytes)
    },
  }
}
