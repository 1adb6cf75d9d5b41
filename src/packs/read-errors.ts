import { SQLiteError } from 'bun:sqlite'
import { UpstreamError } from '../model/error.ts'
import { CorruptIndexError } from './box-index.ts'

/** What a read of a pack gives. A file that fails while it is open (overwritten in place, or a bad disk) is a fault of the source. */
export function translateReadErrors<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof SQLiteError) && !(error instanceof CorruptIndexError)) throw error
    throw new UpstreamError(
      'bad_response',
      `${name} could not be read from its pack: the file is damaged, or it was written over while it was open.`,
      { cause: error },
    )
  }
}
