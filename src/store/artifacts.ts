import type { Database } from 'bun:sqlite'

/** A file of a run: the mark of its bytes, and how many there are. */
export type Artifact = { etag: string; bytes: number }

/** The files of the runs, in pieces of one size but the last. */
export type Artifacts = {
  /** A finished file: one whose writing was cut short is not there. */
  find(run: number, name: string): Artifact | null
  /** The piece that holds a byte, and where it begins. */
  chunk(run: number, name: string, at: number): { start: number; bytes: Uint8Array } | null
  /** Begins a file anew. */
  clear(run: number, name: string): void
  add(run: number, name: string, start: number, bytes: Uint8Array): void
  finish(run: number, name: string, artifact: Artifact): void
}

/** Prepares every statement once. */
export function openArtifacts(db: Database): Artifacts {
  const find = db.query<Artifact, [number, string]>('SELECT etag, bytes FROM run_artifacts WHERE run = ? AND name = ?')
  const chunk = db.query<{ start: number; bytes: Uint8Array }, [number, string, number]>('SELECT start, bytes FROM run_chunks WHERE run = ? AND name = ? AND start <= ? ORDER BY start DESC LIMIT 1')
  const unfinish = db.query('DELETE FROM run_artifacts WHERE run = ? AND name = ?')
  const drop = db.query('DELETE FROM run_chunks WHERE run = ? AND name = ?')
  const add = db.query('INSERT INTO run_chunks (run, name, start, bytes) VALUES (?, ?, ?, ?)')
  const finish = db.query('INSERT INTO run_artifacts (run, name, etag, bytes) VALUES (?, ?, ?, ?)')
  const clear = db.transaction((run: number, name: string): void => {
    unfinish.run(run, name)
    drop.run(run, name)
  })
  return {
    find: (run, name) => find.get(run, name),
    chunk: (run, name, at) => chunk.get(run, name, at),
    clear: (run, name) => clear.immediate(run, name),
    add: (run, name, start, bytes) => { add.run(run, name, start, bytes) },
    finish: (run, name, { etag, bytes }) => { finish.run(run, name, etag, bytes) },
  }
}
