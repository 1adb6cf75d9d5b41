import { ApiError } from '../model/error.ts'

/**
 * Why the storage failed: the disk is full, the data folder is read-only, another process has locked the database, the
 * database is damaged, or the disk or the database server failed.
 */
type StorageFailure = 'full' | 'read_only' | 'busy' | 'damaged' | 'unavailable'

/** An error of the storage, not of the code. It is the only error of the storage that leaves `src/store`. */
export class StorageError extends Error {
  readonly reason: StorageFailure

  constructor(reason: StorageFailure, options?: ErrorOptions) {
    super(messages[reason], options)
    this.reason = reason
  }
}

const retryAfter_s = 5

const messages: Record<StorageFailure, string> = {
  full: 'The disk of this server is full. Try again later.',
  read_only:
    'The data folder of this server is not writable at the moment. Requests that only read still work. Try again later.',
  busy: 'Another process has locked the database of this server. Requests that only read still work. Try again later.',
  damaged: 'The database of this server is damaged. Run `fieldstone doctor` on the server.',
  unavailable: 'The storage of this server failed. Try again later.',
}

/** The error of stored data that is not as it was written. `what`: the subject of a sentence. */
export function damagedDataError(what: string, options?: ErrorOptions): ApiError {
  return new ApiError(
    'stored_data_damaged',
    `${what} is damaged in the database of this server. Run the locations again, and \`fieldstone doctor\` on the server.`,
    {},
    options,
  )
}

/**
 * Parses stored JSON. `what`: the subject of a sentence.
 * @throws {ApiError} `stored_data_damaged` if it is not JSON.
 */
export function parseStored(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw damagedDataError(what, { cause })
  }
}

/** Whether an error of the storage may end without a repair. A damaged database stays damaged. */
export function isTemporaryStorageError(error: unknown): error is StorageError {
  return error instanceof StorageError && error.reason !== 'damaged'
}

/** The API error of a temporary storage error. */
export function storageApiError({ reason, message }: StorageError): ApiError {
  const code = reason === 'full' ? 'storage_full' : reason === 'read_only' ? 'storage_read_only' : 'storage_unavailable'
  return new ApiError(code, message, { retry_after_s: retryAfter_s })
}

/** A database or data folder that is damaged or cannot be used. It is not changed. The process exits with 78. */
export class StoreError extends Error {}

/** The database server cannot be reached at the moment. The process exits with 75, and can be started again. */
export class DatabaseUnreachableError extends Error {}
