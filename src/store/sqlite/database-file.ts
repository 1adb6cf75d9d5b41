import type { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'

/** Reads an integer pragma of a database or a connection. */
export function readPragma(db: Database, name: 'application_id' | 'user_version' | 'query_only'): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!
}

/** Removes a database that nobody has open, and its journal files. Missing files are ignored. */
export function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(file + suffix, { force: true })
}
