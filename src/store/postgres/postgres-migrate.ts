import { StoreError } from '../storage-error.ts'
import { postgresMigrations, type PostgresMigration } from '../migrations.ts'
import type { PostgresPool, PostgresQuery } from './postgres-pool.ts'
import { runStatements } from './postgres-sql.ts'

/** The migrations of a release, and the oldest schema version whose executables can use the result. */
type SupportedSchema = { migrations: readonly PostgresMigration[]; floor: number }

/** Raise it when a migration removes or changes something that the executables of this version use. */
const floor = 22

/**
 * Upgrades the schema of a database in one transaction. Of several processes that start at the same time, one does it,
 * and the others wait. A database that a newer release upgraded is used as it is if that release allows it.
 * @throws {StoreError} if this executable is too old for the database.
 */
export async function migratePostgres(
  { transaction }: Pick<PostgresPool, 'transaction'>,
  { migrations, floor: newFloor }: SupportedSchema = { migrations: postgresMigrations, floor },
): Promise<void> {
  const supported = migrations.at(-1)!.number
  await transaction(async (query) => {
    await runStatements(query, (sql) => sql.dialect.takeLock(sql, 'migration'))
    const found = await readPostgresVersion(query, supported)
    if (found >= supported) return
    if (found === 0) {
      await query('CREATE TABLE schema_version (version integer NOT NULL, floor integer NOT NULL)')
      await query('INSERT INTO schema_version (version, floor) VALUES (0, 0)')
    }
    for (const { number, statements } of migrations)
      if (number > found) for (const statement of statements) await query(statement)
    await query('UPDATE schema_version SET version = $1, floor = $2', supported, newFloor)
  })
}

/**
 * Returns the version of the schema, 0 if the database is new. Changes nothing.
 * @throws {StoreError} if this executable is too old for the database.
 */
export async function readPostgresVersion(
  query: PostgresQuery,
  supported = postgresMigrations.at(-1)!.number,
): Promise<number> {
  const [table] = await query<{ exists: boolean }>("SELECT to_regclass('schema_version') IS NOT NULL AS exists")
  if (!table!.exists) return 0
  const [found] = await query<{ version: number; floor: number }>('SELECT version, floor FROM schema_version')
  if (found!.floor > supported)
    throw new StoreError(
      `The PostgreSQL database was upgraded by a newer Fieldstone: it has schema version ${found!.version} and requires an executable that supports version ${found!.floor}, but this one supports ${supported}. Nothing was changed. Use the newer executable.`,
    )
  return found!.version
}
