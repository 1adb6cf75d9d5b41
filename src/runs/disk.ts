import { ApiError } from '../model/error.ts'

const retryAfter_s = 5

/** Whether our database could not be written for a reason that passes: the disk is full, locked, or failing. */
export function isOfTheDisk(error: unknown): boolean {
  return /^SQLITE_(FULL|BUSY|LOCKED|IOERR|READONLY|CANTOPEN)/.test(codeOf(error))
}

/** The refusal that goes with it. */
export function diskRefusal(error: unknown): ApiError {
  if (codeOf(error).startsWith('SQLITE_READONLY')) return new ApiError('storage_read_only', 'The data folder of this server can only be read: nothing new is taken in.', { retry_after_s: retryAfter_s })
  return storageFull()
}

export function storageFull(): ApiError {
  return new ApiError('storage_full', 'The disk of this server has no room for this: try again when there is some.', { retry_after_s: retryAfter_s })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
