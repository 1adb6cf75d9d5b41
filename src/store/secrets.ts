import type { Database } from 'bun:sqlite'
import { isSqliteReadOnly } from './sqlite-errors.ts'

const length_bytes = 32

/** A secret of this database by its name, made when it is first asked for; it never leaves the database otherwise. Where nothing can be written a new one holds until the end of the process. */
export function getOrCreateSecret(db: Database, name: string, randomBytes: (size: number) => Uint8Array): Uint8Array {
  const find = db.query<{ value: Uint8Array }, [string]>('SELECT value FROM secrets WHERE name = ?')
  return find.get(name)?.value ?? insertSecret(db, name, randomBytes(length_bytes)) ?? find.get(name)!.value
}

/** Null when another connection was faster. */
function insertSecret(db: Database, name: string, value: Uint8Array): Uint8Array | null {
  try {
    return db.query('INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING').run(name, value).changes >
      0
      ? value
      : null
  } catch (error) {
    if (isSqliteReadOnly(error)) return value
    throw error
  }
}
