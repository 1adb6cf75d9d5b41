import type { SqlPools } from '../sql.ts'

/** A file in object storage that has the content of a result file. `version` is its ETag. */
export type ArtifactObject = { key: string; version: string; bytes: number }

/** A complete result file whose content is in the database. */
export type DatabaseArtifact = { run: number; run_id: string; name: string; etag: string; bytes: number }

/**
 * The result files that were moved to object storage. A file is first recorded with `begin`, so that what an
 * interrupted upload leaves behind is known.
 */
export type ArtifactObjectStore = {
  /** The object of a result file; null if its content is in the database. */
  find(run: number, name: string): Promise<ArtifactObject | null>
  /** Result files whose content is in the database, oldest run first. */
  listInDatabase(limit: number): Promise<DatabaseArtifact[]>
  /** Records the key of an upload that begins. */
  begin(artifact: Pick<DatabaseArtifact, 'run' | 'name' | 'etag'>, key: string, now: number): Promise<void>
  /**
   * Records that an upload is complete, and deletes the content from the database. Returns false, and deletes nothing,
   * if the result file is gone or was written again.
   */
  complete(key: string, version: string): Promise<boolean>
  /**
   * The keys whose result file is gone or has another object, and of uploads that began before a time and did not end.
   */
  listObsolete(begunBefore: number, limit: number): Promise<string[]>
  /** Removes the record of a key. Call it after the object is deleted. */
  remove(key: string): Promise<void>
}

/** Creates the store of the moved result files. */
export function createArtifactObjects({ work }: SqlPools): ArtifactObjectStore {
  const { isChunkOfFile } = work.dialect
  const hasChunks = `EXISTS (SELECT 1 FROM run_chunks c WHERE ${isChunkOfFile})`
  const find = `SELECT o.key, o.version, a.bytes FROM artifact_objects o
    JOIN run_artifacts a ON a.run = o.run AND a.name = o.name AND a.etag = o.etag
    WHERE o.run = $run AND o.name = $name AND o.version IS NOT NULL AND NOT ${hasChunks} LIMIT 1`
  const listInDatabase = `SELECT a.run, r.id AS run_id, a.name, a.etag, a.bytes
    FROM (SELECT DISTINCT c.run, c.name FROM run_chunks c
      WHERE EXISTS (SELECT 1 FROM run_artifacts a WHERE ${isChunkOfFile}) ORDER BY c.run, c.name LIMIT $limit) s
    JOIN run_artifacts a ON a.run = s.run AND a.name = s.name JOIN runs r ON r.number = a.run
    ORDER BY a.run, a.name`
  return {
    find: (run, name) => work.get(find, { run, name }),
    listInDatabase: (limit) => work.all(listInDatabase, { limit }),
    async begin({ run, name, etag }, key, now) {
      await work.run(begin, { key, run, name, etag, now })
    },
    complete: (key, version) =>
      work.write(function* (sql) {
        const file = yield* sql.get<{ run: number; name: string }>(complete, { key, version })
        if (!file) return false
        yield* sql.run(deleteOthers, { run: file.run, name: file.name, key })
        yield* sql.run('DELETE FROM run_chunks WHERE run = $run AND name = $name', file)
        return true
      }),
    async listObsolete(begunBefore, limit) {
      return (await work.all<{ key: string }>(listObsolete, { begunBefore, limit })).map(({ key }) => key)
    },
    async remove(key) {
      await work.run('DELETE FROM artifact_objects WHERE key = $key', { key })
    },
  }
}

/** Whether an object belongs to the result file as it is now. */
const isCurrent = `EXISTS (SELECT 1 FROM run_artifacts a
  WHERE a.run = artifact_objects.run AND a.name = artifact_objects.name AND a.etag = artifact_objects.etag)`
const begin = 'INSERT INTO artifact_objects (key, run, name, etag, begun_at) VALUES ($key, $run, $name, $etag, $now)'
const complete = `UPDATE artifact_objects SET version = $version WHERE key = $key AND ${isCurrent} RETURNING run, name`
const deleteOthers =
  'UPDATE artifact_objects SET version = NULL, begun_at = 0 WHERE run = $run AND name = $name AND key <> $key'
const listObsolete = `SELECT key FROM artifact_objects
  WHERE (version IS NULL AND begun_at < $begunBefore) OR (version IS NOT NULL AND NOT ${isCurrent}) LIMIT $limit`
