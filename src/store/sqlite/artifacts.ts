import type { Artifact, ArtifactStore, ArtifactWriter } from '../artifacts.ts'
import type { SqliteTransactions } from './transactions.ts'

/** Creates the artifact store. All statements are prepared once. */
export function createArtifactStore({ db, read }: SqliteTransactions): ArtifactStore {
  const find = db.query<Artifact, [number, string]>('SELECT etag, bytes FROM run_artifacts WHERE run = ? AND name = ?')
  const readBytes = db.query<{ bytes: Uint8Array }, [number, number, number, string]>(
    'SELECT substr(bytes, ?1 - start + 1, ?2) AS bytes FROM run_chunks WHERE run = ?3 AND name = ?4 AND start <= ?1 ORDER BY start DESC LIMIT 1',
  )
  return {
    find: (run, name) => read(() => find.get(run, name)),
    readBytes: (run, name, from, limit_bytes) =>
      read(() => readBytes.get(from, limit_bytes, run, name)?.bytes ?? new Uint8Array()),
  }
}

/** Creates the artifact writer of an epoch. All statements are prepared once. */
export function createArtifactWriter({ db, write }: SqliteTransactions, epoch: number): ArtifactWriter {
  const findOtherHolder = db.query<{ found: 1 }, [number, number]>(
    "SELECT 1 AS found FROM runs WHERE number = ? AND status IN ('queued', 'running') AND epoch IS NOT ?",
  )
  const deleteArtifact = db.query('DELETE FROM run_artifacts WHERE run = ? AND name = ?')
  const deleteChunks = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const addChunk = db.query('INSERT INTO run_chunks (run, name, start, bytes) VALUES (?, ?, ?, ?)')
  const finish = db.query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (?, ?, ?, ?)')
  const writeUnlessHeld = (run: number, change: () => void) =>
    write(() => {
      if (findOtherHolder.get(run, epoch)) return false
      change()
      return true
    })
  return {
    clear: (run, name) =>
      writeUnlessHeld(run, () => {
        deleteArtifact.run(run, name)
        deleteChunks.run(run, name)
      }),
    addChunk: (run, name, start, bytes) => writeUnlessHeld(run, () => addChunk.run(run, name, start, bytes)),
    finish: (run, name, { etag, bytes }) => writeUnlessHeld(run, () => finish.run(run, name, etag, bytes)),
  }
}
