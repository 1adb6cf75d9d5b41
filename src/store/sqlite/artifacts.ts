import type { Artifact, ArtifactStore } from '../artifacts.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the artifact store. All statements are prepared once. */
export function createArtifactStore({ db, read, write }: SqliteTransactions): ArtifactStore {
  const find = db.query<Artifact, [number, string]>('SELECT etag, bytes FROM run_artifacts WHERE run = ? AND name = ?')
  const readBytes = db.query<{ bytes: Uint8Array }, [number, number, number, string]>(
    'SELECT substr(bytes, ?1 - start + 1, ?2) AS bytes FROM run_chunks WHERE run = ?3 AND name = ?4 AND start <= ?1 ORDER BY start DESC LIMIT 1',
  )
  const deleteArtifact = db.query('DELETE FROM run_artifacts WHERE run = ? AND name = ?')
  const deleteChunks = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const addChunk = db.query('INSERT INTO run_chunks (run, name, start, bytes) VALUES (?, ?, ?, ?)')
  const finish = db.query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (?, ?, ?, ?)')
  return {
    find: (run, name) => read(() => find.get(run, name)),
    readBytes: (run, name, from, limit_bytes) =>
      read(() => readBytes.get(from, limit_bytes, run, name)?.bytes ?? new Uint8Array()),
    clear: (run, name) =>
      write(() => {
        deleteArtifact.run(run, name)
        deleteChunks.run(run, name)
      }),
    addChunk: (run, name, start, bytes) => write(() => void addChunk.run(run, name, start, bytes)),
    finish: (run, name, { etag, bytes }) => write(() => void finish.run(run, name, etag, bytes)),
  }
}
