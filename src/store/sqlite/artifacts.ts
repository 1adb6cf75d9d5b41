import type { Database } from 'bun:sqlite'
import { storeWithStorageErrors } from './sqlite-errors.ts'

/** A result file of a run: its ETag and its size. */
export type Artifact = { etag: string; bytes: number }

/** The result files of the runs, stored in chunks of equal size except the last. */
export type ArtifactStore = {
  /** Returns a complete file; null if it does not exist or is not complete. */
  find(run: number, name: string): Artifact | null
  /** Returns at most `limit_bytes` from an offset on, and no byte of the next chunk; none if the file is gone. */
  readBytes(run: number, name: string, from: number, limit_bytes: number): Uint8Array
  /** Deletes a file and its chunks. */
  clear(run: number, name: string): void
  addChunk(run: number, name: string, start: number, bytes: Uint8Array): void
  finish(run: number, name: string, artifact: Artifact): void
}

/** Creates the artifact store. All statements are prepared once. */
export function createArtifactStore(db: Database): ArtifactStore {
  const find = db.query<Artifact, [number, string]>('SELECT etag, bytes FROM run_artifacts WHERE run = ? AND name = ?')
  const readBytes = db.query<{ bytes: Uint8Array }, [number, number, number, string]>(
    'SELECT substr(bytes, ?1 - start + 1, ?2) AS bytes FROM run_chunks WHERE run = ?3 AND name = ?4 AND start <= ?1 ORDER BY start DESC LIMIT 1',
  )
  const deleteArtifact = db.query('DELETE FROM run_artifacts WHERE run = ? AND name = ?')
  const deleteChunks = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const addChunk = db.query('INSERT INTO run_chunks (run, name, start, bytes) VALUES (?, ?, ?, ?)')
  const finish = db.query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (?, ?, ?, ?)')
  const clear = db.transaction((run: number, name: string): void => {
    deleteArtifact.run(run, name)
    deleteChunks.run(run, name)
  })
  return storeWithStorageErrors({
    find: (run, name) => find.get(run, name),
    readBytes: (run, name, from, limit_bytes) => readBytes.get(from, limit_bytes, run, name)?.bytes ?? new Uint8Array(),
    clear: (run, name) => clear.immediate(run, name),
    addChunk: (run, name, start, bytes) => {
      addChunk.run(run, name, start, bytes)
    },
    finish: (run, name, { etag, bytes }) => {
      finish.run(run, name, etag, bytes)
    },
  })
}
