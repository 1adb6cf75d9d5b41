import { SQL } from 'bun'
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { createDatabaseState } from '../../src/app-database.ts'
import type { AppState } from '../../src/app-state.ts'
import type { Config, Environment } from '../../src/config.ts'
import { createPostgresPools } from '../../src/store/postgres/postgres-store.ts'
import { postgresProgram } from './postgres-server.ts'

/**
 * Reads and changes the state of a test service without the service. The SQL must be valid in both kinds of database.
 */
export type TestState = {
  /** Executes a statement with `?` for each value, and returns the rows. */
  query<Row>(statement: string, ...values: TestValue[]): Promise<Row[]>
}

type TestValue = string | number | Uint8Array

/**
 * The URL of a database that has the tables of Fieldstone, no rows and no connections. If it is set, the state of each
 * test service is in a copy of this database; otherwise, in its data folder.
 */
const template = process.env.FIELDSTONE_TEST_DATABASE
/** The databases of this process by data folder, because a service that is opened again has the same state. */
const databases = new Map<string, string>()

/** Whether the state of test services is in PostgreSQL. */
export const usesPostgres = template !== undefined

/** Returns the settings with a database, if the state of test services is in PostgreSQL. */
export function withTestDatabase(env: Environment): Environment {
  // Scheduled backups need the state in the data folder.
  if (template === undefined || env.FIELDSTONE_BACKUP_DIR !== undefined || env.FIELDSTONE_DATABASE) return env
  const folder = env.FIELDSTONE_DATA!
  const url = databases.get(folder) ?? copyDatabase(template)
  databases.set(folder, url)
  return { ...env, FIELDSTONE_DATABASE: url }
}

/** Connects to the database of the settings. Without one, the app opens its data folder. */
export function testAppState({ database }: Config): { state?: AppState } {
  return database ? { state: createDatabaseState(database, createPostgresPools(database.url())) } : {}
}

/** Removes the database of a data folder, even if it has connections. */
export async function removeTestDatabase({ database, data }: Config): Promise<void> {
  if (database === null || !databases.delete(data)) return
  const { server, name } = partsOf(database.url())
  await Bun.spawn([postgresProgram('dropdb'), '--force', `--maintenance-db=${server}`, name]).exited
}

/** Returns the state of a service with these settings. */
export function testStateOf({ database, data }: Config): TestState {
  return {
    async query(statement, ...values) {
      if (database === null) return querySqlite(join(data, 'state.db'), statement, values)
      await using sql = new SQL({ url: database.url(), max: 1 })
      let count = 0
      return [
        ...(await sql.unsafe(
          statement.replaceAll('?', () => `$${++count}`),
          values,
        )),
      ]
    },
  }
}

function querySqlite<Row>(file: string, statement: string, values: TestValue[]): Row[] {
  using db = new Database(file)
  db.run('PRAGMA busy_timeout = 5000')
  return db.query<Row, TestValue[]>(statement).all(...values)
}

/** Waits for the new database, because a service is opened without waiting. Returns its URL. */
function copyDatabase(url: string): string {
  const { server, name: template_ } = partsOf(url)
  const name = `test_${crypto.randomUUID().replaceAll('-', '')}`
  const { exitCode, stderr } = Bun.spawnSync([
    postgresProgram('createdb'),
    `--maintenance-db=${server}`,
    `--template=${template_}`,
    name,
  ])
  if (exitCode !== 0) throw new Error(`createdb failed: ${stderr.toString()}`)
  return databaseUrl(url, name)
}

function partsOf(url: string): { server: string; name: string } {
  return { server: databaseUrl(url, 'postgres'), name: new URL(url).pathname.slice(1) }
}

function databaseUrl(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}
