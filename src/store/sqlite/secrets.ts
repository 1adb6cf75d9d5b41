import type { Database } from 'bun:sqlite'
import { storageErrorOf } from './sqlite-errors.ts'

const length_bytes = 32

/**
 * Returns the secret with this name, and creates it on first use. On a read-only database, a new secret lasts until the
 * process ends.
 */
export function getOrCreateSecret(db: Database, name: string, randomBytes: (size: number) => Uint8Array): Uint8Array {
  const find = db.query<{ value: Uint8Array }, [string]>('SELECT value FROM secrets WHERE name = ?')
  return find.get(name)?.value ?? insertSecret(db, name, randomBytes(length_bytes)) ?? find.get(name)!.value
}

/** Inserts a secret. Returns null if another connection has inserted one first. */
function insertSecret(db: Database, name: string, value: Uint8Array): Uint8Array | null {
  try {
    return db.query('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, value).changes >
      0
      ? value
      : null
  } catch (error) {
    if (storageErrorOf(error)?.reason === 'read_only') return value
    throw error
  }
}
