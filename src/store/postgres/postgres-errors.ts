import { SQL } from 'bun'
import { StorageError, DatabaseUnreachableError, StoreError } from '../storage-error.ts'
import type { DatabaseLocation } from './database-location.ts'

/** Returns the storage error of a PostgreSQL error; null for any other error, which is a bug. */
export function postgresStorageError(error: unknown): StorageError | null {
  if (error instanceof StorageError) return error
  if (isCertificateError(error)) return new StorageError('unavailable', { cause: error })
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

/** Bun reports a certificate that it does not trust as an ordinary error with the code of OpenSSL. */
function isCertificateError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && /CERT|SIGNATURE|^ERR_TLS_/.test(String(error.code))
}

/**
 * Returns the error of a process that cannot open its database. It is a StoreError if a new start would fail for the
 * same reason.
 */
export function postgresSetupError(
  error: unknown,
  { address, setting }: Pick<DatabaseLocation, 'address' | 'setting'>,
): Error {
  if (error instanceof StoreError) return error
  const cause = error instanceof StorageError ? error.cause : error
  if (isRejectedSetup(cause))
    return new StoreError(`Cannot use the PostgreSQL database ${address}: ${setupAdvice(cause, setting)}`, { cause })
  if (!(error instanceof StorageError)) return error as Error
  return new DatabaseUnreachableError(
    `The PostgreSQL database ${address} cannot be reached. Start it, or correct ${setting}.`,
    { cause },
  )
}

/** Authorization, unknown database, missing rights, TLS, a certificate, or a missing file of certificates. */
function isRejectedSetup(error: unknown): error is Error {
  if (isCertificateError(error)) return true
  if (error instanceof SQL.PostgresError)
    return /^(28|3D|42501)/.test(error.errno ?? '') || /^ERR_POSTGRES_(TLS|AUTHENTICATION)/.test(error.code)
  return isMissingAuthorityFile(error)
}

function isMissingAuthorityFile(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('caFile')
}

/** Says what is wrong with the settings of a database, and what to do. */
function setupAdvice(error: Error, setting: string): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the server is for another host name. Write a host name of the certificate in ${setting}.`
  if (code === 'CERT_HAS_EXPIRED') return 'The certificate of the server has expired. Renew it.'
  if (code === 'ERR_POSTGRES_TLS_NOT_AVAILABLE')
    return `The server has no TLS. Turn it on there (ssl = on), or change sslmode in ${setting}.`
  if (isMissingAuthorityFile(error)) return `The file of sslrootcert in ${setting} cannot be read.`
  const { message } = error
  return isCertificateError(error)
    ? `The certificate of the server is not signed by an authority that this machine trusts (${message}). Name the file of its authority with sslrootcert in ${setting}.`
    : `${message}. Correct ${setting}, or the rights of its user.`
}

/** Whether a transaction failed because of another one, so that it can succeed if it is repeated. */
export function isPostgresConflict(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : error
  return cause instanceof SQL.PostgresError && ['40001', '40P01'].includes(cause.errno ?? '')
}
