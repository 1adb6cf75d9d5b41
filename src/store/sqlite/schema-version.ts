import type { Database } from 'bun:sqlite'
import { stateApplicationId } from './migrate.ts'
import { migrations } from './migrations.ts'
import { readPragma } from './pragma.ts'
import { StoreError } from '../store-error.ts'

/**
 * Returns the schema version of a `state.db`.
 * @throws {StoreError} if it is not a Fieldstone database or is too new.
 */
export function readSchemaVersion(db: Database, file: string): number {
  const id = readPragma(db, 'application_id')
  const version = readPragma(db, 'user_version')
  if (id !== stateApplicationId)
    throw new StoreError(
      `${file} is not a Fieldstone database (application id ${id}). It was not changed. Move it away, or set --data to another folder.`,
    )
  if (version > migrations.length)
    throw new StoreError(
      `${file} was written by a newer Fieldstone: it has schema version ${version}, and this executable supports ${migrations.length}. It was not changed. Use the newer executable. See /guide/operate#upgrade on a running server.`,
    )
  return version
}
