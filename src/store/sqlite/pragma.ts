import type { Database } from 'bun:sqlite'

/** Reads an integer pragma of a database or a connection. */
export function readPragma(db: Database, name: 'application_id' | 'user_version' | 'query_only'): number {
  return db.query<Record<string, number>, []>(`PRAGMA ${name}`).get()![name]!
}
