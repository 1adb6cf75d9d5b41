import type { ArtifactObject, ArtifactObjectStore, DatabaseArtifact } from '../artifacts.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the store of the moved result files. All statements are prepared once. */
export function createArtifactObjectStore({ db, read, write }: SqliteTransactions): ArtifactObjectStore {
  const find = db.query<ArtifactObject, [number, string]>(
    `SELECT o.key, o.version, a.bytes FROM artifact_objects o JOIN run_artifacts a ON a.run = o.run AND a.name = o.name AND a.etag = o.etag
    WHERE o.run = ? AND o.name = ? AND o.version IS NOT NULL AND NOT EXISTS (SELECT 1 FROM run_chunks c WHERE c.run = o.run AND c.name = o.name) LIMIT 1`,
  )
  const listInDatabase = db.query<DatabaseArtifact, [number]>(
    `SELECT a.run, r.id AS run_id, a.name, a.etag, a.bytes
    FROM (SELECT DISTINCT run, name FROM run_chunks s
      WHERE EXISTS (SELECT 1 FROM run_artifacts f WHERE f.run = s.run AND f.name = s.name) ORDER BY run, name LIMIT ?) c
    JOIN run_artifacts a ON a.run = c.run AND a.name = c.name JOIN runs r ON r.number = a.run`,
  )
  const begin = db.query('INSERT INTO artifact_objects (key, run, name, etag, begun_at) VALUES (?, ?, ?, ?, ?)')
  const complete = db.query<{ run: number; name: string }, [string, string]>(
    `UPDATE artifact_objects SET version = ?1 WHERE key = ?2 AND EXISTS
      (SELECT 1 FROM run_artifacts a WHERE a.run = artifact_objects.run AND a.name = artifact_objects.name AND a.etag = artifact_objects.etag)
    RETURNING run, name`,
  )
  const deleteOthers = db.query(
    'UPDATE artifact_objects SET version = NULL, begun_at = 0 WHERE run = ? AND name = ? AND key <> ?',
  )
  const deleteChunks = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const listObsolete = db.query<{ key: string }, [number, number]>(
    `SELECT o.key FROM artifact_objects o WHERE (o.version IS NULL AND o.begun_at < ?) OR (o.version IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM run_artifacts a WHERE a.run = o.run AND a.name = o.name AND a.etag = o.etag)) LIMIT ?`,
  )
  const remove = db.query('DELETE FROM artifact_objects WHERE key = ?')
  return {
    find: (run, name) => read(() => find.get(run, name)),
    listInDatabase: (limit) => read(() => listInDatabase.all(limit)),
    begin: ({ run, name, etag }, key, now) => write(() => void begin.run(key, run, name, etag, now)),
    complete: (key, version) =>
      write(() => {
        const file = complete.get(version, key)
        if (!file) return false
        deleteOthers.run(file.run, file.name, key)
        deleteChunks.run(file.run, file.name)
        return true
      }),
    listObsolete: (begunBefore, limit) => read(() => listObsolete.all(begunBefore, limit).map(({ key }) => key)),
    remove: (key) => write(() => void remove.run(key)),
  }
}
