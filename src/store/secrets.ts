import type { Database } from 'bun:sqlite'

const length_bytes = 32

/** A secret of this database by its name, made when it is first asked for; it never leaves the database otherwise. */
export function secretOf(db: Database, name: string, randomBytes: (size: number) => Uint8Array): Uint8Array {
  db.query('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, randomBytes(length_bytes))
  return db.query<{ value: Uint8Array }, [string]>('SELECT value FROM secrets WHERE name = ?').get(name)!.value
}
