import { SQLiteError } from 'bun:sqlite'
import { isOutOfFiles, UpstreamError } from '../model/error.ts'
import { CorruptIndexError } from './layer/box-index.ts'

/**
 * Returns the result of a read, or its promise.
 * @throws UpstreamError `bad_response` if the open file fails, because it was overwritten in place or the disk is bad.
 */
export function translateReadErrors<T>(name: string, read: () => T): T {
  const fail = (error: unknown): never => {
    if (!(error instanceof SQLiteError) && !(error instanceof CorruptIndexError)) throw error
    throw new UpstreamError(
      'bad_response',
      `${name} could not be read from its pack: the file is corrupt, or it was overwritten while it was open.`,
      { cause: error },
    )
  }
  try {
    const result = read()
    return result instanceof Promise ? (result.catch(fail) as T) : result
  } catch (error) {
    return fail(error)
  }
}

/** Says that a folder cannot be read, and what to do. */
export function unreadableText(folder: string, error: Error): string {
  const advice = isOutOfFiles(error)
    ? 'Raise the limit of open files, for example with `ulimit -n 4096`.'
    : 'Give the account that runs this service read access.'
  return `${folder} cannot be read: ${error.message}. ${advice}`
}
