import { ApiError } from '../model/error.ts'

const retryAfter_s = 5

/** Whether our database could not be written for a reason that passes: the disk is full, locked, or failing. */
export function isOfTheDisk(error: unknown): boolean {
  return /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN)/.test(codeOf(error))
}

/** Whether another connection holds the database: to wait a moment helps. */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error))
}

/** Whether a database is none any more, or was never one. */
export function isOfDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT)/.test(codeOf(error))
}

/** Whether nothing at all can be written, for now: the disk, the folder or the file is read-only. */
export function isOfReadOnly(error: unknown): boolean {
  return codeOf(error).startsWith('SQLITE_READONLY')
}

/** Whether the disk has no room. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL'
}

/** The refusal that goes with it. */
export function diskRefusal(error: unknown): ApiError {
  return isFull(error) ? storageFull() : notWritable()
}

/** The refusal of what finds no room. */
export function storageFull(): ApiError {
  return new ApiError('storage_full', 'The disk of this server has no room for this: try again when there is some.', { retry_after_s: retryAfter_s })
}

/** The refusal of whatever would write, where nothing can be. */
export function notWritable(): ApiError {
  return new ApiError('storage_read_only', 'The data folder of this server cannot be written at this moment: nothing new is taken in, and what is there is answered.', { retry_after_s: retryAfter_s })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
