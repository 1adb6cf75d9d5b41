import { SQLiteError } from 'bun:sqlite'
import { UpstreamError } from '../model/error.ts'
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
