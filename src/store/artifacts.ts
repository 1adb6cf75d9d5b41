import type { Database } from 'bun:sqlite'

/** A result file of a run: its ETag and its size. */
export type Artifact = { etag: string; bytes: number }

/** The result files of the runs, stored in chunks of equal size except the last. */
export type ArtifactStore = {
  /** Returns a complete file; null if it does not exist or is not complete. */
  find(run: number, name: string): Artifact | null
  /** Returns the chunk that contains the byte at `at`, and its start offset. */
  findChunk(run: number, name: string, at: number): { start: number; bytes: Uint8Array } | null
  /** Deletes a file and its chunks. */
  clear(run: number, name: string): void
  addChunk(run: number, name: string, start: number, bytes: Uint8Array): void
  finish(run: number, name: string, artifact: Artifact): void
}

/** Creates the artifact store. All statements are prepared once. */
export function createArtifactStore(db: Database): ArtifactStore {
  const find = db.query<Artifact, [number, string]>('SELECT etag, bytes FROM run_artifacts WHERE run = ? AND name = ?')
  const findChunk = db.query<{ start: number; bytes: Uint8Array }, [number, string, number]>(
    'SELECT start, bytes FROM run_chunks WHERE run = ? AND name = ? AND start <= ? ORDER BY start DESC LIMIT 1',
  )
  const deleteArtifact = db.query('DELETE FROM run_artifacts WHERE run = ? AND name = ?')
  const deleteChunks = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const addChunk = db.query('INSERT INTO run_chunks (run, name, start, bytes) VALUES (?, ?, ?, ?)')
  const finish = db.query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (?, ?, ?, ?)')
  const clear = db.transaction((run: number, name: string): void => {
    deleteArtifact.run(run, name)
    deleteChunks.run(run, name)
  })
  return {
    find: (run, name) => find.get(run, name),
    findChunk: (run, name, at) => findChunk.get(run, name, at),
    clear: (run, name) => clear.immediate(run, name),
    addChunk: (run, name, start, bytes) => {
      addChunk.run(run, name, start, bytes)
    },
    finish: (run, name, { etag, bytes }) => {
      finish.run(run, name, etag, bytes)
    },
  }
}
