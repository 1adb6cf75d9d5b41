import type { ArtifactObject, ArtifactObjectStore, DatabaseArtifact } from '../artifacts.ts'
import { type PostgresPools, withIntegers } from './postgres-pool.ts'

/** Whether the object `o` belongs to the result file as it is now. */
const isCurrent = 'EXISTS (SELECT FROM run_artifacts a WHERE a.run = o.run AND a.name = o.name AND a.etag = o.etag)'

/** Creates the store of the moved result files on PostgreSQL. */
export function createPostgresArtifactObjectStore({
  work: { query, transaction },
}: PostgresPools): ArtifactObjectStore {
  return {
    async find(run, name) {
      const [found] = await query<ArtifactObject>(
        `SELECT o.key, o.version, a.bytes FROM artifact_objects o
         JOIN run_artifacts a ON a.run = o.run AND a.name = o.name AND a.etag = o.etag
         WHERE o.run = $1 AND o.name = $2 AND o.version IS NOT NULL
           AND NOT EXISTS (SELECT FROM run_chunks c WHERE c.run = a.run AND c.name = a.name AND c.epoch = a.epoch) LIMIT 1`,
        run,
        name,
      )
      return found ? withIntegers(found, 'bytes') : null
    },
    async listInDatabase(limit) {
      const stored = await query<DatabaseArtifact>(
        `SELECT a.run, r.id AS run_id, a.name, a.etag, a.bytes
         FROM (SELECT DISTINCT run, name FROM run_chunks s
           WHERE EXISTS (SELECT FROM run_artifacts f WHERE f.run = s.run AND f.name = s.name AND f.epoch = s.epoch)
           ORDER BY run, name LIMIT $1) c
         JOIN run_artifacts a ON a.run = c.run AND a.name = c.name JOIN runs r ON r.number = a.run
         ORDER BY a.run, a.name`,
        limit,
      )
      return stored.map((artifact) => withIntegers(artifact, 'run', 'bytes'))
    },
    async begin({ run, name, etag }, key, now) {
      await query(
        'INSERT INTO artifact_objects (key, run, name, etag, begun_at) VALUES ($1, $2, $3, $4, $5)',
        key,
        run,
        name,
        etag,
        now,
      )
    },
    complete: (key, version) =>
      transaction(async (send) => {
        const [file] = await send<{ run: string; name: string }>(
          `UPDATE artifact_objects o SET version = $1 WHERE o.key = $2 AND ${isCurrent} RETURNING o.run, o.name`,
          version,
          key,
        )
        if (!file) return false
        await send(
          'UPDATE artifact_objects SET version = NULL, begun_at = 0 WHERE run = $1 AND name = $2 AND key <> $3',
          file.run,
          file.name,
          key,
        )
        await send('DELETE FROM run_chunks WHERE run = $1 AND name = $2', file.run, file.name)
        return true
      }),
    async listObsolete(begunBefore, limit) {
      const obsolete = await query<{ key: string }>(
        `SELECT o.key FROM artifact_objects o
         WHERE (o.version IS NULL AND o.begun_at < $1) OR (o.version IS NOT NULL AND NOT ${isCurrent}) LIMIT $2`,
        begunBefore,
        limit,
      )
      return obsolete.map(({ key }) => key)
    },
    async remove(key) {
      await query('DELETE FROM artifact_objects WHERE key = $1', key)
    },
  }
}
