import { SQL } from 'bun'
import { StorageError } from '../storage-error.ts'

/** Returns the storage error of a PostgreSQL error; null for any other error, which is a bug. */
export function postgresStorageError(error: unknown): StorageError | null {
  if (error instanceof StorageError) return error
  if (!(error instanceof SQL.PostgresError)) return null
  // The SQLSTATE, or the code of the client if the server did not answer.
  const state = error.errno ?? error.code
  const reason = reasons.find(([states]) => states.test(state))?.[1]
  return reason === undefined ? null : new StorageError(reason, { cause: error })
}

const reasons = [
  [/^53100$/, 'full'],
  [/^25006$/, 'read_only'],
  // Serialization failure, deadlock, lock timeout, statement timeout.
  [/^(40001|40P01|55P03|57014)$/, 'busy'],
  [/^XX00[12]$/, 'damaged'],
  // Connection, idle transaction, authorization, unknown database, resources, shutdown, input and output, internal
  // error.
  [/^(08|25P03|28|3D|53|57P|58|XX)/, 'unavailable'],
  [/^ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME|TLS|AUTHENTICATION)/, 'unavailable'],
] as const

/** Whether a transaction failed because of another one, so that it can succeed if it is repeated. */
export function isPostgresConflict(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error
  return cause instanceof SQL.PostgresError && ['40001', '40P01'].includes(cause.errno ?? '')
}
