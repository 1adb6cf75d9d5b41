import type { Database } from 'bun:sqlite'

/** A number that SQLite keeps of a database or of a connection. */
export function readPragma(db: Database, name: 'application_id' | 'user_version' | 'query_only'): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!
}
