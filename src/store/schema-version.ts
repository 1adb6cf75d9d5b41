import type { Database } from 'bun:sqlite'
import { stateApplicationId } from './migrate.ts'
import { migrations } from './migrations.ts'
import { readPragma } from './pragma.ts'
import { StoreError } from './store-error.ts'

/** The version of the tables of a `state.db`. Throws a StoreError for what is none of ours, or of a newer version than this executable knows. */
export function readSchemaVersion(db: Database, file: string): number {
  const id = readPragma(db, 'application_id')
  const version = readPragma(db, 'user_version')
  if (id !== stateApplicationId)
    throw new StoreError(
      `${file} is not a database of Fieldstone (application id ${id}): it is left as it is. Move it away, or name another folder with --data.`,
    )
  if (version > migrations.length)
    throw new StoreError(
      `${file} was written by a newer Fieldstone (version ${version}, this one knows ${migrations.length}): it is left as it is. Use the newer executable.`,
    )
  return version
}
